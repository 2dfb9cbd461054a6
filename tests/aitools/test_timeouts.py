"""A tool that takes too long: the turn goes on, and what the tool wrote is never there.

Real threads and real PostgreSQL.  Handlers here do all they can to commit late.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from aitools.models import AuditEvent, ModelEndpoint, ToolCall
from aitools.providers import scripted
from aitools.providers.scripted import asks, says
from aitools.tools import Tool, ToolContext, registry
from tests.aitools import desk as parts
from tests.aitools.desk import Desk, Thing
from tests.aitools.threads import until_idle

#: Far longer than any timeout here, and what a broken engine would wait for.
LONG_SECONDS = 20
WORK = asks(("work", {"name": "pan"}))
SORRY = says("Tardé demasiado y no lo hice.")


class Late:
    """A handler that writes, is away until told to go on, writes again and comes to its end."""

    def __init__(self, *, holds_on: bool = False) -> None:
        self.holds_on = holds_on
        self.go_on, self.came_back = threading.Event(), threading.Event()
        self.faults: list[BaseException] = []
        self.seen: list[ToolContext] = []

    def __call__(self, args: Thing, ctx: ToolContext) -> str:
        self.seen.append(ctx)
        put("early")
        if self.holds_on:
            no_limits()
        self.go_on.wait(LONG_SECONDS)
        try:
            put("late")
        except BaseException as fault:
            self.faults.append(fault)
            raise
        finally:
            self.came_back.set()
        return "made"

    def wake_up(self) -> None:
        """Let it go on, and wait until all it had open has ended."""
        self.go_on.set()
        assert self.came_back.wait(LONG_SECONDS)
        until_idle()


@pytest.fixture
def use(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Give the desk a tool ``work`` with effects in the database."""

    def declare(handler: Callable[..., Any], **fields: Any) -> None:
        fields = {"effects": "database", "timeout_s": 0.3, **fields}
        monkeypatch.setitem(registry._tools, "work", Tool("work", "Works.", handler, Thing, **fields))

    return declare


def put(name: str) -> None:
    ModelEndpoint.objects.create(name=f"{name} {time.monotonic_ns()}", kind="scripted", model="made")


def no_limits() -> None:
    """Undo what would end the connection by itself: only the engine's own check is left."""
    with connection.cursor() as cursor:
        for limit in ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"):
            cursor.execute(f"SET LOCAL {limit} = 0")


def call() -> ToolCall:
    return ToolCall.objects.latest("id")


def kinds() -> list[str]:
    return list(AuditEvent.objects.order_by("id").values_list("kind", flat=True))


@pytest.mark.parametrize("holds_on", [False, True], ids=["its connection ends", "its connection holds on"])
def test_the_turn_goes_on_at_the_timeout_and_what_was_written_never_comes(
    desk: Desk, use: Callable[..., None], holds_on: bool
) -> None:
    """Answered while the handler is still away; nothing there then, nor after it came back and tried to commit."""
    late = Late(holds_on=holds_on)
    use(late)
    with scripted.script([WORK, SORRY]):
        assert desk.write("pan") == [SORRY.text]
    assert not late.came_back.is_set()
    assert (parts.things(), call().state, call().is_error) == ([], "failed", True)
    late.wake_up()
    assert bool(late.faults) is not holds_on
    assert (parts.things(), call().state, call().value) == ([], "failed", None)
    assert kinds().count("tool.timeout") == 1
    assert "tool.result" not in kinds()


def test_after_a_yes_too_nothing_is_written_late(desk: Desk, use: Callable[..., None]) -> None:
    """The order was agreed and not made: the model is told, and staff look at it."""
    late = Late(holds_on=True)
    use(late, confirm=True)
    with scripted.script([WORK, SORRY]) as script:
        desk.write("pan")
        assert desk.write("sí") == [SORRY.text]
    late.wake_up()
    assert parts.things() == []
    assert "longer than 0.3 s and was undone" in str(script.calls[1].messages)
    assert desk.conversation().needs_staff


def test_the_handler_is_told_that_nobody_waits_any_more(desk: Desk, use: Callable[..., None]) -> None:
    cancelled: list[bool] = []
    ended = threading.Event()

    def work(args: Thing, ctx: ToolContext) -> None:
        put(args.name)
        cancelled.append(ctx.cancelled.wait(LONG_SECONDS))
        ended.set()

    use(work)
    with scripted.script([WORK, SORRY]):
        assert desk.write("pan") == [SORRY.text]
    assert ended.wait(LONG_SECONDS)
    until_idle()
    assert (cancelled, parts.things()) == ([True], [])


def test_a_handler_in_time_is_told_nothing_and_keeps_what_it_wrote(desk: Desk, use: Callable[..., None]) -> None:
    seen: list[ToolContext] = []

    def work(args: Thing, ctx: ToolContext) -> None:
        seen.append(ctx)
        put(args.name)

    use(work, timeout_s=LONG_SECONDS)
    with scripted.script([WORK, says("Listo.")]):
        desk.write("pan")
    assert (len(parts.things()), call().state, seen[0].cancelled.is_set()) == (1, "done", False)
    assert seen[0].deadline is not None


def test_a_tool_without_a_timeout_is_waited_for(desk: Desk, use: Callable[..., None]) -> None:
    """With 0 nothing hurries it: it is away for longer than the other tools here may be, and is done all the same."""

    def work(args: Thing, ctx: ToolContext) -> None:
        put(args.name)
        threading.Event().wait(0.7)

    use(work, timeout_s=0)
    with scripted.script([WORK, says("Listo.")]):
        assert desk.write("pan") == ["Listo."]
    assert (len(parts.things()), call().state) == (1, "done")


def test_the_timeout_is_each_tools_own(desk: Desk, use: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow one does not shorten, nor lengthen, what its neighbour in the same reply may take."""
    late = Late()
    use(late)
    quick = Tool("quick", "Works.", lambda args, ctx: put(args.name), Thing, effects="database")
    monkeypatch.setitem(registry._tools, "quick", quick)
    with scripted.script([asks(("work", {"name": "pan"}), ("quick", {"name": "café"})), SORRY]):
        assert desk.write("pan y café") == [SORRY.text]
    late.wake_up()
    assert desk.calls() == [("work", "failed"), ("quick", "done")]
    assert [name.split()[0] for name in parts.things()] == ["café"]


@pytest.mark.parametrize(("timeout_s", "state", "there"), [(0.3, "failed", 0), (LONG_SECONDS, "done", 2)])
def test_an_async_handler_is_bound_by_its_timeout_too(
    desk: Desk, use: Callable[..., None], timeout_s: float, state: str, there: int
) -> None:
    """What it writes with Django's async methods is in the call's own transaction: kept in time, never late."""
    ended = threading.Event()

    async def work(args: Thing, ctx: ToolContext) -> str:
        await ModelEndpoint.objects.acreate(name="early", kind="scripted", model="made")
        if timeout_s < LONG_SECONDS:
            await asyncio.to_thread(ctx.cancelled.wait, LONG_SECONDS)
        try:
            await ModelEndpoint.objects.acreate(name="late", kind="scripted", model="made")
        finally:
            ended.set()
        return "made"

    use(work, timeout_s=timeout_s)
    with scripted.script([WORK, SORRY]):
        assert desk.write("pan") == [SORRY.text]
    assert ended.wait(LONG_SECONDS)
    until_idle()
    assert (call().state, len(parts.things())) == (state, there)
