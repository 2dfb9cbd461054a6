"""What became of a send: taken, failed or taken back, and what the vendor said later.

Statuses move forward only.  They may come before our own commit: each is stored
first and looked for again once the vendor's id of the message is known.
"""

from __future__ import annotations

import logging
from datetime import timedelta

from django.db import transaction

from aitools import clock, confirmations_state, metrics, queue
from aitools.channels.advice import class_of
from aitools.channels.base import DeliveryStatus, ErrorClass, Sent
from aitools.models import Conversation, InboundEvent, InboundState, OutboundMessage, OutboundState
from aitools.outbox import UNKNOWN

log = logging.getLogger(__name__)

#: A message that the vendor could not deliver for a passing reason is sent once more after this.
LATER_SECONDS = 120
#: What the customer surely got can't have failed any more.
ARRIVED = (DeliveryStatus.DELIVERED, DeliveryStatus.READ)
#: A later status does not change these states.
CLOSED = (OutboundState.SENT, OutboundState.WITHDRAWN, OutboundState.FAILED)


def mark_sent(row: OutboundMessage, sent: Sent) -> None:
    """The vendor took it. A status that came earlier is never overwritten."""
    with transaction.atomic():
        current = OutboundMessage.objects.select_for_update().get(pk=row.pk)
        current.provider_id = sent.provider_id or current.provider_id
        current.sent_at = current.sent_at or clock.now()
        current.status = forward(current.status, sent.status)
        if current.status != DeliveryStatus.FAILED:
            current.state, current.error_code, current.error = OutboundState.SENT, "", ""
        current.save()
    metrics.sent(row.conversation.channel, current.state)
    _apply_early(row, sent.provider_id)


def fail(
    row: OutboundMessage, *, code: str, reason: str, opted_out: bool = False, unless_settled: bool = False
) -> None:
    """Give the message up, show it to staff, and let later ones go on.

    Does nothing to a message that arrived; with ``unless_settled``, to none
    that somebody proved to be sent meanwhile.  One whose fate is unknown has
    no status of failure: later proof settles it.
    """
    with transaction.atomic():
        conversation = Conversation.objects.select_for_update(no_key=True).get(pk=row.conversation_id)
        current = OutboundMessage.objects.select_for_update().get(pk=row.pk)
        if current.status in ARRIVED or (unless_settled and current.state in CLOSED):
            return
        current.state = OutboundState.FAILED
        current.status = current.status if code == UNKNOWN else DeliveryStatus.FAILED
        current.error_code, current.error = code[:20], reason[:300]
        current.save(update_fields=["state", "status", "error_code", "error"])
        _after_failure(conversation, current, opted_out=opted_out)
    metrics.sent(conversation.channel, OutboundState.FAILED.value)
    log.warning("outbound %s failed with code %s", row.pk, code or "none")


def withdraw(conversation: Conversation) -> list[OutboundMessage]:
    """Take back what the vendor surely has not got; staff's own words stay.

    Needs a transaction; returns the rows as they were.
    """
    waiting = conversation.outbound.filter(state=OutboundState.QUEUED).exclude(kind=OutboundMessage.Kind.STAFF)
    rows = list(waiting.select_for_update().order_by("id"))
    conversation.outbound.filter(pk__in=[row.pk for row in rows]).update(state=OutboundState.WITHDRAWN)
    return rows


def apply_status(message: OutboundMessage, row: InboundEvent) -> None:
    """Move the message's status forward; proof of sending settles an uncertain row."""
    status = DeliveryStatus(row.extra["status"])
    if _is_of_earlier_try(message, row.reply_to) and status not in ARRIVED:
        log.info("outbound %s was sent again since this status", message.pk)
    elif status is DeliveryStatus.FAILED:
        _failed_later(message, row)
    else:
        _move_forward(message, status, row.reply_to)
    InboundEvent.objects.filter(pk=row.pk).update(state=InboundState.APPLIED, conversation=message.conversation_id)


def _is_of_earlier_try(message: OutboundMessage, provider_id: str) -> bool:
    """Whether a status tells of a send that failed and was made again, or soon is."""
    if message.state == OutboundState.QUEUED:
        return bool(message.error_code)
    return bool(message.provider_id and provider_id != message.provider_id)


def _failed_later(message: OutboundMessage, row: InboundEvent) -> None:
    """The vendor took it and could not deliver it."""
    code, kind = row.extra.get("error_code") or "", row.extra.get("error_kind")
    if kind == "retry" and _send_once_more(message, code):
        return
    reason = row.extra.get("error_message") or "the vendor reported a failure"
    fail(message, code=code, reason=reason, opted_out=kind == "opt_out")


def _send_once_more(message: OutboundMessage, code: str) -> bool:
    """Queue it again if this was the first try and nothing was said since; a question is not worth the wait."""
    passes = class_of(message.conversation.channel, code) in (ErrorClass.RETRY, ErrorClass.LATER)
    if not passes or message.kind == OutboundMessage.Kind.QUESTION:
        return False
    later = OutboundMessage.objects.filter(conversation_id=message.conversation_id, pk__gt=message.pk)
    first_try = OutboundMessage.objects.filter(pk=message.pk, attempts=1, state=OutboundState.SENT)
    due = clock.now() + timedelta(seconds=LATER_SECONDS)
    again = {"due_at": due, "give_up_at": None, "provider_id": "", "status": "", "error_code": code[:20]}
    if later.exists() or not first_try.update(state=OutboundState.QUEUED, **again):
        return False
    queue.deliver(message.conversation_id, delay_seconds=LATER_SECONDS)
    return True


def forward(current: str, new: DeliveryStatus) -> str:
    """The later of two statuses: they only move forward, and failure is final."""
    order = [status.value for status in DeliveryStatus]
    if current in ARRIVED:
        order.remove(DeliveryStatus.FAILED)
    if new.value not in order:
        return current
    return max(current, new.value, key=lambda one: order.index(one) if one in order else -1)


def _after_failure(conversation: Conversation, row: OutboundMessage, *, opted_out: bool) -> None:
    conversation.needs_staff = True
    if opted_out:
        conversation.opted_out_at = clock.now()
        withdraw(conversation)
        confirmations_state.cancel_open(conversation, "the customer opted out")
    elif row.kind == OutboundMessage.Kind.QUESTION:
        confirmations_state.cancel_unsent(row)
    conversation.save(update_fields=["needs_staff", "opted_out_at"])


def _apply_early(message: OutboundMessage, provider_id: str) -> None:
    """Apply the statuses that came before we knew the vendor's id of this message."""
    if not provider_id:
        return
    early = InboundEvent.objects.filter(
        kind="status",
        state=InboundState.UNREAD,
        channel=message.conversation.channel,
        reply_to=provider_id,
    )
    for row in early.order_by("id"):
        apply_status(message, row)


def _move_forward(message: OutboundMessage, status: DeliveryStatus, provider_id: str) -> None:
    with transaction.atomic():
        current = OutboundMessage.objects.select_for_update().get(pk=message.pk)
        was_unknown = current.state == OutboundState.FAILED and current.error_code == UNKNOWN
        current.status = forward("" if was_unknown else current.status, status)
        current.provider_id = current.provider_id or provider_id
        if was_unknown:
            current.error_code = current.error = ""
        if was_unknown or current.state not in CLOSED:
            current.state = OutboundState.SENT
        current.save(update_fields=["status", "provider_id", "state", "error_code", "error"])
