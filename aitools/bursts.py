"""A burst: the unread talk of a conversation, read together as one message."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from aitools import media
from aitools.answers import Answer, Words, read
from aitools.channels.base import EventKind
from aitools.jsonrows import instance
from aitools.models import InboundEvent, PendingConfirmation

#: Kinds of message that were chosen, not written.
PRESSED = frozenset({"button", "list"})


@dataclass(frozen=True, slots=True)
class Burst:
    """Unread talk in order of arrival, which is what ``seq`` counts; may be empty.

    Arrival decides what was read, what is still unread and what may answer a
    question.  Its words are read in the order in which they were sent, since a
    vendor's notifications may overtake each other (``as_sent``).
    """

    events: tuple[InboundEvent, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.events)

    @property
    def last_seq(self) -> int:
        return max((event.seq or 0 for event in self.events), default=0)

    @property
    def written(self) -> Sequence[InboundEvent]:
        """Everything but presses of buttons."""
        return [event for event in self.events if event.kind != EventKind.PRESS]

    @property
    def has_press(self) -> bool:
        return len(self.written) < len(self.events)

    @property
    def is_only_presses(self) -> bool:
        return not self.written

    @property
    def text(self) -> str:
        """What was written; what stands on a button counts only when nothing was."""
        return joined(self.written or self.events)

    @property
    def line(self) -> str:
        """What was typed or said on one line, as a yes or no is read."""
        return " ".join(" ".join(map(media.answered, as_sent(self.written))).split())

    @property
    def is_wordless(self) -> bool:
        """Whether nothing in it was typed, said, pressed or is a place we can look up."""
        return not any(media.words_of(event).strip() or media.location_in(event) for event in self.events)

    @property
    def unseen(self) -> frozenset[str]:
        """The kinds of things in it that nobody here can read."""
        return frozenset(kind for event in self.written for kind in media.unseen_in(event))

    def up_to(self, seq: int) -> Burst:
        return Burst(tuple(event for event in self.events if (event.seq or 0) <= seq))

    def after(self, seq: int) -> Burst:
        return Burst(tuple(event for event in self.events if (event.seq or 0) > seq))


def from_json(rows: str | None) -> Burst:
    """The burst that ``leases.claim`` reads as a JSON array of events."""
    return Burst(tuple(instance(InboundEvent, row) for row in json.loads(rows or "[]")))


def unread(conversation_id: int, read_seq: int) -> Burst:
    """Talk that arrived after ``read_seq``. One query."""
    rows = InboundEvent.objects.filter(conversation_id=conversation_id, seq__gt=read_seq)
    return Burst(tuple(rows.order_by("seq")))


def joined(events: Sequence[InboundEvent]) -> str:
    """Events as one text for the model, as they were sent; what is besides words stands in brackets."""
    return "\n".join(filter(None, map(media.told, as_sent(events))))


def as_sent(events: Sequence[InboundEvent]) -> Sequence[InboundEvent]:
    """Events of one burst in the order in which they were sent, as far as the vendor tells it.

    Those with the vendor's time are put in its order (whole seconds: within one,
    arrival decides) among the places they hold; one without a time keeps its
    place.  So the order is total, and sorting again changes nothing.
    """
    timed = sorted((event for event in events if event.sent_at is not None), key=_sent_then_arrived)
    waiting = iter(timed)
    return [event if event.sent_at is None else next(waiting) for event in events]


def _sent_then_arrived(event: InboundEvent) -> tuple[datetime, int]:
    return event.sent_at or event.received_at, event.seq or 0


@dataclass(frozen=True, slots=True)
class Read:
    """What a burst says to a question. ``late``: it came after the expiry."""

    answer: Answer
    text: str
    by: InboundEvent | None = None
    late: bool = False
    ignored: bool = False

    @property
    def is_press(self) -> bool:
        return self.by is not None and self.by.kind == EventKind.PRESS


def read_burst(pending: PendingConfirmation, burst: Burst, words: Words) -> Read:
    """Read the joined unread burst as one answer to this question.

    ``ignored`` when it holds only presses of other questions.
    """
    mine = [event for event in burst.events if pressed(event, pending) is not None]
    if not mine and not burst.written:
        return Read(Answer.OTHER, "", ignored=True)
    heard = [*mine, *burst.written]
    if _too_late(pending, heard):
        return Read(_plain(mine, burst, pending, words), burst.text, heard[0], late=True)
    contradictory = len({pressed(event, pending) for event in mine}) > 1
    if contradictory or (mine and burst.written):
        return Read(Answer.OTHER, joined(heard), heard[0])
    if mine:
        return Read(pressed(mine[0], pending) or Answer.OTHER, mine[0].text, mine[0])
    if any(not pending.is_timely(event.received_at) for event in burst.written):
        return Read(Answer.OTHER, burst.text, heard[0])
    return Read(_typed(burst, words), burst.text, heard[0])


def pressed(event: InboundEvent, pending: PendingConfirmation) -> Answer | None:
    """YES or NO if this event presses a button of exactly this question."""
    if event.kind != EventKind.PRESS:
        return None
    for answer in (Answer.YES, Answer.NO):
        if event.payload == pending.message.button_id(answer):
            return answer
    return None


def is_plain_yes(burst: Burst, last: PendingConfirmation, words: Words) -> bool:
    """Whether the whole burst is a yes, typed or pressed, to this question."""
    if burst.has_press:
        return all(pressed(event, last) is Answer.YES for event in burst.events)
    return _typed(burst, words) is Answer.YES


def _typed(burst: Burst, words: Words) -> Answer:
    """A yes or no in the customer's own words: what stands on a button of no question answers none."""
    if any(event.message_kind in PRESSED for event in burst.written):
        return Answer.OTHER
    return read(burst.line, words)


def _too_late(pending: PendingConfirmation, events: Sequence[InboundEvent]) -> bool:
    """Late when nothing of the burst came in time: the earliest decides."""
    expires_at = pending.expires_at
    return expires_at is not None and all(event.received_at > expires_at for event in events)


def _plain(mine: Sequence[InboundEvent], burst: Burst, pending: PendingConfirmation, words: Words) -> Answer:
    answers = {pressed(event, pending) or Answer.OTHER for event in mine}
    if (mine and burst.line) or len(answers) > 1:
        return Answer.OTHER
    return answers.pop() if answers else _typed(burst, words)
