"""Opening a turn from unread talk; some bursts need no model at all."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.utils import translation

from aitools import answering, behaviour, clock, confirmations, languages, leases, outbox, queue, texts
from aitools.answers import Answer, read
from aitools.channels.base import EventKind, channel_for
from aitools.interruptions import read_all
from aitools.leases import Lease
from aitools.models import (
    BotProfile,
    CallState,
    Conversation,
    InboundEvent,
    InboundState,
    OutboundMessage,
    PendingConfirmation,
    Turn,
    TurnState,
)
from aitools.reports import report_of

#: A second yes is told "already done" this long; later it is new talk.
DONE_REMEMBERED_SECONDS = 1800


def open_turn(lease: Lease, conversation: Conversation, profile: BotProfile) -> bool:
    """Turn unread talk that is due into a turn or a notice; False if nothing is due."""
    if not conversation.has_unread:
        return False
    now = clock.now()
    if conversation.wake_at is not None and conversation.wake_at > now:
        queue.publish_later(conversation, now)
        return False
    with transaction.atomic(durable=True):
        conversation = leases.fence(lease)
        events = answering.unread(conversation)
        if conversation.is_with_person(now) or conversation.opted_out_at or not profile.bot_on:
            read_all(conversation, InboundState.STAFF)
            conversation.needs_staff = True
            conversation.save()
            return True
        _set_language(conversation, profile, events)
        with translation.override(conversation.language):
            turn = _open(conversation, profile, events, now)
        answering.mark_read(conversation, events, turn)
    return True


def _open(
    conversation: Conversation,
    profile: BotProfile,
    events: Sequence[InboundEvent],
    now: datetime,
) -> Turn:
    """The turn for this burst: already answered by code, or running."""
    text = _words_of(events)
    last = _last_question(conversation)
    if last is not None and _is_plain_yes(events, last, profile):
        if last.state == PendingConfirmation.State.EXPIRED:
            turn = _running(conversation, text)
            confirmations.repeat(turn, last.call, confirmations.LATE)
            return turn
        if told := _done_report(last, conversation, now):
            return _answered(conversation, text, texts.already_done(told))
    if all(event.kind == EventKind.PRESS for event in events):
        return _answered(conversation, text, _for_settled_press(conversation))
    if not any(event.text.strip() for event in events):
        return _answered(conversation, text, texts.only_text())
    return _running(conversation, text)


def _words_of(events: Sequence[InboundEvent]) -> str:
    """What was written; what stands on a settled button counts only when nothing was."""
    written = [event for event in events if event.kind != EventKind.PRESS]
    return confirmations.joined(written or events)


def _last_question(conversation: Conversation) -> PendingConfirmation | None:
    """The newest question, if no model has spoken in a later turn."""
    last = (
        PendingConfirmation.objects.filter(conversation=conversation, call__turn_id__gt=conversation.history_from)
        .select_related("call__step", "call__turn")
        .order_by("-id")
        .first()
    )
    if last is None:
        return None
    later = Turn.objects.filter(conversation=conversation, pk__gt=last.call.turn_id, steps__isnull=False)
    return None if later.exists() else last


def _is_plain_yes(events: Sequence[InboundEvent], last: PendingConfirmation, profile: BotProfile) -> bool:
    if any(event.kind == EventKind.PRESS for event in events):
        pressed = [confirmations.pressed(event, last) for event in events]
        return all(answer is Answer.YES for answer in pressed)
    said = " ".join(" ".join(event.text for event in events).split())
    return read(said, behaviour.words(profile)) is Answer.YES


def _done_report(last: PendingConfirmation, conversation: Conversation, now: datetime) -> str:
    """What the approved call did, when that was a moment ago; "" otherwise."""
    finished = last.call.finished_at
    if last.call.state != CallState.DONE or finished is None:
        return ""
    recent = (now - finished).total_seconds() < DONE_REMEMBERED_SECONDS
    return report_of(last.call, conversation) if recent else ""


def _for_settled_press(conversation: Conversation) -> str:
    """A short notice where old buttons stay on the screen, nothing elsewhere."""
    edits = channel_for(conversation.channel).capabilities.edit
    return "" if edits else texts.question_settled()


def _running(conversation: Conversation, text: str) -> Turn:
    return Turn.objects.create(
        conversation=conversation,
        language=conversation.language,
        text=text,
    )


def _answered(conversation: Conversation, text: str, reply: str) -> Turn:
    """A turn that code answers at once; no reply when there is nothing to say."""
    turn = _running(conversation, text)
    turn.state, turn.reply, turn.finished_at = TurnState.DONE, reply, clock.now()
    turn.save(update_fields=["state", "reply", "finished_at"])
    if reply:
        kind = OutboundMessage.Kind.REPLY
        outbox.enqueue(conversation, reply, kind=kind, turn_id=turn.pk)
    return turn


def _set_language(conversation: Conversation, profile: BotProfile, events: Sequence[InboundEvent]) -> None:
    """The first clear message sets the language; staff's choice stays."""
    if conversation.language_fixed:
        return
    clear = languages.detect(" ".join(event.text for event in events))
    chosen = clear or conversation.language or profile.language
    if chosen != conversation.language:
        conversation.language = chosen
        conversation.save(update_fields=["language"])
