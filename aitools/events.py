"""What is reported of a tool call and of the loop: names of events, and one event as a value.

Needs neither rows nor settings: ``aitools.audit`` stores events, ``aitools.running`` hands them to its caller.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

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
TURN_FAILED = "turn.failed"
TURN_RETRIED = "turn.retried"

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
    TURN_FAILED,
    TURN_RETRIED,
)


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened. ``args`` are personal data: keep them out of logs.

    ``step`` counts model turns from 1 (0: before any).  ``tool`` and ``call_id``
    are "" for events of the loop itself; ``args`` is None there, and for a call
    whose arguments were no JSON object.  ``duration_ms`` is of the handler, None
    when it did not run.  ``error`` is what the model was told went wrong, "" for
    nothing.
    """

    kind: str
    at: datetime
    step: int
    tool: str = ""
    call_id: str = ""
    chat_key: str = ""
    args: Mapping[str, Json] | None = None
    duration_ms: int | None = None
    error: str = ""
