"""Declaring tools: one declaration, every provider.

A tool is a frozen value.  ``@tool`` builds one from a handler and registers it;
``ToolSet`` is what one turn may use, with schemas made from the database of
that moment.
"""

from __future__ import annotations

import inspect
import logging
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, Literal

from asgiref.sync import async_to_sync
from django.apps import apps
from django.db import Error as DatabaseFault
from django.utils.functional import Promise
from pydantic import BaseModel

from aitools import choices as closed_sets
from aitools import declarations
from aitools.choices import ChoiceSource
from aitools.errors import ConfigurationError
from aitools.schemas import Declared, Shape, shape_of
from aitools.types import Json, ToolSpec

log = logging.getLogger(__name__)

DEDUPE_ARGS_SECONDS = 600

Effects = Literal["none", "database", "external"]
Text = str | Promise


@dataclass(frozen=True, slots=True)
class ToolContext:
    """Who asks, where and until when. Identity comes from here, never from arguments.

    ``chat_key`` names the conversation in audit events; ``channel`` and
    ``address`` are the customer's, ``phone`` is their number as far as the
    channel vouches for it ("" when it is not shown); ``now`` is database time; ``deadline`` is on
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
    phone: str = ""
    cancelled: threading.Event = field(default_factory=threading.Event)

    @property
    def conversation(self) -> Any:
        """The ``Conversation`` row, read anew each time; None in memory. One query."""
        if self.conversation_id is None:
            return None
        return apps.get_model("aitools", "Conversation").objects.get(pk=self.conversation_id)

    def time_left(self) -> float | None:
        """Seconds until the deadline, never below 0; None when there is no limit."""
        return None if self.deadline is None else max(self.deadline - time.monotonic(), 0.0)


Schema = Declared | Callable[[], Declared] | Callable[[ToolContext], Declared]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool, declared once. See design section 3 for what each field decides.

    ``schema`` is a pydantic model, a JSON Schema of type object, or a callable
    that gives either for each turn: ``schema()`` or ``schema(ctx)``, as its
    parameters say (``ctx.tool`` is "" there).  A callable that raises or gives
    no right schema takes the tool out of that turn, with an error in the log;
    faults of the database go up.  ``model_schema``, of the same kinds, is shown
    to the model in its stead; what validates stays ``schema``.

    Callables get the parsed arguments (a model instance when ``schema`` is a
    pydantic class, else a dict) and the context:

    * ``handler(args, ctx)`` does it, sync or async (see ``call``); str is kept,
      None means "ok", else JSON (see ``results.as_json``).
    * ``confirm_message(args, ctx)`` is the whole question, said as it is; may be a text.
    * ``confirm_lines(args, ctx)`` gives the lines under the title, one a line.
    * ``fingerprint(args, ctx)`` gives the JSON the customer agrees to.
    * ``check(args, ctx)`` raises ``ToolRetry`` for domain faults before asking.
    * ``report(result, ctx)`` says to the customer what the handler's stored
      result means, for when no model can.

    ``acts`` names the kinds of claim that a success backs ("create", "change",
    "cancel", "handover"); empty means any (see ``aitools.guard``).

    ``labels`` maps an argument's name (also inside list items) to value → label.
    ``dedupe`` is "args" (10 minutes) or a window in seconds; ``timeout_s`` 0 is
    none.  A wrong declaration raises ``ConfigurationError`` at once.
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
    model_schema: Schema | None = None

    def __post_init__(self) -> None:
        declarations.check(self)

    @property
    def shown_title(self) -> str:
        """The title in the active language; the humanised name by default."""
        return str(self.title).strip() or self.name.replace("_", " ").capitalize()

    @property
    def dedupe_seconds(self) -> int:
        return DEDUPE_ARGS_SECONDS if self.dedupe == "args" else int(self.dedupe or 0)


def call(tool: Tool, parsed: Any, ctx: ToolContext) -> Any:
    """Run the handler to its end in this thread; what it returned, not JSON yet.

    An async one gets an event loop of its own, whose database work is done by
    this thread too: it belongs to the transaction that is open here.  Not to be
    called where an event loop runs.
    """
    returned = tool.handler(parsed, ctx)
    return async_to_sync(_awaited)(returned) if inspect.isawaitable(returned) else returned


async def _awaited(returned: Awaitable[Any]) -> Any:
    return await returned


@dataclass(frozen=True, slots=True)
class BoundTool:
    """A tool with the schemas of this turn: ``shape`` validates, ``shown`` is for the model."""

    tool: Tool
    shape: Shape
    shown: Shape

    @property
    def model(self) -> type[BaseModel] | None:
        return self.shape.model

    @property
    def json_schema(self) -> Mapping[str, Json]:
        """What the model is shown, with the keys of now. May query closed sets."""
        return self.shown.filled()

    @property
    def schema_hash(self) -> str:
        """Identifies what was validated; closed sets are left out, they change daily."""
        return self.shape.hash(self.tool.version)

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
    """The tools of one turn, by name. Each is bound when it is first looked at."""

    def __init__(self, tools: Iterable[Tool], ctx: ToolContext | None = None) -> None:
        self._tools: dict[str, Tool] = {}
        self._bound: dict[str, BoundTool | None] = {}
        self._ctx = ctx
        for tool in tools:
            if tool.name in self._tools:
                raise ConfigurationError(f"Two tools are named {tool.name!r}.")
            self._tools[tool.name] = tool

    def get(self, name: str) -> BoundTool | None:
        """The bound tool; None when there is none, or none with a schema in this turn."""
        if name in self._tools and name not in self._bound:
            self._bound[name] = _bound_or_left_out(self._tools[name], self._ctx)
        return self._bound.get(name)

    def __iter__(self) -> Iterator[BoundTool]:
        for name in self._tools:
            bound = self.get(name)
            if bound is not None:
                yield bound

    def names(self) -> list[str]:
        return [bound.tool.name for bound in self]

    def specs(self) -> tuple[ToolSpec, ...]:
        """What the model is shown. Every closed set is read at most once."""
        with closed_sets.moment():
            return tuple(bound.spec() for bound in self)


class Registry:
    """Tools declared by applications at start; names are unique."""

    def __init__(self) -> None:
        self._tools: dict[str, Tool] = {}

    def add(self, tool: Tool) -> Tool:
        """Register a tool; declared again by the same code, it takes its own place."""
        known = self._tools.get(tool.name)
        if known is not None and _origin(known.handler) != _origin(tool.handler):
            raise ConfigurationError(f"Two tools are named {tool.name!r}.")
        self._tools[tool.name] = tool
        return tool

    def all(self) -> list[Tool]:
        return list(self._tools.values())

    def get(self, name: str) -> Tool | None:
        return self._tools.get(name)

    def check(self) -> None:
        """Raise ``ConfigurationError`` for what shows only when all are declared: strangers' names, default titles."""
        declarations.check_together(self.all())


registry = Registry()


def tool(**declared: Any) -> Callable[[Callable[[Any, ToolContext], Any]], Tool]:
    """Declare and register a tool; the handler's name and docstring are defaults.

    Takes every field of ``Tool`` except ``handler``.  A tool that confirms has
    database effects unless it says otherwise.
    """

    def declare(handler: Callable[[Any, ToolContext], Any]) -> Tool:
        given = {"name": handler.__name__, "description": _first_text(handler), "schema": None, **declared}
        unknown = given.keys() - {one.name for one in fields(Tool)} | given.keys() & {"handler"}
        if unknown:
            raise ConfigurationError(f"Tool {given['name']!r}: it has no {', '.join(sorted(unknown))}.")
        if given.get("confirm"):
            given.setdefault("effects", "database")
        return registry.add(Tool(handler=handler, **given))

    return declare


def bind(tool: Tool, ctx: ToolContext | None = None) -> BoundTool:
    """The tool with its schemas of this moment; ``ctx`` is for those made by a callable."""
    shape = _shape(tool.schema, ctx)
    return BoundTool(tool, shape, shape if tool.model_schema is None else _shape(tool.model_schema, ctx))


def _shape(declared: Schema, ctx: ToolContext | None) -> Shape:
    if callable(declared) and not isinstance(declared, type):
        made: Any = declared
        return shape_of(made() if declarations.takes(made, 0) else made(ctx))
    return shape_of(declared)


def _bound_or_left_out(tool: Tool, ctx: ToolContext | None) -> BoundTool | None:
    """A schema that can not be made is one tool less; a database that is away is tried again."""
    try:
        return bind(tool, ctx)
    except DatabaseFault:
        raise
    except ConfigurationError as fault:
        log.error("tool %s is left out of this turn: %s", tool.name, fault)  # noqa: TRY400 - no crash of ours
    except Exception:
        log.exception("tool %s is left out of this turn: its schema was not made", tool.name)
    return None


def _origin(handler: Callable[..., Any]) -> object:
    """Where a handler comes from: the same place when a module is loaded again."""
    code = getattr(handler, "__code__", None)
    if code is None:
        return handler
    return (handler.__module__, handler.__qualname__, code.co_firstlineno)


def _first_text(handler: Callable[..., Any]) -> str:
    return " ".join((handler.__doc__ or "").split())
