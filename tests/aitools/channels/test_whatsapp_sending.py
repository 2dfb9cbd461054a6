"""Messages leave through the Graph API; every failure says whether it may have been taken."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from pytest_django import Settings

from aitools.channels.advice import class_of
from aitools.channels.base import Attentive, DeliveryStatus, ErrorClass, OutgoingMessage
from aitools.channels.whatsapp import WhatsAppCloud, channel, codes
from aitools.errors import ChannelError, ChannelPermanent, ChannelTransient, ChannelUnknown
from aitools.types import Button
from tests.wire.twilio import ANSWER_LOST, DROPPED, Fault
from tests.wire.whatsapp import (
    BAD_GATEWAY,
    OPENAPI,
    PHONE_NUMBER_ID,
    RATE_LIMITED,
    SERVER_ERROR,
    GraphApi,
    buttons_of,
    refusal,
    text_of,
)

KEY = "0b8f6f2e-6c1e-4a3e-9a53-0d3f5a1c2b4d"
TEXT = OutgoingMessage(KEY, PHONE_NUMBER_ID, "+573000000001", "Hola")
YES_NO = (Button(f"confirm:{KEY}:yes", "Sí"), Button(f"confirm:{KEY}:no", "No"))
QUESTION = OutgoingMessage(KEY, PHONE_NUMBER_ID, "+573000000001", "¿Confirmas?", YES_NO)
CHANNEL = WhatsAppCloud()


def test_requests_are_checked_against_the_description_of_the_api(graph: GraphApi) -> None:
    if not OPENAPI.exists():
        pytest.skip(f"{OPENAPI} is not here")
    too_long = OutgoingMessage(KEY, PHONE_NUMBER_ID, "+573000000001", "x" * 4097)

    with pytest.raises(ChannelPermanent):
        CHANNEL.send(too_long)
    assert graph.refused
    assert not graph.messages


def test_a_text_goes_out_with_the_key_of_its_row(graph: GraphApi) -> None:
    sent = CHANNEL.send(TEXT)

    (message,) = graph.messages
    assert sent.provider_id == message["id"]
    assert sent.status is DeliveryStatus.QUEUED
    assert (message["to"], message["type"], text_of(message)) == ("+573000000001", "text", "Hola")
    assert message["biz_opaque_callback_data"] == KEY


def test_a_question_goes_out_with_its_buttons(graph: GraphApi) -> None:
    CHANNEL.send(QUESTION)

    (message,) = graph.messages
    assert text_of(message) == "¿Confirmas?"
    assert buttons_of(message) == [{"id": button.id, "title": button.title} for button in YES_NO]


def test_a_person_who_hides_the_number_is_written_to_by_user_id(graph: GraphApi) -> None:
    CHANNEL.send(OutgoingMessage(KEY, PHONE_NUMBER_ID, "CO.1349000000000000001", "Hola"))

    (message,) = graph.messages
    assert message["recipient"] == "CO.1349000000000000001"
    assert "to" not in message


def test_a_conversation_without_an_account_uses_the_configured_number(graph: GraphApi) -> None:
    CHANNEL.send(OutgoingMessage(KEY, "", "+573000000001", "Hola"))

    assert graph.texts == ["Hola"]


def test_more_choices_than_buttons_are_a_list(graph: GraphApi) -> None:
    branches = tuple(Button(f"branch:{number}", f"Sucursal con un nombre largo {number}") for number in range(4))

    CHANNEL.send(OutgoingMessage(KEY, PHONE_NUMBER_ID, "+573000000001", "¿Dónde?", branches))

    (message,) = graph.messages
    (section,) = message["interactive"]["action"]["sections"]
    assert [row["id"] for row in section["rows"]] == [branch.id for branch in branches]
    assert all(len(row["title"]) <= 24 for row in section["rows"])
    assert text_of(message) == "¿Dónde?"


@pytest.mark.parametrize(("configured", "code"), [("news_of_your_order:es_CO", "es_CO"), ("news_of_your_order", "es")])
def test_after_the_window_an_approved_template_carries_the_text(
    configured: str, code: str, graph: GraphApi, settings: Settings
) -> None:
    settings.WHATSAPP_LATE_TEMPLATES = {"es": configured}
    late = OutgoingMessage(KEY, PHONE_NUMBER_ID, "+573000000001", "Tu torta\n\nestá lista", as_template=True)
    assert CHANNEL.capabilities.templates == {"es"}

    CHANNEL.send(late)

    template = graph.messages[0]["template"]
    assert (template["name"], template["language"]) == ("news_of_your_order", {"code": code})
    (filled,) = template["components"]
    assert filled == {"type": "body", "parameters": [{"type": "text", "text": "Tu torta está lista"}]}


@pytest.mark.parametrize("text", ["x" * 901, "🥐" * 451])
def test_a_text_too_long_for_the_template_is_refused_rather_than_cut(
    text: str, graph: GraphApi, settings: Settings
) -> None:
    settings.WHATSAPP_LATE_TEMPLATES = {"es": "news_of_your_order"}
    late = OutgoingMessage(KEY, PHONE_NUMBER_ID, "+573000000001", text[:450], as_template=True)
    CHANNEL.send(late)
    with pytest.raises(ChannelPermanent, match="at most 900 characters") as raised:
        CHANNEL.send(replace(late, text=text))

    assert (raised.value.kind, len(graph.messages)) == ("content", 1)
    assert class_of(CHANNEL.name, raised.value.code) is ErrorClass.CONTENT


@pytest.mark.parametrize("length", [1025, 4096])
def test_a_text_too_long_beside_buttons_is_sent_without_them_rather_than_refused(length: int, graph: GraphApi) -> None:
    CHANNEL.send(OutgoingMessage(KEY, PHONE_NUMBER_ID, "+573000000001", "x" * length, YES_NO))

    assert [len(text) for text in graph.texts] == [length]


@pytest.mark.parametrize(
    ("fault", "error", "code"),
    [
        (RATE_LIMITED, ChannelTransient, "130429"),
        (SERVER_ERROR, ChannelTransient, "131000"),
        (refusal(131056), ChannelTransient, "131056"),
        (refusal(131048), ChannelTransient, "131048"),
        (refusal(4, 403), ChannelTransient, "4"),
        (Fault(status=429), ChannelTransient, "429"),
        (BAD_GATEWAY, ChannelUnknown, "502"),
        (Fault(status=503), ChannelUnknown, "503"),
        (DROPPED, ChannelUnknown, ""),
        (ANSWER_LOST, ChannelUnknown, ""),
        (refusal(131047), ChannelPermanent, "131047"),
        (refusal(131026), ChannelPermanent, "131026"),
        (refusal(190, 401), ChannelPermanent, "190"),
        (refusal(131009), ChannelPermanent, "131009"),
        (refusal(424242), ChannelPermanent, "424242"),
        (refusal(424242, 500), ChannelUnknown, "424242"),
        (Fault(status=302), ChannelPermanent, "302"),
        (Fault(status=404), ChannelPermanent, "404"),
    ],
)
def test_a_failure_says_whether_the_message_may_have_been_taken(
    fault: Fault, error: type[ChannelError], code: str, graph: GraphApi
) -> None:
    graph.faults.append(fault)

    with pytest.raises(error) as raised:
        CHANNEL.send(TEXT)

    assert type(raised.value) is error
    assert raised.value.code == code


@pytest.mark.parametrize(
    ("code", "kind"), [(131047, "window"), (190, "config"), (131026, "permanent"), (100, "permanent"), (9, "permanent")]
)
def test_a_refusal_says_of_which_class_it_is(code: int, kind: str, graph: GraphApi) -> None:
    graph.faults.append(refusal(code))

    with pytest.raises(ChannelPermanent) as raised:
        CHANNEL.send(TEXT)

    assert raised.value.kind == kind


def test_too_many_messages_to_one_customer_wait_six_seconds(graph: GraphApi) -> None:
    graph.faults.append(refusal(131056))

    with pytest.raises(ChannelTransient) as raised:
        CHANNEL.send(TEXT)

    assert raised.value.retry_after == 6


def test_every_documented_code_has_its_class() -> None:
    assert codes.error_class("131000") is ErrorClass.RETRY
    assert codes.error_class("131048") is ErrorClass.SLOW
    assert codes.error_class("250") is ErrorClass.CONFIG
    assert codes.error_class("132001") is ErrorClass.CONTENT
    assert codes.error_class("131030") is ErrorClass.RECIPIENT
    assert CHANNEL.error_class("") is ErrorClass.UNKNOWN


def test_a_server_that_is_not_there_has_surely_taken_nothing(settings: Settings) -> None:
    settings.WHATSAPP_API_BASE_URL = "http://127.0.0.1:9"

    with pytest.raises(ChannelTransient):
        CHANNEL.send(TEXT)


@pytest.mark.parametrize("name", ["WHATSAPP_TOKEN", "WHATSAPP_PHONE_NUMBER_ID"])
@pytest.mark.parametrize("value", ["", "señal"])
def test_what_is_not_configured_is_said_so(name: str, value: str, graph: GraphApi, settings: Settings) -> None:
    setattr(settings, name, value)

    with pytest.raises(ChannelPermanent) as raised:
        CHANNEL.send(OutgoingMessage(KEY, "", "+573000000001", "Hola"))

    assert raised.value.kind == "config"
    assert graph.requests == 0


def test_an_error_repeats_no_number_of_a_customer(graph: GraphApi, monkeypatch: pytest.MonkeyPatch) -> None:
    words = "Recipient 573000000001 of wamid.HBgLNTczMDAwMDAwMDAx is not there"
    monkeypatch.setattr("tests.wire.whatsapp._error", lambda code, _words: {"error": {"code": code, "message": words}})
    graph.faults.append(refusal(131026))

    with pytest.raises(ChannelPermanent) as raised:
        CHANNEL.send(TEXT)

    assert str(raised.value) == "Meta 131026: Recipient … of … is not there"


@pytest.mark.parametrize("fault", [Fault(seconds=9), Fault(drip=True, accepted=True)])
def test_a_slow_vendor_is_not_waited_for_longer_than_the_limit(
    fault: Fault, graph: GraphApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(channel, "SEND_SECONDS", 1.0)
    graph.faults.append(fault)
    started = time.monotonic()

    with pytest.raises(ChannelUnknown):
        CHANNEL.send(TEXT)

    assert time.monotonic() - started < 6


def test_connections_are_kept_and_shared_by_threads(graph: GraphApi) -> None:
    for _ in range(3):
        CHANNEL.send(TEXT)
    assert len(graph.connections) == 1

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: CHANNEL.send(TEXT), range(12)))
    assert len(graph.messages) == 15
    assert len(graph.connections) <= 5


def test_nothing_can_be_looked_up(graph: GraphApi) -> None:
    CHANNEL.send(TEXT)

    assert CHANNEL.find_sent(TEXT, datetime.now(UTC)) is None


def test_a_message_is_marked_as_read_while_an_answer_is_written(graph: GraphApi) -> None:
    assert isinstance(CHANNEL, Attentive)
    CHANNEL.attend(PHONE_NUMBER_ID, "wamid.7")

    assert graph.read == ["wamid.7"]
    assert not graph.messages
