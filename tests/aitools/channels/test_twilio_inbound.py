"""What Twilio's forms mean."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import pytest
from django.http import HttpRequest
from django.test import RequestFactory

from aitools.channels import twilio
from aitools.channels.base import DeliveryStatus, EventKind, InboundMessage
from aitools.channels.twilio import addresses
from tests.aitools.channels.cases import Sample, assert_talk, samples

TALK = samples("twilio_sms") + samples("twilio_whatsapp")
STATUSES = samples("twilio_status")
OPT_OUT_KINDS = {"STOP": EventKind.OPT_OUT, "START": EventKind.OPT_IN, "HELP": EventKind.SYSTEM}


def request_of(recorded: Mapping[str, Any]) -> HttpRequest:
    return RequestFactory().post(
        f"{recorded['path']}?{recorded['query']}",
        data=urlencode([tuple(pair) for pair in recorded["form"]]),
        content_type="application/x-www-form-urlencoded",
    )


def parsed(**form: str) -> Sequence[InboundMessage]:
    """What a form means, filled up to a plain WhatsApp message."""
    full = {"MessageSid": "SM1", "From": "whatsapp:+15550100101", "To": "whatsapp:+15550100188", **form}
    return twilio.parse(request_of({"path": "/webhooks/twilio", "query": "", "form": full.items()}))


def events_of(sample: Sample) -> list[InboundMessage]:
    return [event for recorded in sample.requests for event in twilio.parse(request_of(recorded))]


@pytest.mark.parametrize("sample", TALK, ids=lambda sample: sample.id)
def test_recorded_messages_mean_what_the_cases_say(sample: Sample) -> None:
    events = events_of(sample)

    assert len(events) == len(sample.expected["events"])
    for event, expected in zip(events, sample.expected["events"], strict=True):
        assert event.channel == expected["channel"]
        assert_talk(event, expected)
        assert event.kind == kind_expected(expected)
        for name in ("location", "username", "forwarded", "referral_source_id"):
            assert event.extra.get(name) == expected.get(name)


def kind_expected(expected: Mapping[str, Any]) -> EventKind:
    if expected.get("opt_out"):
        return OPT_OUT_KINDS[expected["opt_out"]]
    return EventKind.PRESS if expected["button_payload"] else EventKind.MESSAGE


@pytest.mark.parametrize("sample", STATUSES, ids=lambda sample: sample.id)
def test_recorded_statuses_mean_what_the_cases_say(sample: Sample) -> None:
    ours = {"undelivered": DeliveryStatus.FAILED, "partially_delivered": DeliveryStatus.SENT}

    events = events_of(sample)

    assert len(events) == len(sample.expected["events"])
    for event, expected in zip(events, sample.expected["events"], strict=True):
        assert event.kind is EventKind.STATUS
        assert event.channel == expected["channel"]
        assert event.status_of == expected["message_id"]
        assert event.provider_id == f"{expected['message_id']}:{expected['status']}"
        assert event.status == ours.get(expected["status"], expected["status"])
        assert event.address == expected["address"]
        assert (event.error_code or None) == (str(expected["error_code"]) if expected["error_code"] else None)
        assert (event.error_kind or None) == expected["error_class"]
        assert event.extra.get("user_id") == expected["user_id"]


def test_our_own_row_comes_back_in_the_query_of_a_status() -> None:
    own_query = next(sample for sample in STATUSES if sample.id == "tw-st-own-query")

    assert events_of(own_query)[0].outbox_id == "42"


@pytest.mark.parametrize(
    ("wire", "channel", "address"),
    [
        ("whatsapp:+573000000001", "twilio_whatsapp", "+573000000001"),
        ("+573000000001", "twilio_sms", "+573000000001"),
        ("573000000001", "twilio_sms", "+573000000001"),
        ("72975", "twilio_sms", "72975"),
        ("whatsapp:CO.TEST123", "twilio_whatsapp", "CO.TEST123"),
    ],
)
def test_an_address_says_its_channel_and_goes_back_the_way_it_came(wire: str, channel: str, address: str) -> None:
    assert addresses.split(wire) == (channel, address)
    assert addresses.split(addresses.join(channel, address)) == (channel, address)


def test_a_person_who_hides_the_number_is_known_by_user_id() -> None:
    (event,) = parsed(From="whatsapp:CO.TEST123", Body="hola")

    assert (event.address, event.phone, event.extra["user_id"]) == ("CO.TEST123", "", "CO.TEST123")


def test_stop_and_help_words_that_twilio_answered_are_no_talk() -> None:
    assert [event.kind for event in parsed(Body="BAJA", OptOutType="STOP")] == [EventKind.OPT_OUT]
    assert [event.kind for event in parsed(Body="info", OptOutType="HELP")] == [EventKind.SYSTEM]


@pytest.mark.parametrize("word", ["YES", "Sí", "quiero pan"])
def test_a_word_that_twilio_takes_for_coming_back_is_still_a_message(word: str) -> None:
    (event,) = parsed(Body=word, OptOutType="START")

    assert (event.kind, event.text, event.extra["opts_in"]) == (EventKind.MESSAGE, word, True)


@pytest.mark.parametrize("word", ["START", " unstop ", "Start!"])
def test_words_for_nothing_but_coming_back_are_no_message(word: str) -> None:
    assert [event.kind for event in parsed(Body=word, OptOutType="START")] == [EventKind.OPT_IN]


def test_a_choice_from_a_list_is_a_press() -> None:
    (event,) = parsed(ListId="branch:centro", ListTitle="Centro", MessageType="interactive")

    assert (event.kind, event.payload, event.text) == (EventKind.PRESS, "branch:centro", "Centro")


def test_a_button_without_its_id_is_a_press_of_the_message_it_stands_under() -> None:
    (event,) = parsed(ButtonText="Sí", Body="Sí", OriginalRepliedMessageSid="MM7")

    assert (event.kind, event.payload, event.text, event.reply_to) == (EventKind.PRESS, "", "Sí", "MM7")


def test_who_came_through_an_advertisement_brings_what_it_said() -> None:
    (event,) = parsed(Body="hola", ReferralSourceId="120", ReferralHeadline="Tortas", ReferralNumMedia="0")

    assert event.extra["referral_source_id"] == "120"
    assert event.extra["referral"] == {"headline": "Tortas"}


def test_name_and_phone_may_stand_in_the_metadata_alone() -> None:
    metadata = {"type": "whatsapp", "data": {"context": {"ProfileName": "Ana", "WaId": "573000000001"}}}
    (event,) = parsed(From="whatsapp:CO.TEST123", Body="hola", ChannelMetadata=json.dumps(metadata))

    assert (event.address, event.profile_name, event.phone) == ("CO.TEST123", "Ana", "+573000000001")


@pytest.mark.parametrize("message_type", ["unsupported", "interactive", "reaction", "poll"])
def test_an_empty_message_of_another_type_is_unsupported(message_type: str) -> None:
    assert parsed(Body="", MessageType=message_type)[0].message_kind == "unsupported"


def test_nul_is_removed_wherever_it_hides() -> None:
    (event,) = parsed(Body="dos\x00 panes", ProfileName="A\x00na", ButtonPayload="a\x00b")

    assert (event.text, event.profile_name, event.payload) == ("dos panes", "Ana", "ab")


@pytest.mark.parametrize(
    "form",
    [
        {"MessageSid": ""},
        {"MessageSid": "x" * 300},
        {"From": "messenger:12345"},
        {"From": "rcs:bakery_agent"},
        {"From": ""},
        {"MessageStatus": "teleported"},
    ],
)
def test_what_we_cannot_place_is_an_event_of_nobody(form: Mapping[str, str]) -> None:
    (event,) = parsed(**form)
    (again,) = parsed(**form)
    (other,) = parsed(**form, Body="otra cosa")

    assert (event.kind, event.message_kind, event.address) == (EventKind.SYSTEM, "unsupported", "")
    assert event.provider_id == again.provider_id != other.provider_id


@pytest.mark.parametrize(
    "form",
    [
        {"Latitude": "nan", "Longitude": "inf"},
        {"Latitude": "north", "Longitude": ""},
        {"NumMedia": "a lot", "MediaUrl7": "https://api.example/x"},
        {"ProfileName": "N" * 5000, "ButtonPayload": "p" * 5000, "From": "whatsapp:" + "9" * 5000},
        {"ChannelMetadata": "{not json", "WaId": "+-"},
        {"ChannelMetadata": "[" * 100_000},
        {"ChannelMetadata": '{"data": {"context": {"ProfileName": 7, "WaId": "\\ud800"}}}'},
        {"ChannelMetadata": '{"data": ["context"]}'},
    ],
)
def test_odd_values_still_make_a_message_that_fits_its_row(form: Mapping[str, str]) -> None:
    (event,) = parsed(Body="hola", **form)

    assert event.text == "hola"
    assert "location" not in event.extra
    assert len(event.profile_name) <= 120
    assert len(event.payload) <= 256
    assert len(event.address) <= 150
