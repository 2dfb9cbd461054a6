"""Inbound events that a fault of ours can't take: kept, shown to staff, and what matters most of them done.

Without this the vendor would repeat such an event for days, and be refused each time.
"""

from __future__ import annotations

from django.db.models import F

from aitools import clock, statuses
from aitools.channels.base import DeliveryStatus, EventKind, InboundMessage
from aitools.models import Conversation, InboundEvent, InboundState
from aitools.storable import storable

#: A kind of message that the channel, or our code, can't read.
UNSUPPORTED = "unsupported"


def keep(event: InboundMessage, conversation: Conversation | None, kind: EventKind, words: str) -> bool:
    """Store that it came, with these words for staff to read; whether it is new.  ``kind`` is what it means to us.

    Needs a transaction.  Staff see all that belongs to a conversation.  Only a
    status that tells of no failure, and what is about nobody, is passed over in
    silence: it is logged and counted.
    """
    if event.kind == EventKind.STATUS:
        conversation, kind = _failed_in(event), _meaning(event)
    row, is_new = InboundEvent.objects.get_or_create(
        channel=event.channel,
        provider_id=event.provider_id,
        defaults={
            "conversation": conversation,
            "kind": event.kind if event.kind == EventKind.STATUS else kind,
            "message_kind": UNSUPPORTED,
            "text": storable(words),
            "state": InboundState.STAFF if conversation else InboundState.UNREAD,
        },
    )
    # A status is stored before it is applied; anything else that is there was taken.
    if conversation is not None and (is_new or row.state == InboundState.UNREAD):
        _show(conversation, is_leaving=kind == EventKind.OPT_OUT)
    return is_new


def _failed_in(event: InboundMessage) -> Conversation | None:
    """Whose message failed; None also for the statuses that staff need not see."""
    message = statuses.message_of(event) if event.status == DeliveryStatus.FAILED else None
    return message.conversation if message else None


def _meaning(event: InboundMessage) -> EventKind:
    return EventKind.OPT_OUT if event.error_kind == EventKind.OPT_OUT else EventKind.STATUS


def _show(conversation: Conversation, *, is_leaving: bool) -> None:
    """One plain statement: what broke must not break this too.

    Nobody who left is written to: a new epoch lets no turn commit, and the
    outbox takes back what waits.
    """
    left = {"opted_out_at": clock.now(), "epoch": F("epoch") + 1} if is_leaving else {}
    Conversation.objects.filter(pk=conversation.pk).update(needs_staff=True, **left)
