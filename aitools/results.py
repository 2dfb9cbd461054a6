"""Turning what handlers return, and what our rules decide, into text for the model."""

from __future__ import annotations

import dataclasses
import json
import logging
import math
from collections.abc import Mapping, Set
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

from django.db.models import Model, QuerySet
from django.utils.functional import Promise
from pydantic import BaseModel

from aitools.errors import ResultNotPlain, ToolRefusal
from aitools.storable import storable
from aitools.types import Json

log = logging.getLogger(__name__)

#: Longer results are cut: a model's window is shared with everything else.
MAX_CHARACTERS = 20_000
CUT = " […cut here: the result is longer]"
#: As deep as both our own walk and PostgreSQL go without asking.
MAX_DEPTH = 100
#: Python writes no longer whole numbers, and nobody reads them.
MAX_DIGITS = 4300
_TOO_LONG = 10**MAX_DIGITS


def as_json(value: Any) -> Json:
    """A handler's return value as plain JSON: str stays as it is, None is "ok".

    Decimal, UUID and lazy texts become text, dates ISO text, durations seconds,
    enums their value, sets sorted lists, dataclasses and pydantic models objects;
    what is not a number becomes null.  Anything else raises ``ResultNotPlain``,
    as do rows of the database: return the few plain values of them that are meant.
    """
    try:
        return "ok" if value is None else storable(_plain(value, 0))
    except ResultNotPlain as fault:
        log.error("a tool's result: %s", fault)  # noqa: TRY400 - the declaration is at fault, not this line
        raise


def as_text(value: Json) -> str:
    """JSON as the model reads it, without control characters, cut to the limit."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    clean = "".join(char for char in text if char >= " " or char in "\n\t")
    return clean if len(clean) <= MAX_CHARACTERS else clean[: MAX_CHARACTERS - len(CUT)] + CUT


def is_error(value: Json) -> bool:
    """Whether a result says itself that it failed: an object with an ``error``. Not remembered as done."""
    return isinstance(value, Mapping) and bool(value.get("error"))


def error(message: str) -> str:
    return as_text({"error": message})


def refusal(refused: ToolRefusal, note: str = "") -> str:
    """Why a tool did not do it; ``say`` is what the customer may be told as it stands."""
    text = f"{refused} {note}".strip()
    return as_text({"error": text, "say": refused.say}) if refused.say else error(text)


def refused_unasked(refused: ToolRefusal) -> str:
    """The shop's rules refuse a call before the customer hears of it."""
    return refusal(refused, "The user was not asked.")


def crashed(fault: BaseException) -> str:
    """A handler broke and its writes were undone; the fault's own words stay ours."""
    return error(f"The tool failed ({type(fault).__name__}); nothing was done.")


def declined() -> str:
    return as_text(
        {
            "executed": False,
            "reason": "denied",
            "note": "The customer said no to this one call. Do not retry it; ask what they want.",
        }
    )


def user_replied(text: str) -> str:
    return as_text({"executed": False, "reason": "user_replied", "userReply": text})


def changed() -> str:
    return as_text(
        {
            "executed": False,
            "reason": "changed",
            "note": "Prices or availability changed; the system asks the customer again.",
        }
    )


def expired() -> str:
    return as_text({"executed": False, "reason": "expired"})


def superseded() -> str:
    return as_text({"executed": False, "reason": "superseded"})


def truncated() -> str:
    return error("Your reply was cut by the output limit; nothing was run. Answer more briefly.")


def not_run_limit() -> str:
    return error("Not run: the limit of steps for this message is reached.")


def unknown_tool(name: str, allowed: list[str]) -> str:
    return error(f"There is no tool {name!r}. Allowed: {', '.join(allowed)}.")


def no_confirmer() -> str:
    return error("Not run: this tool needs the customer's yes and nobody can be asked here.")


def unknown_outcome() -> str:
    return error("The outcome is unknown: it may have happened. Do not repeat it; tell staff.")


def timed_out(seconds: float) -> str:
    return error(f"Not done: it took longer than {seconds:g} s and was undone.")


def repeated(content: str) -> str:
    return as_text({"note": "Same call as before in this turn; same result.", "result": content})


def duplicate(previous: str, seconds_ago: int) -> str:
    return as_text(
        {
            "executed": False,
            "reason": "duplicate",
            "previous": {"result": previous, "secondsAgo": seconds_ago},
        }
    )


def _plain(value: Any, depth: int) -> Json:
    if depth > MAX_DEPTH:
        raise ResultNotPlain("it is nested too deeply, or holds itself")
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, int) and not -_TOO_LONG < value < _TOO_LONG:
        raise ResultNotPlain(f"it holds a whole number of more than {MAX_DIGITS} digits")
    if value is None or isinstance(value, bool | str | int):
        return value
    if isinstance(value, BaseModel):
        value = value.model_dump(mode="json")
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {one.name: getattr(value, one.name) for one in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {_key(key): _plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple | Set):
        items = [_plain(item, depth + 1) for item in value]
        return sorted(items, key=str) if isinstance(value, Set) else items
    return _scalar(value)


def _key(key: Any) -> str:
    plain = _plain(key, MAX_DEPTH)
    return plain if isinstance(plain, str) else json.dumps(plain)


def _scalar(value: Any) -> Json:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Decimal):
        return str(value) if value.is_finite() else None
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, UUID | Promise):
        return str(value)
    if isinstance(value, Model | QuerySet):
        raise ResultNotPlain(f"it holds rows ({type(value).__name__}); return the plain values of them that are meant")
    raise ResultNotPlain(f"it holds a {type(value).__name__}, which has no JSON form")
