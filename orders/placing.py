"""Writing orders: place, change, cancel. Every function requires the caller's transaction."""

from __future__ import annotations

import secrets
from datetime import date, timedelta

from django.db import connection
from django.utils.translation import gettext as _

from aitools.errors import ToolFailed
from aitools.tools import ToolContext
from aitools.types import Json
from orders import customers, stock
from orders.catalogue import ShopTerms
from orders.models import Actor, Customer, EventKind, Order, OrderEvent, OrderLine, OrderLineOption, OrderState
from orders.planning import Plan, refuse
from orders.pricing import Line
from orders.texts import offers, refusals

#: Letters and digits that are hard to mistake for others, said or handwritten.
CODE_ALPHABET = "CDEFHJKLMNPRTUVWXY379"
CODE_LENGTH = 6
#: Just after ordering, a change of mind is free whatever the cut-off.
GRACE_MINUTES = 10

_NEXT_NUMBER = """
INSERT INTO orders_daycounter AS counter (branch_id, business_date, last) VALUES (%s, %s, 1)
ON CONFLICT (branch_id, business_date) DO UPDATE SET last = counter.last + 1
RETURNING last
"""


def place(plan: Plan, ctx: ToolContext) -> Order:
    """Store the planned order for the customer who writes, once per tool call."""
    _require_transaction()
    customer = customers.find_or_create(ctx, plan.name)
    check_customer(customer)
    day = plan.due.date()
    _take(plan, day)
    order = Order(
        code=_free_code(),
        customer=customer,
        name=plan.name,
        channel=ctx.channel,
        tool_call_id=ctx.tool_call_id,
        created_at=ctx.now,
        branch_id=plan.branch.id,
        business_date=day,
        day_no=_next_number(plan.branch.id, day),
    )
    _fill(order, plan)
    order.save(force_insert=True)
    _write_lines(order, plan)
    _record(order, EventKind.PLACED, ctx, None)
    return order


def change(order: Order, plan: Plan, ctx: ToolContext) -> Order:
    """Give a locked order the plan's lines and time; a new number only on another day."""
    _require_transaction()
    before = summary(order)
    stock.give_back(order)
    day = plan.due.date()
    _take(plan, day)
    if day != order.business_date:
        order.business_date, order.day_no = day, _next_number(order.branch_id, day)
    order.version += 1
    _fill(order, plan)
    order.save()
    order.lines.all().delete()
    _write_lines(order, plan)
    _record(order, EventKind.CHANGED, ctx, before)
    return order


def cancel(order: Order, reason: str, ctx: ToolContext) -> Order:
    """Cancel a locked order and free what it had taken."""
    _require_transaction()
    before = summary(order)
    stock.give_back(order)
    order.state = OrderState.CANCELLED
    order.cancel_reason = reason[:200]
    order.version += 1
    order.save(update_fields=["state", "cancel_reason", "version"])
    _record(order, EventKind.CANCELLED, ctx, before)
    return order


def check_customer(customer: Customer | None) -> None:
    """Raise if staff want to take this customer's orders themselves."""
    if customer is not None and customer.blocked:
        say = offers.person(_("I can't take your order here."))
        raise ToolFailed("This customer's orders are taken by staff only; offer talk_to_person.", say=say)


def check_changeable(order: Order, terms: ShopTerms, ctx: ToolContext) -> None:
    """Raise unless the customer may still change the order by themselves."""
    if not _is_in_time(order, terms.change_cutoff, ctx):
        say = offers.person(_("It is too late to change order %(order)s here.") % {"order": order.number})
        raise ToolFailed("Too late for the customer to change this order; offer talk_to_person.", say=say)


def check_cancellable(order: Order, terms: ShopTerms, ctx: ToolContext) -> None:
    """Raise unless the customer may still cancel the order by themselves."""
    if not _is_in_time(order, terms.cancel_cutoff, ctx):
        say = offers.person(_("It is too late to cancel order %(order)s here.") % {"order": order.number})
        raise ToolFailed("Too late for the customer to cancel this order; offer talk_to_person.", say=say)


def summary(order: Order) -> dict[str, Json]:
    """The order as its events keep it. Queries its lines."""
    return {
        "state": order.state,
        "due_at": order.due_at.isoformat(),
        "total": str(order.total),
        "note": order.note,
        "lines": [
            {"name": line.name, "variant": line.variant_name, "quantity": line.quantity, "total": str(line.line_total)}
            for line in order.lines.all()
        ],
    }


def _is_in_time(order: Order, cutoff: int, ctx: ToolContext) -> bool:
    """Whether the customer may still touch it; raises when there is nothing left to touch."""
    if order.state == OrderState.CANCELLED:
        raise refuse([_("Order %(order)s is already cancelled.") % {"order": order.number}])
    if order.state in (OrderState.PICKED_UP, OrderState.NO_SHOW):
        raise refuse([_("Order %(order)s is already closed.") % {"order": order.number}])
    until = max(order.due_at - timedelta(minutes=cutoff), order.created_at + timedelta(minutes=GRACE_MINUTES))
    return order.state == OrderState.ACCEPTED and ctx.now <= until


def _fill(order: Order, plan: Plan) -> None:
    order.due_at = plan.due
    order.currency = plan.quote.terms.currency
    order.prices_include_tax = plan.quote.terms.prices_include_tax
    order.subtotal = plan.quote.subtotal
    order.tax = plan.quote.tax
    order.total = plan.quote.total
    order.note = plan.note


def _write_lines(order: Order, plan: Plan) -> None:
    lines = [_line(order, position, line) for position, line in enumerate(plan.quote.lines, start=1)]
    OrderLine.objects.bulk_create(lines)
    OrderLineOption.objects.bulk_create(
        OrderLineOption(
            line=stored,
            option_id=option.id,
            list_name=next(rule.name for rule in line.item.product.option_rules if option in rule.options),
            name=option.name,
            price_delta=option.price_delta,
        )
        for stored, line in zip(lines, plan.quote.lines, strict=True)
        for option in line.item.options
    )


def _line(order: Order, position: int, line: Line) -> OrderLine:
    item = line.item
    return OrderLine(
        order=order,
        position=position,
        product_id=item.product.id,
        variant_id=item.variant.id if item.variant is not None else None,
        name=item.product.name,
        variant_name=item.variant.name if item.variant is not None else "",
        quantity=item.quantity,
        unit_price=line.unit_price,
        pack_size=item.variant.pack_size if item.variant is not None else item.product.pack_size,
        note=item.note,
        tax_rate=item.product.tax_rate,
        line_total=line.total,
    )


def _take(plan: Plan, day: date) -> None:
    try:
        stock.take(plan.branch.id, [line.item for line in plan.quote.lines], day)
    except stock.NotEnough as short:
        raise refuse([refusals.few_left(short.product.name, short.left)]) from short


def _record(order: Order, what: EventKind, ctx: ToolContext, before: dict[str, Json] | None) -> None:
    OrderEvent.objects.create(
        order=order, at=ctx.now, actor=Actor.CUSTOMER, what=what, before=before, after=summary(order)
    )


def _next_number(branch_id: int, day: date) -> int:
    """The day's next number; the counter's row stays locked until the commit."""
    with connection.cursor() as cursor:
        cursor.execute(_NEXT_NUMBER, [branch_id, day])
        number: int = cursor.fetchone()[0]
    return number


def _free_code() -> str:
    """A code nobody has; the unique constraint guards the unlikely race."""
    while True:
        code = "".join(secrets.choice(CODE_ALPHABET) for _ in range(CODE_LENGTH))
        if not Order.objects.filter(code=code).exists():
            return code


def _require_transaction() -> None:
    if not connection.in_atomic_block:
        raise RuntimeError("orders are written in the caller's transaction")
