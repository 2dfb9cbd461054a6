"""Accepting what channels bring: one row per event, a repeat changes nothing.

The webhook stores and wakes; it never works.  ``receive`` is safe to call any
number of times with the same events, from any number of processes at once.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, InterfaceError, OperationalError, transaction
from django.utils import translation

from aitools import (
    arrivals,
    asides,
    behaviour,
    clock,
    commands,
    corrections,
    faults,
    identities,
    metrics,
    outbox,
    presses,
    queue,
    statuses,
    texts,
    wording,
)
from aitools.arrivals import LONGEST_SETTLE_SECONDS
from aitools.asides import UNSUPPORTED
from aitools.bounded import bounded
from aitools.channels.base import EventKind, InboundMessage, channel_for
from aitools.interruptions import read_all
from aitools.models import (
    BotProfile,
    Conversation,
    InboundEvent,
    InboundState,
    Mode,
    OutboundMessage,
)
from aitools.storable import storable

log = logging.getLogger(__name__)

TALK = (EventKind.MESSAGE, EventKind.PRESS)
#: Kinds of message that ask for no answer.
SILENT = frozenset({"reaction", "system"})


def receive(events: Sequence[InboundMessage]) -> int:
    """Store each new event and wake its conversation; how many were new.

    Each event commits by itself, and a fault in one does not stop its
    neighbours.  What a fault of ours can't take, twice, is set aside.  Any other
    fault, such as a database that is gone, is raised at the end: the vendor's
    repeat then brings the event again, and what was stored is not stored twice.
    """
    stored = 0
    fault: Exception | None = None
    for event in map(bounded, events):
        try:
            stored += _counted(event, _taken(event))
        except (OperationalError, InterfaceError) as error:
            log.warning("inbound %s event of %s comes again: %s", event.kind, event.channel, type(error).__name__)
            fault = error
        except Exception as error:  # noqa: BLE001 - whatever it is, no repeat of the vendor's would go better
            log.error("inbound %s event of %s: %s", event.kind, event.channel, faults.reason_of(error))  # noqa: TRY400
            aside = _set_aside(event)
            stored, fault = stored + (aside or 0), fault if aside is not None else error
    if fault is not None:
        raise fault
    return stored


def _taken(event: InboundMessage) -> int:
    """Twice, if need be: another worker may have been there at the same instant."""
    try:
        return _receive(event)
    except (OperationalError, InterfaceError):
        raise
    except Exception as error:  # noqa: BLE001 - the second try tells
        log.info("inbound %s event of %s is tried again: %s", event.kind, event.channel, type(error).__name__)
    return _receive(event)


def _set_aside(event: InboundMessage) -> int | None:
    """Keep what we can't take, for staff to see; 1 if new, None if not even that goes."""
    for words in (event.text, ""):  # it may be the words that can't be stored
        try:
            is_new = _kept_aside(event, words)
        except Exception as error:  # noqa: BLE001 - the vendor is told, and its repeat may succeed
            log.error("inbound %s event of %s: %s", event.kind, event.channel, faults.reason_of(error))  # noqa: TRY400
            continue
        metrics.set_aside(event.channel, event.kind)
        if is_new and event.kind in TALK:
            metrics.unsupported(event.channel)
        return int(is_new)
    return None


def _kept_aside(event: InboundMessage, words: str) -> bool:
    with transaction.atomic(durable=True):
        conversation = _conversation(event) if event.address else None
        kind = _kind(conversation, event) if conversation else event.kind
        return asides.keep(event, conversation, kind, words)


def _counted(event: InboundMessage, new: int) -> int:
    if new and event.message_kind == UNSUPPORTED:
        metrics.unsupported(event.channel)
    return new


def _receive(event: InboundMessage) -> int:
    if event.kind == EventKind.STATUS:
        return statuses.receive(event)
    if not event.address:
        return _put_aside(event)
    event = presses.told(event)
    in_force = behaviour.known()
    if in_force is None or not _is_plain_talk(event, in_force.profile):
        return _receive_with_care(event)
    try:
        arrived = arrivals.store(event, identities.key_of(event), in_force)
    except IntegrityError:
        return _receive_with_care(event)
    if arrived is None:
        return _receive_with_care(event)
    queue.wake(arrived.conversation_id, arrived.due_in)
    return 1


def _put_aside(event: InboundMessage) -> int:
    """What belongs to nobody's conversation is kept, counted, and done with."""
    with transaction.atomic(durable=True):
        _row, is_new = InboundEvent.objects.get_or_create(
            channel=event.channel,
            provider_id=event.provider_id,
            defaults={
                "kind": event.kind,
                "message_kind": event.message_kind,
                "extra": storable(dict(event.extra)),
                "state": InboundState.APPLIED,
            },
        )
    return int(is_new)


def _is_plain_talk(event: InboundMessage, profile: BotProfile) -> bool:
    """Talk that changes nothing but the count of a conversation that the bot answers."""
    if event.kind not in TALK or event.message_kind in SILENT | corrections.KINDS or commands.is_reset(event):
        return False
    return profile.bot_on and not _opts_out(event)


def _receive_with_care(event: InboundMessage) -> int:
    """Any event, under the conversation's lock; a repeat wakes again and changes nothing."""
    with transaction.atomic(durable=True):
        conversation = _conversation(event)
        known = InboundEvent.objects.filter(channel=event.channel, provider_id=event.provider_id).exists()
        if not known:
            identities.remember(conversation, event)
            _store(conversation, event)
        if conversation.has_unread:
            queue.wake(conversation.pk, _wait(conversation))
    return int(not known)


def _conversation(event: InboundMessage) -> Conversation:
    """The sender's conversation, locked, so that arrivals are numbered in order."""
    key: dict[str, Any] = {"channel": event.channel, "account": event.account, "address": event.address}
    if not Conversation.objects.filter(**key).exists():
        if known := identities.known_as(event):
            key = {"pk": known}
        else:
            _create(event, key)
    return Conversation.objects.select_for_update(no_key=True).get(**key)


def _create(event: InboundMessage, key: Mapping[str, str]) -> None:
    try:
        with transaction.atomic():
            Conversation.objects.create(**key)
    except IntegrityError:
        log.debug("another request created the conversation first")


def _store(conversation: Conversation, event: InboundMessage) -> None:
    """One new event: numbered if it is talk, applied at once if it is not."""
    now = clock.now()
    _remember_sender(conversation, event)
    kind = _kind(conversation, event)
    row = InboundEvent(
        conversation=conversation,
        channel=event.channel,
        provider_id=event.provider_id,
        kind=kind,
        message_kind=event.message_kind,
        text=storable(event.text),
        payload=storable(event.payload)[:256],
        media=storable(list(map(dict, event.media))),
        extra=storable(dict(event.extra)),
        reply_to=event.reply_to,
        sent_at=event.sent_at,
        received_at=now,
        state=InboundState.APPLIED,
    )
    is_reset = commands.is_reset(event)  # an edit may be one, and corrections rewrite its row
    if kind == EventKind.MESSAGE and row.message_kind in corrections.KINDS and not is_reset:
        corrections.correct(conversation, row)
    if row.kind in TALK or row.kind == EventKind.OPT_IN:  # whatever they write, we may answer for a day
        conversation.last_inbound_at = _last_heard(conversation, row)
    if row.kind in TALK and event.message_kind not in SILENT and not is_reset:
        _number(conversation, row)
    row.save()
    commands.act(conversation, row)
    if _is_welcomed_by_us(row, event):
        commands.welcome_back(conversation)
    conversation.save()


def _last_heard(conversation: Conversation, row: InboundEvent) -> datetime:
    """When they last wrote, which is what the vendor counts from: a delayed webhook gives no more time."""
    wrote_at = min(row.sent_at or row.received_at, row.received_at)
    return max(conversation.last_inbound_at or wrote_at, wrote_at)


def _number(conversation: Conversation, row: InboundEvent) -> None:
    """Talk gets the next number and a time to be answered at."""
    profile = behaviour.profile()
    conversation.inbox_seq += 1
    row.seq, row.state = conversation.inbox_seq, InboundState.BOT
    silent = conversation.is_with_person(row.received_at) or conversation.opted_out_at
    if silent or not profile.bot_on:
        _leave_to_staff(conversation, row, profile)
        return
    conversation.mode = Mode.BOT
    first = conversation.first_unread_at or row.received_at
    settle = 0 if row.kind == EventKind.PRESS else profile.settle_seconds
    conversation.first_unread_at = first
    conversation.wake_at = min(
        row.received_at + timedelta(seconds=settle),
        first + timedelta(seconds=LONGEST_SETTLE_SECONDS),
    )


def _leave_to_staff(conversation: Conversation, row: InboundEvent, profile: BotProfile) -> None:
    """A person answers here, also what no turn had read yet; with the bot off, the customer hears so once an hour."""
    row.state = InboundState.STAFF
    read_all(conversation, InboundState.STAFF)
    conversation.needs_staff = True
    if profile.bot_on or conversation.is_with_person(row.received_at):
        return
    with translation.override(wording.language_for(conversation.language, profile.language)):
        text = profile.off_text or texts.bot_off()
    recent = conversation.outbound.filter(text=text, created_at__gt=row.received_at - timedelta(hours=1))
    if not recent.exists():
        outbox.enqueue(conversation, text, kind=OutboundMessage.Kind.NOTICE)


def _kind(conversation: Conversation, event: InboundMessage) -> EventKind:
    """The vendor's word first, then the channel's words for leaving and coming back."""
    if _opts_out(event):
        return EventKind.OPT_OUT
    if conversation.opted_out_at and event.kind == EventKind.MESSAGE:
        words = channel_for(event.channel).capabilities.opt_in_words
        return EventKind.OPT_IN if event.extra.get("opts_in") or _word(event) in words else event.kind
    return event.kind


def _opts_out(event: InboundMessage) -> bool:
    if event.kind != EventKind.MESSAGE or event.extra.get("opts_in"):
        return False
    return _word(event) in channel_for(event.channel).capabilities.opt_out_words


def _is_welcomed_by_us(row: InboundEvent, event: InboundMessage) -> bool:
    """A word that brought them back and that no vendor has answered."""
    if row.kind != EventKind.OPT_IN or event.kind != EventKind.MESSAGE or event.extra.get("opts_in"):
        return False
    return _word(event) not in channel_for(event.channel).capabilities.welcomed_words


def _word(event: InboundMessage) -> str:
    return event.text.strip(" \n.,;!¡").upper()


def _remember_sender(conversation: Conversation, event: InboundMessage) -> None:
    sender = arrivals.about(event)
    conversation.profile_name = sender.name or conversation.profile_name
    conversation.phone = sender.phone or conversation.phone
    conversation.language = conversation.language or sender.language


def _wait(conversation: Conversation) -> float:
    """Seconds until the burst is due, by the database's clock."""
    if conversation.wake_at is None:
        return 0
    return max((conversation.wake_at - clock.now()).total_seconds(), 0)
