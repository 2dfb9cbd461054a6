"""Turning the draft, or a list, into an order."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from aitools.errors import AgreementChanged
from aitools.tools import ToolContext, tool
from aitools.types import Json
from orders import customers, drafts, placing, sources
from orders.catalogue import current
from orders.planning import Plan, complete, plan_new
from orders.texts import replies
from orders.tools.args import CreateOrder, moment
from orders.tools.views import order_view


def plan(args: CreateOrder, ctx: ToolContext) -> Plan:
    """The order this call would make. Raises ``ToolRetry`` with what is missing, ``ToolFailed`` where staff must."""
    customer = customers.find(ctx)
    placing.check_customer(customer)
    request = complete(
        drafts.load(ctx),
        wishes=None if args.items is None else [item.wish() for item in args.items],
        branch=args.branch,
        pickup_at=moment(args.pickup_at),
        name=args.name or "",
        note=args.note,
        known_name=customers.known_name(ctx, customer),
    )
    return plan_new(request, ctx)


def _check(args: CreateOrder, ctx: ToolContext) -> None:
    plan(args, ctx)


def _lines(args: CreateOrder, ctx: ToolContext) -> list[str]:
    return replies.plan_lines(plan(args, ctx), ctx.now)


def _agreement(args: CreateOrder, ctx: ToolContext) -> Json:
    return plan(args, ctx).agreement()


def report(result: Json, ctx: ToolContext) -> str:
    """The stored result's own words."""
    return str(result["say"])


@tool(
    schema=CreateOrder,
    choices=(sources.products, sources.options, sources.branches),
    title=_("Place order"),
    confirm=True,
    check=_check,
    confirm_lines=_lines,
    fingerprint=_agreement,
    report=report,
    acts=("create",),
)
def create_order(args: CreateOrder, ctx: ToolContext) -> dict[str, object]:
    """Places an order for pick-up. Use it once the customer wants exactly these items.

    Leave items out to order the draft of quote_order as it is. Products, options
    and branch are keys. A name is needed; a branch too when there are several.
    """
    planned = plan(args, ctx)
    if ctx.agreed is not None and planned.agreement() != ctx.agreed:
        raise AgreementChanged(ctx.tool)
    order = placing.place(planned, ctx)
    drafts.clear(ctx)
    return {"say": replies.placed(order, planned, ctx.now), **order_view(order, current().shop)}
