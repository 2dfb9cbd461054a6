"""The first screen: today's orders, and what needs a person."""

from typing import Any

from django.http import HttpRequest

from aitools import clock, spending
from aitools.admin import alarms
from aitools.prices import dollars
from orders.admin import today


def fill(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Add to the index page what this person may see. A fixed number of queries."""
    now = clock.now()
    if request.user.has_perm("orders.view_order"):
        context["days"] = today.days(now, with_money=request.user.has_perm("orders.see_money"))
    if request.user.has_perm("aitools.view_conversation"):
        context["alarms"] = alarms.current(now)
    if request.user.has_perm("aitools.view_turn") and (cost := spending.today(now)):
        context["model_cost"] = dollars(cost)
    return context


def waiting_badge(request: HttpRequest) -> str:
    """How many conversations wait for staff, for the menu; "" for none."""
    if not request.user.has_perm("aitools.view_conversation"):
        return ""
    count = alarms.waiting_count()
    return str(count) if count else ""
