"""Turns that were given up: which still wait for somebody, and another try for them.

Such a turn blocks nothing: later messages are answered while it waits.  A second
try reads the same messages as a new turn.  What the first one did stays done and
is told to the model; what it was about to do is asked about anew.
"""

from __future__ import annotations

from datetime import datetime
from enum import Enum

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from aitools import audit, behaviour, clock, events, queue
from aitools.channels.base import EventKind
from aitools.models import (
    AuditEvent,
    CallState,
    Conversation,
    InboundEvent,
    OutboundMessage,
    ToolCall,
    Turn,
    TurnState,
)

#: So many are looked at, the newest: their events are found by an index on the kind.
MOST = 200


class Refusal(Enum):
    """Why a turn is not tried again."""

    NOT_FAILED = "not failed"
    MOVED_ON = "there is a newer turn"
    UNREAD = "the customer wrote again"
    PERSON = "a person answers"
    RESET = "the conversation was reset"
    OPTED_OUT = "the customer opted out"
    BOT_OFF = "the bot is off"
    EMPTIED = "the words are gone"
    UNKNOWN = "nobody knows what was done"


def waiting() -> QuerySet[Turn]:
    """Given-up turns that staff have not dealt with, newest first; each with its conversation."""
    given_up = AuditEvent.objects.filter(kind=events.TURN_FAILED).order_by("-id").values("turn_id")[:MOST]
    again = Turn.objects.filter(
        conversation=OuterRef("conversation_id"), pk__gt=OuterRef("pk"), read_to=OuterRef("read_to")
    )
    return (
        Turn.objects.filter(~Exists(again), pk__in=given_up, conversation__needs_staff=True)
        .select_related("conversation")
        .order_by("-id")
    )


def newest(conversation_id: int) -> Turn | None:
    """The conversation's newest turn, if it was given up."""
    turn = Turn.objects.filter(conversation=conversation_id).order_by("-id").first()
    return turn if turn is not None and turn.state == TurnState.FAILED else None


def refusal(turn: Turn, conversation: Conversation, now: datetime) -> Refusal | None:
    """Why this turn can't be tried again now, None when it can."""
    if turn.state != TurnState.FAILED:
        return Refusal.NOT_FAILED
    if not turn.text.strip():
        return Refusal.EMPTIED
    return _moved_on(turn, conversation, now) or _unknown(turn)


def retry(turn_id: int) -> Refusal | None:
    """Read the same messages as a new turn; why not, if not. Opens its own transaction.

    Whoever asks a second time is told that there is a newer turn.  The
    conversation waits for staff still: another reason may stand there too.
    """
    with transaction.atomic(durable=True):
        turn = Turn.objects.get(pk=turn_id)
        conversation = Conversation.objects.select_for_update(no_key=True).get(pk=turn.conversation_id)
        refused = refusal(turn, conversation, clock.now())
        if refused is None:
            _open_again(turn, conversation)
    return refused


def _open_again(turn: Turn, conversation: Conversation) -> None:
    again = Turn.objects.create(conversation=conversation, language=turn.language, text=turn.text, read_to=turn.read_to)
    audit.store([audit.of_turn(events.TURN_RETRIED, again)])
    queue.wake(conversation.pk)


def _moved_on(turn: Turn, conversation: Conversation, now: datetime) -> Refusal | None:
    if conversation.opted_out_at is not None:
        return Refusal.OPTED_OUT
    if turn.pk <= conversation.history_from:
        return Refusal.RESET
    if Turn.objects.filter(conversation=conversation, pk__gt=turn.pk).exists():
        return Refusal.MOVED_ON
    if conversation.has_unread:
        return Refusal.UNREAD
    if conversation.is_with_person(now) or _person_answered(turn):
        return Refusal.PERSON
    return None if behaviour.profile().bot_on else Refusal.BOT_OFF


def _person_answered(turn: Turn) -> bool:
    """Somebody wrote since, at the desk or from the shop's own phone."""
    since = turn.finished_at or turn.started_at
    ours = OutboundMessage.objects.filter(conversation=turn.conversation_id, kind=OutboundMessage.Kind.STAFF)
    phone = InboundEvent.objects.filter(conversation=turn.conversation_id, kind=EventKind.ECHO)
    return ours.filter(created_at__gt=since).exists() or phone.filter(received_at__gt=since).exists()


def _unknown(turn: Turn) -> Refusal | None:
    """What may have happened elsewhere must not happen again."""
    left_unknown = ToolCall.objects.filter(turn=turn, state=CallState.UNKNOWN)
    return Refusal.UNKNOWN if left_unknown.exists() else None
