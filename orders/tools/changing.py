"""Changing and cancelling a placed order."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from aitools.errors import AgreementChanged
from aitools.tools import ToolContext, tool
from aitools.types import Json
from orders import placing, sources
from orders.catalogue import current
from orders.models import Order
from orders.planning import OrderRequest, Plan, plan_change
from orders.texts import replies
from orders.tools.args import CancelOrder, UpdateOrder, moment
from orders.tools.own import find
from orders.tools.placing import report
from orders.tools.views import order_view


def _changed_plan(args: UpdateOrder, ctx: ToolContext, order: Order) -> Plan:
    placing.check_changeable(order, current().shop, ctx)
    request = OrderRequest(
        wishes=tuple(item.wish() for item in args.items),
        branch=None,
        pickup_at=moment(args.pickup_at),
        name=order.name,
        note=order.note if args.note is None else args.note,
    )
    return plan_change(order, request, ctx)


def _change_agreement(plan: Plan, order: Order) -> dict[str, Json]:
    return {**plan.agreement(), "order": order.code, "version": order.version}


def _check_change(args: UpdateOrder, ctx: ToolContext) -> None:
    _changed_plan(args, ctx, find(args.order, ctx))


def _change_lines(args: UpdateOrder, ctx: ToolContext) -> list[str]:
    order = find(args.order, ctx)
    return [order.number, *replies.plan_lines(_changed_plan(args, ctx, order), ctx.now)]


def _change_fingerprint(args: UpdateOrder, ctx: ToolContext) -> Json:
    order = find(args.order, ctx)
    return _change_agreement(_changed_plan(args, ctx, order), order)


@tool(
    schema=UpdateOrder,
    choices=(sources.products, sources.options),
    title=_("Change order"),
    confirm=True,
    check=_check_change,
    confirm_lines=_change_lines,
    fingerprint=_change_fingerprint,
    report=report,
    acts=("change",),
)
def update_order(args: UpdateOrder, ctx: ToolContext) -> dict[str, object]:
    """Changes a placed order of this customer: give its whole new list of items.

    Use it only for an order that was already placed; for one being put
    together use quote_order.
    """
    order = find(args.order, ctx, lock=True)
    plan = _changed_plan(args, ctx, order)
    if ctx.agreed is not None and _change_agreement(plan, order) != ctx.agreed:
        raise AgreementChanged(ctx.tool)
    placing.change(order, plan, ctx)
    return {"say": replies.changed(order, plan, ctx.now), **order_view(order, current().shop)}


def _check_cancel(args: CancelOrder, ctx: ToolContext) -> None:
    placing.check_cancellable(find(args.order, ctx), current().shop, ctx)


def _cancel_lines(args: CancelOrder, ctx: ToolContext) -> list[str]:
    return replies.stored(find(args.order, ctx), current().shop, ctx.now)


def _cancel_agreement(order: Order) -> dict[str, Json]:
    return {"order": order.code, "version": order.version, "total": str(order.total), "currency": order.currency}


def _cancel_fingerprint(args: CancelOrder, ctx: ToolContext) -> Json:
    return _cancel_agreement(find(args.order, ctx))


@tool(
    schema=CancelOrder,
    title=_("Cancel order"),
    confirm=True,
    check=_check_cancel,
    confirm_lines=_cancel_lines,
    fingerprint=_cancel_fingerprint,
    forgets=("create_order",),
    report=report,
    acts=("cancel",),
)
def cancel_order(args: CancelOrder, ctx: ToolContext) -> dict[str, object]:
    """Cancels a placed order of this customer. Use it when they no longer want an order they placed."""
    order = find(args.order, ctx, lock=True)
    placing.check_cancellable(order, current().shop, ctx)
    if ctx.agreed is not None and _cancel_agreement(order) != ctx.agreed:
        raise AgreementChanged(ctx.tool)
    placing.cancel(order, args.reason or "", ctx)
    return {"say": replies.cancelled(order), "order": order.number, "code": order.code, "state": order.state}
