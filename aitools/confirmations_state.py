"""The clock of a question, as the outbox moves it: asked, or never sent."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial

from django.db import transaction

from aitools import audit, clock, events, metrics, reports
from aitools.models import (
    CallState,
    Conversation,
    OutboundMessage,
    OutboundState,
    PendingConfirmation,
    ToolCall,
    Turn,
    TurnState,
)
from aitools.models.turns import UNSETTLED_CALL

State = PendingConfirmation.State


def start_clock(message: OutboundMessage, now: datetime) -> None:
    """The first send attempt starts the time to answer; later attempts don't.

    Needs the transaction that commits the attempt.
    """
    asked = PendingConfirmation.objects.filter(pk=message.call_id, message=message, asked_at=None).first()
    if asked is not None:
        asked.asked_at = now
        asked.expires_at = now + timedelta(seconds=asked.expires_after_seconds)
        asked.save(update_fields=["asked_at", "expires_at"])


def cancel_unsent(message: OutboundMessage) -> None:
    """A question that can't be sent is no question: nothing waits for its answer.

    A long one goes in parts and is no question either when one of them is
    missing; the parts that wait are taken back.  What the turn did before is
    told.  Needs the transaction that gives the message up.
    """
    pending = PendingConfirmation.objects.filter(pk=message.call_id, state=State.PENDING).first()
    if pending is None:
        return
    parts = OutboundMessage.objects.filter(conversation=message.conversation_id, call=message.call_id)
    parts.filter(pk__gt=message.pk, state=OutboundState.QUEUED).update(state=OutboundState.WITHDRAWN)
    if _cancel(pending, "the question could not be sent"):
        calls = ToolCall.objects.filter(turn=pending.call.turn_id).select_related("turn").order_by("id")
        reports.tell_effects(calls, pending.call.turn_id, pending.conversation, clock.now())


def cancel_open(conversation: Conversation, reason: str) -> None:
    """Nobody is asked any more here. Needs a transaction."""
    pending = PendingConfirmation.objects.filter(conversation=conversation, state=State.PENDING).first()
    if pending is not None:
        _cancel(pending, reason)


def _cancel(pending: PendingConfirmation, reason: str) -> bool:
    """False when it was settled already."""
    now = clock.now()
    still_open = PendingConfirmation.objects.filter(pk=pending.pk, state=State.PENDING)
    if not still_open.update(state=State.CANCELLED, settled_at=now):
        return False
    audit.record_call(events.CANCELLED, pending.call, error=reason)
    unsent = OutboundMessage.objects.filter(pk=pending.message_id, state=OutboundState.QUEUED)
    unsent.update(state=OutboundState.WITHDRAWN)
    turn = Turn.objects.filter(pk=pending.call.turn_id, state=TurnState.WAITING)
    if turn.update(state=TurnState.CANCELLED, finished_at=now, failure=reason):
        calls = ToolCall.objects.filter(turn=pending.call.turn_id, state__in=UNSETTLED_CALL)
        calls.update(state=CallState.CANCELLED, finished_at=now)
        transaction.on_commit(partial(metrics.turn_ended, TurnState.CANCELLED.value))
    return True
