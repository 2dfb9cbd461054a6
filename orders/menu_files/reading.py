"""From a file to a checked menu, or to all that is wrong with it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from orders.menu_files.references import problems_in
from orders.menu_files.schema import MenuFile

#: JSON can write these, PostgreSQL can't store them.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_TOO_DEEP = "file: is nested too deeply"


class MenuFileError(Exception):
    """The file can't become a menu; ``problems`` are ``path: what`` lines in file order."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


def read(path: Path) -> MenuFile:
    """Read and check a file. Raises ``MenuFileError``, also for what is no JSON."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=_Object)
    except (OSError, UnicodeDecodeError) as error:
        raise MenuFileError([f"{path}: {error}"]) from error
    except json.JSONDecodeError as error:
        raise MenuFileError([f"line {error.lineno}, column {error.colno}: {error.msg}"]) from error
    except RecursionError as error:
        raise MenuFileError([_TOO_DEEP]) from error
    return parse(data)


def parse(data: Any) -> MenuFile:
    """Check a decoded file as a whole: texts and shapes first, then references and duplicates."""
    try:
        unfit = list(_unfit(data, ()))
    except RecursionError as error:
        raise MenuFileError([_TOO_DEEP]) from error
    if unfit:
        raise MenuFileError(unfit)
    try:
        menu = MenuFile.model_validate(data)
    except ValidationError as error:
        raise MenuFileError([_problem(fault["loc"], fault["msg"]) for fault in error.errors()]) from error
    problems = problems_in(menu)
    if problems:
        raise MenuFileError(problems)
    return menu


class _Object(dict[str, Any]):
    """A JSON object that remembers which keys it had twice: the last would win in silence."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.repeated = [name for name, count in Counter(name for name, _ in pairs).items() if count > 1]


def _unfit(value: Any, path: tuple[int | str, ...]) -> Iterator[str]:
    """What no shape tells: characters that can't be stored, and keys that an object has twice."""
    if isinstance(value, str) and _UNSTORABLE.search(value):
        yield _problem(path, "has a character that can't be stored, such as NUL")
    if isinstance(value, _Object):
        yield from (_problem((*path, name), "is there twice") for name in value.repeated)
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, part in parts:
        yield from _unfit(part, (*path, name))


def _problem(location: tuple[int | str, ...], message: str) -> str:
    """``("products", 12, "price")`` is told as ``products[12].price``; the whole as ``file``."""
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    return f"{path.lstrip('.') or 'file'}: {message.removeprefix('Value error, ')}"
