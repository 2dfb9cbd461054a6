"""Files of customers, from Meta: first where the file is, which is good for minutes, then the file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import httpx2
from django.conf import settings

from aitools.channels.base import Fetched, Unfetched
from aitools.channels.download import FETCH_SECONDS, Moved, download, most_bytes, origin_of, url_of
from aitools.channels.whatsapp import client
from aitools.channels.whatsapp.values import Value, number, text
from aitools.errors import ChannelError, ChannelPermanent
from aitools.providers import http
from aitools.types import Json

STORE = "https://lookaside.fbsbx.com"
ASK_SECONDS = 5.0

_ID = re.compile(r"[A-Za-z0-9_-]{1,200}")


def fetch(medium: Mapping[str, Json]) -> Fetched | Unfetched:
    """The file of a message. See ``Fetches.fetch``."""
    media_id = str(medium.get("ref") or "")
    if not _ID.fullmatch(media_id):
        return Unfetched.NOT_ALLOWED
    try:
        found = client.medium(media_id, ASK_SECONDS)
    except ChannelError as error:
        return _refusal(error)
    if (number(found, "file_size") or 0) > most_bytes():
        return Unfetched.TOO_LARGE
    return _download(found, [text(found, "mime_type"), str(medium.get("mime_type") or "")])


def _download(found: Value, expected: Sequence[str]) -> Fetched | Unfetched:
    url = url_of(text(found, "url"))
    if url is None or not _is_metas(url):
        return Unfetched.NOT_ALLOWED
    with http.deadline(FETCH_SECONDS - ASK_SECONDS):
        answer = download(url, expected, client.credentials())
    return Unfetched.NOT_ALLOWED if isinstance(answer, Moved) else answer


def _is_metas(url: httpx2.URL) -> bool:
    """Whether our token may go there."""
    configured = settings.WHATSAPP_API_BASE_URL
    base = url_of(configured) if configured else None
    return origin_of(url) in (STORE, origin_of(base) if base else STORE)


def _refusal(error: ChannelError) -> Unfetched:
    if not isinstance(error, ChannelPermanent):
        return Unfetched.AWAY
    return Unfetched.REFUSED if error.kind == "config" else Unfetched.GONE
