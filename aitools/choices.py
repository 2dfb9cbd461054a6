"""Closed sets: keys for the model, labels for people, aliases for matching.

A ``ChoiceSource`` is a named set that staff keep in the database.  Put it on a
pydantic field with ``Annotated[str, ClosedSet(products)]``: the JSON Schema
then carries the keys of the moment (up to ``INLINE_LIMIT``), and validation
refuses any other with the nearest right ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar, cast

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema
from rapidfuzz import fuzz, process, utils

from aitools.errors import ConfigurationError

#: Above this many keys the schema names the search tool instead of the keys.
INLINE_LIMIT = 200
NEAREST = 5
#: No key is longer; more of a wrong word only costs time.
MAX_WORD_CHARACTERS = 80
#: The key of a schema's node that says which closed set it takes.
MARK = "x-choices"

Read = TypeVar("Read")

_moment: ContextVar[dict[Any, Any] | None] = ContextVar("moment", default=None)
_noted: ContextVar[dict[str, ChoiceSource] | None] = ContextVar("noted", default=None)


@contextmanager
def moment() -> Iterator[None]:
    """Within it ``shared`` reads each thing once: one query for all values of all closed sets.

    For a short look, never around a handler: what it reads must be of its own transaction.
    """
    if _moment.get() is not None:
        yield
        return
    token = _moment.set({})
    try:
        yield
    finally:
        _moment.reset(token)


def shared(read: Callable[[], Read]) -> Read:
    """What ``read()`` gives, called at most once within a ``moment``. For the ``load`` of several sources."""
    known = _moment.get()
    if known is None:
        return read()
    if read not in known:
        known[read] = read()
    return cast("Read", known[read])


@dataclass(frozen=True, slots=True)
class Choice:
    """One member: ``data`` carries what a matcher may need (price, variants)."""

    key: str
    label: str
    aliases: tuple[str, ...] = ()
    data: dict[str, Any] = field(default_factory=dict, hash=False, compare=False)


class Members:
    """What a source held at one moment, ready to be looked up. Shared by threads: never change it."""

    def __init__(self, loaded: Sequence[Choice]) -> None:
        self.loaded = loaded
        self.choices = tuple(loaded)
        self.by_key: Mapping[str, Choice] = {choice.key: choice for choice in self.choices}

    def are(self, loaded: Sequence[Choice]) -> bool:
        """Whether nothing changed. A tuple that is the same object needs no look."""
        return (loaded is self.loaded and isinstance(loaded, tuple)) or tuple(loaded) == self.choices

    @cached_property
    def names(self) -> tuple[list[str], list[str]]:
        """Every key, label and alias as it is compared, and the key each stands for."""
        named: dict[tuple[str, str], None] = {}
        for choice in self.choices:
            for name in (choice.key, choice.label, *choice.aliases):
                named[utils.default_process(name), choice.key] = None
        return [name for name, _ in named], [key for _, key in named]


@dataclass(frozen=True, slots=True)
class ChoiceSource:
    """A named closed set. ``load`` returns the current members, in menu order.

    ``load`` may query the database; let it return the same tuple as long as
    nothing changed, and read by ``shared`` what several sources are made from.
    ``search_tool`` is named to the model when there are too many keys to list.
    """

    name: str
    load: Callable[[], Sequence[Choice]]
    search_tool: str = ""
    _kept: list[Members] = field(default_factory=list, init=False, repr=False, compare=False)

    def members(self) -> Members:
        """The members of now; the same object as long as they are the same."""
        loaded = self.load()
        if not self._kept or not self._kept[0].are(loaded):
            self._kept[:] = [Members(loaded)]
        return self._kept[0]

    def keys(self) -> list[str]:
        return [choice.key for choice in self.members().choices]

    def label(self, key: str) -> str:
        """The label of ``key``, or the key itself when it is not a member."""
        known = self.members().by_key.get(key)
        return known.label if known else key

    def nearest(self, word: str, limit: int = NEAREST) -> list[str]:
        """The ``limit`` keys most like ``word`` by key, label or alias, best first."""
        names, keys = self.members().names
        asked = utils.default_process(word[:MAX_WORD_CHARACTERS])
        # Whole names are compared: looking for parts takes 30 times as long over 3,000 products.
        found = process.extract(asked, names, scorer=fuzz.QRatio, limit=limit * 4)
        return list(dict.fromkeys(keys[position] for _, _, position in found))[:limit]

    def fill(self, node: Mapping[str, Any]) -> dict[str, Any]:
        """A schema's node with the keys of now, or with the tool that finds them."""
        keys = self.keys()
        if keys and len(keys) <= INLINE_LIMIT:
            return {**node, "enum": keys}
        if not self.search_tool:
            return dict(node)
        hint = f"A key from {self.search_tool}."
        return {**node, "description": f"{node.get('description', '')} {hint}".strip()}


@dataclass(frozen=True, slots=True)
class ClosedSet:
    """Pydantic annotation that ties a string field to a ``ChoiceSource``."""

    source: ChoiceSource

    def __get_pydantic_core_schema__(self, source_type: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._check, handler(source_type))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        shown = {**handler(schema), MARK: self.source.name}
        noted = _noted.get()
        if noted is None:
            return self.source.fill(shown)
        if noted.setdefault(self.source.name, self.source) != self.source:
            raise ConfigurationError(f"two closed sets are named {self.source.name!r}")
        return shown

    def _check(self, value: str) -> str:
        if value not in self.source.members().by_key:
            nearest = self.source.nearest(value)
            raise PydanticCustomError(
                "closed_set",
                "'{value}' is not one of {name}; nearest: {nearest}",
                {
                    "value": value[:MAX_WORD_CHARACTERS],
                    "name": self.source.name,
                    "nearest": ", ".join(nearest) or "none",
                },
            )
        return value


@contextmanager
def noting() -> Iterator[dict[str, ChoiceSource]]:
    """Within it schemas only mark their closed sets; the sources met are noted by name."""
    sources: dict[str, ChoiceSource] = {}
    token = _noted.set(sources)
    try:
        yield sources
    finally:
        _noted.reset(token)
