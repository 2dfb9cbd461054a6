"""Today's orders of each branch, as values for the first screen."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

from django.db.models import Case, Count, Q, Sum, Value, When
from django.urls import reverse

from aitools.admin.links import change_url
from orders.admin.amounts import Amounts
from orders.models import Branch, Order, OrderLine, OrderState
from orders.models.orders import OPEN_STATES, OrderQuerySet

#: The most orders of a branch the first screen lists; the order list has all.
SHOWN = 60
STATE_TONES = {
    OrderState.ACCEPTED.value: "info",
    OrderState.PREPARING.value: "warning",
    OrderState.READY.value: "success",
    OrderState.PICKED_UP.value: "",
    OrderState.NO_SHOW.value: "danger",
    OrderState.CANCELLED.value: "danger",
}


@dataclass(frozen=True, slots=True)
class DayOrder:
    """One order as a line. ``due`` is the branch's time; ``total`` is "" for who may not see it."""

    number: str
    url: str
    due: datetime
    name: str
    lines: str
    total: str
    state: str
    tone: str
    is_done: bool


@dataclass(frozen=True, slots=True)
class BranchDay:
    """A branch's day. Sums leave cancelled orders out; ``open`` counts those with work left."""

    branch: str
    date: date
    orders: tuple[DayOrder, ...]
    count: int
    open: int
    cancelled: int
    total: str
    list_url: str


def days(now: datetime, *, with_money: bool) -> list[BranchDay]:
    """Each active branch's own today. Two queries and four for each branch."""
    amounts = Amounts.current()
    branches = Branch.objects.filter(active=True)
    return [_day(branch, now, amounts if with_money else None) for branch in branches]


def short_lines(lines: Iterable[OrderLine]) -> str:
    """ "2 × Croissant (caliente), 1 × Café (grande, deslactosada)". Reads each line's options: prefetch them."""
    return ", ".join(_short(line) for line in lines)


def _short(line: OrderLine) -> str:
    chosen = [*filter(None, [line.variant_name]), *(option.name for option in line.options.all())]
    return f"{line.quantity} × {line.name}" + (f" ({', '.join(chosen)})" if chosen else "")


def _day(branch: Branch, now: datetime, amounts: Amounts | None) -> BranchDay:
    today = now.astimezone(branch.zone).date()
    orders = Order.objects.filter(branch=branch, business_date=today)
    sums = orders.aggregate(
        count=Count("pk", filter=~Q(state=OrderState.CANCELLED)),
        open=Count("pk", filter=Q(state__in=OPEN_STATES)),
        cancelled=Count("pk", filter=Q(state=OrderState.CANCELLED)),
        total=Sum("total", filter=~Q(state=OrderState.CANCELLED)),
    )
    query = f"business_date_from={today}&business_date_to={today}&branch__id__exact={branch.pk}"
    return BranchDay(
        branch=branch.name,
        date=today,
        orders=tuple(_line(order, branch, amounts) for order in _listed(orders)),
        count=sums["count"],
        open=sums["open"],
        cancelled=sums["cancelled"],
        total=amounts.show(sums["total"] or Decimal(0)) if amounts else "",
        list_url=f"{reverse('admin:orders_order_changelist')}?{query}",
    )


def _listed(orders: OrderQuerySet) -> OrderQuerySet:
    """What has work left first, by the time it is due; then the rest."""
    done = Case(When(state__in=OPEN_STATES, then=Value(0)), default=Value(1))
    return orders.prefetch_related("lines__options").order_by(done, "due_at", "id")[:SHOWN]


def _line(order: Order, branch: Branch, amounts: Amounts | None) -> DayOrder:
    return DayOrder(
        number=f"{branch.letter}-{order.day_no}",
        url=change_url(order),
        due=order.due_at.astimezone(branch.zone),
        name=order.name,
        lines=short_lines(order.lines.all()),
        total=amounts.show(order.total, order.currency) if amounts else "",
        state=order.get_state_display(),
        tone=STATE_TONES[order.state],
        is_done=not order.is_open,
    )
