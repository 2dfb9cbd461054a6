"""Pricing what the customer is putting together, and remembering it as the draft."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from django.utils.translation import gettext as _

from aitools.tools import ToolContext, tool
from orders import customers, drafts, planning, sources
from orders.catalogue import Branch, Catalogue, Product, current
from orders.drafts import DraftValues
from orders.items import Considered, Fault, Lack, Wish, consider, limit_faults, merged
from orders.pricing import Item, Quote, quote
from orders.texts import faults, lines
from orders.tools.args import QuoteOrder, moment
from orders.tools.views import quote_view

#: Faults that leave a wish without a product.
_UNNAMED = (Lack.NOT_FOUND, Lack.WHICH_PRODUCT)


@tool(
    schema=QuoteOrder,
    effects="database",
    acts=("draft",),
    choices=(sources.products, sources.options, sources.branches),
)
def quote_order(args: QuoteOrder, ctx: ToolContext) -> dict[str, object]:
    """Prices a list of items and keeps it as the draft order, replacing the former list.

    Use it whenever the customer names what they want or changes it, before
    create_order. Products may be given in the customer's words; what was not
    found is listed with the nearest products: tell the customer.
    """
    catalogue = current()
    if not args.items:
        return _emptied(catalogue, ctx)
    considered = [consider(catalogue, item.wish()) for item in args.items]
    draft = _draft(args, considered, catalogue, ctx)
    drafts.save(ctx, draft, catalogue)
    items = merged(one.item for one in considered if one.item is not None)
    priced = quote(items, catalogue.shop)
    found = [fault for one in considered for fault in one.faults]
    found += [] if found else [fault for item in items for fault in limit_faults(item)]
    branch = catalogue.branch_by_key.get(draft.branch or "", catalogue.sole_branch)
    late = _time_problem(draft, branch, items, catalogue, ctx)
    missing = _missing(draft, branch, ctx)
    return {
        "say": _say(considered, priced, [*_sentences(found, catalogue), *late], missing, catalogue),
        **quote_view(priced),
        **_faults_view(found, catalogue),
        "missing": missing,
        "pickup_problem": "\n".join(late) or None,
    }


def _emptied(catalogue: Catalogue, ctx: ToolContext) -> dict[str, object]:
    """The customer starts over: the draft goes."""
    drafts.clear(ctx)
    return {"say": _("Your order is empty now. What would you like?"), **quote_view(quote([], catalogue.shop))}


def _draft(args: QuoteOrder, considered: Sequence[Considered], catalogue: Catalogue, ctx: ToolContext) -> DraftValues:
    """The new list, with place, time and name as said now or before."""
    before = drafts.load(ctx) or DraftValues()
    branch = args.branch or before.branch
    return DraftValues(
        wishes=tuple(_kept(one.wish, one.product) for one in considered if one.product is not None),
        branch=branch,
        pickup_at=_pickup(args, branch, catalogue) or before.pickup_at,
        name=args.name or before.name,
        note=before.note,
    )


def _kept(wish: Wish, product: Product) -> Wish:
    """The wish by keys, without the choices the product does not have."""
    variant = wish.variant if wish.variant and product.variant(wish.variant) is not None else None
    options = tuple(code for code in wish.options if product.option(code) is not None)
    return replace(wish, product=product.key, variant=variant, options=options)


def _pickup(args: QuoteOrder, branch: str | None, catalogue: Catalogue) -> datetime | None:
    stated = moment(args.pickup_at)
    if stated is None:
        return None
    place = catalogue.branch_by_key.get(branch or "", catalogue.sole_branch)
    return stated.replace(tzinfo=place.zone if place is not None else catalogue.shop.timezone)


def _time_problem(
    draft: DraftValues, branch: Branch | None, items: Sequence[Item], catalogue: Catalogue, ctx: ToolContext
) -> list[str]:
    if branch is None or draft.pickup_at is None:
        return []
    return planning.time_problem(catalogue, branch, items, planning.slot_or(branch, draft.pickup_at), ctx.now)


def _missing(draft: DraftValues, branch: Branch | None, ctx: ToolContext) -> list[str]:
    """What create_order will still ask for."""
    name = draft.name or customers.known_name(ctx, customers.find(ctx))
    return [*(["branch"] if branch is None else []), *([] if name else ["name"])]


def _sentences(found: Iterable[Fault], catalogue: Catalogue) -> list[str]:
    return list(dict.fromkeys(faults.sentence(fault, catalogue.shop) for fault in found))


def _say(
    considered: Sequence[Considered], priced: Quote, questions: list[str], missing: Sequence[str], catalogue: Catalogue
) -> str:
    """Lines and total, then what must be asked: first about items, else place and name."""
    unpriced = [
        f"{one.wish.quantity} × {one.product.name}"
        for one in considered
        if one.item is None and one.product is not None
    ]
    shown = [*(lines.quote_line(line, priced) for line in priced.lines), *unpriced]
    if priced.lines:
        shown += lines.total_lines(priced)
    if not questions and "branch" in missing:
        questions = [planning.ask_branch(catalogue)]
    elif not questions and "name" in missing:
        questions = [planning.ask_name()]
    return "\n".join([*shown, *questions])


def _faults_view(found: Sequence[Fault], catalogue: Catalogue) -> dict[str, object]:
    return {
        "not_found": [_words(fault, "nearest") for fault in found if fault.lack == Lack.NOT_FOUND],
        "ambiguous": [_words(fault, "candidates") for fault in found if fault.lack == Lack.WHICH_PRODUCT],
        "needs": [
            {
                "product": fault.product.key if fault.product is not None else fault.wish.product,
                "reason": str(fault.lack),
                "say": faults.sentence(fault, catalogue.shop),
            }
            for fault in found
            if fault.lack not in _UNNAMED
        ],
    }


def _words(fault: Fault, label: str) -> dict[str, object]:
    known = [
        {"key": product.key, "name": product.name, "price": str(product.lowest_price)} for product in fault.products
    ]
    return {"words": fault.wish.product, "quantity": fault.wish.quantity, label: known}
