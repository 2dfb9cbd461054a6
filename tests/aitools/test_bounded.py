"""Names longer than our columns, from a channel that does not bound them itself."""

from __future__ import annotations

from typing import Any

import pytest

from aitools import inbox
from aitools.channels.base import DeliveryStatus, EventKind, InboundMessage
from aitools.models import Conversation, InboundEvent
from tests.aitools.desk import Desk

HUGE = "9" * 5000
NAMES = ["provider_id", "account", "address", "reply_to", "message_kind", "phone", "profile_name", "payload"]
#: PostgreSQL refuses the first in every text column, and UTF-8 has no way to write the second.
UNSTORABLE = "7\x00\ud800"


def event(kind: EventKind = EventKind.MESSAGE, **names: Any) -> InboundMessage:
    names = {"provider_id": "m-1", "address": "door"} | names
    return InboundMessage(kind=kind, channel="web", text="hola", **names)


def status(**names: Any) -> InboundMessage:
    names = {"status_of": HUGE, "outbox_id": HUGE, "error_code": HUGE} | names
    return event(EventKind.STATUS, address="", status=DeliveryStatus.FAILED, **names)


@pytest.mark.parametrize("value", [HUGE, UNSTORABLE], ids=["huge", "unstorable"])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", [EventKind.MESSAGE, EventKind.PRESS, EventKind.ECHO, EventKind.OPT_OUT])
def test_an_event_with_any_name_is_taken_once(desk: Desk, kind: EventKind, name: str, value: str) -> None:
    arrived = event(kind, **{name: value})

    assert [inbox.receive([arrived]), inbox.receive([arrived])] == [1, 0]
    assert InboundEvent.objects.get().text == "hola"
    assert Conversation.objects.count() == 1


@pytest.mark.parametrize("value", [HUGE, UNSTORABLE], ids=["huge", "unstorable"])
@pytest.mark.parametrize("name", ["provider_id", "status_of", "error_code"])
def test_a_status_with_any_name_is_taken_once(desk: Desk, name: str, value: str) -> None:
    arrived = status(extra={"error_message": UNSTORABLE}, **{name: value})
    assert [inbox.receive([arrived]), inbox.receive([arrived])] == [1, 0]


def test_two_people_with_long_addresses_stay_two(desk: Desk) -> None:
    inbox.receive([event(address=HUGE + "a"), event(address=HUGE + "b", provider_id="m-2")])
    assert Conversation.objects.count() == 2


def test_two_messages_with_long_ids_stay_two(desk: Desk) -> None:
    assert inbox.receive([event(provider_id=HUGE + "a"), event(provider_id=HUGE + "b")]) == 2


def test_what_belongs_to_nobody_is_kept_too(desk: Desk) -> None:
    assert inbox.receive([event(EventKind.SYSTEM, address="", provider_id=HUGE, message_kind=HUGE)]) == 1
