"""A press finds its question, whichever way Twilio tells of it; coming back by YES answers it too."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from aitools import clock, outbox, pacing, sending
from aitools.admin import talk
from aitools.models import Conversation, InboundEvent, OutboundMessage
from aitools.providers import scripted
from aitools.providers.scripted import asks, says
from aitools.types import Button
from tests.aitools import desk as parts
from tests.aitools.desk import Desk
from tests.wire.twilio import TwilioApi, signed_post, twilio_api

CUSTOMER = "+573000000001"
TEMPLATE = "HX" + "b" * 32


@pytest.fixture
def twilio(desk: Desk, settings: Settings) -> Any:
    """The desk's customer on Twilio's WhatsApp, in Spanish, with buttons."""
    settings.AITOOLS_CHANNELS["twilio_whatsapp"] = "aitools.channels.twilio.TwilioWhatsApp"
    settings.AITOOLS_CHANNELS["twilio_sms"] = "aitools.channels.twilio.TwilioSms"
    settings.TWILIO_QUESTION_CONTENT_SIDS = {"es": TEMPLATE}
    desk.channel, desk.address = "twilio_whatsapp", CUSTOMER
    with twilio_api() as api:
        settings.TWILIO_API_BASE_URL = api.base_url
        yield api


def arrive(desk: Desk, client: Client, sid: str, **form: str) -> None:
    prefix = "whatsapp:" if desk.channel == "twilio_whatsapp" else ""
    parties = {"From": f"{prefix}{CUSTOMER}", "To": f"{prefix}+15550100188"}
    answer = signed_post(client, "/webhooks/twilio", {"MessageSid": sid, **parties, **form})
    assert answer.status_code == 200
    desk.drain()


def asked(desk: Desk, client: Client) -> OutboundMessage:
    """The question before the one tool with an effect, sent."""
    with scripted.script([asks(("make", {"name": "pan"}))]):
        arrive(desk, client, "SM1", Body="pan")
    question = OutboundMessage.objects.latest("id")
    assert (question.kind, question.state) == ("question", "sent")
    return question


def test_the_question_goes_out_with_buttons_and_without_the_hint(desk: Desk, twilio: TwilioApi, client: Client) -> None:
    question = asked(desk, client)

    assert twilio.forms[-1]["ContentSid"] == TEMPLATE
    assert "(sí/no)" not in question.text


@pytest.mark.parametrize(
    ("title", "payload", "answer", "things"), [("Sí", "", "yes", 1), ("Sí", "{{2}}", "yes", 1), ("No", "n", "no", 0)]
)
def test_a_press_is_known_by_its_title_on_the_message_it_stands_under(
    title: str, payload: str, answer: str, things: int, desk: Desk, twilio: TwilioApi, client: Client
) -> None:
    question = asked(desk, client)
    button = {"ButtonText": title, "ButtonPayload": payload, "Body": title, "MessageType": "button"}

    with scripted.script([says("Listo.")]):
        arrive(desk, client, "SM2", OriginalRepliedMessageSid=question.provider_id, **button)

    assert len(parts.things()) == things
    assert InboundEvent.objects.latest("id").payload.endswith(f":{answer}")


@pytest.mark.parametrize("title", ["Sí", "No"])
@pytest.mark.parametrize("form", [{"ButtonText": "{}", "ButtonPayload": "y"}, {"ButtonText": "{}"}, {"ListId": "y"}])
def test_a_press_of_another_button_is_no_answer_whatever_its_title_says(
    title: str, form: dict[str, str], desk: Desk, twilio: TwilioApi, client: Client
) -> None:
    """A template that was sent from a console has no row here."""
    asked(desk, client)
    button = {name: value.format(title) for name, value in form.items()}

    with scripted.script([says("¿Confirmas el pan?")]):
        arrive(desk, client, "SM2", OriginalRepliedMessageSid="SM-console", Body=title, **button)

    assert parts.things() == []
    assert desk.question().state == "replied"
    assert desk.said()[-1] == "¿Confirmas el pan?"


def test_a_press_under_somebody_elses_message_answers_nothing(desk: Desk, twilio: TwilioApi, client: Client) -> None:
    question = asked(desk, client)
    OutboundMessage.objects.filter(pk=question.pk).update(provider_id="SM-other")
    button = {"ButtonText": "Quiero ver", "ButtonPayload": "look", "Body": "Quiero ver"}

    with scripted.script([says("Tenemos pan.")]):
        arrive(desk, client, "SM2", OriginalRepliedMessageSid=question.provider_id, **button)

    assert parts.things() == []
    assert desk.said()[-1] == "Tenemos pan."


def test_a_choice_from_a_list_is_read_by_the_model(desk: Desk, twilio: TwilioApi, client: Client) -> None:
    with scripted.script([says("En el centro, entonces.")]):
        arrive(desk, client, "SM1", ListId="branch:centro", ListTitle="Centro", MessageType="interactive")

    assert desk.said() == ["En el centro, entonces."]


@pytest.mark.parametrize("word", ["YES", "SI", "Sí."])
def test_yes_that_twilio_takes_for_coming_back_answers_the_open_question(
    word: str, desk: Desk, twilio: TwilioApi, client: Client
) -> None:
    desk.channel = "twilio_sms"
    question = asked(desk, client)
    assert question.text.endswith("(sí/no)")

    with scripted.script([says("Listo.")]):
        arrive(desk, client, "SM2", Body=word, OptOutType="START")

    assert parts.things() != []


def test_start_leaves_the_open_question_open(desk: Desk, twilio: TwilioApi, client: Client) -> None:
    desk.channel = "twilio_sms"
    asked(desk, client)

    arrive(desk, client, "SM2", Body="START", OptOutType="START")

    assert (parts.things(), desk.question().state) == ([], "pending")


def test_a_word_of_the_shops_for_coming_back_is_an_order_from_who_never_left(
    desk: Desk, twilio: TwilioApi, client: Client
) -> None:
    desk.channel = "twilio_sms"
    with scripted.script([says("¿Cuántos?"), says("¿De cuáles?")]):
        for sid in ("SM1", "SM2"):
            arrive(desk, client, sid, Body="PAN", OptOutType="START")

    assert desk.said() == ["¿Cuántos?", "¿De cuáles?"]


@pytest.mark.parametrize("word", ["PAN", "YES", "ALTA", "BAJA"])
def test_the_same_word_only_brings_back_who_had_left(word: str, desk: Desk, twilio: TwilioApi, client: Client) -> None:
    """Twilio has welcomed them: one answer is enough."""
    desk.channel = "twilio_sms"
    arrive(desk, client, "SM1", Body="STOP")

    arrive(desk, client, "SM2", Body=word, OptOutType="START")

    assert desk.conversation().opted_out_at is None
    assert desk.said() == []


def test_a_call_for_help_that_twilio_answered_is_shown_to_staff_alone(
    desk: Desk, twilio: TwilioApi, client: Client
) -> None:
    desk.channel = "twilio_sms"
    arrive(desk, client, "SM1", Body="INFO", OptOutType="HELP")

    assert desk.said() == []
    assert [bubble.text for bubble in talk.page(desk.conversation().pk).bubbles] == ["INFO"]


def test_yes_by_sms_brings_back_who_had_left(desk: Desk, twilio: TwilioApi, client: Client) -> None:
    desk.channel = "twilio_sms"
    arrive(desk, client, "SM1", Body="STOP")
    assert desk.conversation().opted_out_at is not None

    arrive(desk, client, "SM2", Body="yes")

    assert desk.conversation().opted_out_at is None


def test_who_comes_back_after_days_is_welcomed(desk: Desk, twilio: TwilioApi, client: Client) -> None:
    arrive(desk, client, "SM1", Body="STOP")
    clock.shift(3 * 24 * 3600)

    arrive(desk, client, "SM2", Body="start")

    assert OutboundMessage.objects.latest("id").state == "sent"


@pytest.mark.parametrize(("word", "welcomes"), [("START", 0), ("unstop", 0), ("Yes.", 0), ("ALTA", 1)])
def test_only_a_word_of_ours_is_answered_by_us_on_sms(
    word: str, welcomes: int, desk: Desk, twilio: TwilioApi, client: Client
) -> None:
    desk.channel = "twilio_sms"
    arrive(desk, client, "SM1", Body="STOP")

    arrive(desk, client, "SM2", Body=word)

    assert desk.conversation().opted_out_at is None
    assert len(desk.said()) == welcomes


@pytest.mark.parametrize(("language", "lengths"), [("es", [1018, 380]), ("en", [1399])])
def test_what_stands_beside_buttons_is_cut_shorter(
    language: str, lengths: list[int], desk: Desk, twilio: TwilioApi
) -> None:
    conversation = Conversation.objects.create(
        channel=desk.channel, account="+15550100188", address=CUSTOMER, language=language
    )
    outbox.enqueue(conversation, "a veinte " * 155 + "fin.", buttons=[Button("confirm:1:yes", "Sí")])
    desk.drain()
    clock.shift(pacing.ORDER_SECONDS)
    sending.deliver(conversation.pk)

    assert [len(form.get("Body", "") or json.loads(form["ContentVariables"])["1"]) for form in twilio.forms] == lengths
