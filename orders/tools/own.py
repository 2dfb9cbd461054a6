"""The customer's own orders: nobody can name another's."""

from __future__ import annotations

from django.utils.translation import gettext as _

from aitools.errors import ToolFailed, ToolRetry
from aitools.tools import ToolContext, tool
from orders import customers
from orders.catalogue import current
from orders.models import Order
from orders.texts import replies
from orders.tools.args import Nothing, OrderStatus
from orders.tools.views import order_view

#: So many of the newest orders are told and searched by number.
SHOWN = 5
SEARCHED = 50


def find(number: str, ctx: ToolContext, *, lock: bool = False) -> Order:
    """The customer's own order by number ("C-17", "17") or code, the newest that fits.

    Raises ``ToolFailed`` in the same words for orders of others and for none.
    """
    own = Order.objects.of(customers.find(ctx)).select_related("branch", "customer")
    if lock:
        own = own.select_for_update(of=("self",))
    wanted = number.strip().lstrip("#").upper().replace(" ", "-")
    newest = [order for order in own[:SEARCHED] if wanted in _names(order)]
    open_first = sorted(newest, key=lambda order: not order.is_open)
    if not open_first:
        say = _("I can't find order %(order)s among yours.") % {"order": number.strip()}
        raise ToolFailed("This customer has no such order.", say=say)
    fitting = [order for order in open_first if order.is_open == open_first[0].is_open]
    if wanted.isdigit() and len({order.number for order in fitting}) > 1:
        numbers = ", ".join(order.number for order in fitting)
        say = _("Which order do you mean: %(choices)s?") % {"choices": numbers}
        raise ToolRetry(f"Several orders fit: {numbers}. Ask which.", say=say)
    return fitting[0]


def _names(order: Order) -> tuple[str, ...]:
    return order.number, order.number.replace("-", ""), str(order.day_no), order.code


@tool(schema=Nothing)
def my_orders(args: Nothing, ctx: ToolContext) -> dict[str, object]:
    """Lists this customer's newest orders with state and total. Use it for "my orders" and to find a number."""
    terms = current().shop
    own = Order.objects.of(customers.find(ctx)).select_related("branch")
    orders = list(own.open()[:SHOWN]) or list(own[:1])
    if not orders:
        return {"say": _("You have no orders with us yet."), "orders": []}
    return {
        "say": "\n\n".join("\n".join(replies.stored(order, terms, ctx.now)) for order in orders),
        "orders": [order_view(order, terms) for order in orders],
    }


@tool(schema=OrderStatus)
def order_status(args: OrderStatus, ctx: ToolContext) -> dict[str, object]:
    """Tells how far one of this customer's orders is. Use it when they ask about an order by its number."""
    terms = current().shop
    order = find(args.order, ctx)
    return {"say": "\n".join(replies.stored(order, terms, ctx.now)), **order_view(order, terms)}
