"""Messages leave through the official SDK; every failure says whether it may have been taken."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from pytest_django import Settings
from twilio.base.exceptions import TwilioRestException

from aitools.channels.base import DeliveryStatus, OutgoingMessage
from aitools.channels.twilio import TwilioSms, TwilioWhatsApp, channels
from aitools.channels.twilio.failures import channel_error
from aitools.errors import ChannelError, ChannelPermanent, ChannelTransient, ChannelUnknown
from aitools.types import Button
from tests.wire.twilio import (
    ANSWER_LOST,
    DROPPED,
    OPENAPI,
    RATE_LIMITED,
    SERVER_ERROR,
    Fault,
    TwilioApi,
    refusal,
    twilio_api,
)

KEY = "0b8f6f2e-6c1e-4a3e-9a53-0d3f5a1c2b4d"
SMS = OutgoingMessage(outbox_id=KEY, account="+15550100199", address="+573000000001", text="¿Confirmas? (sí/no)")
WHATSAPP = OutgoingMessage(outbox_id=KEY, account="+15550100188", address="+573000000001", text="Hola")


@pytest.fixture
def twilio(settings: Settings) -> Iterator[TwilioApi]:
    with twilio_api() as api:
        settings.TWILIO_API_BASE_URL = api.base_url
        yield api


def test_requests_are_checked_against_the_vendors_description(twilio: TwilioApi) -> None:
    if not OPENAPI.exists():
        pytest.skip(f"{OPENAPI} is not here")
    too_long = OutgoingMessage(outbox_id=KEY, account="+15550100199", address="+573000000001", text="x" * 1601)

    with pytest.raises(ChannelPermanent):
        TwilioSms().send(too_long)
    assert twilio.refused
    assert not twilio.messages


def test_an_sms_goes_out_as_it_should(twilio: TwilioApi) -> None:
    sent = TwilioSms().send(SMS)

    (message,) = twilio.messages
    assert sent.provider_id == message["sid"]
    assert sent.status is DeliveryStatus.QUEUED
    assert (message["to"], message["from"]) == ("+573000000001", "+15550100199")
    assert message["body"] == "¿Confirmas? (sí/no)"
    assert twilio.callbacks[message["sid"]] == f"https://desk.example/webhooks/twilio/status?outbox={KEY}"


def test_whatsapp_is_a_prefix_on_both_sides(twilio: TwilioApi) -> None:
    TwilioWhatsApp().send(WHATSAPP)

    (message,) = twilio.messages
    assert (message["to"], message["from"]) == ("whatsapp:+573000000001", "whatsapp:+15550100188")


@pytest.mark.parametrize(
    ("configured", "field", "value"),
    [
        ("+15550100188", "from", "whatsapp:+15550100188"),
        ("whatsapp:+15550100188", "from", "whatsapp:+15550100188"),
        ("MG" + "0" * 32, "messaging_service_sid", "MG" + "0" * 32),
    ],
)
def test_a_conversation_without_an_account_uses_the_configured_sender(
    configured: str, field: str, value: str, twilio: TwilioApi, settings: Settings
) -> None:
    settings.TWILIO_WHATSAPP_FROM = configured

    TwilioWhatsApp().send(OutgoingMessage(outbox_id=KEY, account="", address="CO.TEST123", text="Hola"))

    assert twilio.messages[0][field] == value
    assert twilio.messages[0]["to"] == "whatsapp:CO.TEST123"


def test_sms_loses_what_would_make_it_dear_and_whatsapp_keeps_it(twilio: TwilioApi) -> None:
    fancy = "2 × “Croissant” – l’oro"
    for channel in (TwilioSms(), TwilioWhatsApp()):
        channel.send(OutgoingMessage(outbox_id=KEY, account="+15550100199", address="+573000000001", text=fancy))

    assert twilio.texts == ['2 x "Croissant" - l\'oro', fancy]


def test_buttons_are_left_to_the_text(twilio: TwilioApi) -> None:
    question = OutgoingMessage(KEY, "+15550100188", "+573000000001", "¿Confirmas?", (Button("yes", "Sí"),))
    TwilioWhatsApp().send(question)

    assert twilio.texts == ["¿Confirmas?"]
    assert not TwilioWhatsApp().capabilities.buttons


@pytest.mark.parametrize(
    ("fault", "error", "kind", "code"),
    [
        (RATE_LIMITED, ChannelTransient, "retry", "20429"),
        (refusal(21611), ChannelTransient, "retry", "21611"),
        (refusal(21610), ChannelPermanent, "opt_out", "21610"),
        (refusal(63016), ChannelPermanent, "window", "63016"),
        (refusal(21211), ChannelPermanent, "permanent", "21211"),
        (refusal(21606), ChannelPermanent, "config", "21606"),
        (refusal(99999), ChannelPermanent, "permanent", "99999"),
        (SERVER_ERROR, ChannelUnknown, "unknown", "20500"),
        (DROPPED, ChannelUnknown, "unknown", ""),
        (ANSWER_LOST, ChannelUnknown, "unknown", ""),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_each_refusal_has_its_class(
    fault: Fault, error: type[ChannelError], kind: str, code: str, twilio: TwilioApi
) -> None:
    twilio.faults.append(fault)

    with pytest.raises(error) as raised:
        TwilioSms().send(SMS)

    assert (raised.value.kind, raised.value.code) == (kind, code)
    assert len(twilio.messages) == int(fault.accepted), "the SDK must not repeat by itself"


def test_wrong_credentials_are_the_operators_business(twilio: TwilioApi, settings: Settings) -> None:
    settings.TWILIO_AUTH_TOKEN = "another"

    with pytest.raises(ChannelPermanent) as raised:
        TwilioSms().send(SMS)
    assert (raised.value.kind, raised.value.code) == ("config", "20003")


@pytest.mark.parametrize("missing", ["TWILIO_ACCOUNT_SID", "TWILIO_AUTH_TOKEN", "TWILIO_SMS_FROM"])
def test_a_missing_setting_is_the_operators_business(missing: str, twilio: TwilioApi, settings: Settings) -> None:
    setattr(settings, missing, "")

    with pytest.raises(ChannelPermanent) as raised:
        TwilioSms().send(OutgoingMessage(outbox_id=KEY, account="", address="+573000000001", text="Hola"))
    assert raised.value.kind == "config"


def test_a_server_that_is_not_there_has_surely_taken_nothing(settings: Settings) -> None:
    with twilio_api() as gone:
        settings.TWILIO_API_BASE_URL = gone.base_url

    with pytest.raises(ChannelTransient):
        TwilioSms().send(SMS)


@pytest.mark.parametrize(
    "fault", [Fault(seconds=5, accepted=True), Fault(drip=True, accepted=True)], ids=["slow", "drip"]
)
def test_the_wall_clock_limits_a_send(fault: Fault, twilio: TwilioApi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channels, "CALL_SECONDS", 0.3)
    twilio.faults.append(fault)
    started = time.monotonic()

    with pytest.raises(ChannelUnknown):
        TwilioSms().send(SMS)
    assert time.monotonic() - started < 2


def test_an_error_for_staff_carries_no_phone_number() -> None:
    refused = TwilioRestException(400, "/", "Unable to create record: Number +573000000001 is not valid", 21211)

    assert str(channel_error(refused)) == "Twilio 21211: Number … is not valid"


def test_a_lost_answer_is_found_again(twilio: TwilioApi) -> None:
    since = datetime.now(UTC)
    twilio.faults.append(ANSWER_LOST)
    with pytest.raises(ChannelUnknown):
        TwilioSms().send(SMS)

    found = TwilioSms().find_sent(SMS, since)

    assert found is not None
    assert found.provider_id == twilio.messages[0]["sid"]


def test_what_was_never_taken_is_not_found(twilio: TwilioApi) -> None:
    other = OutgoingMessage(outbox_id=KEY, account=SMS.account, address="+573000000002", text=SMS.text)
    TwilioSms().send(other)

    assert TwilioSms().find_sent(SMS, datetime.now(UTC) - timedelta(minutes=1)) is None


def test_the_same_words_sent_earlier_prove_nothing(twilio: TwilioApi) -> None:
    TwilioSms().send(SMS)

    assert TwilioSms().find_sent(SMS, datetime.now(UTC) + timedelta(seconds=5)) is None


def test_a_failed_look_up_proves_nothing(settings: Settings) -> None:
    with twilio_api() as gone:
        settings.TWILIO_API_BASE_URL = gone.base_url

    assert TwilioSms().find_sent(SMS, datetime.now(UTC)) is None


def test_words_that_carriers_act_on_end_an_sms_conversation() -> None:
    assert {"STOP", "CANCEL", "BAJA"} <= TwilioSms().capabilities.opt_out_words
    assert "CANCEL" not in TwilioWhatsApp().capabilities.opt_out_words
