"""Making text from outside fit for PostgreSQL, after signatures are checked."""

from __future__ import annotations

import re

UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def storable(text: str) -> str:
    """Drop NUL, which text columns refuse, and show lone surrogates as U+FFFD."""
    return UNSTORABLE.sub(lambda found: "" if found[0] == "\x00" else "\ufffd", text)
