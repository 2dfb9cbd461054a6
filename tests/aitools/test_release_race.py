"""A message arrives at the instant a lease is given up: thousands of times, and it is never stranded.

Both sides stand at a barrier, each with a connection of its own; a random
moment on the holder's side lets either come first.  The short form is in
``test_leases``.
"""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable

import pytest
from django.db import transaction

from aitools import inbox, leases, queue, sending, turns
from aitools.channels.base import EventKind, InboundMessage
from aitools.leases import Lease, Marks
from aitools.models import Conversation
from aitools.providers import scripted
from aitools.providers.scripted import says
from aitools.types import ModelReply, ModelRequest
from tests.aitools.desk import Desk
from tests.aitools.threads import together

pytestmark = pytest.mark.outage

ROUNDS = 2000
#: Whole turns take longer, and end at the same statement.
TURNS = 200
#: A message is stored within this time after the barrier.
SPREAD_SECONDS = 0.006
LONGEST_SECONDS = 600

Record = Callable[[str, object], None]


def release(lease: Lease, seen: int) -> bool:
    return leases.release(lease, seen)


def give_back(lease: Lease, seen: int) -> bool:
    with transaction.atomic():
        return leases.give_back(lease, Marks(seen, ""))


@pytest.mark.parametrize("let_go", [release, give_back])
def test_of_message_and_release_one_comes_first(
    desk: Desk, let_go: Callable[[Lease, int], bool], record_property: Record
) -> None:
    """Either the release sees the message and keeps the lease, or the message's wake-up finds the lease free."""
    key = Conversation.objects.create(channel="web", address=desk.address).pk
    start, end = threading.Barrier(2, timeout=60), threading.Barrier(2, timeout=60)
    outcomes: list[tuple[bool, bool]] = []
    released: list[bool] = []

    def hold() -> None:
        chance = random.Random(11)
        for seen in range(ROUNDS):
            claim = leases.claim(key)
            assert claim is not None
            start.wait()
            time.sleep(chance.random() * SPREAD_SECONDS)
            released.append(let_go(claim.lease, seen))
            end.wait()
            Conversation.objects.filter(pk=key).update(lease_token=None, lease_until=None)

    def write() -> None:
        for seen in range(ROUNDS):
            event = InboundMessage(EventKind.MESSAGE, "web", f"race {seen}", address=desk.address, text="hola")
            start.wait()
            assert inbox.receive([event]) == 1
            woken = leases.claim(key) is not None
            end.wait()
            outcomes.append((released[seen], woken))

    together(hold, write, seconds=LONGEST_SECONDS)
    counted = Counter(outcomes)
    assert sum(counted.values()) == ROUNDS
    assert counted[True, False] == 0, "a message was stranded"
    assert counted[False, True] == 0, "two hold the lease"
    message_first, release_first = counted[False, False], counted[True, True]
    assert min(message_first, release_first) > ROUNDS / 50, "one of the two nearly always came first"
    record_property(
        "figure",
        f"{let_go.__name__} and a message at once, {ROUNDS} rounds: {message_first} times the message came first, "
        f"{release_first} times the release; stranded 0",
    )


def test_a_message_at_the_end_of_a_turn_is_always_answered(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, record_property: Record
) -> None:
    """Whole turns, which meet the message at the statement that ends them: nobody sweeps, all is answered."""
    chance, real, saw = random.Random(12), leases.give_back, Counter[bool]()
    meeting, end = threading.Barrier(2, timeout=60), threading.Barrier(2, timeout=60)
    is_first = threading.local()
    desks = [Desk(address=f"visitor {number}") for number in range(TURNS)]

    def ending(lease: Lease, marks: Marks) -> bool:
        if not getattr(is_first, "turn", False):
            return real(lease, marks)
        is_first.turn = False
        meeting.wait()
        time.sleep(chance.random() * SPREAD_SECONDS)
        freed = real(lease, marks)
        saw[freed] += 1
        return freed

    def first() -> None:
        for one in desks:
            is_first.turn = True
            one.receive("uno")
            end.wait()

    def second() -> None:
        for one in desks:
            meeting.wait()
            one.receive("dos")
            end.wait()

    monkeypatch.setattr(leases, "give_back", ending)
    monkeypatch.setattr(queue, "publish", near)
    with scripted.script(echo):
        together(first, second, seconds=LONGEST_SECONDS)
    for one in desks:
        heard = " ".join(one.said())
        assert not one.conversation().has_unread
        assert ("uno" in heard, "dos" in heard) == (True, True), heard
    assert min(saw.values()) > TURNS / 50
    assert len(saw) == 2, "one of the two always came first"
    record_property(
        "figure",
        f"a turn's end and a message at once, {TURNS} turns: {saw[False]} times the message came first, "
        f"{saw[True]} times the end; unanswered 0",
    )


def near(task: str, conversation_id: int, delay_seconds: float = 0) -> None:
    """Whoever publishes works at once in its own thread, as a worker that is very near would."""
    if delay_seconds <= 0:
        (turns.advance if task == queue.ADVANCE else sending.deliver)(conversation_id)


def echo(request: ModelRequest) -> ModelReply:
    return says(f"eco {request.messages[-1].text}")
