"""Sending what is queued: in order, once; a send whose fate is unknown is settled.

One worker delivers a conversation at a time, under its own lease.  The attempt
is committed before the channel is called, so a crash leaves proof of it.
"""

from __future__ import annotations

import logging
import uuid
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F, OuterRef, Subquery

from aitools import clock, confirmations_state, faults, leases, metrics, outgoing, pacing, queue
from aitools.channels.advice import class_of
from aitools.channels.base import Channel, DeliveryStatus, ErrorClass, Sent, channel_for
from aitools.delivery import LATER_SECONDS, TAKEN, fail, mark_sent, send_as_template, undelivered
from aitools.errors import ChannelError, ChannelTransient, ChannelUnknown
from aitools.models import OutboundMessage, OutboundState
from aitools.outbox import OPEN, UNKNOWN

log = logging.getLogger(__name__)

#: A reply that still fails after this is given up and shown to staff.
GIVE_UP_SECONDS = 300
#: An uncertain send without proof is repeated (replies, questions) after this.
SETTLE_SECONDS = 60
BACKOFF_SECONDS = (2, 5, 15, 30, 60)
_UNDER_WAY = (OutboundState.SENDING,)
REPEATABLE = (OutboundMessage.Kind.REPLY, OutboundMessage.Kind.QUESTION)


def deliver(conversation_id: int) -> None:
    """Send what is due, oldest first. Opens its own transactions."""
    while (token := leases.claim_sending(conversation_id)) is not None:
        try:
            _deliver_all(conversation_id, token)
        finally:
            leases.release_sending(conversation_id, token)
        if not _due(conversation_id):
            return


def _due(conversation_id: int) -> bool:
    head = _head(conversation_id)
    if head is None:
        return False
    now = clock.now()
    if head.due_at > now and not _holds_up_newer(head):
        return False
    return head.state != OutboundState.QUEUED or not pacing.overtakes(head, now)


def _head(conversation_id: int) -> OutboundMessage | None:
    """The oldest unsettled row; it holds up the later ones, so order is kept. It comes with what was sent before it."""
    return (
        OutboundMessage.objects.filter(conversation_id=conversation_id, state__in=OPEN)
        .select_related("conversation")
        .annotate(before_at=_before("attempted_at"), before_status=_before("status"))
        .order_by("id")
        .first()
    )


def _before(column: str) -> Subquery:
    earlier = OutboundMessage.objects.filter(conversation=OuterRef("conversation"), pk__lt=OuterRef("pk"))
    return Subquery(earlier.filter(state=OutboundState.SENT).order_by("-pk").values(column)[:1])


def _holds_up_newer(row: OutboundMessage) -> bool:
    """Whether this is a second try of what the vendor failed to deliver, and something newer waits behind it.

    Its wait was for somebody to whom nothing else is said: it goes at once then.
    """
    is_second_try = row.state == OutboundState.QUEUED and row.attempts == 1 and row.error_code and not row.give_up_at
    if not is_second_try:
        return False
    newer = OutboundMessage.objects.filter(conversation_id=row.conversation_id, pk__gt=row.pk, state__in=OPEN)
    return newer.exists()


def _deliver_all(conversation_id: int, token: uuid.UUID) -> None:
    while (row := _head(conversation_id)) is not None:
        if not leases.renew_sending(conversation_id, token):
            return
        now = clock.now()
        if row.conversation.opted_out_at and row.state == OutboundState.QUEUED:
            _take_back(row)
        elif row.state == OutboundState.SENDING:
            _mark_uncertain(row, "the sender stopped before it knew")
        elif row.due_at > now and not _holds_up_newer(row):
            return
        elif row.conversation.channel not in settings.AITOOLS_CHANNELS:
            fail(row, code="no_channel", reason="that channel is not set up any more")
        elif row.state == OutboundState.UNCERTAIN:
            _settle(row, now)
        elif left := pacing.overtakes(row, now):
            queue.deliver(conversation_id, delay_seconds=left)
            return
        else:
            _send_if_it_may_go(row, now)


def _send_if_it_may_go(row: OutboundMessage, now: datetime) -> None:
    if pacing.is_late(row, now) and not pacing.has_template(row):
        reason = "the customer wrote too long ago for free text, and there is no template"
        fail(row, code=ErrorClass.WINDOW, reason=reason)
    elif (hold := pacing.held(row)) is not None:
        _wait(row, hold, now)
    else:
        _send(row, now)


def _wait(row: OutboundMessage, hold: pacing.Hold, now: datetime) -> None:
    """Leave the message queued. A stopped sender is not waited for longer than a failing send.

    A second try has begun with this: it waits like any other message now, also with newer ones behind it.
    """
    has_begun = bool(hold.why) or row.attempts > 0
    give_up_at = row.give_up_at or (now + timedelta(seconds=GIVE_UP_SECONDS) if has_begun else None)
    due_at = now + timedelta(seconds=hold.seconds)
    if hold.why and give_up_at and due_at > give_up_at:
        fail(row, code=hold.code, reason=hold.why)
        return
    waiting = OutboundMessage.objects.filter(pk=row.pk, state=OutboundState.QUEUED)
    waiting.update(due_at=due_at, give_up_at=give_up_at)
    queue.deliver(row.conversation_id, delay_seconds=hold.seconds)


def _take_back(row: OutboundMessage) -> None:
    """Nobody who opted out is written to, not even by staff."""
    queued = OutboundMessage.objects.filter(pk=row.pk, state=OutboundState.QUEUED)
    queued.update(state=OutboundState.WITHDRAWN, error="the customer opted out")


def _send(row: OutboundMessage, now: datetime) -> None:
    message = outgoing.at(row, now)
    if not _begin_attempt(row, now):
        return
    try:
        sent = channel_for(row.conversation.channel).send(message)
    except ChannelUnknown as error:
        _mark_uncertain(row, str(error))
    except ChannelTransient as error:
        pacing.rest(row.conversation, error.code, str(error))
        _back_off(row, error)
    except ChannelError as error:
        _refused(row, error)
    else:
        _taken(row, sent)


def _refused(row: OutboundMessage, error: ChannelError) -> None:
    """It was not taken; for the window a template may still be."""
    if error.kind == ErrorClass.CONFIG:
        pacing.stop_sender(row.conversation, error)
    code, reason = error.code, str(error)
    if error.kind == ErrorClass.WINDOW and send_as_template(row, code=code, reason=reason, states=_UNDER_WAY):
        return
    fail(row, code=code, reason=reason, opted_out=error.kind == ErrorClass.OPT_OUT)


def _taken(row: OutboundMessage, sent: Sent) -> None:
    """The vendor has it; what it already says of its delivery counts like a status."""
    current = mark_sent(row, sent)
    if sent.status is DeliveryStatus.FAILED:
        kind = class_of(row.conversation.channel, sent.error_code).kind
        undelivered(current, code=sent.error_code, kind=kind, states=TAKEN + _UNDER_WAY)


def _begin_attempt(row: OutboundMessage, now: datetime) -> bool:
    """Commit that we are about to send; False when the row was withdrawn meanwhile."""
    with transaction.atomic(durable=True):
        give_up_at = row.give_up_at or now + timedelta(seconds=GIVE_UP_SECONDS)
        taken = OutboundMessage.objects.filter(pk=row.pk, state=row.state).update(
            state=OutboundState.SENDING,
            attempts=F("attempts") + 1,
            attempted_at=now,
            give_up_at=give_up_at,
        )
        if taken and row.kind == OutboundMessage.Kind.QUESTION:
            confirmations_state.start_clock(row, now)
    row.give_up_at, row.attempts, row.attempted_at = give_up_at, row.attempts + 1, now
    return bool(taken)


def _mark_uncertain(row: OutboundMessage, reason: str) -> None:
    due = (row.attempted_at or clock.now()) + timedelta(seconds=2)
    OutboundMessage.objects.filter(pk=row.pk, state=OutboundState.SENDING).update(
        state=OutboundState.UNCERTAIN, error=reason[:300], due_at=due
    )
    metrics.sent(row.conversation.channel, OutboundState.UNCERTAIN.value)
    queue.deliver(row.conversation_id, delay_seconds=3)


def _back_off(row: OutboundMessage, error: ChannelTransient) -> None:
    """Try again after a while that the kind of error decides, unless that is too late or was the second time."""
    kind = class_of(row.conversation.channel, error.code)
    usual = LATER_SECONDS if kind is ErrorClass.LATER else BACKOFF_SECONDS[min(row.attempts, len(BACKOFF_SECONDS)) - 1]
    wait = error.retry_after or usual
    due = clock.now() + timedelta(seconds=wait)
    is_over = kind is ErrorClass.SLOW or (kind is ErrorClass.LATER and row.attempts > 1)
    if is_over or (row.give_up_at and due > row.give_up_at):
        fail(row, code=error.code, reason=str(error))
        return
    OutboundMessage.objects.filter(pk=row.pk, state=OutboundState.SENDING).update(
        state=OutboundState.QUEUED, due_at=due, error_code=error.code[:20], error=str(error)[:300]
    )
    metrics.sent(row.conversation.channel, "retried")
    queue.deliver(row.conversation_id, delay_seconds=wait)


def _settle(row: OutboundMessage, now: datetime) -> None:
    """Look for proof that an uncertain message was sent; repeat it only without any."""
    attempted = row.attempted_at or row.created_at
    channel: Channel = channel_for(row.conversation.channel)
    found = _find_sent(channel, row, attempted)
    if found is not None and not _belongs_to_another(row, found):
        _taken(row, found)
    elif now < attempted + timedelta(seconds=SETTLE_SECONDS):
        _look_again(row, now)
    elif row.kind in REPEATABLE and not row.possibly_repeated:
        OutboundMessage.objects.filter(pk=row.pk, state=OutboundState.UNCERTAIN).update(
            state=OutboundState.QUEUED, possibly_repeated=True
        )
        metrics.sent(row.conversation.channel, "repeated")
    else:
        reason = row.error or "unknown whether it was sent"
        fail(row, code=UNKNOWN, reason=reason, unless_settled=True)


def _find_sent(channel: Channel, row: OutboundMessage, since: datetime) -> Sent | None:
    """Proof, if the vendor can give any: a broken look-up proves nothing and stops nothing."""
    try:
        return channel.find_sent(outgoing.at(row, since), since)
    except Exception as error:  # noqa: BLE001 - logged with where, without its words
        log.error("the look-up of outbound %s failed: %s", row.pk, faults.reason_of(error))  # noqa: TRY400
        return None


def _belongs_to_another(row: OutboundMessage, found: Sent) -> bool:
    """An equal text sent a moment ago is no proof that this one was sent."""
    taken = OutboundMessage.objects.filter(provider_id=found.provider_id, conversation_id=row.conversation_id)
    return taken.exclude(pk=row.pk).exists()


def _look_again(row: OutboundMessage, now: datetime) -> None:
    OutboundMessage.objects.filter(pk=row.pk).update(due_at=now + timedelta(seconds=10))
    queue.deliver(row.conversation_id, delay_seconds=11)
