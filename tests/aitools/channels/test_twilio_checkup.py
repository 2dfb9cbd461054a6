"""`manage.py check_channels` says what is wrong with Twilio's set-up, in words that help."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from aitools.channels.twilio import TwilioSms, TwilioWhatsApp
from aitools.models import InboundEvent
from tests.wire.twilio import ACCOUNT_SID, TwilioApi, twilio_api

NUMBERS = f"/2010-04-01/Accounts/{ACCOUNT_SID}/IncomingPhoneNumbers.json"
SENDERS = "/v2/Channels/Senders"
SERVICE = "MG" + "5" * 32
QUESTION, LATE = "HX" + "1" * 32, "HX" + "2" * 32
NO_TLS = "Use https"


@pytest.fixture
def twilio(settings: Settings, live_server: LiveServer) -> Iterator[TwilioApi]:
    """A set-up where all is right but the scheme of the address, which a test's server can't have."""
    settings.PUBLIC_URL = live_server.url
    settings.TWILIO_QUESTION_CONTENT_SIDS, settings.TWILIO_LATE_CONTENT_SIDS = {"es": QUESTION}, {"es": LATE}
    webhook = f"{live_server.url}/webhooks/twilio#rc=3&rp=all"
    number = {"phone_number": "+15550100199", "friendly_name": "Panadería", "sms_url": webhook}
    sender = {"sender_id": "whatsapp:+15550100188", "status": "ONLINE", "webhook": {"callback_url": webhook}}
    buttons = [{"title": "Sí", "id": "{{2}}"}, {"title": "No", "id": "{{3}}"}]
    with twilio_api() as api:
        api.resources = {
            NUMBERS: {"incoming_phone_numbers": [number | {"capabilities": {"sms": True}}]},
            SENDERS: {"meta": {"key": "senders"}, "senders": [sender]},
            f"/v1/Services/{SERVICE}": {"friendly_name": "Pedidos", "inbound_request_url": webhook},
            f"/v1/Content/{QUESTION}": template("twilio/quick-reply", {"body": "{{1}}", "actions": buttons}),
            f"/v1/Content/{LATE}": template("twilio/text", {"body": "Tu pedido: {{1}}."}) | {"sid": LATE},
            f"/v1/Content/{LATE}/ApprovalRequests": {"whatsapp": {"status": "approved"}},
        }
        settings.TWILIO_API_BASE_URL = api.base_url
        yield api


def template(kind: str, content: dict[str, Any]) -> dict[str, Any]:
    return {"language": "es", "types": {kind: content}}


def problems(channel: TwilioSms | TwilioWhatsApp) -> list[str]:
    return [line for line in channel.check().problems if NO_TLS not in line]


@pytest.mark.parametrize("channel", [TwilioSms(), TwilioWhatsApp()], ids=lambda channel: channel.name)
def test_a_right_set_up_has_no_problem(channel: TwilioSms | TwilioWhatsApp, twilio: TwilioApi) -> None:
    assert problems(channel) == []
    assert len(channel.check().facts) == 1
    assert NO_TLS in channel.check().problems[0]
    assert not twilio.messages
    assert not InboundEvent.objects.exists()


def test_a_messaging_service_is_looked_at_in_the_numbers_place(twilio: TwilioApi, settings: Settings) -> None:
    settings.TWILIO_SMS_FROM = SERVICE

    assert problems(TwilioSms()) == []
    twilio.resources[f"/v1/Services/{SERVICE}"]["inbound_request_url"] = None
    assert "go to nowhere" in problems(TwilioSms())[0]


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("TWILIO_AUTH_TOKEN", "", "TWILIO_AUTH_TOKEN is not set"),
        ("TWILIO_API_BASE_URL", "http://127.0.0.1:9", "Twilio does not answer"),
        ("TWILIO_SMS_FROM", "MG" + "6" * 32, "The account has no MG666"),
    ],
)
def test_what_is_wrong_is_said_in_plain_words(
    name: str, value: str, words: str, twilio: TwilioApi, settings: Settings
) -> None:
    setattr(settings, name, value)

    assert words in problems(TwilioSms())[0]


def test_a_wrong_token_is_told(twilio: TwilioApi, settings: Settings) -> None:
    settings.TWILIO_AUTH_TOKEN = "another"

    assert "copy both from the console" in problems(TwilioSms())[0]


def test_an_address_that_nobody_answers_is_a_problem(twilio: TwilioApi, settings: Settings) -> None:
    settings.PUBLIC_URL = "http://127.0.0.1:9"

    first, second = problems(TwilioSms())
    assert "enter http://127.0.0.1:9/webhooks/twilio#rc=3&rp=all" in first
    assert "can't be reached" in second


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"sms_url": "https://old.example/sms"}, "go to https://old.example/sms"),
        ({"capabilities": {"sms": False}}, "can't send SMS"),
    ],
)
def test_a_number_that_leads_elsewhere_or_can_do_less_is_seen(
    change: dict[str, Any], words: str, twilio: TwilioApi
) -> None:
    twilio.resources[NUMBERS]["incoming_phone_numbers"][0].update(change)

    assert [words in line for line in problems(TwilioSms())] == [True]


def test_a_webhook_without_retries_is_seen(twilio: TwilioApi, settings: Settings) -> None:
    number = twilio.resources[NUMBERS]["incoming_phone_numbers"][0]
    number["sms_url"] = number["sms_url"].partition("#")[0]

    assert ["lacks #rc=3&rp=all" in line for line in problems(TwilioSms())] == [True]


def test_a_number_of_another_account_is_seen(twilio: TwilioApi) -> None:
    twilio.resources[NUMBERS]["incoming_phone_numbers"].clear()

    assert ["has no number" in line for line in problems(TwilioSms())] == [True]


def test_a_whatsapp_sender_that_is_off_is_seen_and_the_sandbox_is_none(twilio: TwilioApi) -> None:
    sender = twilio.resources[SENDERS]["senders"][0]
    sender["status"] = "OFFLINE"
    assert ["is not online" in line for line in problems(TwilioWhatsApp())] == [True]

    twilio.resources[SENDERS]["senders"].clear()
    assert problems(TwilioWhatsApp()) == []
    assert "sandbox" in TwilioWhatsApp().check().facts[0]


def test_templates_that_do_not_fit_are_seen(twilio: TwilioApi, settings: Settings) -> None:
    twilio.resources[f"/v1/Content/{QUESTION}"]["types"] = {"twilio/text": {"body": "{{1}}"}}
    twilio.resources[f"/v1/Content/{LATE}/ApprovalRequests"]["whatsapp"]["status"] = "rejected"
    settings.TWILIO_LATE_CONTENT_SIDS = {"es": LATE, "en": "HX" + "3" * 32}

    shape, approval, missing = problems(TwilioWhatsApp())

    assert "must be a quick reply" in shape
    assert "has not approved the template (rejected)" in approval
    assert "TWILIO_LATE_CONTENT_SIDS en: The account has no HX333" in missing


def test_the_command_prints_the_problems_and_fails(twilio: TwilioApi, settings: Settings) -> None:
    settings.AITOOLS_CHANNELS = {"twilio_sms": settings.AITOOLS_CHANNELS["twilio_sms"]}
    printed = StringIO()

    with pytest.raises(CommandError, match="twilio_sms"):
        call_command("check_channels", stdout=printed)

    assert printed.getvalue().startswith("twilio_sms: something is wrong.\n  ✓ Number +15550100199")
    assert "\n  ✗ " in printed.getvalue()


def test_a_channel_that_nobody_set_up_is_no_problem(settings: Settings) -> None:
    settings.TWILIO_SMS_FROM = ""

    assert not TwilioSms().check().is_used
