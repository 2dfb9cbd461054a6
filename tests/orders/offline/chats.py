"""Whole chats with the offline order taker, over the real tools and the real rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from aitools.answers import Answer, read
from aitools.providers.base import EndpointConfig
from aitools.running import Question, Reply, run_tools
from aitools.tools import Tool, ToolContext, registry
from aitools.types import AssistantText, Json, Message, ModelReply, ModelRequest, UserText
from orders import prompts
from orders.offline.provider import OfflineProvider
from tests.orders import factories


class Watched(OfflineProvider):
    """The provider with its calls and requests written down."""

    def __init__(self) -> None:
        super().__init__(EndpointConfig(kind="offline"))
        self.calls: list[tuple[str, dict[str, Json]]] = []

    def complete(self, request: ModelRequest) -> ModelReply:
        reply = super().complete(request)
        self.calls += [(call.name, dict(call.arguments or {})) for call in reply.tool_calls]
        return reply


@dataclass
class Chat:
    """One customer's chat. ``said`` is everything the customer was told, questions included."""

    ctx: ToolContext
    provider: Watched = field(default_factory=Watched)
    talk: list[Message] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    tools: list[Tool] = field(default_factory=registry.all)

    def write(self, *messages: str) -> str:
        """Write one message after the other; what was said last.

        While a yes is asked for, the next message is the answer to it.
        """
        waiting = iter(messages)
        for message in waiting:
            self._turn(message, waiting)
        return self.said[-1]

    def _turn(self, message: str, waiting: Iterator[str]) -> None:
        def confirm(question: Question) -> bool | Reply:
            self.said.append("\n".join([question.title, *question.lines, "?"]))
            answer = next(waiting)
            return {Answer.YES: True, Answer.NO: False}.get(read(answer), Reply(answer))

        result = run_tools(
            [*self.talk, UserText(message)],
            tools=self.tools,
            provider=self.provider,
            confirm=confirm,
            ctx=replace(self.ctx, tool_call_id=factories.stored_call(self.ctx, "create_order").pk),
            facts=dict(prompts.build(self.ctx).facts),
        )
        self.said.append(result.text)
        self.talk += [UserText(message), AssistantText(result.text)]

    def called(self, name: str) -> list[dict[str, Any]]:
        return [arguments for called, arguments in self.provider.calls if called == name]

    @property
    def last_call(self) -> str:
        return self.provider.calls[-1][0] if self.provider.calls else ""


def chat(name: str = "Ana", language: str = "en", **more: Any) -> Chat:
    """A chat of somebody whose profile gives that name."""
    return Chat(factories.context(name=name, language=language, **more))
