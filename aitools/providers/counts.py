"""Counts in a vendor's answer. They are for our books only: no odd one may cost us the answer."""

from __future__ import annotations

from collections.abc import Mapping

from aitools.types import Json


def counted(usage: Json, *path: str) -> int:
    """The count at the end of these keys; 0 when it is absent, negative or no whole number at all."""
    found = usage
    for key in path:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found if isinstance(found, int) and not isinstance(found, bool) and found > 0 else 0
