"""Recording what happened. Append-only, in the transaction of what it reports."""

from __future__ import annotations

from collections.abc import Mapping

from aitools.models import AuditEvent, ToolCall
from aitools.types import Json

CALL = "tool.call"
RESULT = "tool.result"
ERROR = "tool.error"
TIMEOUT = "tool.timeout"
INVALID = "tool.invalid_args"
UNKNOWN_TOOL = "tool.unknown"
TRUNCATED = "tool.truncated"
DUPLICATE = "tool.duplicate"
CHANGED = "tool.changed"
REQUESTED = "tool.confirm.requested"
APPROVED = "tool.confirm.approved"
DENIED = "tool.confirm.denied"
REPLIED = "tool.confirm.replied"
CANCELLED = "tool.confirm.cancelled"
MAX_STEPS = "loop.max_steps"
GUARDED = "reply.guarded"
EMPTY = "reply.empty"
REFUSED = "reply.refused"
FILTERED = "reply.filtered"
CUT = "reply.truncated"
OVERFLOW = "reply.overflow"
FALLBACK = "provider.fallback"

KINDS = (
    CALL,
    RESULT,
    ERROR,
    TIMEOUT,
    INVALID,
    UNKNOWN_TOOL,
    TRUNCATED,
    DUPLICATE,
    CHANGED,
    REQUESTED,
    APPROVED,
    DENIED,
    REPLIED,
    CANCELLED,
    MAX_STEPS,
    GUARDED,
    EMPTY,
    REFUSED,
    FILTERED,
    CUT,
    OVERFLOW,
    FALLBACK,
)


def record_call(
    kind: str,
    call: ToolCall,
    *,
    error: str = "",
    duration_ms: int | None = None,
    arguments: Mapping[str, Json] | None = None,
) -> None:
    """Report on one tool call; needs the transaction that changes it."""
    AuditEvent.objects.create(
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


def record_turn(kind: str, *, conversation_id: int, turn_id: int, step: int = 0, error: str = "") -> None:
    """Report on the loop itself; needs the transaction that changes the turn."""
    AuditEvent.objects.create(
        kind=kind,
        conversation_id=conversation_id,
        turn_id=turn_id,
        step=step or None,
        chat_key=str(conversation_id),
        error=error[:500],
    )
