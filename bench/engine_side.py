"""The engine's side of the job: two small tools, a scripted model, a channel that leads nowhere.

Runs in a worker process of its own; nothing but rows passes from ``ask`` to ``answer``.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar

from django.conf import settings
from pydantic import BaseModel, ConfigDict

from aitools import inbox, queue, sending, turns
from aitools.channels.base import Capabilities, EventKind, InboundMessage, OutgoingMessage, Sent
from aitools.channels.web import WebChannel
from aitools.models import BotProfile, Conversation, ModelEndpoint
from aitools.providers import scripted
from aitools.providers.scripted import asks, says
from aitools.tools import Tool, ToolContext, registry
from aitools.types import Json, Prompt
from bench import floor

CHANNEL = "bench"


class NullChannel(WebChannel):
    """Takes everything and sends nothing; buttons as on WhatsApp."""

    name: ClassVar[str] = CHANNEL
    capabilities = Capabilities(buttons=True)

    def send(self, message: OutgoingMessage) -> Sent:
        return Sent(message.outbox_id)

    def find_sent(self, message: OutgoingMessage, since: datetime) -> Sent | None:
        return None


class Nothing(BaseModel):
    model_config = ConfigDict(extra="forbid")


def get_menu(args: Nothing, ctx: ToolContext) -> dict[str, Any]:
    return dict(floor.MENU)


def create_order(args: floor.OrderArgs, ctx: ToolContext) -> dict[str, Any]:
    return floor.create_order(args, ctx.call_id)


def lines(args: floor.OrderArgs, ctx: ToolContext) -> list[str]:
    return [*(f"{item.quantity} × {item.product}" for item in args.items), f"Total: ${args.total}"]


TOOLS = (
    Tool("get_menu", "The menu with prices.", get_menu, Nothing),
    Tool(
        "create_order",
        "Places an order. Use it once the customer wants exactly these items.",
        create_order,
        floor.OrderArgs,
        title="Crear pedido",
        confirm=True,
        effects="database",
        confirm_lines=lines,
        fingerprint=lambda args, ctx: {"total": args.total},
    ),
)


def prompt(ctx: ToolContext) -> Prompt:
    return Prompt("You take orders for a bakery by chat.", {"channel": ctx.channel})


class EngineJob:
    """One confirmed order over the engine's rows.

    ``ids`` are given: the broker's message carries the id, so looking it up is no part of the job.
    """

    asks: ClassVar[tuple[tuple[str, Mapping[str, Json]], ...]] = (
        ("get_menu", {}),
        ("create_order", floor.ARGUMENTS),
    )
    told = floor.TOLD
    text = floor.ASKED

    def prepare(self, ids: Mapping[str, int]) -> None:
        """Make this process a worker of the bench: no broker, our channel, our tools."""
        settings.AITOOLS_CHANNELS = {CHANNEL: "bench.engine_side.NullChannel"}
        queue.publish = _unheard
        self.ids = ids
        self.declare()

    def declare(self) -> None:
        settings.AITOOLS_PROMPT_BUILDER = "bench.engine_side.prompt"
        registry._tools = {tool.name: tool for tool in TOOLS}

    def ask(self, address: str) -> None:
        """The customer asks; the model reads, then wants the order; the question is stored."""
        lines = [asks((tool, arguments)) for tool, arguments in self.asks]
        with scripted.script(lines):
            self._write(address, self.text)

    def answer(self, address: str) -> None:
        """Another process takes the yes: tool, model, reply."""
        with scripted.script([says(self.told)]):
            self._write(address, "sí")

    def send(self, address: str) -> None:
        """Deliver what is queued: the question first, so that its time runs."""
        sending.deliver(self.ids[address])

    def _write(self, address: str, text: str) -> None:
        event = InboundMessage(EventKind.MESSAGE, CHANNEL, uuid.uuid4().hex, address=address, text=text)
        inbox.receive([event])
        turns.advance(self.ids[address])


class ShopJob(EngineJob):
    """The same with the shop's own prompt, price quote and order."""

    asks = (
        ("quote_order", {"items": floor.ARGUMENTS["items"], "name": "Ana"}),
        ("create_order", {"name": "Ana"}),
    )
    told = "Listo, Ana: tu pedido quedó registrado."

    def declare(self) -> None:
        """The tools are those that the shop registered at start."""


def make_profile() -> None:
    """A scripted model and no settle time: a worker would not wait, it would come back."""
    endpoint = ModelEndpoint.objects.create(name="script", kind="scripted")
    BotProfile.objects.create(name="bench", endpoint=endpoint, settle_seconds=0, confirm_seconds=1800)


def _unheard(task: str, conversation_id: int, delay_seconds: float = 0) -> None:
    """There is no broker: who works next is the bench's own decision."""


def ids() -> dict[str, int]:
    """The bench's conversations by address."""
    return dict(Conversation.objects.filter(channel=CHANNEL).values_list("address", "pk"))
