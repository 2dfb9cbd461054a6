"""A conversation as people read it: both directions, in order, with what became of each message."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from django.utils.translation import gettext as _

from aitools.admin.enclosed import Piece, pieces
from aitools.channels.advice import advice
from aitools.channels.base import DeliveryStatus, EventKind
from aitools.chatlog import answer_to
from aitools.identities import IDENTITY
from aitools.models import InboundEvent, OutboundMessage, OutboundState
from aitools.outbox import is_closed_question, may_have_arrived

#: How many messages a page of talk shows.
PAGE = 60
#: What staff may send again.
RETRIABLE = (OutboundState.FAILED, OutboundState.UNCERTAIN)

_SHOWN = [EventKind.MESSAGE, EventKind.PRESS, EventKind.ECHO, EventKind.OPT_OUT, EventKind.OPT_IN, EventKind.SYSTEM]
_OURS = {EventKind.ECHO.value}
_NOTES = {EventKind.OPT_OUT.value, EventKind.OPT_IN.value, EventKind.SYSTEM.value}


@dataclass(frozen=True, slots=True)
class Bubble:
    """One message. ``side`` is customer, bot, staff or aside; ``tone`` is good, open or bad.

    ``status`` and ``problem`` are lines for people, "" when there is nothing to
    say. ``buttons`` can still be pressed; ``answered`` replaces them. ``retry_id``
    is the outbound row that may be tried again, ``doubtful`` if it may have arrived.
    """

    key: str
    side: str
    author: str
    text: str
    at: datetime
    status: str = ""
    tone: str = "good"
    problem: str = ""
    buttons: tuple[str, ...] = ()
    answered: str = ""
    retry_id: int | None = None
    doubtful: bool = False
    media: tuple[Piece, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Talk:
    """A page of talk, oldest first. ``earlier`` is where the page before it ends, None at the beginning."""

    bubbles: tuple[Bubble, ...]
    earlier: datetime | None


def page(conversation_id: int, before: datetime | None = None) -> Talk:
    """The newest messages before a time. Two queries, whatever the age of the conversation."""
    inbound = InboundEvent.objects.filter(conversation_id=conversation_id, kind__in=_SHOWN)
    inbound = inbound.exclude(message_kind=IDENTITY)
    outbound = OutboundMessage.objects.filter(conversation_id=conversation_id)
    if before:
        inbound = inbound.filter(received_at__lt=before)
        outbound = outbound.filter(created_at__lt=before)
    newest: list[Bubble] = [
        *_said(inbound.newest(PAGE + 1)),
        *answered(outbound.select_related("call__confirmation", "conversation").order_by("-id")[: PAGE + 1]),
    ]
    newest.sort(key=lambda bubble: bubble.at, reverse=True)
    shown = tuple(reversed(newest[:PAGE]))
    return Talk(shown, shown[0].at if len(newest) > PAGE else None)


def _said(events: Iterable[InboundEvent]) -> Iterable[Bubble]:
    for event in events:
        side = "aside" if event.kind in _NOTES else "staff" if event.kind in _OURS else "customer"
        yield Bubble(
            key=f"in-{event.pk}",
            side=side,
            author=_("From the shop's phone") if side == "staff" else "",
            text=event.text or _note(event),
            at=event.received_at,
            media=_pieces(event),
        )


def _pieces(event: InboundEvent) -> tuple[Piece, ...]:
    """A note says what it is, and shows nothing."""
    return () if event.kind in _NOTES and _note(event) else pieces(event)


def _note(event: InboundEvent) -> str:
    notes = {
        EventKind.OPT_OUT.value: _("The customer wants no more messages."),
        EventKind.OPT_IN.value: _("The customer wants messages again."),
    }
    return notes.get(event.kind, "") or _told_by_the_vendor(event)


def _told_by_the_vendor(event: InboundEvent) -> str:
    """What a message of kind system is about, as far as staff care."""
    if event.message_kind == "edit":
        return _("The customer changed a message that was not read yet.")
    if event.message_kind == "revoke":
        return _("The customer deleted a message.")
    changes = {
        "user_changed_number": _("The customer has a new number."),
        "user_changed_user_id": _("The customer has a new WhatsApp id."),
        "customer_identity_changed": _("The customer has a new phone or has installed WhatsApp anew."),
    }
    change = event.extra.get("system") if event.message_kind == "system" else None
    return changes.get(change.get("type", ""), "") if isinstance(change, dict) else ""


def answered(messages: Iterable[OutboundMessage]) -> Iterable[Bubble]:
    """Our messages as bubbles; no query when call, confirmation and conversation were selected with them."""
    for message in messages:
        by_staff = message.kind == OutboundMessage.Kind.STAFF
        status, tone = _status(message)
        answer = answer_to(message)
        yield Bubble(
            key=f"out-{message.pk}",
            side="staff" if by_staff else "bot",
            author=_("Staff") if by_staff else _("Bot"),
            text=message.text or _("Emptied: older than messages are kept."),
            at=message.created_at,
            status=status,
            tone=tone,
            problem=_problem(message),
            buttons=() if answer else tuple(button.title for button in message.choices),
            answered=answer,
            retry_id=message.pk if _may_be_retried(message) else None,
            doubtful=may_have_arrived(message),
        )


def _may_be_retried(message: OutboundMessage) -> bool:
    return bool(message.text) and message.state in RETRIABLE and not is_closed_question(message)


def _status(message: OutboundMessage) -> tuple[str, str]:
    """What became of it: the vendor's word once it was sent, ours before."""
    said = {
        DeliveryStatus.QUEUED.value: (_("Sent"), "good"),
        DeliveryStatus.SENT.value: (_("Sent"), "good"),
        DeliveryStatus.DELIVERED.value: (_("Delivered"), "good"),
        DeliveryStatus.READ.value: (_("Read"), "good"),
        DeliveryStatus.FAILED.value: (_("Not delivered"), "bad"),
    }
    if message.status and message.state in (OutboundState.SENT, OutboundState.SENDING):
        return said[message.status]
    return {
        OutboundState.QUEUED.value: (_("Waiting to be sent"), "open"),
        OutboundState.SENDING.value: (_("Being sent"), "open"),
        OutboundState.SENT.value: (_("Sent"), "good"),
        OutboundState.UNCERTAIN.value: (_("Perhaps not sent"), "bad"),
        OutboundState.FAILED.value: (_("Failed"), "bad"),
        OutboundState.WITHDRAWN.value: (_("Withdrawn"), "open"),
    }[message.state]


def _problem(message: OutboundMessage) -> str:
    parts = [message.error, message.error_code and f"({message.error_code})"]
    if message.possibly_repeated:
        parts.append(_("It may have arrived twice."))
    if message.state in RETRIABLE and message.error_code:
        parts.append(advice(message.conversation.channel, message.error_code))
    return " ".join(part for part in parts if part)
