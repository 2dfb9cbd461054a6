"""What exactly would be ordered: one computation for check, question, agreement and order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.translation import gettext as _

from aitools.errors import ToolRetry
from aitools.tools import ToolContext
from aitools.types import Json
from orders import availability, stock
from orders.catalogue import Branch, Catalogue, current
from orders.drafts import DraftValues
from orders.items import Wish, consider, limit_faults, merged
from orders.models import Order
from orders.pricing import Item, Quote, quote
from orders.texts import faults as fault_texts
from orders.texts import refusals as refusal_texts

#: An order without a time is for as soon as possible, if that is within this many minutes.
AS_SOON_MINUTES = 120


@dataclass(frozen=True, slots=True)
class OrderRequest:
    """What is wanted, after the draft filled what the call left out.

    ``branch`` is a key; ``pickup_at`` is aware, or naive in the branch's time.
    """

    wishes: tuple[Wish, ...]
    branch: str | None
    pickup_at: datetime | None
    name: str
    note: str


@dataclass(frozen=True, slots=True)
class Plan:
    """A possible order. ``due`` is branch-local; ``soon``: as soon as possible, ``due`` is an estimate."""

    branch: Branch
    name: str
    quote: Quote
    due: datetime
    soon: bool
    note: str
    catalogue: Catalogue

    def agreement(self) -> dict[str, Json]:
        """What a customer agrees to with a yes: lines, prices, total, place and time."""
        return {
            "lines": [
                {
                    "product": line.item.product.key,
                    "variant": line.item.variant.key if line.item.variant is not None else None,
                    "options": [option.code for option in line.item.options],
                    "note": line.item.note,
                    "quantity": line.item.quantity,
                    "unit_price": str(line.unit_price),
                }
                for line in self.quote.lines
            ],
            "total": str(self.quote.total),
            "currency": self.quote.terms.currency,
            "branch": self.branch.key,
            "due": "soon" if self.soon else self.due.isoformat(),
        }


def refuse(sentences: Sequence[str]) -> ToolRetry:
    """The refusal that makes the model ask: the same words for it and for the customer."""
    say = "\n".join(sentences)
    return ToolRetry(f"Not possible as it stands. Tell or ask the customer: {say}", say=say)


def plan_new(request: OrderRequest, ctx: ToolContext) -> Plan:
    """The plan of a new order. Raises ``ToolRetry`` with all that must be asked first."""
    catalogue = current()
    if not request.wishes:
        raise refuse([_("What would you like to order?")])
    items, questions = resolve_items(catalogue, request.wishes)
    branch = _branch(catalogue, request.branch)
    if branch is None:
        questions.append(ask_branch(catalogue))
    if not request.name:
        questions.append(ask_name())
    if questions or branch is None:
        raise refuse(questions)
    due, soon = _due(catalogue, branch, items, request.pickup_at, ctx.now)
    check_stock(branch, items, due)
    return Plan(branch, request.name, quote(items, catalogue.shop), due, soon, request.note, catalogue)


def plan_change(order: Order, request: OrderRequest, ctx: ToolContext) -> Plan:
    """The plan of an order with other lines or another time.

    What it already had is not held against lead times again while the time stays.
    """
    catalogue = current()
    branch = next((branch for branch in catalogue.branches if branch.id == order.branch_id), None)
    if branch is None:
        raise refuse([_("That branch takes no orders any more. A person will help you with that.")])
    items, questions = resolve_items(catalogue, request.wishes)
    if questions:
        raise refuse(questions)
    had = _had(order)
    if request.pickup_at is None:
        due = order.due_at.astimezone(branch.zone)
        fresh = [item for item in items if item.quantity > had.get(item.product.id, 0)]
        if fresh:
            _check_time(catalogue, branch, fresh, due, ctx.now)
    else:
        due, _soon = _due(catalogue, branch, items, request.pickup_at, ctx.now)
    same_day = due.date() == order.business_date
    check_stock(branch, items, due, had if same_day else {})
    return Plan(branch, order.name, quote(items, catalogue.shop), due, False, request.note, catalogue)


def complete(
    draft: DraftValues | None,
    *,
    wishes: Sequence[Wish] | None,
    branch: str | None,
    pickup_at: datetime | None,
    name: str,
    note: str | None,
    known_name: str,
) -> OrderRequest:
    """The call's own values first, then the draft's, then what is known of the customer."""
    draft = draft or DraftValues()
    return OrderRequest(
        wishes=tuple(wishes) if wishes is not None else draft.wishes,
        branch=branch or draft.branch,
        pickup_at=pickup_at or draft.pickup_at,
        name=name or draft.name or known_name,
        note=note if note is not None else draft.note,
    )


def resolve_items(catalogue: Catalogue, wishes: Iterable[Wish]) -> tuple[tuple[Item, ...], list[str]]:
    """The items, and a sentence for everything that keeps them from being ordered."""
    considered = [consider(catalogue, wish) for wish in wishes]
    sentences = [fault_texts.sentence(fault, catalogue.shop) for one in considered for fault in one.faults]
    items = merged(one.item for one in considered if one.item is not None)
    if not sentences:
        sentences = [fault_texts.sentence(fault, catalogue.shop) for item in items for fault in limit_faults(item)]
    return items, sentences


def time_problem(catalogue: Catalogue, branch: Branch, items: Sequence[Item], at: datetime, now: datetime) -> list[str]:
    """Why ``at`` will not do and what would, in words; empty when it will."""
    days = catalogue.shop.max_days_ahead
    refused = availability.refusals(branch, items, at, now, days)
    if not refused:
        return []
    sentences = [refusal_texts.sentence(refusal, branch, catalogue.shop) for refusal in refused]
    first = availability.earliest(branch, items, now, days)
    return [*dict.fromkeys(sentences), refusal_texts.way_on(first, now)]


def ask_branch(catalogue: Catalogue) -> str:
    names = ", ".join(branch.name for branch in catalogue.branches)
    return _("Which branch: %(choices)s?") % {"choices": names}


def ask_name() -> str:
    return _("What name is the order for?")


def slot_or(branch: Branch, at: datetime) -> datetime:
    """The first slot from ``at`` on that day; ``at`` itself when there is none."""
    local = localised(at, branch)
    return availability.slot_for(branch, local) or local


def localised(at: datetime, branch: Branch) -> datetime:
    """A moment in the branch's time; naive ones are already meant so."""
    return at.replace(tzinfo=branch.zone) if at.tzinfo is None else at.astimezone(branch.zone)


def check_stock(branch: Branch, items: Sequence[Item], due: datetime, had: dict[int, int] | None = None) -> None:
    """Refuse what the day's stock no longer has; the order itself decides finally."""
    for product, quantity in stock.wanted(items).items():
        left = stock.left(branch.id, product, due.date(), (had or {}).get(product.id, 0))
        if left is not None and quantity > left:
            raise refuse([refusal_texts.few_left(product.name, left)])


def _branch(catalogue: Catalogue, key: str | None) -> Branch | None:
    return catalogue.branch_by_key.get(key) if key else catalogue.sole_branch


def _due(
    catalogue: Catalogue, branch: Branch, items: Sequence[Item], wanted: datetime | None, now: datetime
) -> tuple[datetime, bool]:
    """The slot, and whether it is "as soon as possible"."""
    if wanted is None:
        return _soonest(catalogue, branch, items, now), True
    slot = slot_or(branch, wanted)
    _check_time(catalogue, branch, items, slot, now)
    return slot, False


def _soonest(catalogue: Catalogue, branch: Branch, items: Sequence[Item], now: datetime) -> datetime:
    first = availability.earliest(branch, items, now, catalogue.shop.max_days_ahead)
    if first is not None and first <= now + timedelta(minutes=AS_SOON_MINUTES):
        return first
    _check_time(catalogue, branch, items, now + timedelta(minutes=branch.lead), now)
    raise refuse([refusal_texts.way_on(first, now)])


def _check_time(catalogue: Catalogue, branch: Branch, items: Sequence[Item], at: datetime, now: datetime) -> None:
    problem = time_problem(catalogue, branch, items, at, now)
    if problem:
        raise refuse(problem)


def _had(order: Order) -> dict[int, int]:
    had: dict[int, int] = {}
    for product_id, quantity in order.lines.values_list("product_id", "quantity"):
        had[product_id] = had.get(product_id, 0) + quantity
    return had
