"""Making text from outside fit for PostgreSQL, after signatures are checked."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

from aitools.types import Json

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def storable(value: Json) -> Json:
    """The same JSON without NUL, which text columns refuse, lone surrogates shown as U+FFFD."""
    if isinstance(value, str):
        return _UNSTORABLE.sub(lambda found: "" if found[0] == "\x00" else "\ufffd", value)
    if isinstance(value, Mapping):
        return {storable(key): storable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [storable(item) for item in value]
    return value


def one_line(text: str) -> str:
    """A name from outside on one line. Without characters that nobody sees but that turn around what stands beside."""
    seen = "".join(char for char in str(storable(text)) if unicodedata.category(char) != "Cf")
    return " ".join("".join(char if char.isprintable() else " " for char in seen).split())
