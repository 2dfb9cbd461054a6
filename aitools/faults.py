"""What broke, in words that a log and staff may read: the kind of error and where, never its own words.

An error's own words may be the customer's: a value that could not be read, a row that was refused.
"""

from __future__ import annotations

import traceback
from types import FrameType

#: Frames of libraries say less than the line of ours that called them.
LIBRARIES = ("site-packages", "dist-packages", "/lib/python", "<frozen")


def reason_of(error: BaseException) -> str:
    """As "KeyError in orders.tools.quoting, line 41 (price)"; at most 300 characters."""
    kind = getattr(error, "kind", "")
    name = type(error).__name__ + (f" ({kind})" if kind and isinstance(kind, str) else "")
    frames = list(traceback.walk_tb(error.__traceback__))
    ours = [(frame, line) for frame, line in frames if not _is_library(frame)]
    if not frames:
        return name[:300]
    frame, line = (ours or frames)[-1]
    return f"{name} in {frame.f_globals.get('__name__', '?')}, line {line} ({frame.f_code.co_name})"[:300]


def trace_of(error: BaseException) -> str:
    """The lines of code that led there, innermost last, and no values."""
    return "".join(traceback.format_tb(error.__traceback__)).rstrip()


def _is_library(frame: FrameType) -> bool:
    return any(part in frame.f_code.co_filename for part in LIBRARIES)
