"""What the chat page shows: a conversation's rows as bubbles."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from django.utils.translation import gettext as _

from aitools import clock, commands
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
from aitools.types import Button, Json

#: The page shows the end of a conversation; its work does not grow with the conversation's age.
SHOWN = 100
#: Nobody types for longer: past this the desk has a problem, and the page must not pretend.
TYPING_SECONDS = 90

_Asked = PendingConfirmation.State
#: In the order of their buttons.
_ANSWERS = (_Asked.APPROVED, _Asked.DECLINED)


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
    buttons: Sequence[Button] = ()
    answered: str = ""

    def as_json(self) -> Mapping[str, Json]:
        return {
            "id": self.id,
            "side": self.side,
            "text": self.text,
            "at": self.at.isoformat(),
            "ticks": self.ticks,
            "buttons": [asdict(button) for button in self.buttons],
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
    own = [_own(event, conversation.read_seq) for event in heard]
    bubbles = [*own, *_said(conversation, heard)]
    shown = sorted(bubbles, key=lambda bubble: bubble.at)[-SHOWN:]
    return {"messages": [bubble.as_json() for bubble in shown], "typing": _is_typing(conversation)}


def _heard(conversation: Conversation) -> Iterable[InboundEvent]:
    """Without what retention emptied: an empty bubble says nothing."""
    talk = (EventKind.MESSAGE, EventKind.PRESS)
    return conversation.inbound.filter(kind__in=talk).exclude(text="").newest(SHOWN)


def _own(event: InboundEvent, read_seq: int) -> Bubble:
    key = event.provider_id.rpartition(":")[2]
    if event.text.lower() == commands.RESET:
        return Bubble(id=key, side="note", text=_("New conversation"), at=event.received_at)
    by_bot = event.state not in (InboundState.STAFF, InboundState.APPLIED)
    ticks = "read" if by_bot and event.seq is not None and event.seq <= read_seq else "sent"
    return Bubble(id=key, side="visitor", text=event.text, at=event.received_at, ticks=ticks)


def _said(conversation: Conversation, heard: Iterable[InboundEvent]) -> Iterable[Bubble]:
    pressed = {event.payload for event in heard if event.payload}
    sent = conversation.outbound.filter(state=OutboundState.SENT).exclude(text="").select_related("call__confirmation")
    for message in sent.order_by("-id")[:SHOWN]:
        answered = answer_to(message) or _pressed(message, pressed)
        yield Bubble(
            id=str(message.key),
            side="desk",
            text=message.text,
            at=message.created_at,
            buttons=() if answered else message.choices,
            answered=answered,
        )


def answer_to(message: OutboundMessage) -> str:
    """What stands where a question's buttons were; "" while it is open, or when it is none.

    No query when ``call__confirmation`` was selected with the message.
    """
    question: PendingConfirmation | None = getattr(message.call, "confirmation", None)
    if question is None or question.message_id != message.pk or question.state == _Asked.PENDING:
        return ""
    if question.state not in _ANSWERS:
        return _("No longer open")
    titles = dict(zip(_ANSWERS, [button.title for button in message.choices], strict=False))
    # The choice is stored where messages can change; elsewhere the state tells which it was.
    chosen = message.choice or titles.get(_Asked(question.state), "")
    return _arrow(chosen) if chosen else ""


def _pressed(message: OutboundMessage, pressed: Container[str]) -> str:
    """The button that was pressed and not read yet: nobody should press another."""
    return next((_arrow(button.title) for button in message.choices if button.id in pressed), "")


def _arrow(title: str) -> str:
    return f"→ {title}"


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
