"""Recording what happened: append-only, in the transaction of what it reports.

Events are made where the thing happens (``of_call``, ``of_turn``; their names
are in ``aitools.events``) and stored in one statement by whoever commits it
(``store``).  After the commit each is sent with the signal ``tool_event``; a
receiver that raises harms nobody.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import partial

from django.db import transaction
from django.dispatch import Signal

from aitools import events, metrics
from aitools.models import AuditEvent, ToolCall, Turn
from aitools.tools import registry

log = logging.getLogger(__name__)

#: Why a question is cancelled, where that is an outcome of its own.
UNANSWERED = ("expired", "superseded")

#: Sent once for each stored event, after the commit, with ``event`` = the ``AuditEvent``.
tool_event = Signal()


def of_call(
    kind: str,
    call: ToolCall,
    *,
    error: str = "",
    duration_ms: int | None = None,
) -> AuditEvent:
    """An event of one tool call, not stored yet; the call and its turn may be unstored too."""
    return AuditEvent(
        kind=kind, turn=call.turn, tool_call=call, step=call.step, duration_ms=duration_ms, error=error[:500]
    )


def of_turn(kind: str, turn: Turn, *, step: int = 0, error: str = "") -> AuditEvent:
    """An event of the loop itself, not stored yet."""
    return AuditEvent(kind=kind, turn=turn, step=step or None, error=error[:500])


def store(happened: Sequence[AuditEvent]) -> None:
    """Store events in order, in one statement; needs the transaction of what they report."""
    if not happened:
        return
    AuditEvent.objects.bulk_create(happened)
    transaction.on_commit(partial(_told, tuple(happened)), robust=True)


def record_call(kind: str, call: ToolCall, *, error: str = "") -> None:
    """Report on one call at once; needs the transaction that changes it."""
    store([of_call(kind, call, error=error)])


def _told(happened: Sequence[AuditEvent]) -> None:
    for event in happened:
        _count(event)
    if tool_event.receivers:
        _send(happened)


def _count(event: AuditEvent) -> None:
    """Each call once, by its outcome; by names of ours alone, since a model may ask for a tool by any name."""
    area, _, outcome = event.kind.partition(".")
    if event.kind == events.CALL:
        return
    if outcome.startswith("confirm."):
        unasked = event.error if event.error in UNANSWERED else outcome.removeprefix("confirm.")
        metrics.confirmation(unasked)
    elif area == "tool":
        metrics.tool_called(event.tool if registry.get(event.tool) else "unknown", outcome)
    else:
        metrics.event(event.kind)


def _send(happened: Sequence[AuditEvent]) -> None:
    for event in happened:
        for receiver, outcome in tool_event.send_robust(sender=AuditEvent, event=event):
            if isinstance(outcome, Exception):
                log.error("a receiver of audit events failed: %s: %s", receiver, type(outcome).__name__)
