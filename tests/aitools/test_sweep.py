"""The net under every queue: it finds what is due, only that, any number of times."""

from __future__ import annotations

import logging
from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from aitools import clock, leases, sweep
from aitools.models import BotProfile, Conversation, OutboundMessage
from aitools.providers import scripted
from aitools.providers.scripted import asks, says
from tests.aitools import desk as parts
from tests.aitools.desk import Desk

ORDER = asks(("make", {"name": "pan"}))


def found(desk: Desk) -> list[str]:
    """What one sweep would wake, without anybody doing it."""
    desk.published.clear()
    sweep.sweep()
    woken = [task.rsplit(".", 1)[1] for task, _ in desk.published]
    desk.published.clear()
    return woken


def unread(desk: Desk) -> None:
    desk.receive("hola")


def unfinished_turn(desk: Desk) -> None:
    asked(desk)
    desk.turn().conversation.turns.update(state="running")


def expired_question(desk: Desk) -> None:
    asked(desk)
    clock.shift(121)


def unsent(desk: Desk) -> None:
    desk.receive("/reset")


def left_sending(desk: Desk) -> None:
    desk.receive("/reset")
    OutboundMessage.objects.update(state="sending", attempts=1)


def uncertain(desk: Desk) -> None:
    desk.receive("/reset")
    OutboundMessage.objects.update(state="uncertain", attempts=1)


def asked(desk: Desk) -> None:
    with scripted.script([ORDER]):
        desk.write("pan")


DUE: list[tuple[Callable[[Desk], None], str]] = [
    (unread, "advance"),
    (unfinished_turn, "advance"),
    (expired_question, "advance"),
    (unsent, "deliver"),
    (left_sending, "deliver"),
    (uncertain, "deliver"),
]


@pytest.mark.parametrize(("make_due", "task"), DUE, ids=[make.__name__ for make, _ in DUE])
def test_it_finds_what_is_due_and_finds_it_again(desk: Desk, make_due: Callable[[Desk], None], task: str) -> None:
    make_due(desk)
    assert found(desk) == [task]
    assert found(desk) == [task]


def test_it_wakes_nobody_when_nothing_is_due(desk: Desk) -> None:
    asked(desk)
    with scripted.script([says("Hola.")]):
        Desk(address="visitor-2", published=desk.published).write("hola")
    assert found(desk) == []


def test_it_tells_only_of_what_it_found(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "aitools.sweep")
    found(desk)
    assert caplog.messages == []
    unread(desk)
    found(desk)
    assert caplog.messages == ["A sweep woke 1 turns and 0 deliveries."]


def test_a_burst_that_has_not_settled_is_left_alone(desk: Desk) -> None:
    BotProfile.objects.update(settle_seconds=3)
    desk.receive("hola")
    assert found(desk) == []
    clock.shift(3.5)
    assert found(desk) == ["advance"]


def test_a_conversation_that_is_being_worked_on_is_left_alone_until_its_lease_ends(desk: Desk) -> None:
    desk.receive("hola")
    assert leases.claim(desk.conversation().pk) is not None
    assert found(desk) == []
    clock.shift(16)
    assert found(desk) == ["advance"]


def test_a_message_that_waits_for_its_next_try_is_left_alone(desk: Desk) -> None:
    desk.receive("/reset")
    OutboundMessage.objects.update(due_at=clock.after(30))
    assert found(desk) == []


def test_several_reasons_wake_a_conversation_once(desk: Desk) -> None:
    expired_question(desk)
    desk.receive("hola")
    desk.receive("¿hola?")
    assert found(desk) == ["advance"]


def test_whatever_was_lost_is_done_by_the_sweep_once(desk: Desk) -> None:
    """The broker forgets everything after every single step of an order."""
    with scripted.script([ORDER, says("Listo.")]):
        for text in ("pan", "sí"):
            desk.receive(text)
            desk.published.clear()
            desk.sweep()
            desk.sweep()
    assert desk.said()[1:] == ["Listo."]
    assert len(parts.things()) == 1


def test_staff_out_of_reach_of_the_bot_are_not_woken_for(desk: Desk) -> None:
    desk.receive("hola")
    Conversation.objects.update(opted_out_at=clock.now())
    desk.drain()
    assert found(desk) == []
    assert desk.conversation().needs_staff


@pytest.mark.parametrize("customers", [1, 4])
def test_its_queries_do_not_grow_with_what_is_over(desk: Desk, customers: int) -> None:
    for number in range(customers):
        with scripted.script([says("Hola.")]):
            Desk(address=f"visitor {number}", published=desk.published).write("hola")
    with CaptureQueriesContext(connection) as queries:
        sweep.sweep()
    assert len(queries) == 4
