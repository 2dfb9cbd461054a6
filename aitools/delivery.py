"""What became of a send: taken, failed or taken back, and what the vendor said later.

Statuses move forward only.  They may come before our own commit: each is stored
first and looked for again once the vendor's id of the message is known.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q

from aitools import clock, confirmations_state, metrics, pacing, queue
from aitools.channels.advice import class_of, pause_of
from aitools.channels.base import DeliveryStatus, ErrorClass, Sent
from aitools.models import Conversation, InboundEvent, InboundState, OutboundMessage, OutboundState
from aitools.outbox import UNKNOWN, is_closed_question

log = logging.getLogger(__name__)

#: A message that the vendor could not deliver for a passing reason is sent once more after this.
LATER_SECONDS = 120
#: What the customer surely got can't have failed any more.
ARRIVED = (DeliveryStatus.DELIVERED, DeliveryStatus.READ)
#: The vendor had it when it told of a failure.
TAKEN = (OutboundState.SENT, OutboundState.UNCERTAIN)
#: A later status does not change these states.
CLOSED = (OutboundState.SENT, OutboundState.WITHDRAWN, OutboundState.FAILED)


def mark_sent(row: OutboundMessage, sent: Sent) -> OutboundMessage:
    """The vendor took it; the row as it is now. A status that came earlier is never overwritten.

    What was refused for the window keeps that code: it is how one knows that it went as a template.
    """
    with transaction.atomic():
        current = OutboundMessage.objects.select_for_update().get(pk=row.pk)
        current.conversation = row.conversation
        if current.state == OutboundState.QUEUED and pacing.was_out_of_window(current):
            return current  # what was taken is refused by now, and waits to go as a template
        current.provider_id = sent.provider_id or current.provider_id
        current.sent_at = current.sent_at or clock.now()
        current.status = forward(current.status, sent.status)
        if current.status != DeliveryStatus.FAILED:
            current.state = OutboundState.SENT
            if not pacing.was_out_of_window(current):
                current.error_code = current.error = ""
        current.save()
    if current.state == OutboundState.SENT:
        metrics.sent(row.conversation.channel, current.state)
    _apply_early(current, sent.provider_id)
    return current


def send_as_template(row: OutboundMessage, *, code: str, reason: str, states: Sequence[str]) -> bool:
    """Queue what was refused for the closed window once more, as a template; whether it will go.

    Once: not what went as one, not what nobody waits for any more, nor what
    something newer has overtaken.  Only while it is in one of ``states``.
    """
    was_one = pacing.goes_as_template(row, row.attempted_at or row.created_at)
    if was_one or not pacing.has_template(row) or is_closed_question(row) or _is_overtaken(row):
        return False
    again = _anew(code) | {"due_at": clock.now(), "error": f"goes as a template: {reason}"[:300]}
    refused = OutboundMessage.objects.filter(pk=row.pk, state__in=states).exclude(status__in=ARRIVED)
    if not refused.update(state=OutboundState.QUEUED, **again):
        return False
    metrics.sent(row.conversation.channel, "retried")
    queue.deliver(row.conversation_id)
    return True


def _is_overtaken(row: OutboundMessage) -> bool:
    """Whether a later message has arrived, or went as a template: free text of that time is refused like this one."""
    later = OutboundMessage.objects.filter(conversation_id=row.conversation_id, pk__gt=row.pk)
    return later.filter(Q(status__in=ARRIVED) | Q(state=OutboundState.SENT) & ~Q(error_code="")).exists()


def _anew(code: str) -> dict[str, Any]:
    """The columns of a message whose try came to nothing, as the vendor has told: the next one is a send of its own."""
    return {"give_up_at": None, "provider_id": "", "status": "", "error_code": code[:20]}


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
    elif _is_too_early(message, row):
        return
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


def _is_too_early(message: OutboundMessage, row: InboundEvent) -> bool:
    """Whether the sender is just handing it over: it will find this status, and may then send a template."""
    return (
        message.state == OutboundState.SENDING
        and row.extra.get("error_kind") == ErrorClass.WINDOW
        and bool(row.reply_to)
        and pacing.has_template(message)
    )


def _failed_later(message: OutboundMessage, row: InboundEvent) -> None:
    kind, reason = str(row.extra.get("error_kind") or ""), str(row.extra.get("error_message") or "")
    undelivered(message, code=str(row.extra.get("error_code") or ""), kind=kind, reason=reason)


def undelivered(
    message: OutboundMessage, *, code: str, kind: str, reason: str = "", states: Sequence[str] = TAKEN
) -> None:
    """The vendor took it and could not deliver it; ``kind`` is as in ``ChannelError``.

    Sent again, once, where that helps and while it is in one of ``states``; else given up.
    """
    reason = reason or "the vendor reported a failure"
    said_after = (clock.now() - (message.attempted_at or message.created_at)).total_seconds()
    pacing.rest(message.conversation, code, reason, said_after)
    if kind == ErrorClass.WINDOW and send_as_template(message, code=code, reason=reason, states=states):
        return
    if kind == ErrorClass.RETRY and _send_once_more(message, code):
        return
    fail(message, code=code, reason=reason, opted_out=kind == ErrorClass.OPT_OUT)


def _send_once_more(message: OutboundMessage, code: str) -> bool:
    """Queue it again if this was the first try and nothing was said since; a question is not worth the wait."""
    passes = class_of(message.conversation.channel, code) in (ErrorClass.RETRY, ErrorClass.LATER)
    if not passes or message.kind == OutboundMessage.Kind.QUESTION:
        return False
    later = OutboundMessage.objects.filter(conversation_id=message.conversation_id, pk__gt=message.pk)
    first_try = OutboundMessage.objects.filter(pk=message.pk, attempts=1, state=OutboundState.SENT)
    pause = pause_of(message.conversation.channel, code)
    wait = pause.seconds if pause else LATER_SECONDS
    again = _anew(code) | {"due_at": clock.now() + timedelta(seconds=wait)}
    if later.exists() or not first_try.update(state=OutboundState.QUEUED, **again):
        return False
    queue.deliver(message.conversation_id, delay_seconds=wait)
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
