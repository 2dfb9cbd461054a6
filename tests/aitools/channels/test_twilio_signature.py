"""Only Twilio gets in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

import pytest
from django.http import HttpRequest, QueryDict
from django.test import RequestFactory
from pytest_django import Settings
from twilio.request_validator import HMAC_SHA1, HMAC_SHA256, RequestValidator

from aitools.channels import twilio
from aitools.channels.twilio.signature import is_signed
from aitools.errors import SignatureError
from tests.aitools.channels.cases import twilio_signatures
from tests.wire.twilio import signature_of

VECTORS = twilio_signatures()
FORM = "application/x-www-form-urlencoded"


def payload_of(vector: Mapping[str, Any]) -> QueryDict | str:
    if "body" in vector:
        return str(vector["body"])
    return QueryDict(urlencode([tuple(pair) for pair in vector["params"]]))


@pytest.mark.parametrize("vector", VECTORS, ids=[one["id"] for one in VECTORS])
def test_every_recorded_signature_is_judged_right(vector: Mapping[str, Any], settings: Settings) -> None:
    if "SHA1" in vector["algorithm"]:
        settings.TWILIO_AUTH_TOKEN = vector["token"]
    key_settings = vector.get("settings_header") if vector["id"] != "sharedkey-checked-as-sha1" else None

    assert is_signed(vector["url"], payload_of(vector), vector["signature"], key_settings) is vector["valid"]


@pytest.mark.parametrize(
    ("setting", "algorithm"), [("TWILIO_AUTH_TOKEN", HMAC_SHA1), ("TWILIO_SHARED_KEY_SECRET", HMAC_SHA256)]
)
def test_without_a_secret_nothing_is_signed(setting: str, algorithm: str, settings: Settings) -> None:
    setattr(settings, setting, "")
    url, form = "https://desk.example/webhooks/twilio", QueryDict("Body=hola")
    signed_with_nothing = RequestValidator("").compute_signature(url, form, algorithm)

    assert not is_signed(url, form, signed_with_nothing, f"key=k,algorithm={algorithm}")


def request_behind_a_proxy(body: str, signature: str, query: str = "") -> HttpRequest:
    """As the application sees it: other scheme, other host, forged forwarding headers."""
    return RequestFactory().post(
        f"/webhooks/twilio{query}",
        data=body,
        content_type=FORM,
        headers={"X-Twilio-Signature": signature, "Host": "10.0.0.5:8000", "X-Forwarded-Host": "evil.example"},
    )


def test_the_public_url_counts_and_not_what_the_request_says_about_itself() -> None:
    body = "Body=2+croissants&From=%2B15550100101"

    twilio.verify(request_behind_a_proxy(body, signature_of("/webhooks/twilio", body)))


def test_the_query_counts_as_it_was_written() -> None:
    body, query = "Body=hola", "?outbox=42&t=a%20b"
    signature = signature_of(f"/webhooks/twilio{query}", body)

    twilio.verify(request_behind_a_proxy(body, signature, query))
    with pytest.raises(SignatureError):
        twilio.verify(request_behind_a_proxy(body, signature, "?outbox=42&t=a+b"))


def test_another_secret_does_not_open_the_door() -> None:
    body = "Body=hola"
    with pytest.raises(SignatureError):
        twilio.verify(request_behind_a_proxy(body, signature_of("/webhooks/twilio", body, token="of-another-account")))


def test_a_multipart_body_is_refused_unread() -> None:
    request = RequestFactory().post("/webhooks/twilio", {"Body": "hola"})

    with pytest.raises(SignatureError):
        twilio.verify(request)
    assert not hasattr(request, "_post")
