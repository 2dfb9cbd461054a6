"""Public keys of rows: unguessable, and in the order in which they were made.

Random keys would touch a page of the index that nobody touched lately, for
every row; after each checkpoint PostgreSQL then logs that whole page.
"""

from __future__ import annotations

import secrets
import time
import uuid


def new_key() -> uuid.UUID:
    """A UUID of version 7 (RFC 9562): milliseconds, then 74 random bits."""
    milliseconds = time.time_ns() // 1_000_000
    random = secrets.randbits(74)
    head, tail = random >> 62, random & ((1 << 62) - 1)
    return uuid.UUID(int=(milliseconds << 80) | (0x7 << 76) | (head << 64) | (0b10 << 62) | tail)
