"""The offline order taker as a provider like any other."""

from __future__ import annotations

from typing import ClassVar

from django.utils.translation import override

from aitools.choices import Choice, ChoiceSource
from aitools.providers.base import EndpointConfig
from aitools.types import ModelReply, ModelRequest
from orders.offline import texts
from orders.offline.decide import decide
from orders.offline.facts import facts_of
from orders.offline.menu import Menu, MenuCache
from orders.offline.plan import Plan, Situation, say
from orders.offline.speak import after
from orders.offline.talk import talk_of


class OfflineProvider:
    """Takes orders without any model or network, in Spanish and English.

    Deterministic: the same request always gets the same reply.  What it knows
    of the menu are the closed sets of the request's tools; menus are indexed
    once per loaded version and kept in this process.
    """

    kind: ClassVar[str] = "offline"
    _menus: ClassVar[MenuCache] = MenuCache()

    def __init__(self, endpoint: EndpointConfig) -> None:
        self.endpoint = endpoint

    def complete(self, request: ModelRequest) -> ModelReply:
        """The next reply: tool calls, or words for the customer. Never raises for any text."""
        with override(request.language):
            return self._plan(request).reply()

    def _plan(self, request: ModelRequest) -> Plan:
        talk = talk_of(request.messages)
        situation = Situation(
            talk=talk,
            menu=self._menu(request),
            facts=facts_of(request.facts),
            tools=frozenset(tool.name for tool in request.tools),
        )
        # Words of another model that were held back are a step too, and say nothing of what was done.
        steps = [step for step in talk.steps if step.calls]
        plan = after(situation, steps, self.kind) if steps else decide(situation)
        if any(call.name not in situation.tools for call in plan.calls):
            return say(*plan.then) if plan.then else say(texts.refused())
        return plan

    def _menu(self, request: ModelRequest) -> Menu:
        sources: dict[str, ChoiceSource] = {}
        for tool in request.tools:
            sources.update(tool.choices)
        loaded = [_load(sources.get(name)) for name in ("products", "branches", "categories")]
        return self._menus.get(*loaded)


_NONE: tuple[Choice, ...] = ()


def _load(source: ChoiceSource | None) -> tuple[Choice, ...] | list[Choice]:
    loaded = source.load() if source is not None else _NONE
    return loaded if isinstance(loaded, tuple) else list(loaded)
