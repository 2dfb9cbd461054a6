"""What the scripted model says. It remembers nothing: all it knows is in the request.

It understands what the crowd writes ("Quiero 2 Croissant y 1 Café") and asks for
the shop's tools as a good model would; its slips are in ``model``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from aitools.types import ModelReply, Stop, ToolRequest
from bench.chaos.wares import Wares

_NUDGES = ("Your last", "No more tools")
_NAME = re.compile(r"a nombre de (.+)$", re.MULTILINE)
_NUMBER = re.compile(r"\b[A-Z]-\d+\b")
_QUANTITY = re.compile(r"que sean (\d+)")
_FACTS = "FACTS (data): "

Block = Mapping[str, Any]
Call = tuple[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Step:
    """One reply of the model in this turn, with what became of its calls (name, arguments, result)."""

    calls: Sequence[tuple[str, Mapping[str, Any], Any]]


@dataclass(frozen=True, slots=True)
class Situation:
    """What the customer wrote last, the steps since, and the facts of the prompt."""

    text: str
    steps: Sequence[Step]
    facts: Mapping[str, Any]

    @classmethod
    def read(cls, body: Mapping[str, Any]) -> Situation:
        messages = body["messages"]
        place = _newest_words(messages)
        return cls(_text(messages[place]), list(_steps(messages[place + 1 :])), _facts(body))

    @property
    def who(self) -> str:
        """The customer's name, which the crowd makes unique."""
        named = _NAME.search(self.text)
        return named[1] if named else str(self.facts.get("customer", {}).get("name") or "")


def answer(wares: Wares, situation: Situation) -> ModelReply:
    """The next reply of a model that makes no mistakes."""
    if not situation.steps:
        return _begin(wares, situation, situation.text, {})
    name, arguments, result = situation.steps[-1].calls[-1]
    said = result if isinstance(result, Mapping) else {}
    if said.get("reason") == "user_replied":
        return _begin(wares, situation, str(said["userReply"]), _basket(wares, arguments))
    if said.get("executed") is False:
        return says("Entendido. ¿Qué más te ofrezco?")
    if "error" in said or not isinstance(result, Mapping):
        return _begin(wares, situation, situation.text, {}) if len(situation.steps) < 4 else _lost()
    if name == "quote_order":
        return asks(("create_order", {"items": arguments["items"]} | _name(situation)))
    return says(str(said.get("say") or "Cuéntame qué quieres pedir."))


def says(text: str) -> ModelReply:
    return ModelReply(text=text)


def asks(*calls: Call) -> ModelReply:
    requests = tuple(ToolRequest(name, arguments, "", "") for name, arguments in calls)
    return ModelReply(tool_calls=requests, stop=Stop.TOOL_CALLS)


def _lost() -> ModelReply:
    return says("¿Me lo repites en un solo mensaje, por favor?")


def _begin(wares: Wares, situation: Situation, text: str, asked: Mapping[str, int]) -> ModelReply:
    """What to do about the customer's words; ``asked`` is what the open question was about."""
    number = _NUMBER.search(text)
    if "Cancela" in text and number:
        return asks(("cancel_order", {"order": number[0]}))
    if "Cambia" in text and number:
        return asks(("update_order", {"order": number[0], "items": _items(wares, wares.named_in(text))}))
    if (quantity := _QUANTITY.search(text)) and (asked or _draft(wares, situation)):
        wanted = dict.fromkeys(asked or _draft(wares, situation), int(quantity[1]))
        return asks(("create_order", {"items": _items(wares, wanted)} | _name(situation)))
    if named := wares.named_in(text):
        before = {} if "Quiero" in text else asked or _draft(wares, situation)
        return asks(("quote_order", {"items": _items(wares, {**before, **named})} | _name(situation)))
    if "Qué tienen" in text:
        return asks(("view_menu", {}))
    return says("Hola. Cuéntame qué quieres pedir.")


def _name(situation: Situation) -> dict[str, str]:
    named = _NAME.search(situation.text)
    return {"name": named[1]} if named else {}


def _items(wares: Wares, basket: Mapping[str, int]) -> list[dict[str, Any]]:
    return [{"product": wares.keys[name], "quantity": quantity} for name, quantity in basket.items()]


def _basket(wares: Wares, arguments: Mapping[str, Any]) -> dict[str, int]:
    return _named(wares, arguments.get("items") or [])


def _draft(wares: Wares, situation: Situation) -> dict[str, int]:
    return _named(wares, (situation.facts.get("draft") or {}).get("lines") or [])


def _named(wares: Wares, items: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    return {wares.names[item["product"]]: item["quantity"] for item in items if item.get("product") in wares.names}


def _newest_words(messages: Sequence[Block]) -> int:
    """The place of the customer's newest words: corrective lines are not theirs."""
    words = [place for place, one in enumerate(messages) if one["role"] == "user" and _text(one)]
    own = [place for place in words if not _text(messages[place]).startswith(_NUDGES)]
    return own[-1]


def _steps(messages: Sequence[Block]) -> Iterator[Step]:
    for asked, answered in pairwise(messages):
        calls = [block for block in _blocks(asked) if block["type"] == "tool_use"]
        results = {b["tool_use_id"]: _json(b["content"]) for b in _blocks(answered) if b["type"] == "tool_result"}
        if calls:
            yield Step([(call["name"], call["input"], results.get(call["id"])) for call in calls])


def _text(message: Block) -> str:
    return "\n".join(block["text"] for block in _blocks(message) if block["type"] == "text")


def _blocks(message: Block) -> list[dict[str, Any]]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _facts(body: Mapping[str, Any]) -> Mapping[str, Any]:
    system = body.get("system") or []
    text = system if isinstance(system, str) else "".join(block["text"] for block in system)
    place = text.find(_FACTS)
    facts: Mapping[str, Any] = json.JSONDecoder().raw_decode(text[place + len(_FACTS) :])[0] if place >= 0 else {}
    return facts
