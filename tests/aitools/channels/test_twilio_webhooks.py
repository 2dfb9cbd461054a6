"""The doors Twilio knocks on, with its recorded requests."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest
from django.test import Client
from pytest_django import Settings

from aitools.models import Conversation, InboundEvent, InboundState
from tests.aitools.channels.cases import Sample, samples, twilio_signatures
from tests.wire.twilio import AUTH_TOKEN, signature_of, signed_post

pytestmark = pytest.mark.django_db

FORM = "application/x-www-form-urlencoded"
SAMPLES = samples("twilio_sms") + samples("twilio_whatsapp") + samples("twilio_status")
DOORS = ["/webhooks/twilio", "/webhooks/twilio/status"]
HELLO = {"MessageSid": "SM1", "From": "+15550100101", "To": "+15550100199", "Body": "hola"}


@pytest.fixture
def strict_client() -> Client:
    """A client that checks CSRF as a browser's requests are checked."""
    return Client(enforce_csrf_checks=True)


def replay(client: Client, recorded: Mapping[str, Any]) -> Any:
    query = f"?{recorded['query']}" if recorded["query"] else ""
    headers = {name: value for name, value in recorded["headers"].items() if name != "Content-Type"}
    body = urlencode([tuple(pair) for pair in recorded["form"]])
    return client.post(recorded["path"] + query, data=body, content_type=FORM, headers=headers)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.id)
def test_recorded_requests_are_stored_once_and_answered_with_silence(sample: Sample, strict_client: Client) -> None:
    for recorded in sample.requests:
        answer = replay(strict_client, recorded)
        assert answer.status_code in sample.expected["http"]
        assert answer["Content-Type"] == "text/xml"
        assert answer.content == b"<Response/>"

    different = {(event["message_id"], event.get("status")) for event in sample.expected["events"]}
    # Besides the rows by which a hidden number is found again.
    stored = InboundEvent.objects.exclude(message_kind="identity")
    assert stored.count() == sample.expected.get("stored", len(different))


@pytest.mark.parametrize("path", DOORS)
@pytest.mark.parametrize("signature", [None, "", "bm90IHR3aWxpbydzIHNpZ25hdHVyZQ==", "é" * 28])
def test_an_unsigned_request_leaves_nothing_behind(path: str, signature: str | None, strict_client: Client) -> None:
    headers = {} if signature is None else {"X-Twilio-Signature": signature.encode().decode("latin-1")}

    answer = strict_client.post(path, data=urlencode(HELLO), content_type=FORM, headers=headers)

    assert answer.status_code == 403
    assert not InboundEvent.objects.exists()
    assert not Conversation.objects.exists()


def test_the_signature_of_one_door_does_not_open_the_other(client: Client) -> None:
    body = urlencode(HELLO)
    headers = {"X-Twilio-Signature": signature_of("/webhooks/twilio", body)}

    answer = client.post("/webhooks/twilio/status", data=body, content_type=FORM, headers=headers)

    assert answer.status_code == 403


def test_without_a_token_everything_is_refused(client: Client, settings: Settings) -> None:
    settings.TWILIO_AUTH_TOKEN = ""

    assert signed_post(client, "/webhooks/twilio", HELLO, token=AUTH_TOKEN).status_code == 403


@pytest.mark.parametrize("path", DOORS)
@pytest.mark.parametrize("method", ["get", "put", "delete"])
def test_only_post_is_answered(path: str, method: str, client: Client) -> None:
    assert getattr(client, method)(path).status_code == 405


def test_a_body_larger_than_allowed_is_413(client: Client, settings: Settings) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000

    assert signed_post(client, "/webhooks/twilio", HELLO | {"Body": "x" * 2000}).status_code == 413


def test_more_fields_than_allowed_are_413(client: Client) -> None:
    many = [(f"Field{number}", "") for number in range(1100)]

    assert client.post("/webhooks/twilio", data=urlencode(many), content_type=FORM).status_code == 413


def test_another_charset_is_refused(client: Client) -> None:
    answer = client.post("/webhooks/twilio", data="Body=ol%E9", content_type=f"{FORM}; charset=latin-1")

    assert answer.status_code == 400


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b'{"a": 1}', "application/json"),
        (b"\xff\xfe", "application/json"),
        (b"--x\r\nContent-Disposition: form-data; name=Body\r\n\r\nhola\r\n--x--", "multipart/form-data; boundary=x"),
        (b"hola", "text/plain"),
        (b"", ""),
    ],
)
def test_other_kinds_of_body_are_refused(body: bytes, content_type: str, client: Client) -> None:
    assert client.post("/webhooks/twilio", data=body, content_type=content_type).status_code == 403


@pytest.mark.parametrize(
    "text", ["", " ", "x" * 5000, "🥐👍🏽", "a\x00b", "\ufffd", "\U0001f469\u200d\U0001f373", "'; --"]
)
def test_any_text_is_taken(text: str, client: Client) -> None:
    assert signed_post(client, "/webhooks/twilio", HELLO | {"Body": text}).status_code == 200

    stored = InboundEvent.objects.get()
    assert stored.text == text.replace("\x00", "")
    assert stored.state == InboundState.BOT


def test_a_broken_surrogate_on_the_wire_is_taken(client: Client) -> None:
    body = f"{urlencode(HELLO)}&ProfileName=%ED%A0%80"
    headers = {"X-Twilio-Signature": signature_of("/webhooks/twilio", body)}

    assert client.post("/webhooks/twilio", data=body, content_type=FORM, headers=headers).status_code == 200


@pytest.mark.parametrize(
    "form",
    [
        {"FutureParameter": ""},
        {"MessageSid": "SM1"},
        HELLO | {"From": "messenger:1"},
        HELLO | {"MessageStatus": "teleported"},
        HELLO | {"ChannelMetadata": json.dumps({"deep": [[[]]]}), "NumMedia": "-1"},
        HELLO | {"From": "whatsapp:" + "9" * 4000, "ProfileName": "\x00" * 4000},
    ],
)
def test_no_signed_form_is_an_error(form: Mapping[str, str], client: Client) -> None:
    assert signed_post(client, "/webhooks/twilio", form).status_code == 200


@pytest.mark.parametrize("form", [HELLO | {"From": "rcs:agent"}, HELLO | {"MessageStatus": "teleported"}])
def test_what_we_cannot_place_is_kept_once(form: Mapping[str, str], client: Client) -> None:
    for _again in range(2):
        signed_post(client, "/webhooks/twilio", form)

    assert InboundEvent.objects.get().message_kind == "unsupported"
    assert not Conversation.objects.exists()


def test_a_failure_is_shown_in_twilios_own_words_without_the_number(client: Client) -> None:
    customer = Conversation.objects.create(channel="twilio_sms", account="+15550100199", address="+15550100101")
    message = customer.outbound.create(text="Hola", state="sent", provider_id="SM9", attempts=1)
    form = {"MessageSid": "SM9", "MessageStatus": "undelivered", "From": "+15550100199", "To": "+15550100101"}

    signed_post(
        client,
        f"/webhooks/twilio/status?outbox={message.key}",
        form | {"ErrorCode": "30006", "ErrorMessage": "Landline +15550100101 can't be reached"},
    )

    message.refresh_from_db()
    assert (message.state, message.error_code) == ("failed", "30006")
    assert message.error == "Landline … can't be reached"


def test_every_recorded_signature_opens_the_door_or_not(client: Client, settings: Settings) -> None:
    """Each at the path it was made for: here every path leads to the same door."""
    settings.ROOT_URLCONF = "tests.aitools.channels.one_door"

    answers = {vector["id"]: _knock(vector, client, settings) for vector in twilio_signatures()}

    expected = {vector["id"]: 200 if vector["valid"] else 403 for vector in twilio_signatures()}
    # What stands behind "#" stays at Twilio: no request ever has it.
    assert answers == expected | {"fragment-included": 200}


def _knock(vector: Mapping[str, Any], client: Client, settings: Settings) -> int:
    url, is_json = urlsplit(vector["url"]), "body" in vector
    settings.PUBLIC_URL = f"{url.scheme}://{url.netloc}"
    settings.TWILIO_AUTH_TOKEN = vector["token"] if "SHA1" in vector["algorithm"] else "another"
    headers = {} if vector["signature"] is None else {"X-Twilio-Signature": vector["signature"]}
    if vector.get("settings_header") and vector["id"] != "sharedkey-checked-as-sha1":
        headers["X-Twilio-Webhooks-Signature-Settings"] = vector["settings_header"]
    body = vector["body"] if is_json else urlencode([tuple(pair) for pair in vector["params"]])
    path, kind = url.path + (f"?{url.query}" if url.query else ""), "application/json" if is_json else FORM
    return int(client.post(path, body, content_type=kind, headers=headers, CONTENT_TYPE=kind).status_code)


def test_a_status_finds_its_message_before_the_send_is_committed(client: Client) -> None:
    customer = Conversation.objects.create(channel="twilio_sms", account="+15550100199", address="+15550100101")
    message = customer.outbound.create(text="Hola", state="sending")
    form = {"MessageSid": "SM9", "MessageStatus": "delivered", "From": "+15550100199", "To": "+15550100101"}

    signed_post(client, f"/webhooks/twilio/status?outbox={message.key}", form)

    message.refresh_from_db()
    assert (message.status, message.state, message.provider_id) == ("delivered", "sent", "SM9")
