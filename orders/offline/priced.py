"""What the words of a question cost, by the menu's own prices: asked for, so never ordered."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from orders.money import format_money
from orders.offline import texts
from orders.offline.changes import apply
from orders.offline.facts import Line
from orders.offline.menu import MenuItem
from orders.offline.plan import Plan, Situation, say
from orders.offline.reading import Turn


def amounts(situation: Situation, turn: Turn) -> Plan | None:
    """One line for each thing asked about, and their total; None when any of it is not clear.

    Only for counts, sizes and options: a plain product is looked up by a tool.
    """
    menu = situation.menu
    outcome = apply(turn, menu, ())
    if not outcome.lines or outcome.wishes or outcome.doubts:
        return None
    if not any(line.variant or line.options or line.quantity > 1 for line in outcome.lines):
        return None
    costs = [_cost(line, menu.by_key[line.product]) for line in outcome.lines]
    known = [cost for cost in costs if cost is not None]
    if len(known) < len(costs):
        return None
    lines = [
        f"{line.quantity} × {_label(line, menu.by_key[line.product])} — {_show(situation, cost)}"
        for line, cost in zip(outcome.lines, known, strict=True)
    ]
    total = [texts.total(_show(situation, sum(known, Decimal(0))))] if len(lines) > 1 else []
    return say(*lines, *total, texts.ask_that())


def _cost(line: Line, item: MenuItem) -> Decimal | None:
    size = item.size(line.variant)
    price = size.price if size is not None else item.price
    if price is None:
        return None
    return (price + sum(_deltas(line, item), Decimal(0))) * line.quantity


def _deltas(line: Line, item: MenuItem) -> Sequence[Decimal]:
    return [option.price_delta for rule in item.lists for option in rule.options if option.code in line.options]


def _label(line: Line, item: MenuItem) -> str:
    size = item.size(line.variant)
    chosen = [option.label for rule in item.lists for option in rule.options if option.code in line.options]
    details = [*([size.label] if size is not None else []), *chosen]
    return f"{item.label} ({', '.join(details)})" if details else item.label


def _show(situation: Situation, amount: Decimal) -> str:
    facts, digits = situation.facts, situation.menu.price_digits
    return format_money(amount, locale=facts.locale, currency=facts.currency, digits=digits)
