"""Voice notes as text, before a turn reads them.

Where the profile names a model that can hear, each note is fetched and heard
once: what was said, or why nothing was heard, is stored beside its reference and
never asked for again.  A worker that dies in between has stored nothing, and
whoever goes on hears it anew.  The text counts as typed, also as a yes or no:
who orders by voice answers by voice, and what was heard is read as strictly as
what is typed.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Protocol

from django.utils.module_loading import import_string

from aitools import attention, faults, leases, media
from aitools.bursts import Burst
from aitools.channels.base import Fetched, Fetches, Unfetched, channel_for
from aitools.channels.filetypes import ending_of
from aitools.errors import ProviderError, Stale
from aitools.models import InboundEvent
from aitools.providers.base import EndpointConfig
from aitools.storable import storable
from aitools.types import Json
from aitools.work import Work

log = logging.getLogger(__name__)

#: What a channel may take to fetch a file.
FETCH_SECONDS = 20.0
#: Of one burst; who sends more is answered about those.
MOST_NOTES = 5
#: An order takes less; anything longer costs money and time for nothing.
LONGEST_SECONDS, MOST_BYTES = 300, 5 * 1024 * 1024
#: As long as the model reads a message.
MOST_CHARACTERS = 4000
#: Why there is no text, besides ``Unfetched`` and the kinds of ``ProviderError``.
SILENT, FAULT = "silent", "fault"

#: By name: a vendor's SDK is imported where there is something to hear, and nowhere else.
EAR = "aitools.providers.speech.Ear"
_OGG_RATE = 48_000


class Hears(Protocol):
    """A model that listens. See ``aitools.providers.speech``."""

    def transcribe(self, content: bytes, name: str, mime_type: str, language: str = "") -> str: ...


def hear(work: Work, burst: Burst) -> None:
    """Turn the burst's voice notes into text, in its events and in the rows.

    Needs the lease and no transaction, and does nothing for a burst without
    voice notes.  Raises ``LeaseLost`` or ``Stale``, never for a note.
    """
    notes = [event for event in burst.written if any(map(_waits, event.media))]
    endpoint = work.behaviour.voice_endpoint() if notes else None
    if endpoint is None:
        return
    attention.show(work.conversation, notes[-1])
    for event in notes[:MOST_NOTES]:
        _store(work, event, [_heard(work, endpoint, medium) for medium in event.media])


def _waits(medium: Mapping[str, Json]) -> bool:
    return media.kind_of(medium) in media.SPOKEN and not (medium.get(media.HEARD) or medium.get(media.UNHEARD))


def _store(work: Work, event: InboundEvent, heard: list[Json]) -> None:
    """In one statement, if the lease still holds and the row is as it was read."""
    lease = work.lease
    mine = InboundEvent.objects.filter(pk=event.pk, media=event.media, conversation__lease_token=lease.token)
    if not mine.filter(conversation__epoch=lease.epoch).update(media=heard):
        raise Stale(f"voice note {event.pk} changed while it was heard")
    event.media = heard


def _heard(work: Work, endpoint: EndpointConfig, medium: Mapping[str, Json]) -> Json:
    """The entry with what was said in it, or with why nothing was heard."""
    if not _waits(medium):
        return medium
    leases.cover(work.lease, FETCH_SECONDS + endpoint.timeout_seconds)
    try:
        said = _words(work, endpoint, medium)
    except ProviderError as error:
        said = {media.UNHEARD: error.kind}
    except Exception as error:  # noqa: BLE001 - whatever it is, the customer is asked to write
        log.error("a voice note was not heard: %s", faults.reason_of(error))  # noqa: TRY400
        said = {media.UNHEARD: FAULT}
    if why := said.get(media.UNHEARD):
        log.warning("a voice note of conversation %s was not heard: %s", work.conversation.pk, why)
    return {**medium, **said}


def _words(work: Work, endpoint: EndpointConfig, medium: Mapping[str, Json]) -> Mapping[str, str]:
    channel = channel_for(work.conversation.channel)
    sound = channel.fetch(medium) if isinstance(channel, Fetches) else Unfetched.GONE
    if isinstance(sound, Unfetched):
        return {media.UNHEARD: sound.value}
    if _is_too_long(sound):
        return {media.UNHEARD: Unfetched.TOO_LARGE.value}
    language = work.conversation.language.partition("-")[0]
    ear: Hears = import_string(EAR)(endpoint)
    said = ear.transcribe(sound.content, f"voice{ending_of(sound.mime_type)}", sound.mime_type, language)
    text = str(storable(said)).strip()[:MOST_CHARACTERS]
    return {media.HEARD: text} if text else {media.UNHEARD: SILENT}


def _is_too_long(sound: Fetched) -> bool:
    """By its size, and by its length where the last page of it tells that (WhatsApp's notes)."""
    page = sound.content.rfind(b"OggS") if sound.mime_type == "audio/ogg" else -1
    position = int.from_bytes(sound.content[page + 6 : page + 14], "little", signed=True) if page >= 0 else 0
    return len(sound.content) > MOST_BYTES or position > LONGEST_SECONDS * _OGG_RATE
