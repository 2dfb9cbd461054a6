"""Customers who talk to workers that die, and what must be true of a talk in the end, whoever died when."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from django.db import InterfaceError, OperationalError, close_old_connections

from aitools import clock, sweep
from aitools.models import AuditEvent, ModelEndpoint, PendingConfirmation, Step, ToolCall, Turn
from aitools.models.turns import OPEN_TURN, UNSETTLED_CALL
from tests.aitools.crash_points import AHEAD, HANDED, POINTS, Killed, later
from tests.aitools.desk import Desk

#: A conversation that has not come to rest after so many sweeps never will.
MOST_SWEEPS = 8
#: Nobody fails more often than this after one strike.
MOST_TRIES = 4
#: Ids of messages, unique over all customers as a vendor's are.
_numbers = count()


@dataclass
class Customer:
    """One conversation, whose words hold a mark of its own in place of ``#``.

    ``repeats``: the vendor sends a webhook again also when it was answered.
    """

    desk: Desk
    number: int
    repeats: bool = True

    @property
    def mark(self) -> str:
        return f"{self.number:05d}"

    def arrive(self, text: str, provider_id: str) -> None:
        """The webhook; raises, or dies, unless it was answered."""
        self.desk.receive(text, provider_id=provider_id)

    def write(self, text: str) -> Callable[[], None]:
        """An act: the webhook comes, again until it is answered, and everything due is done."""
        provider_id = f"SM{self.mark}N{next(_numbers)}"
        answered: list[str] = []

        def act() -> None:
            if self.repeats or not answered:
                self.arrive(text.replace("#", self.mark), provider_id)
                answered.append(provider_id)
            self.desk.drain()

        return act

    def wait(self, seconds: float) -> Callable[[], None]:
        """An act: time passes, and a sweep comes."""
        until = AHEAD[0] + seconds

        def act() -> None:
            later(max(until - AHEAD[0], 0))
            sweep.sweep()
            self.desk.drain()

        return act

    def survive(self, act: Callable[[], None]) -> None:
        """The act, however often its process dies or fails: others come, and find what is left of it."""
        struck = len(POINTS.died)
        if self._lives_through(act) and len(POINTS.died) == struck:
            return
        for _ in range(MOST_TRIES):
            if self._lives_through(act) and self._lives_through(self.come_to_rest):
                return
        raise AssertionError(f"It fails again and again, long after a strike {POINTS.died[-1:]}.")

    def come_to_rest(self) -> None:
        """Sweeps, each a good while after the last, until there is nothing to do."""
        for _ in range(MOST_SWEEPS):
            later()
            found = sweep.sweep()
            self.desk.drain()
            if found == (0, 0):
                return
        raise AssertionError(f"A sweep still finds something to do after a strike {POINTS.died[-1:]}.")

    def _lives_through(self, act: Callable[[], None]) -> bool:
        """False if the process died, or a task of it failed at a cut.

        What a dead one had published is lost as well; one that lives looks at
        its connections before the next task, as Celery and Django do.
        """
        try:
            act()
        except Killed:
            self.desk.published.clear()
            POINTS.revive()
            return False
        except (OperationalError, InterfaceError):
            if POINTS.instead is None:
                raise
            close_old_connections()
            return False
        return True


def play(one: Customer, lines: Sequence[str | float], *strikes: int, since: int = 0, instead: Any = None) -> None:
    """What the customer writes in turn, a number is a silence in seconds; each act from ``since`` on is struck so."""
    POINTS.died.clear()
    for place, line in enumerate(lines):
        act = one.write(line) if isinstance(line, str) else one.wait(line)
        POINTS.expect(*(strikes if place >= since else ()), instead=instead)
        one.survive(act)
    POINTS.expect()
    assert_sound(one)


def every_point(record: Callable[[str, object], None]) -> Iterator[int]:
    """1, 2, … until nothing was struck there in the play before; then tells the report how many points there were."""
    points = 0
    for point in count(1):
        yield point
        if not POINTS.died:
            record("points", points)
            return
        points += len(POINTS.died)


@dataclass(frozen=True)
class Outcome:
    """All of a conversation that must not depend on who died when; ``made`` are the effects."""

    made: Sequence[Any]
    heard: Sequence[Any]
    turns: Sequence[Any]
    steps: Sequence[Any]
    calls: Sequence[Any]
    questions: Sequence[Any]
    said: Sequence[Any]
    events: Sequence[Any]


def outcome(customer: Customer, made: Sequence[Any], hidden: Sequence[str] = ()) -> Outcome:
    """What the rows say, without the customer's mark and the ``hidden`` words."""
    conversation = customer.desk.conversation()
    names = {customer.mark: "#"} | dict.fromkeys(hidden, "?")

    def rows(found: Any, *columns: str) -> Sequence[Any]:
        return [tuple(_unnamed(getattr(row, name), names) for name in columns) for row in found]

    outbound = conversation.outbound.exclude(state="withdrawn")
    return Outcome(
        made=_unnamed(made, names),
        heard=rows(conversation.inbound.order_by("id"), "text", "seq", "state"),
        turns=rows(conversation.turns.order_by("id"), "state", "text", "reply", "counted_from"),
        steps=rows(_steps(conversation), "index", "provider", "stop"),
        calls=rows(_calls(conversation), "name", "state", "attempt", "result"),
        questions=rows(_questions(conversation), "state", "question"),
        said=rows(outbound.order_by("id"), "kind", "text"),
        events=rows(AuditEvent.objects.filter(turn__conversation=conversation).order_by("id"), "kind", "tool", "step"),
    )


def _steps(conversation: Any) -> Any:
    return Step.objects.filter(turn__conversation=conversation).order_by("turn_id", "index")


def _calls(conversation: Any) -> Any:
    return ToolCall.objects.filter(turn__conversation=conversation).order_by("id")


def _questions(conversation: Any) -> Any:
    asked = PendingConfirmation.objects.filter(call__turn__conversation=conversation)
    return asked.select_related("call", "message").order_by("call_id")


def _unnamed(value: Any, names: dict[str, str]) -> Any:
    if isinstance(value, str):
        for name, other in names.items():
            value = value.replace(name, other)
    elif isinstance(value, dict):
        return {key: _unnamed(one, names) for key, one in value.items()}
    elif isinstance(value, list | tuple):
        return [_unnamed(one, names) for one in value]
    return value


def things(customer: Customer) -> list[str]:
    """What the desk's own small tools made for this customer."""
    made = ModelEndpoint.objects.filter(model="made", name__contains=customer.mark).order_by("pk")
    return [name.split()[0] for name in made.values_list("name", flat=True)]


def assert_sound(customer: Customer) -> None:
    """Nothing is stuck, everything was said once, and the audit agrees with the rows."""
    assert_nothing_is_stuck(customer)
    assert_said_once(customer)
    assert_audited(customer)


def assert_nothing_is_stuck(customer: Customer) -> None:
    """No lease, turn, call, question, message or word of the customer's waits for somebody who is gone."""
    conversation = customer.desk.conversation()
    now = clock.now()
    assert conversation.lease_until is None or conversation.lease_until < now
    assert conversation.send_until is None or conversation.send_until < now
    assert conversation.read_seq == conversation.inbox_seq
    assert not Turn.objects.filter(conversation=conversation, state__in=OPEN_TURN).exists()
    assert not _calls(conversation).filter(state__in=UNSETTLED_CALL).exists()
    assert not _questions(conversation).filter(state="pending").exists()
    assert not conversation.outbound.exclude(state__in=["sent", "withdrawn", "failed"]).exists()


def assert_said_once(customer: Customer) -> None:
    """The vendor got each message once, in order; again only if marked so, and a notice may be left to staff."""
    rows = list(customer.desk.conversation().outbound.exclude(state="withdrawn").order_by("id"))
    keys = {str(row.key): row for row in rows}
    handed = [key for key, _ in HANDED if key in keys]
    firsts = list(dict.fromkeys(handed))
    assert firsts == [str(row.key) for row in rows if str(row.key) in firsts]
    for row in rows:
        times = handed.count(str(row.key))
        if row.state == "failed":
            assert row.kind == "notice"
            assert times <= 1
        else:
            assert times == 1 or (times == 2 and row.possibly_repeated)


def assert_audited(customer: Customer) -> None:
    """One result for each done call, one yes for each approved question, one question for each that was asked."""
    conversation = customer.desk.conversation()
    events = AuditEvent.objects.filter(turn__conversation=conversation)

    def ids(kind: str) -> list[str]:
        return sorted(str(event.call_id) for event in events.filter(kind=kind))

    done = _calls(conversation).filter(state="done")
    assert ids("tool.result") == sorted(str(call.call_id) for call in done)
    asked = _questions(conversation)
    assert ids("tool.confirm.requested") == sorted(str(one.call.call_id) for one in asked)
    approved = [one for one in asked if one.state == "approved"]
    assert ids("tool.confirm.approved") == sorted(str(one.call.call_id) for one in approved)
