"""Tools run for real and undone: each call in a transaction that is always rolled back.

What the chat did before is done again first, so that a draft is there to be
ordered and an order to be cancelled; then the call itself; then nothing of all
that has happened.  Ids and numbers of sequences may be left out by it, and a
number or code given in here is another one each time.

No network in here: a tool whose effects are elsewhere is refused.  Rows that
customers need as well are locked for moments only, and whoever waits longer
than half a second for one is us.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Protocol

from django.db import connection, transaction
from django.utils import translation

from aitools import results, threads
from aitools.channels.console import ConsoleChannel
from aitools.errors import ToolFailed
from aitools.loop import OUR_CODE
from aitools.models import Conversation, Step, ToolCall, Turn
from aitools.tools import Tool, ToolContext, bind, call
from aitools.types import Json, ToolRequest
from aitools.validation import Valid, validate

log = logging.getLogger(__name__)

#: Below PostgreSQL's deadlock_timeout: of two that wait for each other it is we who give up.
LOCK_WAIT = "500ms"
SECONDS = 10


@dataclass(frozen=True, slots=True)
class Effect:
    """A call that was done, and all it takes to do it again. ``agreed`` is what the yes was to, None without one."""

    tool: str
    call_id: str
    arguments: dict[str, Json]
    at: datetime
    agreed: Json = None
    digest: str = ""
    content: str = ""


class Box(Protocol):
    """Where a tool's callables work."""

    def entered(self, ctx: ToolContext) -> AbstractContextManager[ToolContext]:
        """The context of a chat, in a transaction that leaves nothing behind."""
        ...


@contextmanager
def undone() -> Iterator[None]:
    """A transaction that is rolled back at its end, whatever happens. Never for network calls."""
    with transaction.atomic():
        threads.limit_transaction(SECONDS)
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('lock_timeout', %s, true)", [LOCK_WAIT])
        try:
            yield
        finally:
            transaction.set_rollback(True)


@dataclass(slots=True)
class Sandbox:
    """A chat of nobody's. ``effects`` grows with what is done in it; ``tools`` are those it may do, by name."""

    address: str
    tools: dict[str, Tool]
    effects: list[Effect] = field(default_factory=list)
    _frozen: dict[str, Json] = field(default_factory=dict)

    @contextmanager
    def entered(self, ctx: ToolContext) -> Iterator[ToolContext]:
        """The chat as it stands, as rows that are gone afterwards."""
        with undone():
            chat = Conversation.objects.create(channel=ConsoleChannel.name, address=self.address, language=ctx.language)
            turn = Turn.objects.create(conversation=chat)
            Step.objects.create(turn=turn, index=1, provider=OUR_CODE, stop="tool_calls")
            inside = replace(ctx, channel=chat.channel, address=chat.address, conversation_id=chat.pk, epoch=chat.epoch)
            for effect in self.effects:
                self._again(effect, inside, turn)
            yield replace(inside, tool_call_id=_call_row(turn, ctx.tool, len(self.effects)))

    def boxed(self, tool: Tool) -> Tool:
        """The same tool, all of whose callables work in here."""
        if tool.effects == "external":
            return replace(tool, handler=_refused)
        return replace(
            tool,
            handler=lambda args, ctx: self._handle(tool, args, ctx),
            check=within(self, tool.check),
            confirm_lines=within(self, tool.confirm_lines, list),
            confirm_message=within(self, tool.confirm_message)
            if callable(tool.confirm_message)
            else tool.confirm_message,
            fingerprint=(lambda args, ctx: self._freeze(tool, args, ctx)) if tool.fingerprint else None,
        )

    def _handle(self, tool: Tool, args: Any, ctx: ToolContext) -> Json:
        with self.entered(ctx) as inside:
            value = _run(tool, args, inside, agreed=ctx.agreed is not None)
        if tool.effects != "none" and not ctx.cancelled.is_set() and not results.is_error(value):
            given = results.as_json(args)
            self.effects.append(Effect(tool.name, ctx.call_id, given, ctx.now, ctx.agreed))
        return value

    def _freeze(self, tool: Tool, args: Any, ctx: ToolContext) -> Json:
        """What is agreed to, once for each call: codes that are drawn by lot are others the next time."""
        if ctx.call_id not in self._frozen and tool.fingerprint is not None:
            with self.entered(ctx) as inside:
                self._frozen[ctx.call_id] = results.as_json(tool.fingerprint(args, inside))
        return self._frozen.get(ctx.call_id)

    def _again(self, effect: Effect, ctx: ToolContext, turn: Turn) -> None:
        """Do it once more; what the shop has made impossible since is left out."""
        tool = self.tools.get(effect.tool)
        valid = validate(bind(tool, ctx), ToolRequest(effect.tool, effect.arguments)) if tool else None
        if tool is None or not isinstance(valid, Valid):
            return
        place = self.effects.index(effect)
        own = replace(ctx, tool=tool.name, now=effect.at, call_id=effect.call_id)
        own = replace(own, tool_call_id=_call_row(turn, tool.name, place))
        try:
            with transaction.atomic():
                _run(tool, valid.parsed, own, agreed=effect.agreed is not None)
        except Exception as error:  # noqa: BLE001 - whatever it is, the chat goes on without
            log.info("the sandbox could not do %s again: %s", tool.name, type(error).__name__)


def within(box: Box, function: Callable[..., Any] | None, made: Callable[[Any], Any] = lambda found: found) -> Any:
    """The same function, working in the box; ``made`` finishes what it gives while still there."""
    if function is None:
        return None

    def inside(args: Any, ctx: ToolContext) -> Any:
        with box.entered(ctx) as own:
            return made(function(args, own))

    return inside


def read(box: Box, tool: Tool) -> Callable[[Any, ToolContext], Json]:
    """A handler that only looks, and is refused whatever writes."""

    def inside(args: Any, ctx: ToolContext) -> Json:
        with box.entered(ctx) as own:
            return _run(tool, args, own, agreed=False)

    return inside


def _run(tool: Tool, args: Any, ctx: ToolContext, *, agreed: bool) -> Json:
    """The handler's result as JSON. What was agreed to is what holds in here and now."""
    if agreed and tool.fingerprint is not None:
        ctx = replace(ctx, agreed=results.as_json(tool.fingerprint(args, ctx)))
    with translation.override(ctx.language):
        if tool.effects != "none":
            return results.as_json(call(tool, args, ctx))
        with connection.execute_wrapper(threads.refuse_writes(tool.name)):
            return results.as_json(call(tool, args, ctx))


def _call_row(turn: Turn, name: str, position: int) -> int:
    row = ToolCall.objects.create(turn=turn, step=1, position=position, name=name or OUR_CODE, arguments={})
    return row.pk


def _refused(args: Any, ctx: ToolContext) -> Json:
    raise ToolFailed("Not run: this is a test, and nothing outside of the desk is touched. Say so.")
