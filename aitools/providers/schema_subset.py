"""JSON Schemas in the words that every vendor knows.

A tool has one schema and is checked against that one here, whatever a vendor's
grammar lets pass.  What a vendor would refuse, or drop without a word, goes into
the description, where the model reads it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from aitools.choices import MARK
from aitools.types import Json

#: Limits that constrained decoding ignores or refuses, said in words.
_LIMITS = (
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "minItems",
    "maxItems",
    "uniqueItems",
)
_TYPES = ("object", "array", "string", "integer", "number", "boolean", "null")

#: OpenAI's limits for one strict schema.
MAX_ENUM_VALUES = 1000
MAX_DEPTH = 10


def plain(schema: Mapping[str, Json]) -> dict[str, Json]:
    """The schema in types, properties, items, enums, ``anyOf`` and descriptions alone. References are inlined already.

    It allows all that the tool allows, and more.
    """
    return {"properties": {}, **_plain(schema), "type": "object"}


def strict(schema: Mapping[str, Json]) -> dict[str, Json] | None:
    """The schema for a grammar: every property is required, and may be null where the tool could do without it.

    None where that can't be said (free objects, sets too large), or where it
    would cost more than it gives: vendors make a grammar anew, in seconds, for
    each new schema, and closed sets change with the menu.
    """
    mapped = _strict(plain(schema))
    nodes = list(_nodes(mapped))
    small = sum(len(node.get("enum", ())) for node in nodes) <= MAX_ENUM_VALUES and _depth(mapped) <= MAX_DEPTH
    return mapped if small and all(map(_is_closed, nodes)) and not _has_sets(schema) else None


def without_nulls(arguments: Mapping[str, Json], schema: Mapping[str, Json]) -> dict[str, Json]:
    """The arguments of a ``strict`` call as the tool takes them: a null that it does not take means "left out"."""
    properties, required = schema.get("properties") or {}, schema.get("required") or ()
    return {
        name: _restored(value, properties.get(name) or {})
        for name, value in arguments.items()
        if value is not None or name in required or _takes_null(properties.get(name) or {})
    }


def _plain(node: Mapping[str, Json]) -> dict[str, Json]:
    """One schema. Keywords that nobody named here are checked by us alone."""
    node = _merged(node)
    mapped: dict[str, Json] = {key: node[key] for key in ("required", "enum") if key in node}
    types = [one for one in _list(node.get("type")) if one in _TYPES]
    if types:
        mapped["type"] = types[0] if len(types) == 1 else types
    if "const" in node:
        mapped["enum"] = [node["const"]]
    if isinstance(node.get("properties"), Mapping):
        mapped["properties"] = {name: _plain(value) for name, value in node["properties"].items()}
    if "additionalProperties" in node:
        rest = node["additionalProperties"]
        mapped["additionalProperties"] = _plain(rest) if isinstance(rest, Mapping) else rest
    if isinstance(node.get("items"), Mapping):
        mapped["items"] = _plain(node["items"])
    description = _described(node)
    if description:
        mapped["description"] = description
    return _with_branches(mapped, [_plain(one) for one in node.get("anyOf") or node.get("oneOf") or ()])


def _merged(node: Any) -> Mapping[str, Json]:
    """``allOf`` as one schema; true as the schema that allows all."""
    found: Mapping[str, Json] = node if isinstance(node, Mapping) else {}
    for part in found.get("allOf") or ():
        found = {**_merged(part), **found}
    return found


def _with_branches(mapped: dict[str, Json], branches: list[dict[str, Json]]) -> dict[str, Json]:
    """A choice between something and null is a type that may be null; any other choice stays one."""
    kept = [one for one in branches if one.get("type") != "null"]
    if len(kept) == 1 and len(kept) < len(branches):
        said = " ".join(one["description"] for one in (mapped, kept[0]) if "description" in one)
        return {**kept[0], **mapped, **_nullable(kept[0]), **({"description": said} if said else {})}
    return {**mapped, "anyOf": branches} if branches else mapped


def _nullable(node: Mapping[str, Json]) -> dict[str, Json]:
    """What has to change for null to be taken too."""
    types = _list(node.get("type"))
    if not types:
        return {"anyOf": [*node["anyOf"], {"type": "null"}]} if "anyOf" in node else {}
    changed: dict[str, Json] = {"type": [*types, *(["null"] if "null" not in types else [])]}
    if "enum" in node and None not in node["enum"]:
        changed["enum"] = [*node["enum"], None]
    return changed


def _described(node: Mapping[str, Json]) -> str:
    said = str(node.get("description") or "")
    limits = ", ".join(f"{key} {json.dumps(node[key], ensure_ascii=False)}" for key in _LIMITS if key in node)
    return " ".join(part for part in (said, f"({limits})" if limits else "") if part)


def _strict(node: Mapping[str, Json]) -> dict[str, Json]:
    mapped = dict(node)
    if "properties" in node:
        required = node.get("required") or ()
        inner = {name: _strict(value) for name, value in node["properties"].items()}
        mapped["properties"] = {
            name: value if name in required else {**value, **_nullable(value)} for name, value in inner.items()
        }
        mapped["required"] = list(inner)
    if "object" in _list(node.get("type")):
        mapped.setdefault("additionalProperties", False)
    if "items" in node:
        mapped["items"] = _strict(node["items"])
    if "anyOf" in node:
        mapped["anyOf"] = [_strict(one) for one in node["anyOf"]]
    return mapped


def _is_closed(node: Mapping[str, Json]) -> bool:
    """Whether a grammar can be made of this: a known type, and no object with names of the model's own choice."""
    types = _list(node.get("type"))
    if "object" in types:
        return "properties" in node and node.get("additionalProperties") is False
    return bool(types or node.get("anyOf")) and ("array" not in types or "items" in node)


def _nodes(node: Mapping[str, Json]) -> Iterator[Mapping[str, Json]]:
    yield node
    for inner in _inside(node):
        yield from _nodes(inner)


def _inside(node: Mapping[str, Json]) -> list[Mapping[str, Json]]:
    rest = [node[key] for key in ("items", "additionalProperties") if isinstance(node.get(key), Mapping)]
    return [*node.get("properties", {}).values(), *node.get("anyOf", ()), *rest]


def _depth(node: Mapping[str, Json]) -> int:
    return 1 + max(map(_depth, _inside(node)), default=0)


def _has_sets(node: Json) -> bool:
    if isinstance(node, list):
        return any(map(_has_sets, node))
    return isinstance(node, Mapping) and (MARK in node or any(map(_has_sets, node.values())))


def _restored(value: Json, schema: Mapping[str, Json]) -> Json:
    options = [one for one in (schema, *_list(schema.get("anyOf"))) if isinstance(one, Mapping)]
    if isinstance(value, Mapping):
        inner = next((one for one in options if one.get("properties")), {})
        return without_nulls(value, inner)
    if isinstance(value, list):
        items: Mapping[str, Json] = next((one["items"] for one in options if isinstance(one.get("items"), Mapping)), {})
        return [_restored(item, items) for item in value]
    return value


def _takes_null(schema: Mapping[str, Json]) -> bool:
    branches = [*_list(schema.get("anyOf")), *_list(schema.get("oneOf"))]
    explicit = "null" in _list(schema.get("type")) or None in _list(schema.get("enum"))
    return explicit or any(isinstance(one, Mapping) and _takes_null(one) for one in branches)


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else [] if value is None else [value]
