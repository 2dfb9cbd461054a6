"""Reading a file from a vendor's server: at most so many bytes, within so much time, and only a listed type."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import httpx2
from django.conf import settings

from aitools.channels.base import Fetched, Unfetched
from aitools.channels.filetypes import type_of
from aitools.providers import http

log = logging.getLogger(__name__)

#: Wall clock for one file, with all requests that lead to it.
FETCH_SECONDS = 15.0
_GONE = frozenset({404, 410})
_REFUSED = frozenset({401, 403})
_MEGABYTE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Moved:
    """The server sends us elsewhere: whether we go there, and with what, is for the channel to say."""

    to: httpx2.URL


def url_of(text: str) -> httpx2.URL | None:
    """An absolute address without a user's name in it; None for anything else.

    As the client will read it: two readings of one address are how requests end up elsewhere.
    """
    try:
        url = httpx2.URL(text)
    except httpx2.InvalidURL:
        return None
    return url if url.host and url.scheme in ("http", "https") and not url.userinfo else None


def origin_of(url: httpx2.URL) -> str:
    """ "https://host" or "http://host:port"."""
    return f"{url.scheme}://{url.netloc.decode()}"


def most_bytes() -> int:
    """How large a file of a customer's may be."""
    return int(settings.MEDIA_MAX_MEGABYTES) * _MEGABYTE


def download(
    url: httpx2.URL, expected: Sequence[str], headers: Mapping[str, str] | None = None
) -> Fetched | Unfetched | Moved:
    """The file at exactly this address; ``expected`` are its types as told elsewhere, should the server tell none.

    Follows no redirect.  The caller sets the ``http.deadline``; raises nothing.
    """
    asked = {"Accept-Encoding": "identity", **(headers or {})}
    try:
        client, patience = http.client_for(origin_of(url)), http.timeout(FETCH_SECONDS)
        with client.stream("GET", url, headers=asked, timeout=patience) as answer:
            return _read(answer, expected)
    except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError) as error:
        log.info("a file at %s was not read: %s", url.host, type(error).__name__)
        return Unfetched.AWAY


def _read(answer: httpx2.Response, expected: Sequence[str]) -> Fetched | Unfetched | Moved:
    if answer.has_redirect_location:
        return Moved(answer.url.join(answer.headers["location"]))
    if not answer.is_success:
        log.info("a file at %s was not given: HTTP %d", answer.url.host, answer.status_code)
        return _refusal(answer.status_code)
    # Packed, a small file could fill the memory; we did not ask for it.
    if answer.headers.get("content-encoding", "identity").lower() != "identity":
        return Unfetched.NOT_ALLOWED
    content = _content(answer, most_bytes())
    if content is None:
        return Unfetched.TOO_LARGE
    found = type_of(content, answer.headers.get("content-type", ""), *expected)
    return Fetched(content, found) if found else Unfetched.NOT_ALLOWED


def _content(answer: httpx2.Response, most: int) -> bytes | None:
    """The body, None once it is longer than ``most``, whatever its length was said to be."""
    said = answer.headers.get("content-length", "")
    if said.isdecimal() and int(said) > most:
        return None
    content = bytearray()
    for chunk in answer.iter_raw():
        content += chunk
        if len(content) > most:
            return None
    return bytes(content)


def _refusal(status: int) -> Unfetched:
    if status in _GONE:
        return Unfetched.GONE
    return Unfetched.REFUSED if status in _REFUSED else Unfetched.AWAY
