"""How a model goes wrong: at the wire (overloaded, silent, cut) and in what it asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from aitools.types import ModelReply, Stop, ToolRequest
from bench.chaos.dice import Dice
from bench.chaos.script import says


@dataclass(frozen=True, slots=True)
class Trouble:
    """Instead of a reply, or around it: an HTTP error, a connection that closes, or time."""

    status: int = 0
    drop: bool = False
    seconds: float = 0


OVERLOADED, BROKEN, DROPPED = Trouble(529), Trouble(500), Trouble(drop=True)
#: Share of all requests.
TROUBLES: Mapping[Trouble, float] = {OVERLOADED: 0.02, BROKEN: 0.015, DROPPED: 0.01, Trouble(seconds=9): 0.004}
SLIPS_SHARE = 0.16

Slip = Callable[[ModelReply], ModelReply]


def trouble(dice: Dice, who: str, count: int) -> Trouble:
    """What happens to this customer's request of this number, mostly a short wait."""
    mine = dice.of("model", who, count)
    waits = Trouble(seconds=0 if dice.calm else mine.uniform(0, 0.25))
    struck = mine.random()
    for one, share in TROUBLES.items():
        struck -= share
        if struck < 0 and not dice.calm:
            return one
    return waits


def slipped(reply: ModelReply, dice: Dice, who: str, count: int) -> tuple[ModelReply, str]:
    """The reply as a worse model would give it, and the slip's name."""
    if not dice.strikes(SLIPS_SHARE, "slips", who, count):
        return reply, ""
    slips = ON_CALLS if reply.tool_calls else ON_WORDS
    slip = dice.of("slip", who, count).choice(slips)
    return slip(reply), slip.__name__


def unknown_product(reply: ModelReply) -> ModelReply:
    return _changed(reply, lambda item: {**item, "product": f"{item['product']}-x"})


def no_quantity(reply: ModelReply) -> ModelReply:
    return _changed(reply, lambda item: {**item, "quantity": 0})


def own_price(reply: ModelReply) -> ModelReply:
    return _changed(reply, lambda item: {**item, "price": "1"})


def words_for_a_number(reply: ModelReply) -> ModelReply:
    return _changed(reply, lambda item: {**item, "quantity": "dos"})


def other_order(reply: ModelReply) -> ModelReply:
    """The number of somebody else's order, or of none."""
    last = reply.tool_calls[-1]
    return _with_last(reply, replace(last, arguments={**(last.arguments or {}), "order": "C-99999"}))


def unknown_tool(reply: ModelReply) -> ModelReply:
    return replace(reply, tool_calls=(ToolRequest("ver_menuu", {}), *reply.tool_calls))


def asked_twice(reply: ModelReply) -> ModelReply:
    """The same call twice in one reply."""
    return replace(reply, tool_calls=(*reply.tool_calls, reply.tool_calls[-1]))


def looks_too(reply: ModelReply) -> ModelReply:
    return replace(reply, tool_calls=(ToolRequest("check_hours", {}), *reply.tool_calls))


def cut_off(reply: ModelReply) -> ModelReply:
    """The output limit: calls arrive without their arguments' end."""
    calls = tuple(replace(call, arguments={}) for call in reply.tool_calls)
    return replace(reply, text=reply.text[:10], tool_calls=calls, stop=Stop.LENGTH)


def silent(reply: ModelReply) -> ModelReply:
    return ModelReply()


def false_claim(reply: ModelReply) -> ModelReply:
    return says("¡Listo! Tu pedido quedó registrado, son $1.")


ON_CALLS: tuple[Slip, ...] = (
    unknown_product,
    no_quantity,
    own_price,
    words_for_a_number,
    other_order,
    unknown_tool,
    asked_twice,
    looks_too,
    cut_off,
    silent,
    false_claim,
)
ON_WORDS: tuple[Slip, ...] = (cut_off, silent, false_claim)


def _changed(reply: ModelReply, change: Callable[[dict[str, Any]], dict[str, Any]]) -> ModelReply:
    last = reply.tool_calls[-1]
    arguments: dict[str, Any] = dict(last.arguments or {})
    arguments["items"] = [change(item) for item in arguments.get("items", [{"product": "pan", "quantity": 1}])]
    return _with_last(reply, replace(last, arguments=arguments))


def _with_last(reply: ModelReply, call: ToolRequest) -> ModelReply:
    return replace(reply, tool_calls=(*reply.tool_calls[:-1], call))
