"""Files of customers, from Twilio's media addresses.

Twilio's API answers with a redirect to where the file is.  Our credentials go
to the API alone: the address comes from outside, and so does the redirect.
"""

from __future__ import annotations

import base64
import time
from collections.abc import Mapping, Sequence

import httpx2
from django.conf import settings

from aitools.channels.base import Fetched, Unfetched
from aitools.channels.download import FETCH_SECONDS, Moved, download, origin_of, url_of
from aitools.providers import http
from aitools.types import Json

API = "https://api.twilio.com"
#: Where files are, with what their paths begin with: Amazon's host is everybody's.
STORES: Mapping[str, str] = {
    "https://mms.twiliocdn.com": "/",
    "https://media.twiliocdn.com": "/",
    "https://s3-external-1.amazonaws.com": "/media.twiliocdn.com/",
}
MOST_REDIRECTS = 3
#: A file may be there a moment later than the webhook that names it.
AGAIN_SECONDS = 1.0


def fetch(medium: Mapping[str, Json]) -> Fetched | Unfetched:
    """The file of a message. See ``Fetches.fetch``."""
    url, expected = _at_the_api(str(medium.get("ref") or "")), [str(medium.get("mime_type") or "")]
    if url is None:
        return Unfetched.NOT_ALLOWED
    if not settings.TWILIO_ACCOUNT_SID or not settings.TWILIO_AUTH_TOKEN:
        return Unfetched.REFUSED
    with http.deadline(FETCH_SECONDS):
        answer = download(url, expected, _credentials())
        if answer is Unfetched.GONE:
            time.sleep(AGAIN_SECONDS)
            answer = download(url, expected, _credentials())
        return _followed(answer, expected)


def _followed(answer: Fetched | Unfetched | Moved, expected: Sequence[str]) -> Fetched | Unfetched:
    """To where Twilio keeps the file, without our credentials."""
    for _hop in range(MOST_REDIRECTS):
        if not isinstance(answer, Moved):
            return answer
        if not _is_store(answer.to):
            break
        answer = download(answer.to, expected)
    return Unfetched.NOT_ALLOWED if isinstance(answer, Moved) else answer


def _at_the_api(ref: str) -> httpx2.URL | None:
    """The address if it is exactly at Twilio's API, which may be configured to be elsewhere."""
    url, base = url_of(ref), settings.TWILIO_API_BASE_URL.rstrip("/")
    if url is None or origin_of(url) not in (API, base or API):
        return None
    return url_of(base + url.raw_path.decode()) if base else url


def _is_store(url: httpx2.URL) -> bool:
    origin, path = origin_of(url), url.path
    if origin == settings.TWILIO_API_BASE_URL.rstrip("/"):
        return True
    return origin in STORES and path.startswith(STORES[origin]) and not url.userinfo


def _credentials() -> Mapping[str, str]:
    both = f"{settings.TWILIO_ACCOUNT_SID}:{settings.TWILIO_AUTH_TOKEN}".encode()
    return {"Authorization": f"Basic {base64.b64encode(both).decode()}"}
