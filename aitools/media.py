"""What an inbound event says: typed, spoken, or nothing that can be read.

``InboundEvent.media`` lists references as channels parse them; a voice note's
text is kept beside its reference (``heard``), or why there is none (``unheard``),
so that what empties the one empties the other.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from aitools import locations, mediamarks
from aitools.channels.base import EventKind
from aitools.channels.filetypes import ends_right
from aitools.locations import Location
from aitools.models import InboundEvent
from aitools.types import Json

HEARD, UNHEARD = "heard", "unheard"
#: WhatsApp tells a voice note from a sound file, Twilio does not.
SPOKEN = frozenset({"voice", "audio"})
#: Kinds of message whose text is all there is to them.
_PLAIN = frozenset({"text", "button", "list", "edit"})
_FILE_NAME = re.compile(r"[^\n/\\]{1,200}\.\w{1,5}")


def words_of(event: InboundEvent) -> str:
    """What the customer typed or said, "" for nothing."""
    return "\n".join(filter(None, [*heard_in(event), _typed(event)]))


def told(event: InboundEvent) -> str:
    """The event for the model: a mark for each thing it can't see, a place, what was said, what was typed."""
    spoken = [f"{mediamarks.VOICE} {' '.join(said.split())}" for said in heard_in(event)]
    place = location_in(event)
    placed = locations.told(place) if place is not None else []
    return "\n".join(filter(None, [*_marks(event), *placed, *spoken, _typed(event)]))


def answered(event: InboundEvent) -> str:
    """The event as a yes or no is read from it: who orders by voice says yes by voice.

    A mark in it is no plain yes: what stands under a picture may be about the picture.
    """
    placed = [locations.MARK] if location_in(event) is not None else []
    return "\n".join(filter(None, [*_marks(event), *placed, words_of(event)]))


def unseen_in(event: InboundEvent) -> Sequence[str]:
    """Kinds of what came besides words and can't be read, in order."""
    if event.kind == EventKind.PRESS:
        return []
    if event.media:
        return [UNHEARD if medium.get(UNHEARD) else kind_of(medium) for medium in event.media if not medium.get(HEARD)]
    is_read = event.message_kind in _PLAIN or location_in(event) is not None
    return [] if is_read else [event.message_kind]


def location_in(event: InboundEvent) -> Location | None:
    """The place on earth that the event shares, if it is one."""
    return locations.location_in(event.message_kind, event.extra)


def heard_in(event: InboundEvent) -> Sequence[str]:
    """The texts of its voice notes, in order."""
    return [str(medium[HEARD]) for medium in event.media or [] if medium.get(HEARD)]


def kind_of(medium: Mapping[str, Json]) -> str:
    return str(medium.get("kind") or "unsupported")


def _marks(event: InboundEvent) -> Sequence[str]:
    return [mediamarks.unseen(kind) for kind in dict.fromkeys(unseen_in(event))]


def _typed(event: InboundEvent) -> str:
    return "" if _is_file_name(event) else event.text


def _is_file_name(event: InboundEvent) -> bool:
    """Twilio puts the name of a document without a caption where the caption would be."""
    text = event.text.strip()
    documents = [medium for medium in event.media or [] if kind_of(medium) == "document"]
    fits = any(ends_right(text, str(medium.get("mime_type") or "")) for medium in documents)
    return fits and _FILE_NAME.fullmatch(text) is not None
