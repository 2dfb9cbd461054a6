"""Turning what handlers return, and what our rules decide, into text for the model."""

from __future__ import annotations

import dataclasses
import json
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db.models import Model
from django.utils.functional import Promise
from pydantic import BaseModel

from aitools.errors import ToolFailed, ToolRefusal
from aitools.types import Json

#: Longer results are cut: a model's window is shared with everything else.
MAX_CHARACTERS = 20_000


def as_json(value: Any) -> Json:
    """A handler's return value as plain JSON; None is "ok", str stays as it is."""
    return "ok" if value is None else json.loads(json.dumps(value, default=_plain))


def as_text(value: Json) -> str:
    """JSON as the model reads it, without control characters, cut to the limit."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    clean = "".join(char for char in text if char >= " " or char in "\n\t")
    return clean[:MAX_CHARACTERS]


def error(message: str) -> str:
    return as_text({"error": message})


def refusal(refused: ToolRefusal, note: str = "") -> str:
    """Why a tool did not do it; ``say`` is what the customer may be told as it stands."""
    text = f"{refused} {note}".strip()
    return as_text({"error": text, "say": refused.say}) if refused.say else error(text)


def refused_unasked(refused: ToolRefusal) -> str:
    """The shop's rules refuse a call before the customer hears of it."""
    return refusal(refused, "The user was not asked.")


def crashed(fault: Exception) -> str:
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


def _plain(value: Any) -> Json:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    if isinstance(value, Model):
        raise ToolFailed("A tool returned a model instance; return plain values of it instead.")
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, Decimal | UUID | Promise):
        return str(value)
    if isinstance(value, set | frozenset):
        return sorted(value)
    raise ToolFailed(f"A tool returned a {type(value).__name__}, which has no JSON form.")
