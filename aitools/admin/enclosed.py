"""What came with a message besides words, as staff see it: pictures, sounds, files, places, people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _

from aitools import media
from aitools.channels.base import EventKind, Fetches, Unfetched, channel_for
from aitools.locations import Location
from aitools.models import InboundEvent
from aitools.storable import one_line
from aitools.types import Json

#: Lines of one piece that are shown.
MOST_LINES = 20
_SHOWS = {
    "image": "picture",
    "sticker": "picture",
    "audio": "sound",
    "voice": "sound",
    "video": "video",
    "document": "file",
    "contacts": "file",
}


@dataclass(frozen=True, slots=True)
class Piece:
    """One thing. ``shows`` says how ``url`` is shown: picture, sound, video, file or map; "" for the title alone.

    ``name`` is the file's, ``lines`` are what there is to read about it,
    ``said`` is what was heard in a voice note.
    """

    title: str
    shows: str = ""
    url: str = ""
    name: str = ""
    lines: tuple[str, ...] = ()
    said: str = ""


def pieces(event: InboundEvent) -> tuple[Piece, ...]:
    """What came besides words, in order. A press is its title and nothing else; no query."""
    if event.kind == EventKind.PRESS or (event.message_kind == "text" and not event.media):
        return ()
    if event.media:
        return tuple(_file(event, index, medium) for index, medium in enumerate(event.media))
    place = media.location_in(event)
    if place is not None:
        return (_place(place),)
    return (Piece(title_of(event.message_kind), lines=tuple(_lines(event))[:MOST_LINES]),)


def title_of(kind: str) -> str:
    """What a kind of message or medium is called."""
    titles = {
        "image": _("Picture"),
        "audio": _("Voice or sound"),
        "voice": _("Voice or sound"),
        "video": _("Video"),
        "document": _("Document"),
        "sticker": _("Sticker"),
        "location": _("Location"),
        "contacts": _("Contact"),
        "order": _("Order from the catalogue"),
        "reaction": _("Reaction"),
        "edit": _("Changed message"),
        "unsupported": _("Something we can't show"),
    }
    return titles.get(kind, kind)


def why_unfetched(why: Unfetched) -> str:
    """Why a file can't be shown, and what to do about it."""
    return {
        Unfetched.GONE: _("WhatsApp or Twilio has this file no more: files are kept for some days or weeks."),
        Unfetched.TOO_LARGE: _("This file is too large to be shown here. Ask the customer for a smaller one."),
        Unfetched.NOT_ALLOWED: _("A file of this kind is not shown here, since it could do harm."),
        Unfetched.REFUSED: _("WhatsApp or Twilio refuses our key: have whoever runs the desk check the channels."),
        Unfetched.AWAY: _("WhatsApp or Twilio does not answer just now. Try again in a minute."),
    }[why]


def keeper_of(event: InboundEvent) -> Fetches | None:
    """The channel that can fetch what came with an event, None when its vendor keeps nothing."""
    if event.channel not in settings.AITOOLS_CHANNELS:
        return None
    channel = channel_for(event.channel)
    return channel if isinstance(channel, Fetches) else None


def _file(event: InboundEvent, index: int, medium: Mapping[str, Json]) -> Piece:
    kind = media.kind_of(medium)
    is_kept = bool(medium.get("ref")) and keeper_of(event) is not None
    return Piece(
        title_of(kind),
        shows=_SHOWS.get(kind, "file") if is_kept else "",
        url=reverse("admin:aitools_conversation_file", args=[event.conversation_id, event.pk, index])
        if is_kept
        else "",
        name=one_line(str(medium.get("filename") or "")),
        lines=(_("It could not be turned into text."),) if medium.get(media.UNHEARD) else (),
        said=str(medium.get(media.HEARD) or ""),
    )


def _place(place: Location) -> Piece:
    at = f"{place.latitude:.5f}", f"{place.longitude:.5f}"
    return Piece(
        title_of("location"),
        shows="map",
        url="https://www.openstreetmap.org/?mlat={0}&mlon={1}#map=17/{0}/{1}".format(*at),
        name=", ".join(at),
        lines=tuple(filter(None, [place.name, place.address])),
    )


def _lines(event: InboundEvent) -> Iterable[str]:
    """What the vendor tells of a shared contact, a cart or a reaction."""
    extra = event.extra or {}
    for card in _listed(extra.get("shared_contacts")):
        phones = [str(phone) for phone in card.get("phones") or [] if phone]
        yield one_line(" · ".join(filter(None, [str(card.get("name") or ""), *phones])))
    for line in _listed(extra.get("order")):
        yield one_line(f"{line.get('quantity')} × {line.get('id')}")
    for reaction in _listed([extra.get("reaction")]):
        yield one_line(str(reaction.get("emoji") or ""))


def _listed(found: Json) -> Sequence[Mapping[str, Json]]:
    return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []
