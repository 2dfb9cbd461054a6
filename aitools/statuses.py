"""Delivery statuses: forward only, and they may come before our own commit."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from aitools import queue
from aitools.channels.base import InboundMessage
from aitools.delivery import apply_status
from aitools.models import InboundEvent, InboundState, OutboundMessage
from aitools.outbox import OPEN
from aitools.storable import storable

#: What may wait for the vendor's word on this one.
_later = OutboundMessage.objects.filter(conversation=OuterRef("conversation"), pk__gt=OuterRef("pk"), state__in=OPEN)


def receive(event: InboundMessage) -> int:
    """Store one status and apply it to its message if that is known; 1 if new.

    It is committed before the message is looked for, so that whoever commits
    the vendor's id meanwhile finds it.  A repeat of one that was stored and
    never applied, because a process died in between, applies it.
    """
    with transaction.atomic(durable=True):
        row, is_new = InboundEvent.objects.get_or_create(
            channel=event.channel,
            provider_id=event.provider_id,
            defaults={
                "kind": event.kind,
                "reply_to": event.status_of,
                "extra": {
                    "status": event.status,
                    "error_code": event.error_code,
                    "error_kind": event.error_kind,
                    "error_message": storable(event.extra.get("error_message", "")),
                    "outbox": event.outbox_id,
                },
            },
        )
    if row.state == InboundState.UNREAD:
        _apply(row, event)
    return int(is_new)


def message_of(event: InboundMessage) -> OutboundMessage | None:
    """Whose status this is, with ``is_waited_for``; None where the vendor's id, and ours, are unknown."""
    key = event.outbox_id
    known = Q(provider_id=event.status_of) & ~Q(provider_id="")
    return (
        OutboundMessage.objects.filter(known | Q(key=key) if _is_uuid(key) else known)
        .filter(conversation__channel=event.channel)
        .select_related("conversation")
        .annotate(is_waited_for=Exists(_later))
        .first()
    )


def _apply(row: InboundEvent, event: InboundMessage) -> None:
    message = message_of(event)
    if message is None:
        return
    apply_status(message, row)
    if getattr(message, "is_waited_for", False):
        queue.deliver(message.conversation_id)


def _is_uuid(text: str) -> bool:
    try:
        return str(UUID(text)) == text
    except ValueError:
        return False
