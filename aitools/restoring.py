"""After a backup was restored: nothing of its moment is acted on unseen.

The rows believe that it is still that moment.  Replies in the queue were sent
since, questions were answered, messages got their answer; the database does not
know.  So all that was under way is left to staff, and new messages go on.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Q, QuerySet

from aitools import clock
from aitools.interruptions import interrupt, read_all
from aitools.models import (
    Conversation,
    InboundState,
    OutboundMessage,
    OutboundState,
    PendingConfirmation,
    Turn,
)
from aitools.models.turns import OPEN_TURN
from aitools.outbox import OPEN, UNKNOWN

REASON = "restored from a backup"


@dataclass(frozen=True, slots=True)
class LeftToStaff:
    """What was under way and is no more."""

    conversations: int = 0
    messages_unread: int = 0
    turns: int = 0
    questions: int = 0
    messages_unsent: int = 0


def leave_to_staff(*, minutes: int = 0, dry_run: bool = False) -> LeftToStaff:
    """Stop what was under way in conversations quiet for ``minutes``; how much that was.

    Customers hear nothing of it.  Messages that may or may not have been sent
    are marked so: staff decide about each.  Run it before workers start; again
    it finds nothing.  Opens a transaction for each conversation.
    """
    before = clock.now() - timedelta(minutes=minutes)
    found = [_stop(pk, dry_run=dry_run) for pk in _under_way(before)]
    return LeftToStaff(
        len(found),
        sum(one.messages_unread for one in found),
        sum(one.turns for one in found),
        sum(one.questions for one in found),
        sum(one.messages_unsent for one in found),
    )


def _under_way(before: datetime) -> list[int]:
    turns = Turn.objects.filter(state__in=OPEN_TURN).values("conversation_id")
    asked = PendingConfirmation.objects.filter(state=PendingConfirmation.State.PENDING).values("conversation_id")
    unsent = OutboundMessage.objects.filter(state__in=OPEN).values("conversation_id")
    something = Q(read_seq__lt=F("inbox_seq")) | Q(pk__in=turns) | Q(pk__in=asked) | Q(pk__in=unsent)
    quiet = Q(last_inbound_at=None) | Q(last_inbound_at__lt=before)
    return list(Conversation.objects.filter(something, quiet).order_by("pk").values_list("pk", flat=True))


def _stop(conversation_id: int, *, dry_run: bool) -> LeftToStaff:
    with transaction.atomic(durable=True):
        conversation = Conversation.objects.select_for_update(no_key=True).get(pk=conversation_id)
        found = _count(conversation)
        if not dry_run:
            _unsent(conversation).update(
                state=OutboundState.FAILED, error_code=UNKNOWN, error=f"{REASON}: it may have been sent"
            )
            interrupt(conversation, REASON, tell_effects=False)
            read_all(conversation, InboundState.STAFF)
            conversation.needs_staff = True
            conversation.send_token = conversation.send_until = None
            conversation.save()
    return found


def _count(conversation: Conversation) -> LeftToStaff:
    return LeftToStaff(
        1,
        conversation.inbox_seq - conversation.read_seq,
        conversation.turns.filter(state__in=OPEN_TURN).count(),
        conversation.confirmations.filter(state=PendingConfirmation.State.PENDING).count(),
        _unsent(conversation).count(),
    )


def _unsent(conversation: Conversation) -> QuerySet[OutboundMessage]:
    return conversation.outbound.filter(state__in=OPEN)
