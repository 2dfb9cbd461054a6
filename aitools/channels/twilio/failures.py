"""Why a request to Twilio failed, and above all: may it have been taken?"""

from __future__ import annotations

import json
import re

from requests import exceptions as http
from twilio.base.exceptions import TwilioException
from twilio.http.response import Response
from urllib3.exceptions import NewConnectionError

from aitools.channels.twilio.codes import class_of
from aitools.errors import ChannelError, ChannelPermanent, ChannelTransient, ChannelUnknown

TOO_MANY_REQUESTS = 429
SERVER_ERROR = 500

_NUMBER = re.compile(r"\+?\d{7,}")


def channel_error(error: Exception) -> ChannelError:
    """The engine's error for whatever the SDK or its HTTP client raised.

    Twilio knows no idempotency key, so a timeout, a lost answer and a server
    error are all unknown: only a look-up can tell.
    """
    if isinstance(error, TwilioException):
        return _refusal(error)
    if isinstance(error, http.InvalidURL | http.MissingSchema | http.InvalidSchema):
        return ChannelPermanent("TWILIO_API_BASE_URL is not a usable address.", kind="config")
    if _never_connected(error):
        return ChannelTransient("Twilio could not be reached.")
    return ChannelUnknown(f"No answer from Twilio ({type(error).__name__}).")


def _refusal(error: TwilioException) -> ChannelError:
    status, code = _status_and_code(error)
    text = f"Twilio {code}: {_reason(error)}"
    if status == TOO_MANY_REQUESTS:
        return ChannelTransient(text, code=code)
    if status >= SERVER_ERROR:
        return ChannelUnknown(text, code=code)
    kind = class_of(code).kind
    if kind == "retry":
        return ChannelTransient(text, code=code)
    return ChannelPermanent(text, code=code, kind=kind)


def _status_and_code(error: TwilioException) -> tuple[int, str]:
    """Of a list the SDK gives the answer as it came, of everything else what it read in it."""
    page = next((one for one in error.args if isinstance(one, Response)), None)
    if page is None:
        status = int(getattr(error, "status", 0) or 0)
        return status, str(getattr(error, "code", "") or status)
    try:
        body = json.loads(page.text)
    except ValueError:
        body = {}
    code = body.get("code") if isinstance(body, dict) else None
    return page.status_code, str(code or page.status_code)


def _reason(error: TwilioException) -> str:
    """Twilio's words, without the SDK's preface and without the customer's number."""
    words = str(getattr(error, "msg", "") or getattr(error, "detail", "") or getattr(error, "title", ""))
    return without_numbers(words.removeprefix("Unable to create record: "))


def without_numbers(words: str) -> str:
    """Twilio's words as staff and logs may have them: without anybody's phone number."""
    return _NUMBER.sub("…", words)


def _never_connected(error: Exception) -> bool:
    if isinstance(error, http.ConnectTimeout | http.ProxyError):
        return True
    cause = getattr(error.args[0], "reason", None) if error.args else None
    return isinstance(error, http.ConnectionError) and isinstance(cause, NewConnectionError)
