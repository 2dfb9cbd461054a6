"""What Meta's webhook bodies mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from django.test import RequestFactory

from aitools.channels import whatsapp
from aitools.channels.base import DeliveryStatus, EventKind, InboundMessage
from tests.aitools.channels.cases import Sample, assert_talk, samples
from tests.wire.whatsapp import PHONE_NUMBER_ID, as_meta_writes, envelope, message, press

TALK = samples("whatsapp_cloud_messages")
STATUSES = samples("whatsapp_cloud_statuses")
ENVELOPES = samples("whatsapp_cloud_envelopes")
#: Of the cases' fields, those that we keep beside the message.
EXTRA = (
    "location",
    "shared_contacts",
    "reaction",
    "order",
    "system",
    "original_id",
    "errors",
    "forwarded",
    "username",
    "referral_source_id",
    "group_id",
)


def parsed(body: Any) -> Sequence[InboundMessage]:
    raw = body if isinstance(body, bytes) else as_meta_writes(body)
    return whatsapp.parse(RequestFactory().post("/", data=raw, content_type="application/json"))


def events_of(sample: Sample) -> list[InboundMessage]:
    return [event for recorded in sample.requests if "json" in recorded for event in parsed(recorded["json"])]


@pytest.mark.parametrize("sample", TALK + STATUSES + ENVELOPES, ids=lambda sample: sample.id)
def test_recorded_requests_mean_what_the_cases_say(sample: Sample) -> None:
    events = events_of(sample)

    assert len(events) == len(sample.expected["events"])
    for event, expected in zip(events, sample.expected["events"], strict=True):
        assert event.channel == expected["channel"]
        CHECKS[expected["event"]](event, expected)


def is_message(event: InboundMessage, expected: Mapping[str, Any]) -> None:
    assert_talk(event, expected)
    assert event.account == PHONE_NUMBER_ID
    assert event.kind == kind_expected(expected)
    assert event.sent_at is not None
    assert event.sent_at.timestamp() == expected["sent_at"]
    for name in EXTRA:
        assert event.extra.get(name) == expected.get(name), name


def kind_expected(expected: Mapping[str, Any]) -> EventKind:
    if expected["kind"] == "system":
        return EventKind.SYSTEM
    return EventKind.PRESS if expected["button_payload"] else EventKind.MESSAGE


def is_status(event: InboundMessage, expected: Mapping[str, Any]) -> None:
    ours = {"played": DeliveryStatus.READ}
    assert event.kind is EventKind.STATUS
    assert event.status_of == expected["message_id"]
    assert event.provider_id == f"{expected['message_id']}:{expected['status']}"
    assert event.status == ours.get(expected["status"], expected["status"])
    assert event.address == expected["address"]
    assert event.extra.get("user_id") == expected["user_id"]
    assert (event.error_code or None) == (str(expected["error_code"]) if expected["error_code"] else None)
    assert (event.error_kind or None) == expected["error_class"]
    assert event.sent_at is not None
    assert event.sent_at.timestamp() == expected["at"]
    assert (event.outbox_id or None) == expected.get("callback_data")


def is_error(event: InboundMessage, expected: Mapping[str, Any]) -> None:
    assert event.kind is EventKind.SYSTEM
    assert (event.error_code, event.error_kind) == (str(expected["error_code"]), expected["error_class"])


CHECKS = {"message": is_message, "status": is_status, "error": is_error}


def test_a_person_who_hides_the_number_is_known_by_user_id() -> None:
    contact = {"profile": {"name": "Ana", "username": "@ana"}, "user_id": "CO.TEST123"}
    hidden = {"id": "wamid.1", "from_user_id": "CO.TEST123", "type": "text", "text": {"body": "hola"}}

    (event,) = parsed(envelope(contacts=[{"wa_id": "1"}, contact], messages=[hidden]))

    assert (event.address, event.phone, event.profile_name) == ("CO.TEST123", "", "Ana")
    assert (event.extra["user_id"], event.extra["username"]) == ("CO.TEST123", "ana")


def test_two_people_in_one_request_keep_their_names_whatever_the_order() -> None:
    names = {"12025550141": "Ana", "12025550142": "Luis"}
    contacts = [{"profile": {"name": name}, "wa_id": number} for number, name in names.items()]
    talk = [{"from": number, "id": number, "type": "text", "text": {"body": "hola"}} for number in reversed(names)]

    assert [event.profile_name for event in parsed(envelope(contacts=contacts, messages=talk))] == ["Luis", "Ana"]


def test_what_staff_write_on_the_shops_phone_is_an_echo() -> None:
    written = {"from": "12025550177", "to": "12025550141", "id": "wamid.1", "type": "text", "text": {"body": "Ya va"}}

    (event,) = parsed(envelope("smb_message_echoes", message_echoes=[written]))

    assert (event.kind, event.address, event.text) == (EventKind.ECHO, "+12025550141", "Ya va")
    assert event.account == PHONE_NUMBER_ID


def test_what_is_said_in_a_group_is_not_said_to_us() -> None:
    said = message(text={"body": "hola"}, group_id="G1")

    assert [event.kind for event in parsed(said)] == [EventKind.SYSTEM]


@pytest.mark.parametrize(
    "content",
    [
        {"hologram": {"x": 1}},
        {"interactive": {"type": "button_reply"}},
        {"interactive": {"type": "call_permission_reply", "call_permission_reply": {}}},
        {"text": {"body": None}},
        {"text": "hola"},
        {"location": {"latitude": "north", "longitude": None}},
        {"location": {"latitude": True, "longitude": 1}},
    ],
)
def test_a_message_of_a_kind_we_cannot_read_is_unsupported(content: Mapping[str, Any]) -> None:
    (event,) = parsed(message(**content))

    assert (event.kind, event.message_kind, event.text) == (EventKind.MESSAGE, "unsupported", "")


@pytest.mark.parametrize("number", [b"NaN", b"Infinity", b"1e999", b"1" * 400])
def test_a_number_that_no_column_holds_is_no_place(number: bytes) -> None:
    raw = as_meta_writes(message(location={"latitude": 0, "longitude": 0})).replace(
        b'"latitude":0', b'"latitude":' + number
    )

    assert [event.message_kind for event in parsed(raw)] == ["unsupported"]


def test_a_press_with_odd_values_fits_its_row() -> None:
    (event,) = parsed(press({"id": "p" * 5000, "title": "a\x00b"}, sender="12025550141"))

    assert len(event.payload) == 256
    assert event.text == "ab"


def test_ids_too_long_for_a_column_still_tell_repeats_from_others() -> None:
    one, same, other = (parsed(message(text={"body": "x"}, id="w" * 400 + end))[0] for end in ("1", "1", "2"))

    assert one.provider_id == same.provider_id != other.provider_id
    assert len(one.provider_id) <= 255


@pytest.mark.parametrize("timestamp", [None, "", "soon", "-5", "²", "9" * 30, {}, "0"])
def test_a_time_that_makes_no_sense_is_no_time(timestamp: object) -> None:
    body = message(text={"body": "x"})
    body["entry"][0]["changes"][0]["value"]["messages"][0]["timestamp"] = timestamp

    assert parsed(body)[0].sent_at is None


def test_a_message_without_an_id_is_still_told_from_another() -> None:
    sent = {"from": "12025550141", "type": "text", "text": {"body": "hola"}}
    first, again, other = (parsed(envelope(messages=[{**sent, "timestamp": t}]))[0] for t in ("1", "1", "2"))

    assert first.provider_id == again.provider_id != other.provider_id


def test_metadata_may_be_missing() -> None:
    body = message(text={"body": "hola"})
    del body["entry"][0]["changes"][0]["value"]["metadata"]

    assert parsed(body)[0].account == PHONE_NUMBER_ID


def test_a_single_entry_may_be_no_list() -> None:
    body = message(text={"body": "hola"})
    body["entry"] = body["entry"][0]

    assert [event.text for event in parsed(body)] == ["hola"]
