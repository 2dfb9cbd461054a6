"""JSON Schemas of tools: checked when declared, made once, filled with the keys of the moment."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any
from weakref import WeakKeyDictionary

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from jsonschema.protocols import Validator
from jsonschema.validators import validator_for
from pydantic import BaseModel
from pydantic.errors import PydanticUserError
from referencing import Registry

from aitools.choices import MARK, ChoiceSource, Members, noting
from aitools.errors import ConfigurationError
from aitools.types import Json

#: A schema as it is declared: pydantic reads and checks it, or ``jsonschema``.
Declared = type[BaseModel] | Mapping[str, Json]


@dataclass(frozen=True, eq=False)
class Shape:
    """What a schema is, but for the keys of its closed sets. Shared by threads.

    ``model`` is None for a plain JSON Schema.  ``bare`` has every ``$ref``
    replaced by what it names: vendors differ in taking them.
    """

    model: type[BaseModel] | None
    bare: Mapping[str, Json]
    sources: Mapping[str, ChoiceSource] = field(default_factory=dict)
    _filled: list[tuple[tuple[Members, ...], Mapping[str, Json]]] = field(default_factory=list, init=False)

    def filled(self) -> Mapping[str, Json]:
        """The schema with the keys of now; made anew only when one of the sets changed."""
        if not self.sources:
            return self.bare
        now = tuple(source.members() for source in self.sources.values())
        if not self._filled or any(known is not new for known, new in zip(self._filled[0][0], now, strict=True)):
            filled: Mapping[str, Json] = _fill(self.bare, self.sources)
            self._filled[:] = [(now, filled)]
            return filled
        return self._filled[0][1]

    def hash(self, version: int) -> str:
        """Identifies what validates; closed sets are left out, they change daily."""
        return hashlib.sha256(f"[{version}, {self._text}]".encode()).hexdigest()[:16]

    @cached_property
    def validator(self) -> Validator:
        """Checks values against a plain JSON Schema. Fetches nothing."""
        kind = validator_for(self.bare, default=Draft202012Validator)
        checker: Validator = kind(self.bare, registry=Registry(), format_checker=kind.FORMAT_CHECKER)
        return checker

    @cached_property
    def _text(self) -> str:
        return json.dumps(_without_sets(self.bare), sort_keys=True)


_of_models: WeakKeyDictionary[type[BaseModel], Shape] = WeakKeyDictionary()


def shape_of(declared: Any) -> Shape:
    """The shape of a pydantic model or a JSON Schema; the same object for the same schema.

    Raises ``ConfigurationError`` with the fault. Reads no closed set.
    """
    if isinstance(declared, type):
        if not issubclass(declared, BaseModel):
            raise ConfigurationError(f"the schema is the class {declared.__name__}, not a pydantic model")
        known = _of_models.get(declared)
        if known is None:
            known = _of_models[declared] = _of_model(declared)
        return known
    if not isinstance(declared, Mapping):
        raise ConfigurationError(f"the schema is a {type(declared).__name__}, no pydantic model and no JSON Schema")
    return _of_text(_serialised(declared))


def _of_model(model: type[BaseModel]) -> Shape:
    try:
        with noting() as sources:
            schema = model.model_json_schema()
    except PydanticUserError as error:
        raise ConfigurationError(f"the schema has no JSON form: {str(error).splitlines()[0]}") from error
    return Shape(model, _checked(json.loads(_serialised(schema))), sources)


@lru_cache(maxsize=256)
def _of_text(text: str) -> Shape:
    return Shape(None, _checked(json.loads(text)))


def _serialised(schema: Mapping[str, Json]) -> str:
    try:
        return json.dumps(dict(schema), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ConfigurationError(f"the schema can not be written as JSON: {error}") from error


def _checked(schema: dict[str, Json]) -> dict[str, Json]:
    """The schema without references, when it is a right one for arguments."""
    kind = validator_for(schema, default=Draft202012Validator)
    try:
        kind.check_schema(schema)
    except SchemaError as error:
        where = "/".join(str(part) for part in error.absolute_path)
        raise ConfigurationError(f"the schema is not valid at {where or 'its root'}: {error.message[:200]}") from error
    inlined = _inlined(schema, schema, ())
    if not isinstance(inlined, dict) or inlined.get("type") != "object":
        raise ConfigurationError('the schema must have the type "object": arguments have names')
    for name in _impossible(inlined):
        raise ConfigurationError(f"the schema requires {name!r} but has no such property and allows no other")
    return inlined


def names_in(shape: Shape) -> set[str] | None:
    """Every name that arguments of this shape may have once they are checked, inside items too; None when any."""
    stored = _stored_form(shape)
    nodes = list(_nodes(stored))
    if not stored.get("properties") or any(
        node.get("patternProperties") or node.get("additionalProperties") for node in nodes
    ):
        return None
    return {name for node in nodes for name in _mapping(node.get("properties"))}


def _stored_form(shape: Shape) -> Mapping[str, Json]:
    """A model's arguments are stored under its fields' own names, not their aliases; {} when nobody can say."""
    if shape.model is None:
        return shape.bare
    try:
        with noting():
            return shape.model.model_json_schema(by_alias=False, mode="serialization")
    except PydanticUserError:
        return {}


def _nodes(node: Json) -> Iterator[Mapping[str, Json]]:
    """A schema and the schemas inside it; no values that only look like one."""
    if isinstance(node, list):
        for value in node:
            yield from _nodes(value)
    if not isinstance(node, Mapping):
        return
    yield node
    for key, value in node.items():
        if key in ("properties", "patternProperties", "dependentSchemas", "$defs"):
            yield from _nodes(list(_mapping(value).values()))
        elif key not in ("enum", "const", "default", "examples"):
            yield from _nodes(value)


def _mapping(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, Mapping) else {}


def _impossible(schema: Mapping[str, Json]) -> Iterator[str]:
    """Names that are required and forbidden at once: no call could ever pass."""
    for node in _nodes(schema):
        required = node.get("required")
        if node.get("additionalProperties") is False and not node.get("patternProperties"):
            known = _mapping(node.get("properties"))
            yield from (str(name) for name in (required if isinstance(required, list) else ()) if name not in known)


def _inlined(node: Json, root: Mapping[str, Json], within: tuple[str, ...]) -> Json:
    if isinstance(node, list):
        return [_inlined(value, root, within) for value in node]
    if not isinstance(node, dict):
        return node
    reference = node.get("$ref")
    if not isinstance(reference, str):
        kept = {key: value for key, value in node.items() if not (key in ("$defs", "definitions") and node is root)}
        return {key: _inlined(value, root, within) for key, value in kept.items()}
    if reference in within:
        raise ConfigurationError(f"the schema holds itself at {reference}; not every vendor takes that")
    beside = {key: value for key, value in node.items() if key != "$ref"}
    return _inlined({**_named(reference, root), **beside}, root, (*within, reference))


def _named(reference: str, root: Mapping[str, Json]) -> dict[str, Json]:
    """What a local ``$ref`` points at."""
    found: Json = root if reference.startswith("#/") else None
    for part in reference.split("/")[1:]:
        found = found.get(part.replace("~1", "/").replace("~0", "~")) if isinstance(found, dict) else None
    if not isinstance(found, dict):
        raise ConfigurationError(f"the schema refers to {reference!r}, which is not in it")
    return found


def _fill(node: Json, sources: Mapping[str, ChoiceSource]) -> Json:
    if isinstance(node, list):
        return [_fill(value, sources) for value in node]
    if not isinstance(node, dict):
        return node
    inner = {key: _fill(value, sources) for key, value in node.items()}
    source = sources.get(str(node.get(MARK)))
    return source.fill(inner) if source else inner


def _without_sets(node: Json) -> Json:
    if isinstance(node, list):
        return [_without_sets(value) for value in node]
    if not isinstance(node, dict):
        return node
    closed = MARK in node
    return {key: _without_sets(value) for key, value in node.items() if not (closed and key in ("enum", "description"))}
