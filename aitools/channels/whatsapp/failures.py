"""Why a request to Meta failed, and above all: may the message have been taken?"""

from __future__ import annotations

import re

import httpx2

from aitools.channels.base import ErrorClass
from aitools.channels.whatsapp.codes import error_class, pause
from aitools.channels.whatsapp.values import Value, text
from aitools.errors import ChannelError, ChannelPermanent, ChannelTransient, ChannelUnknown

TOO_MANY_REQUESTS = 429
SERVER_ERROR = 500
#: Numbers and message ids, which hold the number, stand in Meta's words.
_PERSONAL = re.compile(r"wamid\.\S+|\+?\d{7,}")
_NEVER_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.ProxyError)
_UNUSABLE = (httpx2.InvalidURL, httpx2.UnsupportedProtocol, UnicodeEncodeError)


def no_answer(error: Exception) -> ChannelError:
    """There is no idempotency key and no look-up: a lost answer is unknown until a status proves the send."""
    if isinstance(error, _UNUSABLE):
        return ChannelPermanent("WHATSAPP_API_BASE_URL or WHATSAPP_TOKEN is not usable.", kind="config")
    if isinstance(error, _NEVER_SENT):
        return ChannelTransient("Meta could not be reached.")
    return ChannelUnknown(f"No answer from Meta ({type(error).__name__}).")


def refusal(answer: httpx2.Response) -> ChannelError:
    """The error for an answer that is no success.

    A code we know says that the message was not taken, also with a 5xx; a
    gateway's page, or a 5xx with a code that is new, says nothing of the sort.
    """
    found = _error(answer)
    code = text(found, "code")
    if not code:
        return _wordless(answer.status_code)
    kind = error_class(code)
    words = f"Meta {code}: {_words(found)}"
    if answer.status_code == TOO_MANY_REQUESTS or kind.kind == "retry":
        wanted = pause(code)
        return ChannelTransient(words, code=code, retry_after=wanted.seconds if wanted else None)
    if answer.status_code >= SERVER_ERROR and kind is ErrorClass.UNKNOWN:
        return ChannelUnknown(words, code=code)
    return ChannelPermanent(words, code=code, kind=kind.kind)


def _wordless(status: int) -> ChannelError:
    code, text_of_it = str(status), f"Meta answered with HTTP {status}."
    if status == TOO_MANY_REQUESTS:
        return ChannelTransient(text_of_it, code=code)
    if status >= SERVER_ERROR:
        return ChannelUnknown(text_of_it, code=code)
    return ChannelPermanent(text_of_it, code=code, kind="config")


def _error(answer: httpx2.Response) -> Value:
    try:
        found = answer.json()
    except (ValueError, RecursionError):
        return None
    return found.get("error") if isinstance(found, dict) else None


def _words(found: Value) -> str:
    said = (text(found, "message"), text(found, "error_data", "details"))
    return _PERSONAL.sub("…", " ".join(filter(None, said)))[:200]
