"""Orders that were placed: how far they are, changing, cancelling."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime

from orders.offline import texts
from orders.offline.changes import apply
from orders.offline.facts import PlacedOrder
from orders.offline.moments import When
from orders.offline.plan import Plan, Situation, call, say
from orders.offline.reading import Turn, read

#: A letter that is a word ("a 4") or a sign ("x2") needs its hyphen.
_NUMBER = re.compile(r"\b(?:([b-df-hj-np-tvwz])[- ]?|([a-z])-)(\d{1,4})\b", re.IGNORECASE)


def status(situation: Situation) -> Plan:
    """One order by its number, all when none is named."""
    number = said_number(situation.talk.text)
    if number is not None:
        return Plan((call("order_status", order=number),))
    return Plan((call("my_orders"),))


def cancel(situation: Situation, turn: Turn) -> Plan:
    """Cancel the order meant; without one, drop the draft."""
    number = said_number(situation.talk.text)
    if number is not None:
        return Plan((call("cancel_order", order=number),))
    orders = situation.facts.orders
    if len(orders) == 1:
        return Plan((call("cancel_order", order=orders[0].number),))
    if orders:
        named = [order for order in orders if _names(order, turn)]
        if len(named) == 1:
            return Plan((call("cancel_order", order=named[0].number),))
        return say(texts.ask_which_order([order.number for order in orders]))
    if situation.facts.draft:
        return Plan((call("quote_order", items=[]),))
    return say(texts.no_orders())


def change(situation: Situation, turn: Turn, agreed: When | None = None) -> Plan:
    """Change a placed order's lines or time; the time ``agreed`` in place of the one they said."""
    order = _meant(situation)
    if order is None:
        if (number := said_number(situation.talk.text)) is not None:
            return say(texts.no_such_order(number))
        numbers = [each.number for each in situation.facts.orders]
        return say(texts.ask_which_order(numbers) if numbers else texts.no_orders())
    items = [situation.menu.by_key[line.product] for line in order.lines if line.product in situation.menu.by_key]
    turn = read(situation.talk.text, situation.menu, situation.today, items)
    turn = turn if agreed is None else replace(turn, when=agreed)
    changed = apply(turn, situation.menu, order.lines)
    moment = _moment(order, turn, situation)
    known = [wish for wish in changed.wishes if wish.item is not None or wish.candidates]
    same = changed.lines == order.lines or not changed.lines
    if known or (same and moment is None):
        return say(texts.ask_change(order.number))
    lines = order.lines if same else changed.lines
    at = f"{moment:%Y-%m-%dT%H:%M}" if moment is not None else None
    return Plan((call("update_order", order=order.number, items=[line.as_item() for line in lines], pickup_at=at),))


def _moment(order: PlacedOrder, turn: Turn, situation: Situation) -> datetime | None:
    """The new time; a time without a day is meant for the order's own day, and the other way round."""
    when = turn.when
    if order.due is not None and when.at is None and when.day is not None:
        return datetime.combine(when.day, order.due.time())
    if order.due is not None and when.day is None and order.due.date() > situation.today:
        when = replace(when, day=order.due.date())
    return when.moment(situation.facts.now)


def _meant(situation: Situation) -> PlacedOrder | None:
    number = said_number(situation.talk.text)
    orders = situation.facts.orders
    if number is not None:
        return next((order for order in orders if order.number == number), None)
    return orders[0] if len(orders) == 1 else just_told(situation)


def just_told(situation: Situation) -> PlacedOrder | None:
    """The one open order our last words were about."""
    told = {_number(found) for found in _NUMBER.finditer(situation.talk.last_answer)}
    named = [order for order in situation.facts.orders if order.number in told]
    return named[0] if len(named) == 1 else None


def said_number(text: str) -> str | None:
    found = _NUMBER.search(text)
    return _number(found) if found is not None else None


def _number(found: re.Match[str]) -> str:
    return f"{(found.group(1) or found.group(2)).upper()}-{found.group(3)}"


def _names(order: PlacedOrder, turn: Turn) -> bool:
    """Whether the turn names a product of the order."""
    keys = {line.product for line in order.lines}
    return any(reading.item.key in keys for chunk in turn.chunks for reading in chunk.readings[:3])
