"""Recording what happened: append-only, in the transaction of what it reports.

Events are made where the thing happens (``of_call``, ``of_turn``) and stored in
one statement by whoever commits it (``store``).  After the commit each is sent
with the signal ``tool_event``; a receiver that raises harms nobody.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from django.apps import apps
from django.db import transaction
from django.dispatch import Signal

from aitools.events import (
    APPROVED,
    CALL,
    CANCELLED,
    CHANGED,
    CUT,
    DENIED,
    DUPLICATE,
    EMPTY,
    ERROR,
    FALLBACK,
    FILTERED,
    GUARDED,
    INVALID,
    KINDS,
    MAX_STEPS,
    OVERFLOW,
    REFUSED,
    REPLIED,
    REQUESTED,
    RESULT,
    TIMEOUT,
    TRUNCATED,
    UNKNOWN_TOOL,
)
from aitools.types import Json

if TYPE_CHECKING:
    from aitools.models import AuditEvent, ToolCall

__all__ = [
    "APPROVED",
    "CALL",
    "CANCELLED",
    "CHANGED",
    "CUT",
    "DENIED",
    "DUPLICATE",
    "EMPTY",
    "ERROR",
    "FALLBACK",
    "FILTERED",
    "GUARDED",
    "INVALID",
    "KINDS",
    "MAX_STEPS",
    "OVERFLOW",
    "REFUSED",
    "REPLIED",
    "REQUESTED",
    "RESULT",
    "TIMEOUT",
    "TRUNCATED",
    "UNKNOWN_TOOL",
    "of_call",
    "of_turn",
    "record_call",
    "record_turn",
    "store",
    "tool_event",
]

log = logging.getLogger(__name__)

#: Sent once for each stored event, after the commit, with ``event`` = the ``AuditEvent``.
tool_event = Signal()


def of_call(
    kind: str,
    call: ToolCall,
    *,
    error: str = "",
    duration_ms: int | None = None,
    arguments: Mapping[str, Json] | None = None,
) -> AuditEvent:
    """An event of one tool call, not stored yet."""
    return _model()(
        kind=kind,
        conversation_id=call.conversation_id,
        turn_id=call.turn_id,
        step=call.step.index,
        tool=call.name,
        call_id=str(call.call_id),
        chat_key=str(call.conversation_id),
        arguments=call.arguments if arguments is None else arguments,
        duration_ms=duration_ms,
        error=error[:500],
    )


def of_turn(kind: str, *, conversation_id: int, turn_id: int, step: int = 0, error: str = "") -> AuditEvent:
    """An event of the loop itself, not stored yet."""
    return _model()(
        kind=kind,
        conversation_id=conversation_id,
        turn_id=turn_id,
        step=step or None,
        chat_key=str(conversation_id),
        error=error[:500],
    )


def store(events: Sequence[AuditEvent]) -> None:
    """Store events in one statement; needs the transaction of what they report."""
    if events:
        _model().objects.bulk_create(events)
        transaction.on_commit(partial(_send, events))


def record_call(
    kind: str,
    call: ToolCall,
    *,
    error: str = "",
    duration_ms: int | None = None,
    arguments: Mapping[str, Json] | None = None,
) -> None:
    """Report on one call at once; needs the transaction that changes it."""
    store([of_call(kind, call, error=error, duration_ms=duration_ms, arguments=arguments)])


def record_turn(kind: str, *, conversation_id: int, turn_id: int, step: int = 0, error: str = "") -> None:
    """Report on the loop itself at once; needs the transaction that changes the turn."""
    store([of_turn(kind, conversation_id=conversation_id, turn_id=turn_id, step=step, error=error)])


def _send(events: Sequence[AuditEvent]) -> None:
    for event in events:
        for receiver, outcome in tool_event.send_robust(sender=_model(), event=event):
            if isinstance(outcome, Exception):
                log.error("a receiver of audit events failed: %s: %s", receiver, type(outcome).__name__)


def _model() -> type[AuditEvent]:
    """Found when an event is made: the loop names events also where there is no database."""
    return apps.get_model("aitools", "AuditEvent")
