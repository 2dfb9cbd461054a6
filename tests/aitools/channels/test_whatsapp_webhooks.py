"""The door Meta knocks on, with its recorded requests and signatures."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client
from pytest_django import Settings

from aitools import inbox, metrics
from aitools.models import Conversation, InboundEvent, InboundState
from tests.aitools.channels.cases import Sample, samples, whatsapp_signatures
from tests.wire.whatsapp import (
    APP_SECRET,
    PATH,
    VERIFY_TOKEN,
    as_meta_writes,
    envelope,
    message,
    signature_of,
    signed_post,
)

pytestmark = pytest.mark.django_db

SAMPLES = [sample for name in ("messages", "statuses", "envelopes") for sample in samples(f"whatsapp_cloud_{name}")]
VECTORS = whatsapp_signatures()
HELLO = message(text={"body": "hola"})


@pytest.fixture
def strict_client() -> Client:
    """A client that checks CSRF as a browser's requests are checked."""
    return Client(enforce_csrf_checks=True)


def replay(client: Client, recorded: Mapping[str, Any]) -> Any:
    headers = {name: value for name, value in recorded["headers"].items() if name != "Content-Type"}
    if recorded["method"] == "GET":
        return client.get(f"{recorded['path']}?{recorded['query']}", headers=headers)
    body = as_meta_writes(recorded["json"]) if "json" in recorded else recorded["body"].encode()
    return client.post(recorded["path"], data=body, content_type="application/json", headers=headers)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.id)
def test_recorded_requests_are_stored_once_and_acknowledged(sample: Sample, strict_client: Client) -> None:
    for recorded in sample.requests:
        answer = replay(strict_client, recorded)
        assert answer.status_code in sample.expected["http"]
        assert answer.content.decode() == sample.expected.get("response_body", "")

    # Besides the rows by which a hidden number is found again.
    assert InboundEvent.objects.exclude(message_kind="identity").count() == sample.stored


def body_of(vector: Mapping[str, Any]) -> bytes:
    if "body_base64" in vector:
        return base64.b64decode(vector["body_base64"])
    return str(vector["body"]).encode()


@pytest.mark.parametrize("vector", VECTORS, ids=[one["id"] for one in VECTORS])
def test_every_recorded_signature_is_judged_right_at_the_door(
    vector: Mapping[str, Any], strict_client: Client, settings: Settings
) -> None:
    settings.WHATSAPP_APP_SECRET = vector["secret"]
    given = vector["header"]
    # Header bytes reach the application as latin-1.
    headers = {} if given is None else {"X-Hub-Signature-256": given.encode().decode("latin-1")}

    answer = strict_client.post(PATH, data=body_of(vector), content_type="application/json", headers=headers)

    assert answer.status_code == (200 if vector["valid"] else 403)
    assert InboundEvent.objects.exists() is vector["valid"]


def test_the_challenge_is_text_and_nothing_else(client: Client) -> None:
    query = f"hub.mode=subscribe&hub.challenge={quote('<b>1</b>')}&hub.verify_token={VERIFY_TOKEN}"

    answer = client.get(f"{PATH}?{query}")

    assert (answer.status_code, answer["Content-Type"]) == (200, "text/plain")
    assert answer["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("token", ["", "é", "\x00", VERIFY_TOKEN + "x"])
def test_who_does_not_know_the_verify_token_learns_nothing(token: str, client: Client) -> None:
    answer = client.get(PATH, {"hub.mode": "subscribe", "hub.challenge": "1", "hub.verify_token": token})

    assert (answer.status_code, answer.content) == (403, b"")


def test_without_a_verify_token_nobody_is_answered(client: Client, settings: Settings) -> None:
    settings.WHATSAPP_VERIFY_TOKEN = ""

    assert client.get(PATH, {"hub.mode": "subscribe", "hub.challenge": "1"}).status_code == 403


@pytest.mark.parametrize("method", ["put", "delete", "patch"])
def test_only_get_and_post_are_answered(method: str, client: Client) -> None:
    assert getattr(client, method)(PATH).status_code == 405


def test_a_body_of_four_megabytes_is_taken_and_a_larger_one_is_413(client: Client) -> None:
    largest = b" " * (4 * 1024 * 1024)

    assert signed_post(client, largest).status_code == 200
    assert signed_post(client, largest + b" ").status_code == 413


def test_a_large_body_of_a_stranger_is_refused(client: Client) -> None:
    assert client.post(PATH, data=b" " * 3_000_000, content_type="application/json").status_code == 403


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\x00",
        b"{",
        b"[" * 100_000,
        b'{"object":' * 5_000 + b"1" + b"}" * 5_000,
        b"\xff\xfe",
        b"null",
        b'"text"',
        b"1" * 5_000,
        b'{"object": 5}',
        b'{"object": "whatsapp_business_account", "entry": 5}',
        b'{"object": "whatsapp_business_account", "entry": [5, null, "x", {"changes": [7, {"field": "messages"}]}]}',
        as_meta_writes(envelope(messages="x", statuses=7, contacts=None, errors=[None])),
        as_meta_writes(envelope(messages=[[], {}, {"from": {}, "id": [], "type": 5}, {"from": "1" * 400}])),
        as_meta_writes(envelope(messages=[{"from": "12025550141", "id": "w" * 400, "type": "text", "text": 5}])),
        as_meta_writes(envelope(statuses=[{"id": "wamid.1", "status": "teleported"}, {"status": "sent"}])),
    ],
)
def test_no_signed_body_is_an_error(body: bytes, client: Client) -> None:
    for _ in range(2):
        assert signed_post(client, body).status_code == 200

    assert not InboundEvent.objects.filter(state=InboundState.UNREAD).exists()


def unsupported_so_far() -> float:
    return metrics.REGISTRY.get_sample_value("aitools_unsupported_total", {"channel": "whatsapp_cloud"}) or 0


def test_one_bad_message_does_not_lose_its_neighbours(client: Client) -> None:
    texts = [{"from": "12025550141", "id": f"wamid.{n}", "type": "text", "text": {"body": str(n)}} for n in (1, 2)]
    broken = {"from": "12025550141", "id": "wamid.bad", "timestamp": [], "type": "hologram", "hologram": {"x": 1}}
    body = envelope(messages=[texts[0], broken, None, texts[1]], statuses=[{"id": "wamid.9", "status": "sent"}])

    before = unsupported_so_far()
    for _ in range(2):
        assert signed_post(client, body).status_code == 200

    assert unsupported_so_far() == before + 2
    stored = InboundEvent.objects.order_by("id").values_list("kind", "message_kind", "text")
    assert list(stored) == [
        ("message", "text", "1"),
        ("message", "unsupported", ""),
        ("system", "unsupported", ""),
        ("message", "text", "2"),
        ("status", "text", ""),
    ]


def test_a_message_that_the_database_refuses_does_not_lose_its_neighbours(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = inbox._receive

    def refusing(event: Any) -> int:
        if event.text == "bad":
            raise RuntimeError("a bug of ours")
        return stored(event)

    monkeypatch.setattr(inbox, "_receive", refusing)
    texts = [{"from": "12025550141", "id": f"wamid.{t}", "type": "text", "text": {"body": t}} for t in ("bad", "good")]

    assert signed_post(client, envelope(messages=texts)).status_code == 200
    assert InboundEvent.objects.filter(text="good").exists()


@pytest.mark.parametrize("text", [" ", "x" * 70_000, "🥐👍🏽", "a\x00b", "\ud83e", "\udd50\ud83e", "'; --"])
def test_any_text_is_taken(text: str, client: Client) -> None:
    assert signed_post(client, message(text={"body": text})).status_code == 200

    stored = InboundEvent.objects.get()
    cleaned = text.replace("\x00", "").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    assert len(stored.text) >= len(cleaned) - 1
    assert not any("\ud800" <= char <= "\udfff" or char == "\x00" for char in stored.text)
    assert stored.state == InboundState.BOT


def test_a_status_finds_its_message_before_the_send_is_committed(client: Client) -> None:
    customer = Conversation.objects.create(channel="whatsapp_cloud", account="100000000000177", address="+12025550141")
    sent = customer.outbound.create(text="Hola", state="sending")
    told = {"id": "wamid.9", "status": "delivered", "recipient_id": "12025550141"}

    signed_post(client, envelope(statuses=[{**told, "biz_opaque_callback_data": str(sent.key)}]))

    sent.refresh_from_db()
    assert (sent.status, sent.state, sent.provider_id) == ("delivered", "sent", "wamid.9")


def test_statuses_move_forward_only(client: Client) -> None:
    customer = Conversation.objects.create(channel="whatsapp_cloud", account="100000000000177", address="+12025550141")
    sent = customer.outbound.create(text="Hola", state="sent", provider_id="wamid.9")

    for status in ("read", "sent", "failed", "delivered"):
        errors = [{"code": 131026}] if status == "failed" else []
        signed_post(client, envelope(statuses=[{"id": "wamid.9", "status": status, "errors": errors}]))

    sent.refresh_from_db()
    assert (sent.status, sent.state) == ("read", "sent")


def test_another_secret_does_not_open_the_door(client: Client) -> None:
    raw = as_meta_writes(HELLO)
    for header in (signature_of(raw, "another"), signature_of(raw + b" "), signature_of(raw).upper()):
        answer = client.post(PATH, data=raw, content_type="application/json", headers={"X-Hub-Signature-256": header})
        assert answer.status_code == 403
    assert signed_post(client, HELLO, secret=APP_SECRET).status_code == 200
