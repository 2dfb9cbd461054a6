"""Closed sets: keys for the model, labels for people, aliases for matching.

A ``ChoiceSource`` is a named set that staff keep in the database.  Put it on a
pydantic field with ``Annotated[str, ClosedSet(products)]``: the JSON Schema
then carries the keys of the moment (up to ``INLINE_LIMIT``), and validation
refuses any other with the nearest right ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema
from rapidfuzz import fuzz, process, utils

#: Above this many keys the schema names the search tool instead of the keys.
INLINE_LIMIT = 200
NEAREST = 5


@dataclass(frozen=True, slots=True)
class Choice:
    """One member: ``data`` carries what a matcher may need (price, variants)."""

    key: str
    label: str
    aliases: tuple[str, ...] = ()
    data: dict[str, Any] = field(default_factory=dict, hash=False, compare=False)


@dataclass(frozen=True, slots=True)
class ChoiceSource:
    """A named closed set. ``load`` returns the current members, in menu order.

    ``load`` may query the database and should cache per menu version.
    ``search_tool`` is named to the model when there are too many keys to list.
    """

    name: str
    load: Callable[[], Sequence[Choice]]
    search_tool: str = ""

    def keys(self) -> list[str]:
        return [choice.key for choice in self.load()]

    def label(self, key: str) -> str:
        """The label of ``key``, or the key itself when it is not a member."""
        return next((choice.label for choice in self.load() if choice.key == key), key)

    def nearest(self, word: str, limit: int = NEAREST) -> list[str]:
        """The ``limit`` keys most like ``word`` by key, label or alias, best first."""
        names = [(name, choice.key) for choice in self.load() for name in (choice.key, choice.label, *choice.aliases)]
        scored = process.extract(
            word,
            [name for name, _ in names],
            scorer=fuzz.WRatio,
            processor=utils.default_process,
            limit=limit * 4,
        )
        found = dict.fromkeys(names[index][1] for _, _, index in scored)
        return list(found)[:limit]


@dataclass(frozen=True, slots=True)
class ClosedSet:
    """Pydantic annotation that ties a string field to a ``ChoiceSource``."""

    source: ChoiceSource

    def __get_pydantic_core_schema__(self, source_type: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._check, handler(source_type))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        shown = dict(handler(schema))
        keys = self.source.keys()
        shown["x-choices"] = self.source.name
        if keys and len(keys) <= INLINE_LIMIT:
            shown["enum"] = keys
        elif self.source.search_tool:
            hint = f"A key from {self.source.search_tool}."
            shown["description"] = f"{shown.get('description', '')} {hint}".strip()
        return shown

    def _check(self, value: str) -> str:
        if value not in set(self.source.keys()):
            nearest = self.source.nearest(value)
            raise PydanticCustomError(
                "closed_set",
                "'{value}' is not one of {name}; nearest: {nearest}",
                {
                    "value": value[:80],
                    "name": self.source.name,
                    "nearest": ", ".join(nearest) or "none",
                },
            )
        return value
