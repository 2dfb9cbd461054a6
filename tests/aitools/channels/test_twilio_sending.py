"""Messages leave through the official SDK; every failure says whether it may have been taken."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from pytest_django import Settings
from twilio.base.exceptions import TwilioRestException

from aitools.channels.base import DeliveryStatus, ErrorClass, OutgoingMessage
from aitools.channels.twilio import TwilioSms, TwilioWhatsApp, channels, client
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
TEMPLATE = "HX" + "a" * 32
QUESTION = OutgoingMessage(
    outbox_id=KEY,
    account="+15550100188",
    address="+573000000001",
    text="Voy a:\n• 2 × Pan\n¿Confirmas?",
    buttons=(Button("confirm:7:yes", "Sí"), Button("confirm:7:no", "No")),
)
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


def test_without_a_template_buttons_are_left_to_the_text(twilio: TwilioApi) -> None:
    TwilioWhatsApp().send(QUESTION)

    assert twilio.texts == ["Voy a:\n• 2 × Pan\n¿Confirmas?"]
    assert not TwilioWhatsApp().capabilities.has_buttons("es")


def test_buttons_go_in_the_template_of_the_language(twilio: TwilioApi, settings: Settings) -> None:
    settings.TWILIO_QUESTION_CONTENT_SIDS = {"es": TEMPLATE}
    TwilioWhatsApp().send(QUESTION)
    TwilioWhatsApp().send(replace(QUESTION, language="es-mx"))
    TwilioWhatsApp().send(replace(QUESTION, language="en"))

    spanish, mexican, english = twilio.forms
    assert spanish["ContentSid"] == mexican["ContentSid"] == TEMPLATE
    variables = json.loads(spanish["ContentVariables"])
    assert variables == {"1": QUESTION.text, "2": "confirm:7:yes", "3": "confirm:7:no"}
    assert "Body" not in spanish
    assert english["Body"] == QUESTION.text
    can = TwilioWhatsApp().capabilities
    assert (can.has_buttons("es"), can.has_buttons("en"), can.limit(beside_buttons=True)) == (True, False, 1024)


def test_after_the_window_a_text_goes_in_the_template_on_one_line(twilio: TwilioApi, settings: Settings) -> None:
    settings.TWILIO_LATE_CONTENT_SIDS = {"es": TEMPLATE}
    TwilioWhatsApp().send(replace(WHATSAPP, text="Tu torta\n\n  está lista", as_template=True))

    (form,) = twilio.forms
    assert form["ContentSid"] == TEMPLATE
    assert json.loads(form["ContentVariables"]) == {"1": "Tu torta está lista"}


def test_a_text_too_long_for_the_template_is_refused_rather_than_cut(twilio: TwilioApi, settings: Settings) -> None:
    settings.TWILIO_LATE_CONTENT_SIDS = {"es": TEMPLATE}
    TwilioWhatsApp().send(replace(WHATSAPP, text="x" * 900, as_template=True))
    with pytest.raises(ChannelPermanent, match="at most 900 characters") as raised:
        TwilioWhatsApp().send(replace(WHATSAPP, text="x" * 901, as_template=True))

    assert (raised.value.kind, len(twilio.forms)) == ("content", 1)


def test_a_text_in_a_template_is_found_by_its_words(twilio: TwilioApi, settings: Settings) -> None:
    settings.TWILIO_LATE_CONTENT_SIDS = {"es": TEMPLATE}
    since, late = datetime.now(UTC), replace(WHATSAPP, text="Tu torta\nestá lista", as_template=True)
    TwilioWhatsApp().send(late)
    twilio.messages[0]["body"] = "La panadería te escribe: Tu torta está lista. Gracias."

    assert TwilioWhatsApp().find_sent(late, since) is not None
    assert TwilioWhatsApp().find_sent(replace(late, as_template=False), since) is None


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


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("30003", ErrorClass.LATER),
        ("63038", ErrorClass.SLOW),
        ("21614", ErrorClass.RECIPIENT),
        ("21656", ErrorClass.CONTENT),
        ("470", ErrorClass.WINDOW),
        ("471", ErrorClass.SLOW),
        ("12345", ErrorClass.UNKNOWN),
        ("", ErrorClass.UNKNOWN),
    ],
)
def test_a_code_says_what_to_do_next(code: str, expected: ErrorClass) -> None:
    assert TwilioSms().error_class(code) is expected


def test_connections_are_kept_for_the_next_message(twilio: TwilioApi) -> None:
    for _ in range(3):
        TwilioSms().send(SMS)

    assert client.client() is client.client()
    assert twilio.connections == 1


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

    assert TwilioSms().find_sent(SMS, datetime.now(UTC) + timedelta(seconds=65)) is None


@pytest.mark.parametrize("ahead", [5, 55])
def test_a_clock_of_ours_that_is_ahead_hides_no_message(ahead: int, twilio: TwilioApi) -> None:
    TwilioSms().send(SMS)
    TwilioSms().send(SMS)

    found = TwilioSms().find_sent(SMS, datetime.now(UTC) + timedelta(seconds=ahead))
    assert found is not None
    assert found.provider_id == twilio.messages[-1]["sid"]


def test_a_failed_look_up_proves_nothing(settings: Settings) -> None:
    with twilio_api() as gone:
        settings.TWILIO_API_BASE_URL = gone.base_url

    assert TwilioSms().find_sent(SMS, datetime.now(UTC)) is None


def test_words_that_carriers_act_on_end_an_sms_conversation() -> None:
    assert {"STOP", "CANCEL", "BAJA"} <= TwilioSms().capabilities.opt_out_words
    assert "CANCEL" not in TwilioWhatsApp().capabilities.opt_out_words
