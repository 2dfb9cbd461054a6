"""Declaring tools: one declaration, every provider.

A tool is a frozen value.  ``@tool`` builds one from a handler and registers it;
``ToolSet`` is what one turn may use, with schemas made from the database of
that moment.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from django.utils.functional import Promise
from pydantic import BaseModel

from aitools.choices import ChoiceSource
from aitools.errors import ConfigurationError
from aitools.types import Json, ToolSpec

NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
DEDUPE_ARGS_SECONDS = 600

Effects = Literal["none", "database", "external"]
Schema = type[BaseModel] | Mapping[str, Json] | Callable[[], "type[BaseModel] | Mapping[str, Json]"]
Text = str | Promise


@dataclass(frozen=True, slots=True)
class ToolContext:
    """Who asks, where and until when. Identity comes from here, never from arguments.

    ``chat_key`` names the conversation in audit events; ``channel`` and
    ``address`` are the customer's; ``now`` is database time; ``deadline`` is on
    ``time.monotonic``'s scale, None when there is no limit; ``cancelled`` is
    set when the call timed out or the turn was cancelled.
    ``tool_call_id`` is the stored call's primary key (None in memory).
    ``agreed`` is the fingerprint the customer said yes to, None without one: a
    handler compares it with the values it is about to store and raises
    ``AgreementChanged`` when they differ.
    """

    tool: str
    call_id: str
    chat_key: str
    language: str
    now: datetime
    channel: str = ""
    address: str = ""
    profile_name: str = ""
    conversation_id: int | None = None
    epoch: int = 0
    tool_call_id: int | None = None
    deadline: float | None = None
    agreed: Json = None
    cancelled: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool, declared once. See design section 3 for what each field decides.

    Callables get the parsed arguments (a model instance when ``schema`` is a
    pydantic class, else a dict) and the context:

    * ``handler(args, ctx)`` does it; str is kept, None means "ok", else JSON.
    * ``confirm_message(args, ctx)`` replaces the whole question.
    * ``confirm_lines(args, ctx)`` gives the lines under the title, one a line.
    * ``fingerprint(args, ctx)`` gives the JSON the customer agrees to.
    * ``check(args, ctx)`` raises ``ToolRetry`` for domain faults before asking.
    * ``report(result, ctx)`` says to the customer what the handler's stored
      result means, for when no model can.

    ``acts`` names the kinds of claim that a success backs ("create", "change",
    "cancel", "handover"); empty means any (see ``aitools.guard``).

    ``labels`` maps an argument's name (also inside list items) to value → label.
    """

    name: str
    description: str
    handler: Callable[[Any, ToolContext], Any]
    schema: Schema
    title: Text = ""
    confirm: bool = False
    confirm_message: Text | Callable[[Any, ToolContext], str] | None = None
    confirm_lines: Callable[[Any, ToolContext], Sequence[str]] | None = None
    labels: Mapping[str, Mapping[str, str]] | Callable[[], Mapping[str, Mapping[str, str]]] = field(
        default_factory=dict
    )
    dedupe: Literal["args"] | int | None = None
    timeout_s: float = 15
    effects: Effects = "none"
    fingerprint: Callable[[Any, ToolContext], Json] | None = None
    forgets: tuple[str, ...] = ()
    acts: tuple[str, ...] = ()
    check: Callable[[Any, ToolContext], None] | None = None
    report: Callable[[Json, ToolContext], str] | None = None
    choices: tuple[ChoiceSource, ...] = ()
    version: int = 1

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            raise ConfigurationError(
                f"Tool name {self.name!r} must match {NAME.pattern}: lower case, digits, underscore."
            )
        if self.confirm and self.effects == "none":
            raise ConfigurationError(f"Tool {self.name!r} asks for a yes but declares no effects.")
        if not self.description.strip():
            raise ConfigurationError(f"Tool {self.name!r} needs a description for the model.")

    @property
    def shown_title(self) -> str:
        """The title in the active language; the humanised name by default."""
        return str(self.title) or self.name.replace("_", " ").capitalize()

    @property
    def dedupe_seconds(self) -> int:
        return DEDUPE_ARGS_SECONDS if self.dedupe == "args" else int(self.dedupe or 0)


@dataclass(frozen=True, slots=True)
class BoundTool:
    """A tool with the schema of this turn."""

    tool: Tool
    model: type[BaseModel] | None
    json_schema: Mapping[str, Json]

    @property
    def schema_hash(self) -> str:
        """Identifies what was validated; closed sets are left out, they change daily."""
        bare = json.dumps([self.tool.version, _without_enums(self.json_schema)], sort_keys=True)
        return hashlib.sha256(bare.encode()).hexdigest()[:16]

    def spec(self) -> ToolSpec:
        return ToolSpec(
            name=self.tool.name,
            description=self.tool.description,
            schema=self.json_schema,
            title=self.tool.shown_title,
            confirm=self.tool.confirm,
            choices={source.name: source for source in self.tool.choices},
        )


class ToolSet:
    """The tools of one turn, by name, schemas bound once."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._bound = {tool.name: bind(tool) for tool in tools}

    def get(self, name: str) -> BoundTool | None:
        return self._bound.get(name)

    def __iter__(self) -> Iterator[BoundTool]:
        return iter(self._bound.values())

    def names(self) -> list[str]:
        return list(self._bound)

    def specs(self) -> tuple[ToolSpec, ...]:
        return tuple(bound.spec() for bound in self)


class Registry:
    """Tools declared by applications at start; names are unique."""

    def __init__(self) -> None:
        self._tools: dict[str, Tool] = {}

    def add(self, tool: Tool) -> Tool:
        known = self._tools.get(tool.name)
        if known is not None and known.handler.__qualname__ != tool.handler.__qualname__:
            raise ConfigurationError(f"Two tools are named {tool.name!r}.")
        bind(tool) if not callable(tool.schema) else None
        self._tools[tool.name] = tool
        return tool

    def all(self) -> list[Tool]:
        return list(self._tools.values())

    def get(self, name: str) -> Tool | None:
        return self._tools.get(name)


registry = Registry()


def tool(**declared: Any) -> Callable[[Callable[[Any, ToolContext], Any]], Tool]:
    """Declare and register a tool; the handler's name and docstring are defaults.

    Takes every field of ``Tool`` except ``handler``.  A tool that confirms has
    database effects unless it says otherwise.
    """

    def declare(handler: Callable[[Any, ToolContext], Any]) -> Tool:
        fields = {"name": handler.__name__, "description": _first_text(handler), **declared}
        if fields.get("confirm"):
            fields.setdefault("effects", "database")
        return registry.add(Tool(handler=handler, **fields))

    return declare


def bind(tool: Tool) -> BoundTool:
    """Make the schema of this moment. Queries the database for closed sets."""
    schema: Any = tool.schema
    if not isinstance(schema, type) and callable(schema):
        schema = schema()
    if isinstance(schema, type) and issubclass(schema, BaseModel):
        return BoundTool(tool, schema, _inlined(schema.model_json_schema()))
    return BoundTool(tool, None, dict(schema))


def _first_text(handler: Callable[..., Any]) -> str:
    return " ".join((handler.__doc__ or "").split())


def _inlined(schema: Mapping[str, Json]) -> dict[str, Json]:
    """Replace local ``$ref`` by what they name: vendors differ in taking them."""
    definitions = schema.get("$defs", {})

    def walk(node: Json) -> Json:
        if isinstance(node, dict):
            if "$ref" in node:
                named = definitions[node["$ref"].rsplit("/", 1)[-1]]
                rest = {key: value for key, value in node.items() if key != "$ref"}
                return walk({**named, **rest})
            return {key: walk(value) for key, value in node.items() if key != "$defs"}
        if isinstance(node, list):
            return [walk(value) for value in node]
        return node

    inlined: dict[str, Json] = walk(dict(schema))
    return inlined


def _without_enums(node: Json) -> Json:
    if isinstance(node, dict):
        closed = "x-choices" in node
        return {
            key: _without_enums(value) for key, value in node.items() if not (closed and key in ("enum", "description"))
        }
    if isinstance(node, list):
        return [_without_enums(value) for value in node]
    return node
