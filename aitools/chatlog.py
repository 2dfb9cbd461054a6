"""What the chat page shows: a conversation's rows as bubbles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.translation import gettext as _

from aitools import clock, inbox
from aitools.channels.base import EventKind
from aitools.channels.web import WebChannel
from aitools.models import (
    Conversation,
    InboundEvent,
    InboundState,
    OutboundMessage,
    OutboundState,
    PendingConfirmation,
    Turn,
    TurnState,
)
from aitools.types import Json

#: The page shows the end of a conversation; its work does not grow with the conversation's age.
SHOWN = 100
#: Nobody types for longer: past this the desk has a problem, and the page must not pretend.
TYPING_SECONDS = 90


_Questions = PendingConfirmation.State


@dataclass(frozen=True, slots=True)
class Bubble:
    """One message on the page.

    ``id`` is unique on the page; for the visitor's own it ends with the id the
    page gave it.  ``side`` is visitor, desk or note (a line across).  ``ticks``
    is sent or read, "" for the desk's.  ``buttons`` can still be pressed;
    ``answered`` replaces them.
    """

    id: str
    side: str
    text: str
    at: datetime
    ticks: str = ""
    buttons: Sequence[Mapping[str, str]] = ()
    answered: str = ""

    def as_json(self) -> Mapping[str, Json]:
        return {
            "id": self.id,
            "side": self.side,
            "text": self.text,
            "at": self.at.isoformat(),
            "ticks": self.ticks,
            "buttons": list(self.buttons),
            "answered": self.answered,
        }


def of_visitor(address: str) -> Mapping[str, Json]:
    """The page's state as JSON: ``messages``, oldest first, and whether the desk is ``typing``.

    Five queries at most, whatever the conversation's length.
    """
    conversation = Conversation.objects.filter(channel=WebChannel.name, account="", address=address).first()
    if conversation is None:
        return {"messages": [], "typing": False}
    heard = list(_heard(conversation))
    bubbles = [*map(_own, heard), *_said(conversation, heard)]
    shown = sorted(bubbles, key=lambda bubble: bubble.at)[-SHOWN:]
    return {"messages": [bubble.as_json() for bubble in shown], "typing": _is_typing(conversation)}


def _heard(conversation: Conversation) -> Iterable[InboundEvent]:
    talk = (EventKind.MESSAGE, EventKind.PRESS)
    return conversation.inbound.filter(kind__in=talk).order_by("-id")[:SHOWN]


def _own(event: InboundEvent) -> Bubble:
    key = event.provider_id.rpartition(":")[2]
    if event.text.lower() == inbox.RESET:
        return Bubble(id=key, side="note", text=_("New conversation"), at=event.received_at)
    ticks = "read" if event.state == InboundState.READ else "sent"
    return Bubble(id=key, side="visitor", text=event.text, at=event.received_at, ticks=ticks)


def _said(conversation: Conversation, heard: Iterable[InboundEvent]) -> Iterable[Bubble]:
    pressed = {event.payload: event.text for event in heard if event.payload}
    sent = conversation.outbound.filter(state=OutboundState.SENT).select_related("confirmation")
    for message in sent.order_by("-id")[:SHOWN]:
        answered = _answer_to(message, pressed)
        yield Bubble(
            id=str(message.key),
            side="desk",
            text=message.text,
            at=message.created_at,
            buttons=() if answered else message.buttons,
            answered=answered,
        )


def _answer_to(message: OutboundMessage, pressed: Mapping[str, str]) -> str:
    """What was answered to a question, "" while it is open or when it is none."""
    for button in message.buttons:
        if button["id"] in pressed:
            return f"→ {button['title']}"
    question: PendingConfirmation | None = getattr(message, "confirmation", None)
    if question is None or question.state == _Questions.PENDING:
        return ""
    titles = [button["title"] for button in message.buttons]
    typed = dict(zip((_Questions.APPROVED, _Questions.DECLINED), titles, strict=False))
    if question.state in typed:
        return f"→ {typed[_Questions(question.state)]}"
    return _("No longer open")


def _is_typing(conversation: Conversation) -> bool:
    """Whether an answer is being made: there is talk to read or a turn at work."""
    now = clock.now()
    if conversation.last_inbound_at is None or conversation.is_with_person(now):
        return False
    if now - conversation.last_inbound_at > timedelta(seconds=TYPING_SECONDS):
        return False
    return (
        conversation.has_unread
        or Turn.objects.filter(conversation=conversation, state=TurnState.RUNNING).exists()
        or conversation.outbound.filter(state__in=(OutboundState.QUEUED, OutboundState.SENDING)).exists()
    )
