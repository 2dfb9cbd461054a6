"""Stopping what is under way: reset, opt-out, a person taking over.

Raising the epoch makes every worker's next commit fail; then the open question,
turn and unsent rows are closed.  An effect that already happened is never
hidden: it is told by our code.
"""

from __future__ import annotations

from functools import partial

from django.db import transaction

from aitools import audit, clock, events, metrics, reports
from aitools.clock import DbNow
from aitools.delivery import withdraw
from aitools.models import (
    CallState,
    Conversation,
    InboundEvent,
    InboundState,
    PendingConfirmation,
    ToolCall,
    Turn,
    TurnState,
)
from aitools.models.turns import OPEN_TURN, UNSETTLED_CALL
from aitools.tools import registry


def interrupt(conversation: Conversation, reason: str, *, tell_effects: bool = True) -> None:
    """Cancel everything under way. The caller has locked the row and saves it.

    Needs a transaction.  Changes ``epoch`` and the lease in memory only.
    """
    conversation.epoch += 1
    conversation.lease_token = conversation.lease_until = None
    # An effect may be there that no worker could note on this row any more.
    conversation.last_done_at = DbNow()
    unsaid = {row.turn_id for row in withdraw(conversation)}
    _cancel_question(conversation)
    turn = Turn.objects.filter(conversation=conversation, state__in=OPEN_TURN).first()
    if turn is not None:
        _cancel_turn(conversation, turn, reason)
        unsaid.add(turn.pk)
    if tell_effects:
        now = clock.now()
        for turn_id in sorted(turn_id for turn_id in unsaid if turn_id is not None):
            calls = ToolCall.objects.filter(turn=turn_id).select_related("turn").order_by("id")
            reports.tell_effects(calls, turn_id, conversation, now)


def read_all(conversation: Conversation, state: InboundState) -> None:
    """Nothing unread is left for a turn. The caller saves the conversation."""
    unread = InboundEvent.objects.filter(conversation=conversation, seq__gt=conversation.read_seq)
    unread.update(state=state)
    conversation.read_seq = conversation.inbox_seq
    conversation.first_unread_at = conversation.wake_at = None


def forget_talk(conversation: Conversation) -> None:
    """Later turns know nothing of what was said and done until now. The caller saves the conversation."""
    newest = conversation.turns.order_by("-id").values_list("id", flat=True).first()
    conversation.history_from = newest or 0


def _cancel_question(conversation: Conversation) -> None:
    pending = (
        PendingConfirmation.objects.filter(conversation=conversation, state=PendingConfirmation.State.PENDING)
        .select_related("call__turn")
        .first()
    )
    # A yes that commits with its effect at this moment stays a yes: the effect is told.
    if pending is not None and PendingConfirmation.objects.filter(
        pk=pending.pk, state=PendingConfirmation.State.PENDING
    ).update(state=PendingConfirmation.State.CANCELLED, settled_at=DbNow()):
        audit.record_call(events.CANCELLED, pending.call)


def close_calls(conversation: Conversation, turn: Turn) -> None:
    """Nothing of this turn runs or waits any more. Needs a transaction; the caller saves the conversation."""
    _leave_unknown(conversation, turn)
    ToolCall.objects.filter(turn=turn, state__in=UNSETTLED_CALL).update(state=CallState.CANCELLED, finished_at=DbNow())


def _cancel_turn(conversation: Conversation, turn: Turn, reason: str) -> None:
    close_calls(conversation, turn)
    Turn.objects.filter(pk=turn.pk, state__in=OPEN_TURN).update(
        state=TurnState.CANCELLED, finished_at=DbNow(), failure=reason
    )
    transaction.on_commit(partial(metrics.turn_ended, TurnState.CANCELLED.value))


def _leave_unknown(conversation: Conversation, turn: Turn) -> None:
    """What runs elsewhere can't be called back: staff must look what came of it."""
    outside = [tool.name for tool in registry.all() if tool.effects == "external"]
    running = ToolCall.objects.filter(turn=turn, state=CallState.RUNNING, name__in=outside)
    if running.update(state=CallState.UNKNOWN, finished_at=DbNow()):
        conversation.needs_staff = True
