"""Reading JSON that anything may be in: what is missing or of another kind is blank."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

#: The vendor's JSON: strings, numbers (``int``, ``Decimal``), lists and objects.
Value = Any


def loads(body: bytes) -> Value:
    """The JSON in a body. Raises ``ValueError`` or ``RecursionError`` when there is none.

    Prices must not pass through floats; NaN and infinities are no JSON and nothing here.
    """
    return json.loads(body, parse_float=Decimal, parse_constant=lambda _name: None)


def at(found: Value, *path: str) -> Value:
    """What lies under these keys, one inside the other; None if any is missing."""
    for key in path:
        if not isinstance(found, Mapping):
            return None
        found = found.get(key)
    return found


def text(found: Value, *path: str) -> str:
    """A string, or a whole number as one: ids and times have been seen as both."""
    value = at(found, *path)
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def flag(found: Value, *path: str) -> bool:
    return at(found, *path) is True


def listed(found: Value, *path: str) -> Sequence[Value]:
    """A list; a single object counts as a list of one, as some senders write it."""
    value = at(found, *path)
    if isinstance(value, Mapping):
        return [value]
    return value if isinstance(value, list) else []


def number(found: Value, *path: str) -> int | float | None:
    """A finite number as jsonb holds it."""
    value = at(found, *path)
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return None
    try:
        close = float(value)
    except OverflowError:
        return None
    if not math.isfinite(close):
        return None
    return value if isinstance(value, int) else close


def digest(found: Value) -> str:
    """A name for something that has none: the same for the same content."""
    content = found if isinstance(found, bytes) else json.dumps(found, sort_keys=True, default=str).encode()
    return hashlib.sha256(content).hexdigest()
