"""Arguments as lines for people: the default question of a tool that words none itself."""

from __future__ import annotations

from collections.abc import Mapping

from aitools.tools import Tool, ToolContext
from aitools.types import Json
from aitools.validation import Valid

#: value → label, per argument name; names inside list items count too.
Labels = Mapping[str, Mapping[str, str]]


def arg_lines(arguments: Mapping[str, Json], labels: Labels) -> list[str]:
    """One line an argument, in its order; empty ones are left out, keys get their labels."""
    return [
        f"{_humanised(name)}: {summarize_value(value, labels, name)}"
        for name, value in arguments.items()
        if value not in (None, "", [], {})
    ]


def summarize_value(value: Json, labels: Labels, name: str = "") -> str:
    """One value in words: labels for keys, "2 × Pan" for items with a quantity."""
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, list):
        return ", ".join(summarize_value(item, labels, name) for item in value)
    if isinstance(value, Mapping):
        return _item(value, labels)
    return labels.get(name, {}).get(str(value), str(value))


def _item(item: Mapping[str, Json], labels: Labels) -> str:
    shown = {key: summarize_value(value, labels, key) for key, value in item.items() if value not in (None, "", [])}
    quantity = shown.pop("quantity", "")
    words = " · ".join(shown.values())
    return f"{quantity} × {words}" if quantity else words


def _humanised(name: str) -> str:
    return name.replace("_", " ").capitalize()


def question_lines(tool: Tool, valid: Valid, ctx: ToolContext) -> tuple[str, ...]:
    """The tool's own lines, else its arguments with labels."""
    if tool.confirm_lines is not None:
        return tuple(tool.confirm_lines(valid.parsed, ctx))
    labels = tool.labels() if callable(tool.labels) else tool.labels
    return tuple(arg_lines(valid.arguments, labels))
