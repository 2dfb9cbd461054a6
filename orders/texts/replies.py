"""Whole answers of tools, ready for the customer."""

from __future__ import annotations

from datetime import datetime

from django.utils.translation import gettext as _

from orders.catalogue import ShopTerms
from orders.models import Order
from orders.planning import Plan
from orders.texts import lines, times


def plan_lines(plan: Plan, now: datetime) -> list[str]:
    """Under a question: lines, total, note, where, when, for whom."""
    return [*lines.quote_lines(plan.quote), *_about(plan.note, pickup(plan, now), plan.name)]


def pickup(plan: Plan, now: datetime) -> str:
    """Where and when a planned order will be ready."""
    when = times.moment(plan.due, now)
    if plan.soon:
        when = _("as soon as possible (about %(when)s)") % {"when": when}
    return pickup_at(plan.branch.name, when)


def pickup_at(branch: str, when: str) -> str:
    return _("Pick-up at %(branch)s: %(when)s") % {"branch": branch, "when": when}


def placed(order: Order, plan: Plan, now: datetime) -> str:
    head = _("Done, %(name)s! Your order is %(order)s.") % {"name": order.name, "order": order.number}
    return "\n".join([head, *lines.quote_lines(plan.quote), pickup(plan, now)])


def changed(order: Order, plan: Plan, now: datetime) -> str:
    head = _("Done! Order %(order)s is changed.") % {"order": order.number}
    return "\n".join([head, *lines.quote_lines(plan.quote), pickup(plan, now)])


def cancelled(order: Order) -> str:
    return _("Done: order %(order)s is cancelled.") % {"order": order.number}


def stored(order: Order, terms: ShopTerms, now: datetime) -> list[str]:
    """A stored order in full: number and state, lines, total, place and time."""
    head = _("Order %(order)s: %(state)s") % {"order": order.number, "state": order.get_state_display()}
    return [head, *lines.order_lines(order, terms), pickup_at(order.branch.name, due(order, now))]


def due(order: Order, now: datetime) -> str:
    """When a stored order is to be picked up, in its branch's time."""
    return times.moment(order.due_at.astimezone(order.branch.zone), now)


def _about(note: str, where: str, name: str) -> list[str]:
    noted = [_("Note: %(note)s") % {"note": note}] if note else []
    return [*noted, where, _("For: %(name)s") % {"name": name}]
