"""Driving the loop in memory, for code and tests: no rows, no channel, no settings.

Same rules as over rows (``aitools.loop.decide``), so what holds here holds there.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime

from django.apps import apps
from django.utils import translation

from aitools.asking import Confirmer, Decision, Question, Reply
from aitools.driving import Run, step_from
from aitools.events import Event
from aitools.loop import Guard, Limits, no_guard
from aitools.providers.base import Provider
from aitools.recent import Recent
from aitools.runs import RunCancelled, RunResult, ToolCancelled
from aitools.tools import Tool, ToolContext, ToolSet
from aitools.types import Json, Message, ModelRequest, UserText

__all__ = [
    "Confirmer",
    "Decision",
    "Event",
    "Question",
    "Reply",
    "RunCancelled",
    "RunResult",
    "ToolCancelled",
    "clear_tool_history",
    "run_tools",
    "step_from",
]

_recent = Recent()


def run_tools(  # noqa: PLR0913 - each has a default, and is given by its name
    messages: str | Sequence[Message],
    *,
    tools: Iterable[Tool],
    provider: Provider,
    system: str = "",
    confirm: Confirmer | None = None,
    ctx: ToolContext | None = None,
    chat_key: str = "",
    cancelled: threading.Event | None = None,
    max_steps: int = 5,
    on_event: Callable[[Event], None] | None = None,
    facts: dict[str, Json] | None = None,
    guard: Guard = no_guard,
    summary: bool = False,
    note: str | None = "",
    max_output_tokens: int = 1024,
) -> RunResult:
    """Run the loop until a text for the customer. Raises what the provider raises.

    ``ValueError`` for ``max_steps`` below 1 and for a ``ctx.now`` without a time zone.

    ``messages`` is what the customer says, or the talk so far with that at its
    end.  Without ``confirm`` no tool that needs a yes runs, and the model is told
    so.  What was done is remembered for half an hour by ``chat_key`` (else by
    that of ``ctx``; else for this run alone), for ``dedupe`` and for the warning
    before a repetition, by the clock or by ``ctx.now`` if that is later:
    ``clear_tool_history`` forgets it.

    ``cancelled`` stops between two actions with ``RunCancelled``; a handler under
    way sees ``ctx.cancelled`` and is waited for.  A handler slower than its
    ``timeout_s`` is not: what it does later, nobody is told.  ``on_event`` gets
    each event as it happens; what it raises is logged.  ``summary`` asks the
    model once more at the limit, without tools.  ``max_output_tokens`` is doubled
    once when a reply was cut or empty.  ``note`` stands after ``system``: the
    built-in words about confirmations, or your own; None leaves it out, and with
    it the list of what was already done.
    """
    if max_steps < 1:
        raise ValueError(f"max_steps must be at least 1, not {max_steps}: without a step no model is asked")
    talk = (UserText(messages),) if isinstance(messages, str) else tuple(messages)
    asker = _asker(ctx, chat_key, cancelled)
    run = Run(
        tools=ToolSet(tools, asker),
        provider=provider,
        request=ModelRequest(system, talk, (), max_output_tokens, asker.language, facts or {}),
        confirm=confirm,
        ctx=asker,
        limits=Limits(max_steps, summary),
        guard=guard,
        on_event=on_event,
        cancelled=cancelled,
        recent=_recent,
        note=note,
    )
    with _speaking(asker.language):
        return run.to_the_end()


def clear_tool_history(chat_key: str) -> None:
    """Forget what runs in this process did in a chat: the same call is no repeat any more."""
    _recent.forget(chat_key)


def _asker(ctx: ToolContext | None, chat_key: str, cancelled: threading.Event | None) -> ToolContext:
    """Who asks, as far as it was said; a run that belongs to no chat has one of its own."""
    if ctx is None:
        language = (translation.get_language() or "en") if apps.ready else "en"
        ctx = ToolContext("", "", "", language, datetime.now(UTC))
    if ctx.now.utcoffset() is None:
        raise ValueError("ctx.now has no time zone: give datetime.now(UTC)")
    key = chat_key or ctx.chat_key or f"run-{uuid.uuid4()}"
    return replace(ctx, chat_key=key, cancelled=cancelled or ctx.cancelled)


def _speaking(language: str) -> AbstractContextManager[None]:
    return translation.override(language) if apps.ready else nullcontext()
