"""Stopping what is under way: reset, opt-out, a person taking over.

Raising the epoch makes every worker's next commit fail; then the open question,
turn and unsent rows are closed.  An effect that already happened is never
hidden: it is told by our code.
"""

from __future__ import annotations

from django.utils import translation

from aitools import audit, outbox, texts
from aitools.clock import DbNow
from aitools.models import (
    CallState,
    Conversation,
    InboundEvent,
    InboundState,
    OutboundMessage,
    PendingConfirmation,
    ToolCall,
    Turn,
    TurnState,
)
from aitools.models.turns import OPEN_TURN, UNSETTLED_CALL
from aitools.reports import report_of


def interrupt(conversation: Conversation, reason: str, *, tell_effects: bool = True) -> None:
    """Cancel everything under way. The caller has locked the row and saves it.

    Needs a transaction.  Changes ``epoch`` and the lease in memory only.
    """
    conversation.epoch += 1
    conversation.lease_token = conversation.lease_until = None
    outbox.withdraw(conversation)
    _cancel_question(conversation)
    turn = Turn.objects.filter(conversation=conversation, state__in=OPEN_TURN).first()
    if turn is not None:
        _cancel_turn(conversation, turn, reason, tell_effects=tell_effects)


def read_all(conversation: Conversation, state: InboundState) -> None:
    """Nothing unread is left for a turn. The caller saves the conversation."""
    InboundEvent.objects.filter(conversation=conversation, state=InboundState.UNREAD, seq__isnull=False).update(
        state=state
    )
    conversation.read_seq = conversation.inbox_seq
    conversation.first_unread_at = conversation.wake_at = None


def _cancel_question(conversation: Conversation) -> None:
    pending = (
        PendingConfirmation.objects.filter(conversation=conversation, state=PendingConfirmation.State.PENDING)
        .select_related("call__step")
        .first()
    )
    if pending is not None:
        pending.state = PendingConfirmation.State.CANCELLED
        pending.settled_at = DbNow()
        pending.save(update_fields=["state", "settled_at"])
        audit.record_call(audit.CANCELLED, pending.call)


def _cancel_turn(conversation: Conversation, turn: Turn, reason: str, *, tell_effects: bool) -> None:
    ToolCall.objects.filter(turn=turn, state__in=UNSETTLED_CALL).update(state=CallState.CANCELLED, finished_at=DbNow())
    Turn.objects.filter(pk=turn.pk, state__in=OPEN_TURN).update(
        state=TurnState.CANCELLED, finished_at=DbNow(), failure=reason
    )
    if not tell_effects:
        return
    with translation.override(conversation.language or "es"):
        for call in turn.calls.filter(state=CallState.DONE).order_by("id"):
            told = report_of(call, conversation)
            if told:
                text = texts.still_happened(told)
                outbox.enqueue(conversation, text, kind=OutboundMessage.Kind.NOTICE)
