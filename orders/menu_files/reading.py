"""From a file to a checked menu, or to all that is wrong with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from orders.menu_files.references import problems_in
from orders.menu_files.schema import MenuFile


class MenuFileError(Exception):
    """The file can't become a menu; ``problems`` are ``path: what`` lines in file order."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


def read(path: Path) -> MenuFile:
    """Read and check a file. Raises ``MenuFileError``, also for what is no JSON."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise MenuFileError([f"{path}: {error}"]) from error
    except json.JSONDecodeError as error:
        raise MenuFileError([f"line {error.lineno}, column {error.colno}: {error.msg}"]) from error
    return parse(data)


def parse(data: Any) -> MenuFile:
    """Check a decoded file as a whole: shapes first, then references and duplicates."""
    try:
        menu = MenuFile.model_validate(data)
    except ValidationError as error:
        raise MenuFileError([_problem(fault["loc"], fault["msg"]) for fault in error.errors()]) from error
    problems = problems_in(menu)
    if problems:
        raise MenuFileError(problems)
    return menu


def _problem(location: tuple[int | str, ...], message: str) -> str:
    """``("products", 12, "price")`` is told as ``products[12].price``; the whole as ``file``."""
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    return f"{path.lstrip('.') or 'file'}: {message.removeprefix('Value error, ')}"
