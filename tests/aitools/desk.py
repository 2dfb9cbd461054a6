"""A desk without a shop: small tools, a scripted model and a queue drained by hand."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from aitools import inbox, sending, sweep, turns
from aitools.channels.base import Capabilities, EventKind, InboundMessage
from aitools.channels.web import WebChannel
from aitools.errors import ToolRetry
from aitools.models import (
    AuditEvent,
    Conversation,
    ModelEndpoint,
    OutboundMessage,
    PendingConfirmation,
    ToolCall,
    Turn,
)
from aitools.tools import Tool, ToolContext
from aitools.types import Prompt


class Thing(BaseModel):
    """Arguments of the tools below."""

    model_config = ConfigDict(extra="forbid")
    name: str = Field(min_length=1)
    count: int = Field(default=1, strict=True, ge=1, le=500)


class Nothing(BaseModel):
    model_config = ConfigDict(extra="forbid")


class PlainChannel(WebChannel):
    """A channel without buttons and without editing, like SMS."""

    name = "plain"
    capabilities = Capabilities(text_limit=160, opt_out_words=frozenset({"STOP", "BAJA"}))


#: What a thing costs now; the fingerprint of making one.
PRICES = {"each": 5}


def things() -> list[str]:
    """The effects there were: names of things made, in order."""
    return list(ModelEndpoint.objects.filter(kind="scripted", model="made").values_list("name", flat=True))


def make(args: Thing, ctx: ToolContext) -> dict[str, Any]:
    ModelEndpoint.objects.create(name=f"{args.name} {ctx.tool_call_id}", kind="scripted", model="made")
    return {"made": args.name, "say": f"Hecho: {args.count} × {args.name}."}


def undo(args: Thing, ctx: ToolContext) -> dict[str, Any]:
    ModelEndpoint.objects.filter(name__startswith=args.name, model="made").delete()
    return {"undone": args.name, "say": f"Deshecho: {args.name}."}


def refuse_gone(args: Thing, ctx: ToolContext) -> None:
    if args.name == "gone":
        raise ToolRetry("gone is sold out; offer pan instead.")


def cost(args: Thing, ctx: ToolContext) -> dict[str, int]:
    return {"total": PRICES["each"] * args.count}


def lines(args: Thing, ctx: ToolContext) -> list[str]:
    return [f"{args.count} × {args.name}", f"Total: {PRICES['each'] * args.count}"]


LOOKED: list[str] = []


def look(args: Nothing, ctx: ToolContext) -> dict[str, Any]:
    LOOKED.append(ctx.call_id)
    return {"things": ["pan", "café"]}


def said(value: Any, ctx: ToolContext) -> str:
    return str(value["say"])


LOOK = Tool("look", "Lists things.", look, Nothing)
MAKE = Tool(
    "make",
    "Makes a thing.",
    make,
    Thing,
    title="Hacer",
    confirm=True,
    effects="database",
    confirm_lines=lines,
    fingerprint=cost,
    check=refuse_gone,
    report=said,
)
UNDO = Tool(
    "undo",
    "Undoes a thing.",
    undo,
    Thing,
    title="Deshacer",
    confirm=True,
    effects="database",
    forgets=("make",),
    report=said,
)


def prompt(ctx: ToolContext) -> Prompt:
    return Prompt("You take orders.", {"channel": ctx.channel})


def broken_prompt(ctx: ToolContext) -> Prompt:
    raise RuntimeError("a bug of ours")


@dataclass
class Desk:
    """One conversation seen from outside: what is written in, what comes out."""

    channel: str = "web"
    address: str = "visitor-1"
    published: list[tuple[str, int]] = field(default_factory=list)

    def publish(self, task: str, conversation_id: int, delay_seconds: float = 0) -> None:
        """Stands in for the broker; what is due later is left to the sweep."""
        if delay_seconds <= 0:
            self.published.append((task, conversation_id))

    def drain(self) -> None:
        """Do what was published until nothing is left, as one worker would."""
        while self.published:
            task, conversation_id = self.published.pop(0)
            work = turns.advance if task.endswith("advance") else sending.deliver
            work(conversation_id)

    def receive(self, text: str = "", **fields: Any) -> str:
        """Store one inbound event without working on it; its provider id."""
        fields.setdefault("kind", EventKind.MESSAGE)
        fields.setdefault("provider_id", str(uuid.uuid4()))
        inbox.receive([InboundMessage(channel=self.channel, address=self.address, text=text, **fields)])
        return str(fields["provider_id"])

    def write(self, text: str, **fields: Any) -> list[str]:
        """The customer writes and everything due is done; what was said since."""
        return self._during(lambda: self.receive(text, **fields))

    def press(self, answer: str, key: object = None) -> list[str]:
        """The customer presses a button of the newest question, or of ``key``."""
        of = key or self.question().key
        return self.write("Sí", kind=EventKind.PRESS, payload=f"confirm:{of}:{answer}", message_kind="button")

    def sweep(self) -> list[str]:
        """One sweep, and what was said because of it."""
        return self._during(sweep.sweep)

    def conversation(self) -> Conversation:
        return Conversation.objects.get(channel=self.channel, address=self.address)

    def question(self) -> PendingConfirmation:
        return PendingConfirmation.objects.filter(conversation=self.conversation()).latest("pk")

    def turn(self) -> Turn:
        return Turn.objects.filter(conversation=self.conversation()).latest("id")

    def calls(self) -> list[tuple[str, str]]:
        rows = ToolCall.objects.filter(turn__conversation=self.conversation()).order_by("id")
        return list(rows.values_list("name", "state"))

    def events(self) -> list[str]:
        return list(AuditEvent.objects.order_by("id").values_list("kind", flat=True))

    def said(self) -> list[str]:
        rows = OutboundMessage.objects.filter(conversation__address=self.address, conversation__channel=self.channel)
        return list(rows.exclude(state="withdrawn").order_by("id").values_list("text", flat=True))

    def _during(self, act: Callable[[], object]) -> list[str]:
        before = len(self.said())
        act()
        self.drain()
        return self.said()[before:]


def names(calls: Sequence[tuple[str, str]]) -> list[str]:
    return [name for name, _ in calls]
