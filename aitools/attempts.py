"""Running one handler in memory: in a thread of its own, so that its time limit holds."""

from __future__ import annotations

import threading
import time
from asyncio import CancelledError
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from contextvars import copy_context
from typing import Any

from django.conf import settings
from django.db import connections

from aitools.tools import Tool, ToolContext, call

#: While a handler runs, the caller's ``cancelled`` is looked at this often.
LOOK_SECONDS = 0.05


class TooSlow(Exception):
    """The handler goes on, but nobody waits for it any more; ``ctx.cancelled`` is set."""


class Died(Exception):
    """The handler raised what ends a program or a task, meant for its own thread: ``fault`` is that."""

    def __init__(self, fault: BaseException) -> None:
        super().__init__(type(fault).__name__)
        self.fault = fault


def run(tool: Tool, parsed: Any, ctx: ToolContext, cancelled: threading.Event | None) -> Any:
    """What the handler returns, within ``tool.timeout_s``; raises what it raises, ``Died`` or ``TooSlow``.

    ``cancelled`` of the caller is passed on to ``ctx.cancelled``; the handler is
    waited for nevertheless.  In an open database transaction the handler runs in
    the caller's own thread, where it sees what was written, and its limit is
    only told as ``ctx.deadline``.
    """
    if _in_transaction():
        return _here(tool, parsed, ctx)
    future: Future[Any] = Future()
    work = copy_context()
    threading.Thread(target=work.run, args=(_work, future, tool, parsed, ctx), name=tool.name, daemon=True).start()
    ends_at = time.monotonic() + tool.timeout_s if tool.timeout_s else None
    while True:
        if cancelled is not None and cancelled.is_set():
            ctx.cancelled.set()
        try:
            return future.result(_patience(ends_at, looks=cancelled is not None and not ctx.cancelled.is_set()))
        except NotYet:
            if future.done():
                return future.result()
        if ends_at is not None and time.monotonic() >= ends_at:
            ctx.cancelled.set()
            raise TooSlow(tool.name)


def _here(tool: Tool, parsed: Any, ctx: ToolContext) -> Any:
    """In the caller's thread, where an exit or an interrupt may be meant for the caller."""
    try:
        return call(tool, parsed, ctx)
    except CancelledError as error:
        raise Died(error) from error


def _work(future: Future[Any], tool: Tool, parsed: Any, ctx: ToolContext) -> None:
    try:
        future.set_result(call(tool, parsed, ctx))
    except Exception as error:  # noqa: BLE001 - it is raised where the result is waited for
        future.set_exception(error)
    except BaseException as error:  # noqa: BLE001 - it ends this thread, not the caller
        future.set_exception(Died(error))
    finally:
        if settings.configured:
            connections.close_all()


def _patience(ends_at: float | None, *, looks: bool) -> float | None:
    """Seconds to wait at once, None without end."""
    left = None if ends_at is None else max(ends_at - time.monotonic(), 0)
    if not looks:
        return left
    return LOOK_SECONDS if left is None else min(left, LOOK_SECONDS)


def _in_transaction() -> bool:
    return settings.configured and any(one.in_atomic_block for one in connections.all(initialized_only=True))
