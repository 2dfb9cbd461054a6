"""A worker that dies at every point of a conversation, and the workers that come after it.

A point lies before each SQL statement and on both sides of each commit, model
call, tool handler and channel send, on whatever thread.  What is in memory
between two points nobody else can see, so "after one" is "before the next".
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, ClassVar

import pytest
from django.db import connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.db.backends.utils import CursorWrapper

from aitools import clock, sweep
from aitools.channels.base import Capabilities, DeliveryStatus, OutgoingMessage, Sent
from aitools.channels.web import WebChannel
from aitools.models import (
    AuditEvent,
    ModelEndpoint,
    OutboundMessage,
    PendingConfirmation,
    Step,
    ToolCall,
    Turn,
)
from aitools.models.turns import OPEN_TURN, UNSETTLED_CALL
from aitools.providers.base import EndpointConfig
from aitools.tools import Tool
from aitools.transcripts import check_pairs
from aitools.types import ModelReply, ModelRequest
from tests.aitools.desk import Desk

#: Longer than the lease of any worker that died, and than an uncertain send is waited for.
LATER_SECONDS = 120
#: A conversation that has not come to rest after so many sweeps never will.
MOST_SWEEPS = 8
SET_CLOCK = "SELECT set_config(%s, %s, false)"


class Killed(BaseException):
    """The process is gone: no ``except Exception`` sees it, and nothing that it still tries reaches anybody."""


@dataclass
class Points:
    """Kills at the points that ``deaths`` tell: each is how many points are passed until then.

    After the last nothing is counted any more.  ``died`` tells where it was.
    With ``instead`` nobody dies there, but that happens.
    """

    deaths: deque[int] = field(default_factory=deque)
    is_dead: bool = False
    died: list[str] = field(default_factory=list)
    instead: Callable[[], None] | None = None

    def expect(self, *deaths: int, instead: Callable[[], None] | None = None) -> None:
        """From here on, one death after so many points, and the next after so many more."""
        self.deaths, self.is_dead, self.instead = deque(deaths), False, instead

    def revive(self) -> None:
        """Another process: it has no connection yet."""
        connections.close_all()
        self.is_dead = False

    def hit(self, what: str) -> None:
        if self.is_dead:
            raise Killed(what)
        if not self.deaths:
            return
        self.deaths[0] -= 1
        if self.deaths[0] <= 0:
            self.deaths.popleft()
            self.died.append(what)
            if self.instead is not None:
                self.instead()
                return
            self.is_dead = True
            connection.close()
            raise Killed(what)

    @contextmanager
    def around(self, what: str) -> Iterator[None]:
        self.hit(f"before {what}")
        yield
        self.hit(f"after {what}")


POINTS = Points()
#: What the vendor was handed, in order: the outbox row's key and the text.
HANDED: list[tuple[str, str]] = []
#: Seconds that every connection's clock is ahead.
AHEAD: list[float] = [0.0]


class MortalChannel(WebChannel):
    """Like SMS without any proof of what was sent."""

    name = "mortal"
    capabilities = Capabilities(text_limit=1600)

    def send(self, message: OutgoingMessage) -> Sent:
        with POINTS.around("a send"):
            HANDED.append((message.outbox_id, message.text))
        return Sent(f"V{len(HANDED)}", DeliveryStatus.QUEUED)

    def find_sent(self, message: OutgoingMessage, since: object) -> Sent | None:
        return None


class MortalModel:
    """Says what ``THINKS`` says to a request; refuses an ill-paired one."""

    kind: ClassVar[str] = "scripted"

    def __init__(self, endpoint: EndpointConfig) -> None:
        pass

    def complete(self, request: ModelRequest) -> ModelReply:
        with POINTS.around("a model call"):
            check_pairs(request.messages)
            return THINKS[0](request)


def _silent(request: ModelRequest) -> ModelReply:
    raise AssertionError("nobody has given the model a mind")


THINKS: list[Callable[[ModelRequest], ModelReply]] = [_silent]


def mortal(tool: Tool) -> Tool:
    """The tool with a point on both sides of its handler."""

    def handler(args: Any, ctx: Any) -> Any:
        with POINTS.around(f"the handler of {tool.name}"):
            return tool.handler(args, ctx)

    return replace(tool, handler=handler)


def watch_database(monkeypatch: pytest.MonkeyPatch) -> None:
    """A point before each statement and around each commit, on every thread's connection."""
    wrapper: Any = BaseDatabaseWrapper
    real_execute, real_many, real_commit = CursorWrapper.execute, CursorWrapper.executemany, wrapper._commit

    def execute(self: Any, sql: str, params: Any = None) -> Any:
        POINTS.hit(f"before {_name(sql)}")
        return real_execute(self, sql, params)

    def executemany(self: Any, sql: str, params: Any) -> Any:
        POINTS.hit(f"before {_name(sql)}")
        return real_many(self, sql, params)

    def commit(self: Any) -> Any:
        with POINTS.around("a commit"):
            return real_commit(self)

    monkeypatch.setattr(CursorWrapper, "execute", execute)
    monkeypatch.setattr(CursorWrapper, "executemany", executemany)
    monkeypatch.setattr(BaseDatabaseWrapper, "_commit", commit)


def _name(sql: str) -> str:
    return " ".join(str(sql).split())[:70]


@contextmanager
def one_clock() -> Iterator[None]:
    """Every new connection's clock is ahead by ``AHEAD``: workers come and go, time does not go back."""

    def set_clock(sender: object, connection: Any, **others: object) -> None:
        connection.connection.execute(SET_CLOCK, [clock.SETTING, f"{AHEAD[0]} seconds"])

    connection_created.connect(set_clock)
    try:
        yield
    finally:
        connection_created.disconnect(set_clock)


def later(seconds: float = LATER_SECONDS) -> None:
    AHEAD[0] += seconds
    connection.ensure_connection()
    connection.connection.execute(SET_CLOCK, [clock.SETTING, f"{AHEAD[0]} seconds"])


def beside(act: Callable[[], object]) -> threading.Thread:
    """Begin the act on a thread of its own and come back once it is done, or waits for a lock that is held here."""

    def run() -> None:
        try:
            act()
        finally:
            connections.close_all()

    thread = threading.Thread(target=run)
    watcher = connections.create_connection("default")
    thread.start()
    try:
        while thread.is_alive() and not _somebody_waits(watcher):
            thread.join(0.005)
    finally:
        watcher.close()
    return thread


def _somebody_waits(watcher: Any) -> bool:
    with watcher.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        return bool(cursor.fetchone()[0])


@dataclass
class Customer:
    """One conversation over the mortal channel, whose words hold a mark of its own in place of ``#``."""

    desk: Desk
    number: int

    @property
    def mark(self) -> str:
        return f"{self.number:05d}"

    def write(self, text: str) -> Callable[[], None]:
        """An act: the webhook comes (again), and everything due is done."""
        provider_id = f"{self.mark} {text} {next(_numbers)}"

        def act() -> None:
            self.desk.receive(text.replace("#", self.mark), provider_id=provider_id)
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
        """The act, however often its process dies: others come, and find what is left of it."""
        if self._lives_through(act):
            return
        while not (self._lives_through(act) and self._lives_through(self.come_to_rest)):
            pass

    def come_to_rest(self) -> None:
        """Sweeps, each a good while after the last, until there is nothing to do."""
        for _ in range(MOST_SWEEPS):
            later()
            found = sweep.sweep()
            self.desk.drain()
            if found == (0, 0):
                return
        raise AssertionError("A sweep still finds something to do.")

    def _lives_through(self, act: Callable[[], None]) -> bool:
        """False if it was its death; what the dead one had published is lost as well."""
        try:
            act()
        except Killed:
            self.desk.published.clear()
            POINTS.revive()
            return False
        return True


_numbers = count()


@dataclass(frozen=True)
class Outcome:
    """All of a conversation that must not depend on who died when."""

    things: Sequence[str]
    turns: Sequence[Any]
    steps: Sequence[Any]
    calls: Sequence[Any]
    questions: Sequence[Any]
    said: Sequence[Any]
    events: Sequence[Any]


def outcome(customer: Customer) -> Outcome:
    """What the rows say, without the customer's mark."""
    conversation = customer.desk.conversation()

    def rows(model: Any, *columns: str) -> Sequence[Any]:
        found = model.objects.filter(conversation=conversation).order_by("pk").values_list(*columns)
        return [tuple(_unmarked(value, customer) for value in row) for row in found]

    made = ModelEndpoint.objects.filter(model="made", name__contains=customer.mark).order_by("pk")
    steps = Step.objects.filter(turn__conversation=conversation)
    return Outcome(
        things=[_unmarked(name.split()[0], customer) for name in made.values_list("name", flat=True)],
        turns=rows(Turn, "state", "text", "reply", "counted_from", "failures"),
        steps=list(steps.order_by("turn_id", "index").values_list("index", "provider", "stop")),
        calls=rows(ToolCall, "name", "state", "attempt", "result"),
        questions=rows(PendingConfirmation, "state", "question"),
        said=[row[:2] for row in rows(OutboundMessage, "kind", "text", "state") if row[-1] != "withdrawn"],
        events=rows(AuditEvent, "kind", "tool", "step"),
    )


def _unmarked(value: Any, customer: Customer) -> Any:
    return value.replace(customer.mark, "#") if isinstance(value, str) else value


def assert_nothing_is_stuck(customer: Customer) -> None:
    """No lease, turn, call, question, message or word of the customer's waits for somebody who is gone."""
    conversation = customer.desk.conversation()
    now = clock.now()
    assert conversation.lease_until is None or conversation.lease_until < now
    assert conversation.send_until is None or conversation.send_until < now
    assert conversation.read_seq == conversation.inbox_seq
    assert not Turn.objects.filter(conversation=conversation, state__in=OPEN_TURN).exists()
    assert not ToolCall.objects.filter(conversation=conversation, state__in=UNSETTLED_CALL).exists()
    assert not PendingConfirmation.objects.filter(conversation=conversation, state="pending").exists()
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
    """One result for each done call, one yes for each approved question."""
    conversation = customer.desk.conversation()
    events = AuditEvent.objects.filter(conversation=conversation)

    def ids(kind: str) -> list[str]:
        return sorted(events.filter(kind=kind).values_list("call_id", flat=True))

    done = ToolCall.objects.filter(conversation=conversation, state="done")
    assert ids("tool.result") == sorted(str(call.call_id) for call in done)
    approved = PendingConfirmation.objects.filter(conversation=conversation, state="approved").select_related("call")
    assert ids("tool.confirm.approved") == sorted(str(asked.call.call_id) for asked in approved)
