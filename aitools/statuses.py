"""Delivery statuses: forward only, and they may come before our own commit."""

from __future__ import annotations

from django.db import IntegrityError, transaction
from django.db.models import Q

from aitools import outbox
from aitools.channels.base import DeliveryStatus, InboundMessage
from aitools.models import InboundEvent, InboundState, OutboundMessage, OutboundState

#: States in which a row's fate is already known to be good.
SETTLED = (OutboundState.SENT, OutboundState.WITHDRAWN)


def receive(event: InboundMessage) -> int:
    """Store one status and apply it to its message if that is known; 1 if new."""
    try:
        with transaction.atomic(durable=True):
            row = InboundEvent.objects.create(
                channel=event.channel,
                provider_id=event.provider_id,
                kind=event.kind,
                reply_to=event.status_of,
                extra={
                    "status": event.status,
                    "error_code": event.error_code,
                    "error_kind": event.error_kind,
                    "outbox": event.outbox_id,
                },
            )
    except IntegrityError:
        return 0
    _apply(row, event)
    return 1


def apply_early(message: OutboundMessage) -> None:
    """Apply the statuses that came before we knew the vendor's id of a message."""
    early = InboundEvent.objects.filter(
        kind="status",
        state=InboundState.UNREAD,
        channel=message.conversation.channel,
        reply_to=message.provider_id,
    )
    for row in early.order_by("id"):
        _advance(message, row)


def _apply(row: InboundEvent, event: InboundMessage) -> None:
    key = event.outbox_id
    known = Q(provider_id=event.status_of) & ~Q(provider_id="")
    message = (
        OutboundMessage.objects.filter(known | Q(key=key) if _is_uuid(key) else known)
        .filter(conversation__channel=event.channel)
        .select_related("conversation")
        .first()
    )
    if message is not None:
        _advance(message, row)


def _advance(message: OutboundMessage, row: InboundEvent) -> None:
    """Move the message's status forward; proof of sending settles an uncertain row."""
    status = DeliveryStatus(row.extra["status"])
    if status is DeliveryStatus.FAILED and message.status not in ("delivered", "read"):
        opted_out = row.extra.get("error_kind") == "opt_out"
        code = row.extra.get("error_code") or ""
        outbox.fail(message, code=code, reason="the vendor reported a failure", opted_out=opted_out)
    elif status is not DeliveryStatus.FAILED:
        _move_forward(message, status, row.reply_to)
    InboundEvent.objects.filter(pk=row.pk).update(state=InboundState.APPLIED, conversation=message.conversation)


def _move_forward(message: OutboundMessage, status: DeliveryStatus, provider_id: str) -> None:
    with transaction.atomic():
        current = OutboundMessage.objects.select_for_update().get(pk=message.pk)
        current.status = outbox.forward(current.status, status)
        current.provider_id = current.provider_id or provider_id
        if current.state not in SETTLED and current.state != OutboundState.FAILED:
            current.state = OutboundState.SENT
        current.save(update_fields=["status", "provider_id", "state"])


def _is_uuid(text: str) -> bool:
    return len(text) == 36 and all(char in "0123456789abcdef-" for char in text)
