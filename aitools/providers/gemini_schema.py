"""JSON Schemas as Gemini takes them: the words that all vendors know, with sets of words and numbers alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from aitools.providers.schema_subset import plain
from aitools.types import Json


def gemini_schema(schema: Mapping[str, Json]) -> dict[str, Json]:
    """The schema for ``parametersJsonSchema`` or ``responseJsonSchema``. It allows all that the tool allows, and more.

    A blank or a null among the values of a set would make every request a 400.
    """
    return _taken(plain(schema))


def _taken(node: Mapping[str, Json]) -> dict[str, Json]:
    taken: dict[str, Json] = {key: value for key, value in node.items() if key != "enum"}
    if "properties" in node:
        taken["properties"] = {name: _taken(inner) for name, inner in node["properties"].items()}
    if "anyOf" in node:
        taken["anyOf"] = [_taken(one) for one in node["anyOf"]]
    for key in ("items", "additionalProperties"):
        if isinstance(node.get(key), Mapping):
            taken[key] = _taken(node[key])
    return _with_set(taken, node["enum"]) if "enum" in node else taken


def _with_set(node: dict[str, Json], values: Sequence[Json]) -> dict[str, Json]:
    """The node with its set, if it is one of words and numbers. A null stands beside them, as a choice of its own."""
    kept = [value for value in values if value is not None]
    if not kept or not all(map(_is_word_or_number, kept)):
        return node
    if len(kept) == len(values):
        return {**node, "enum": kept}
    types = [one for one in _list(node.get("type")) if one != "null"]
    chosen = {**({"type": types[0] if len(types) == 1 else types} if types else {}), "enum": kept}
    rest = {key: value for key, value in node.items() if key != "type"}
    return {**rest, "anyOf": [chosen, {"type": "null"}]}


def _is_word_or_number(value: Any) -> bool:
    return bool(value) if isinstance(value, str) else isinstance(value, int | float) and not isinstance(value, bool)


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else [] if value is None else [value]
