"""What to do next: calls to ask for, or a text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from aitools.types import Json, ModelReply, Stop, ToolRequest
from orders.offline.facts import Facts, Line
from orders.offline.menu import Menu
from orders.offline.talk import Talk


@dataclass(frozen=True, slots=True)
class Situation:
    """Everything a decision looks at. ``tools`` are the names that may be called."""

    talk: Talk
    menu: Menu
    facts: Facts
    tools: frozenset[str]

    @property
    def today(self) -> date:
        return self.facts.now.date()

    def with_text(self, text: str, draft: Sequence[Line] | None = None) -> Situation:
        """The same with other words, and another draft if given."""
        facts = self.facts if draft is None else replace(self.facts, draft=tuple(draft))
        return replace(self, talk=self.talk.with_text(text), facts=facts)


@dataclass(frozen=True, slots=True)
class Plan:
    """Calls with what to say after their results, or only ``text``.

    ``then`` are lines after the results' own words; ``offer`` = ask whether to
    place it when nothing is missing; ``repeat`` = order again what they list.
    """

    calls: tuple[ToolRequest, ...] = ()
    text: str = ""
    then: tuple[str, ...] = ()
    offer: bool = False
    repeat: bool = False

    def reply(self) -> ModelReply:
        """The plan as a model's turn; what to do after the results travels in ``raw``."""
        if not self.calls:
            return ModelReply(text=self.text, stop=Stop.END, model="offline")
        raw = {"then": list(self.then), "offer": self.offer, "repeat": self.repeat}
        return ModelReply(tool_calls=self.calls, stop=Stop.TOOL_CALLS, raw=raw, model="offline")


@dataclass(frozen=True, slots=True)
class Afterwards:
    """What a plan left to do after its results."""

    then: tuple[str, ...] = ()
    offer: bool = False
    repeat: bool = False
    known: bool = field(default=True, compare=False)


def afterwards(raw: Json, own: bool) -> Afterwards:
    """Read back what ``reply`` stored; another provider's step left nothing."""
    if not own or not isinstance(raw, Mapping):
        return Afterwards(known=False)
    then = raw.get("then")
    lines = tuple(str(line) for line in then) if isinstance(then, list) else ()
    return Afterwards(lines, bool(raw.get("offer")), bool(raw.get("repeat")))


def say(*lines: str) -> Plan:
    """Only words."""
    return Plan(text="\n".join(line for line in lines if line))


def call(tool: str, /, **arguments: Json) -> ToolRequest:
    """A request without the arguments that are None."""
    return ToolRequest(tool, {key: value for key, value in arguments.items() if value is not None})
