"""A worker that dies, or whose connection is cut, at every point of a conversation.

A point lies before each SQL statement and on both sides of each commit, model
call, tool handler and channel send, on whatever thread.  What is in memory
between two points nobody else can see, so "after one" is "before the next".
A cut has one point more: after a statement that is a transaction by itself,
which the server has done and nobody was told.
"""

from __future__ import annotations

import os
import socket
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, ClassVar

import psycopg
import pytest
from django.db import connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.db.backends.utils import CursorWrapper

from aitools import clock
from aitools.channels.base import Capabilities, DeliveryStatus, OutgoingMessage, Sent
from aitools.channels.web import WebChannel
from aitools.providers.base import EndpointConfig
from aitools.tools import Tool, registry
from aitools.transcripts import check_pairs
from aitools.types import ModelReply, ModelRequest

#: Longer than the lease of any worker that died, and than an uncertain send is waited for.
LATER_SECONDS = 120
SET_CLOCK = "SELECT set_config(%s, %s, false)"

Mind = Callable[[ModelRequest], ModelReply]


class Killed(BaseException):
    """The process is gone: no ``except Exception`` sees it, and nothing that it still tries reaches anybody."""


@dataclass
class Points:
    """Strikes at the points that ``strikes`` tell: each is how many points are passed until then.

    After the last nothing is counted any more.  ``died`` tells where it was.
    With ``instead`` nobody dies there, but that happens, told where.
    """

    strikes: deque[int] = field(default_factory=deque)
    is_dead: bool = False
    died: list[str] = field(default_factory=list)
    instead: Callable[[str], None] | None = None

    def expect(self, *strikes: int, instead: Callable[[str], None] | None = None) -> None:
        """From here on, one strike after so many points, and the next after so many more."""
        self.strikes, self.is_dead, self.instead = deque(strikes), False, instead

    def revive(self) -> None:
        """Another process: it has no connection yet."""
        connections.close_all()
        self.is_dead = False

    def hit(self, what: str) -> None:
        if self.is_dead:
            raise Killed(what)
        if not self.strikes:
            return
        self.strikes[0] -= 1
        if self.strikes[0] <= 0:
            self.strikes.popleft()
            self.died.append(what)
            self._strike(what)

    def _strike(self, what: str) -> None:
        if self.instead is not None:
            self.instead(what)
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


def cut(what: str) -> None:
    """The network is gone: the statement under way fails, or its answer is lost. The process lives on."""
    if connection.connection is not None:
        with socket.socket(fileno=os.dup(connection.connection.fileno())) as line:
            line.shutdown(socket.SHUT_RDWR)
    _lose_answer(what)


def terminate(what: str) -> None:
    """An administrator, or a server that stops, ends the session. The process lives on."""
    if connection.connection is not None:
        with connections.create_connection("default").cursor() as other:
            other.cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [connection.connection.info.backend_pid])
            other.db.close()
    _lose_answer(what)


def _lose_answer(what: str) -> None:
    if what.startswith(("after a commit", "after a statement")):
        raise psycopg.OperationalError("the server closed the connection unexpectedly")


class Mortal:
    """A channel to a vendor who takes all and can prove nothing."""

    def send(self, message: OutgoingMessage) -> Sent:
        with POINTS.around("a send"):
            HANDED.append((message.outbox_id, message.text))
        return Sent(f"V{len(HANDED)}", DeliveryStatus.QUEUED)

    def find_sent(self, message: OutgoingMessage, since: object) -> Sent | None:
        return None


class MortalChannel(Mortal, WebChannel):
    """Like SMS without any proof of what was sent."""

    name = "mortal"
    capabilities = Capabilities(text_limit=1600)


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


THINKS: list[Mind] = [_silent]


def mortal(tool: Tool) -> Tool:
    """The tool with a point on both sides of its handler."""

    def handler(args: Any, ctx: Any) -> Any:
        with POINTS.around(f"the handler of {tool.name}"):
            return tool.handler(args, ctx)

    return replace(tool, handler=handler)


@contextmanager
def mortal_world(monkeypatch: pytest.MonkeyPatch, tools: Mapping[str, Tool], mind: Mind) -> Iterator[None]:
    """Within the block tools, model and database have points; all clocks are one."""
    monkeypatch.setattr(registry, "_tools", {name: mortal(tool) for name, tool in tools.items()})
    THINKS[0], AHEAD[0] = mind, 0.0
    HANDED.clear()
    _watch_database(monkeypatch)
    with _one_clock():
        yield


def _watch_database(monkeypatch: pytest.MonkeyPatch) -> None:
    """A point before each statement and around each commit, on every thread's connection."""
    wrapper: Any = BaseDatabaseWrapper
    real_execute, real_many, real_commit = CursorWrapper.execute, CursorWrapper.executemany, wrapper._commit

    def execute(self: Any, sql: str, params: Any = None) -> Any:
        with _around(self.db, sql):
            return real_execute(self, sql, params)

    def executemany(self: Any, sql: str, params: Any) -> Any:
        with _around(self.db, sql):
            return real_many(self, sql, params)

    def commit(self: Any) -> None:
        POINTS.hit("before a commit")
        real_commit(self)
        with self.wrap_database_errors:
            POINTS.hit("after a commit")

    monkeypatch.setattr(CursorWrapper, "execute", execute)
    monkeypatch.setattr(CursorWrapper, "executemany", executemany)
    monkeypatch.setattr(BaseDatabaseWrapper, "_commit", commit)


@contextmanager
def _around(database: Any, sql: str) -> Iterator[None]:
    name = " ".join(str(sql).split())[:70]
    POINTS.hit(f"before {name}")
    yield
    if POINTS.instead in (cut, terminate) and not database.in_atomic_block:
        with database.wrap_database_errors:
            POINTS.hit(f"after a statement: {name}")


@contextmanager
def _one_clock() -> Iterator[None]:
    """Every new connection's clock is ahead by ``AHEAD``: workers come and go, time does not go back."""

    def set_clock(sender: object, connection: Any, **others: object) -> None:
        connection.connection.execute(SET_CLOCK, [clock.SETTING, f"{AHEAD[0]} seconds"])

    connection_created.connect(set_clock)
    try:
        yield
    finally:
        connection_created.disconnect(set_clock)


def begin_at(moment: datetime) -> None:
    """It is that moment now, for everybody."""
    AHEAD[0] = (moment - datetime.now(UTC)).total_seconds()
    later(0)


def later(seconds: float = LATER_SECONDS) -> None:
    """So much time passes."""
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
