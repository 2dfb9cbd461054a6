"""Vendors' faults in one vocabulary: what went wrong and whether waiting helps.

Anthropic and OpenAI, and the servers that imitate them, answer with an HTTP
status and an ``error`` object, string or list.  Their codes are more exact than
the status (429 is three different things), so codes are read first.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime

import httpx2

from aitools.errors import ProviderError, ProviderPermanent, ProviderTransient
from aitools.types import Json

#: Longest vendor text kept in an error; the rest may quote the customer.
MESSAGE_LIMIT = 500
NO_REASON = "no reason given"

TRANSIENT = frozenset({"rate_limit", "overloaded", "server", "timeout", "connection", "tool_generation"})

_BY_CODE = {
    "authentication_error": "auth",
    "invalid_api_key": "auth",
    "permission_error": "auth",
    "billing_error": "quota",
    "insufficient_quota": "quota",
    "model_not_found": "not_found",
    "not_found_error": "not_found",
    "context_length_exceeded": "context_overflow",
    "exceed_context_size_error": "context_overflow",
    "request_too_large": "context_overflow",
    "rate_limit_error": "rate_limit",
    "rate_limit_exceeded": "rate_limit",
    "overloaded_error": "overloaded",
    "unavailable_error": "overloaded",
    "timeout_error": "timeout",
    "api_error": "server",
    "server_error": "server",
    "invalid_prompt": "invalid_request",
    "tool_use_failed": "tool_generation",
}

_BY_STATUS = {
    401: "auth",
    402: "quota",
    403: "auth",
    404: "not_found",
    408: "timeout",
    409: "server",
    413: "context_overflow",
    429: "rate_limit",
    503: "overloaded",
    504: "timeout",
    529: "overloaded",
}

#: Faults that vendors name in words alone, under a code that means less.
_BY_PHRASE = {
    "prompt is too long": "context_overflow",
    "request too large": "context_overflow",
    "exceeds the maximum number of tokens": "context_overflow",  # Gemini, as a 400
    "credit balance is too low": "quota",
    "incorrect api key": "auth",  # xAI, as a 400
    "api key not valid": "auth",  # Gemini, as a 400
    "your input was flagged": "invalid_request",  # OpenRouter, as a 403: what one customer wrote, not our key
    "maximum pending requests exceeded": "overloaded",  # Ollama
    "error parsing tool call": "tool_generation",  # Ollama, as a 500: the model's text was no call
    "does not support tools": "tools_unsupported",  # Ollama
    "does not support function calling": "tools_unsupported",
    "function calling is not enabled": "tools_unsupported",  # Gemini, for models of another family
    "no endpoints found that support tool use": "tools_unsupported",  # OpenRouter, as a 404
    "tool choice requires --enable-auto-tool-choice": "tools_unsupported",  # vLLM without a parser
    "tools param requires --jinja": "tools_unsupported",  # llama-server, as a 500
    "unsupported param: tools": "tools_unsupported",
    "tools is not supported in this model": "tools_unsupported",  # OpenAI
    "tool calling` is not supported": "tools_unsupported",  # Groq
}


def failure(
    status: int,
    body: Json,
    *,
    headers: Mapping[str, str] | None = None,
    secret: str = "",
) -> ProviderError:
    """The error for a vendor's answer. ``secret`` is blotted out of its text.

    ``body`` is parsed JSON or plain text; ``status`` may be 200, because some
    vendors report faults in a successful answer.
    """
    codes, said = _read(body)
    kind = _kind(_meant(status, body), codes, said)
    raised = ProviderTransient if kind in TRANSIENT else ProviderPermanent
    message = _shown(f"HTTP {status}: {said or NO_REASON}", secret)
    return raised(message, kind=kind, retry_after=_retry_after(headers or {}))


def is_vendors(said: str) -> bool:
    """Whether an error's text has words of the vendor's own, as those made of its answers have."""
    return said.startswith("HTTP ") and not said.endswith(f": {NO_REASON}")


def failure_of(response: httpx2.Response, secret: str = "") -> ProviderError:
    """The error for a refused request, whatever its body looks like."""
    try:
        body = response.json()
    except ValueError:
        body = response.text
    return failure(response.status_code, body, headers=response.headers, secret=secret)


def _read(body: Json) -> tuple[list[str], str]:
    """The codes of an error body, most exact first, and its sentence."""
    found = body.get("error", body) if isinstance(body, Mapping) else body
    if isinstance(found, list) and found:
        found = found[0]
    if not isinstance(found, Mapping):
        return [], str(found or "")
    codes = [found.get("code"), found.get("type")]
    said = found.get("message") or found.get("detail") or found.get("error") or ""
    return [code for code in codes if isinstance(code, str)], str(said)


def _meant(status: int, body: Json) -> int:
    """The status of a fault that came as a success: routers give the one they got as its code."""
    error = body.get("error") if isinstance(body, Mapping) else None
    code = error.get("code") if isinstance(error, Mapping) else None
    return code if status < 300 and isinstance(code, int) and 400 <= code < 600 else status


def _kind(status: int, codes: list[str], said: str) -> str:
    lowered = said.lower()
    # The vendor's own words come first; what stands behind them may be the customer's.
    by_phrase = sorted((lowered.find(phrase), kind) for phrase, kind in _BY_PHRASE.items() if phrase in lowered)
    by_code = (_BY_CODE[code] for code in codes if code in _BY_CODE)
    known = (by_phrase[0][1] if by_phrase else "") or next(by_code, "") or _BY_STATUS.get(status, "")
    # A fault inside a 200 says nothing about the request: it may pass next time.
    return known or ("invalid_request" if 300 <= status < 500 else "server")


def _shown(said: str, secret: str) -> str:
    hidden = said.replace(secret, "[key]") if secret else said
    return " ".join(hidden.split())[:MESSAGE_LIMIT]


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, from milliseconds, seconds or a date; None if not said."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    seconds = _number(headers.get("retry-after"))
    if seconds is not None:
        return seconds
    due, sent = _date(headers.get("retry-after")), _date(headers.get("date"))
    # Both dates are the vendor's, so nobody's clock needs to agree with it.
    return max(0.0, (due - sent).total_seconds()) if due and sent else None


def _date(text: str | None) -> datetime | None:
    """An HTTP date; they are always GMT, so the zone is left out."""
    try:
        return parsedate_to_datetime(text or "").replace(tzinfo=None)
    except ValueError:
        return None


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None
