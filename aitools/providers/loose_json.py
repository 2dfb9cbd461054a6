"""JSON as weak models write it, read without guessing at what is not there.

Only spelling is mended: quotes, escapes, commas before a bracket, comments,
names without quotes, Python's words; then ``json`` judges.  Libraries that
repair JSON also close what was cut off, and an order of 12 would become one of 1.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from aitools.providers.payloads import finite, refuse
from aitools.storable import storable
from aitools.types import Json

#: Deeper than any tool's arguments; what is nested deeper is not read.
MAX_DEPTH = 50

#: An object, or a list of objects: other brackets are prose.
_START = re.compile(r"""\{(?=\s*(?:["'“”„‘}]|\w+\s*:|\Z))|\[(?=\s*\{\s*["'“”„‘\w])""")
_TOKEN = re.compile(
    r"""
    (?P<blank>   \s+ | //[^\n]* | /\*.*?\*/ )
  | (?P<string>  "(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*' | [“”„](?:[^“”\\]|\\.)*[“”] | ‘(?:[^’\\]|\\.)*’ )
  | (?P<word>    [^\W\d]\w* )(?P<names>(?=\s*:))?
  | (?P<open>    [{\[] )
  | (?P<close>   [}\]] )
  | (?P<endless> ["'“”„‘] | /\* )
  | .
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(.)|\"", re.DOTALL)
_CLOSED_BY = {"{": "}", "[": "]"}
_WORDS = {"True": "true", "False": "false", "None": "null"}


class CutError(ValueError):
    """The text ends inside an object."""


def values(text: str) -> Iterator[Json]:
    """Each object, or list of objects, in ``text``, in order, whatever stands around it.

    None stands for one that can't be read.  Raises ``CutError`` at one without
    an end: what is inside of it is never given out.
    """
    at = 0
    while start := _START.search(text, at):
        spelled, at = _spelled(text, start.start())
        yield _parsed(spelled)


def _spelled(text: str, at: int) -> tuple[str, int]:
    """The object from ``at`` on in JSON's own spelling, and where it ends."""
    out: list[str] = []
    closers: list[str] = []
    while found := _TOKEN.match(text, at):
        at, token = found.end(), found[0]
        if found["endless"]:
            break
        if found["open"]:
            closers.append(_CLOSED_BY[token])
        if found["close"]:
            _drop_comma(out)
            if token != closers.pop() or len(closers) >= MAX_DEPTH:
                return "", len(text)  # nothing inside can be trusted any more
        out.append(_in_json(found))
        if not closers:
            return "".join(out), at
    raise CutError


def _in_json(found: re.Match[str]) -> str:
    if found["blank"]:
        return " "
    if found["string"]:
        return f'"{_ESCAPE.sub(_escaped, found[0][1:-1])}"'
    if found["word"]:
        return json.dumps(found[0]) if found["names"] is not None else _WORDS.get(found[0], found[0])
    return found[0]


def _escaped(found: re.Match[str]) -> str:
    """One escape, or a bare quote between quotes of another kind, as JSON has it."""
    if found[1] is None:
        return '\\"'
    known = found[1] in '"\\/bfnrtu' or found[1].isalnum()
    return found[0] if known else found[1]


def _drop_comma(out: list[str]) -> None:
    while out and out[-1] == " ":
        out.pop()
    if out[-1] == ",":
        out.pop()


def _parsed(spelled: str) -> Json:
    try:
        parsed = json.loads(
            spelled, strict=False, parse_constant=refuse, parse_float=finite, object_pairs_hook=_each_once
        )
    except (ValueError, RecursionError):
        return None
    return storable(parsed)


def _each_once(pairs: Sequence[tuple[str, Json]]) -> dict[str, Json]:
    """Of two values for one name, the first would be lost in silence."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("A name occurs twice.")
    return found
