"""What unread talk does to a turn that waits: approve, decline, or talk on."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from aitools import audit, behaviour, clock, confirmations, leases, outbox, queue, reports, results, texts
from aitools.answers import Answer
from aitools.channels.base import EventKind, channel_for
from aitools.clock import DbNow
from aitools.confirmations import Read
from aitools.leases import Lease
from aitools.models import (
    BotProfile,
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
from aitools.models.turns import UNSETTLED_CALL

State = PendingConfirmation.State


def take_answer(lease: Lease, conversation: Conversation, turn: Turn, profile: BotProfile) -> bool:
    """Apply the unread burst, or the expiry, to the open question; False if neither is due."""
    now = clock.now()
    if not conversation.has_unread:
        return _expire_if_due(lease, turn, profile)
    if conversation.wake_at is not None and conversation.wake_at > now:
        queue.publish_later(conversation, now)
        return False
    with transaction.atomic(durable=True):
        conversation = leases.fence(lease)
        pending = confirmations.pending_of(conversation.pk)
        if pending is None:
            _cancel(turn, "the question is gone")
            return True
        events = unread(conversation)
        got = confirmations.read_burst(pending, events, behaviour.words(profile))
        if got.late:
            if _expire(pending, turn):
                reports.tell_effects(turn, conversation)
            return True
        _apply(conversation, turn, pending, got)
        mark_read(conversation, events, turn)
    return True


def take_interjection(conversation: Conversation, turn: Turn, call: ToolCall) -> bool:
    """The customer wrote while the model thought: it hears that before any question.

    Needs the fenced transaction; False when nothing was written.
    """
    events = unread(conversation) if conversation.has_unread else []
    talk = [event for event in events if event.kind != EventKind.PRESS]
    if talk:
        text = confirmations.joined(talk)
        _settle_call(call, CallState.REPLIED, results.user_replied(text))
        _supersede_siblings(call)
        audit.record_call(audit.REPLIED, call)
        _go_on(turn, text)
    if events:
        mark_read(conversation, events, turn)
    return bool(talk)


def unread(conversation: Conversation) -> list[InboundEvent]:
    """Unread talk, in order of arrival."""
    return list(
        InboundEvent.objects.filter(conversation=conversation, state=InboundState.UNREAD, seq__isnull=False).order_by(
            "seq"
        )
    )


def mark_read(conversation: Conversation, events: Sequence[InboundEvent], turn: Turn) -> None:
    """The turn has read these. Needs the fenced transaction."""
    InboundEvent.objects.filter(pk__in=[event.pk for event in events]).update(state=InboundState.READ, turn=turn)
    conversation.read_seq = max((event.seq or 0 for event in events), default=conversation.read_seq)
    conversation.wake_at = conversation.first_unread_at = None
    conversation.save(update_fields=["read_seq", "wake_at", "first_unread_at"])


def _apply(conversation: Conversation, turn: Turn, pending: PendingConfirmation, got: Read) -> None:
    if got.ignored:
        if not channel_for(conversation.channel).capabilities.edit:
            outbox.enqueue(conversation, texts.question_settled(), kind=OutboundMessage.Kind.NOTICE)
        return
    call = pending.call
    pressed = got.by is not None and got.by.kind == EventKind.PRESS
    if got.answer is Answer.YES and not pressed and not confirmations.is_newest_said(pending):
        _ask_anew(turn, pending, got)
    elif got.answer is Answer.YES and confirmations.settle(pending, State.APPROVED, got.by):
        ToolCall.objects.filter(pk=call.pk).update(state=CallState.APPROVED)
        audit.record_call(audit.APPROVED, call)
        _go_on(turn, got.text)
    elif got.answer is Answer.NO and confirmations.settle(pending, State.DECLINED, got.by):
        _settle_call(call, CallState.DECLINED, results.declined())
        audit.record_call(audit.DENIED, call)
        _go_on(turn, got.text)
    elif confirmations.settle(pending, State.REPLIED, got.by):
        _settle_call(call, CallState.REPLIED, results.user_replied(got.text))
        _supersede_siblings(call)
        audit.record_call(audit.REPLIED, call)
        _go_on(turn, got.text)


def _ask_anew(turn: Turn, pending: PendingConfirmation, got: Read) -> None:
    """A typed yes under a newer message of ours may mean that one: ask again."""
    confirmations.settle(pending, State.CANCELLED, got.by)
    _settle_call(pending.call, CallState.REFUSED, results.superseded())
    audit.record_call(audit.CANCELLED, pending.call, error=confirmations.BURIED)
    confirmations.repeat(turn, pending.call, confirmations.BURIED)
    _go_on(turn, got.text)


def _go_on(turn: Turn, text: str) -> None:
    """The turn runs again; limits count from here."""
    turn.text = "\n".join(filter(None, [turn.text, text]))
    turn.state, turn.counted_from = TurnState.RUNNING, turn.steps.count()
    turn.save(update_fields=["text", "state", "counted_from"])


def _settle_call(call: ToolCall, state: CallState, content: str) -> None:
    ToolCall.objects.filter(pk=call.pk).update(state=state, result=content, finished_at=DbNow())


def _supersede_siblings(call: ToolCall) -> None:
    """The step's other calls were asked for before the customer spoke: unasked."""
    ToolCall.objects.filter(step_id=call.step_id, state__in=UNSETTLED_CALL).exclude(pk=call.pk).update(
        state=CallState.REFUSED, result=results.superseded(), finished_at=DbNow()
    )


def _expire_if_due(lease: Lease, turn: Turn, profile: BotProfile) -> bool:
    pending = confirmations.pending_of(lease.conversation_id)
    if pending is None or not confirmations.has_expired(pending, clock.now()):
        return False
    with transaction.atomic(durable=True):
        conversation = leases.fence(lease)
        if conversation.has_unread or not _expire(pending, turn):
            return True
        reports.tell_effects(turn, conversation)
        if profile.expired_notice and profile.bot_on:
            outbox.enqueue(conversation, texts.expired(), kind=OutboundMessage.Kind.NOTICE)
    return True


def _expire(pending: PendingConfirmation, turn: Turn) -> bool:
    """Close question, call and turn without a word; False if it was closed before."""
    if not confirmations.settle(pending, State.EXPIRED):
        return False
    _settle_call(pending.call, CallState.EXPIRED, results.expired())
    audit.record_call(audit.CANCELLED, pending.call, error="expired")
    _cancel(turn, "the question expired")
    return True


def _cancel(turn: Turn, reason: str) -> None:
    ToolCall.objects.filter(turn=turn, state__in=UNSETTLED_CALL).update(state=CallState.CANCELLED, finished_at=DbNow())
    Turn.objects.filter(pk=turn.pk).update(state=TurnState.CANCELLED, failure=reason, finished_at=DbNow())
