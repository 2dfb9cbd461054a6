"""Arguments as lines for people: the default question of a tool that words none itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.utils.functional import Promise
from django.utils.translation import gettext

from aitools.tools import Tool, ToolContext
from aitools.types import Json
from aitools.validation import Valid

#: value → label, per argument name; names inside list items count too.
Labels = Mapping[str, Mapping[str, str]]


def arg_lines(arguments: Mapping[str, Json], labels: Labels) -> list[str]:
    """Arguments for people, one line each, in their order: "Branch: Centro".

    For those who write a question of their own.  Names are humanised, keys get
    their ``labels``, and what is empty (null, "", no items) is left out.
    """
    return [
        f"{_humanised(name)}: {summarize_value(value, labels, name)}"
        for name, value in arguments.items()
        if not _is_empty(value)
    ]


def summarize_value(value: Json, labels: Labels, name: str = "") -> str:
    """One value in words, on one line; ``name`` is the argument's, for its labels.

    A list is its items with commas, an object its values: "2 × Pan de bono · big"
    when one of them is a ``quantity``.  A boolean is yes or no in the active
    language.  Never JSON, never a key that has a label.
    """
    if isinstance(value, bool):
        return _yes_or_no(value)
    if isinstance(value, list | tuple):
        return ", ".join(summarize_value(item, labels, name) for item in value if not _is_empty(item))
    if isinstance(value, Mapping):
        return _item(value, labels)
    return " ".join(labels.get(name, {}).get(str(value), str(value)).split())


def _item(item: Mapping[str, Json], labels: Labels) -> str:
    shown = {key: summarize_value(value, labels, key) for key, value in item.items() if not _is_empty(value)}
    quantity = shown.pop("quantity", "")
    words = " · ".join(shown.values())
    return f"{quantity} × {words}" if quantity and words else quantity or words


def _is_empty(value: Json) -> bool:
    return value is None or (isinstance(value, str | list | tuple | Mapping) and not value)


def _yes_or_no(value: bool) -> str:
    """In plain English where Django is not set up."""
    word = "Yes" if value else "No"
    return gettext(word) if settings.configured else word


def _humanised(name: str) -> str:
    return name.replace("_", " ").capitalize()


def question_lines(tool: Tool, valid: Valid, ctx: ToolContext) -> tuple[str, ...]:
    """The tool's own lines (a text is one line), else its arguments with labels."""
    if tool.confirm_lines is not None:
        own: Any = tool.confirm_lines(valid.parsed, ctx)
        return (str(own),) if isinstance(own, str | Promise) else tuple(str(line) for line in own)
    labels = tool.labels() if callable(tool.labels) else tool.labels
    return tuple(arg_lines(valid.arguments, labels))
