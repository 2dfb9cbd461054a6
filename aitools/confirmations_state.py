"""The clock of a question, as the outbox moves it: asked, or never sent."""

from __future__ import annotations

from datetime import datetime, timedelta

from aitools import clock
from aitools.models import (
    CallState,
    OutboundMessage,
    PendingConfirmation,
    ToolCall,
    Turn,
    TurnState,
)

State = PendingConfirmation.State


def start_clock(message: OutboundMessage, now: datetime) -> None:
    """The first send attempt starts the time to answer; later attempts don't.

    Needs the transaction that commits the attempt.
    """
    asked = PendingConfirmation.objects.filter(message=message, asked_at=None).first()
    if asked is not None:
        asked.asked_at = now
        asked.expires_at = now + timedelta(seconds=asked.expires_after_seconds)
        asked.save(update_fields=["asked_at", "expires_at"])


def cancel_unsent(message: OutboundMessage) -> None:
    """A question that can't be sent is no question: nothing waits for its answer.

    Needs the transaction that gives the message up.
    """
    pending = PendingConfirmation.objects.filter(message=message, state=State.PENDING).first()
    if pending is None:
        return
    now = clock.now()
    pending.state, pending.settled_at = State.CANCELLED, now
    pending.save(update_fields=["state", "settled_at"])
    ToolCall.objects.filter(pk=pending.call_id, state=CallState.WAITING).update(
        state=CallState.CANCELLED, finished_at=now
    )
    Turn.objects.filter(pk=pending.call.turn_id, state=TurnState.WAITING).update(
        state=TurnState.CANCELLED, finished_at=now, failure="the question could not be sent"
    )
