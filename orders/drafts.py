"""The order being talked about, kept per conversation."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from aitools.tools import ToolContext
from aitools.types import Json
from orders.catalogue import Catalogue
from orders.items import Wish
from orders.models import Draft


@dataclass(frozen=True, slots=True)
class DraftValues:
    """A draft as values. ``branch`` is a key, ``pickup_at`` aware; "" and None where not said."""

    wishes: tuple[Wish, ...] = ()
    branch: str | None = None
    pickup_at: datetime | None = None
    name: str = ""
    note: str = ""


def load(ctx: ToolContext) -> DraftValues | None:
    """The conversation's draft, unless it expired or was reset since.

    One that the customer was asked about and said yes to expires no more.
    """
    if ctx.conversation_id is None:
        return None
    row = Draft.objects.filter(conversation_id=ctx.conversation_id, epoch=ctx.epoch).select_related("branch").first()
    if row is None or (ctx.agreed is None and row.expires_at <= ctx.now):
        return None
    return DraftValues(
        wishes=tuple(_wish(line) for line in row.lines),
        branch=row.branch.key if row.branch is not None else None,
        pickup_at=row.pickup_at,
        name=row.name,
        note=row.note,
    )


def save(ctx: ToolContext, values: DraftValues, catalogue: Catalogue) -> None:
    """Write the conversation's draft whole. Nothing is kept without a conversation."""
    if ctx.conversation_id is None:
        return
    branch = catalogue.branch_by_key.get(values.branch or "")
    Draft.objects.update_or_create(
        conversation_id=ctx.conversation_id,
        defaults={
            "epoch": ctx.epoch,
            "lines": [wish_json(wish) for wish in values.wishes],
            "branch_id": branch.id if branch is not None else None,
            "pickup_at": values.pickup_at,
            "name": values.name,
            "note": values.note,
            "expires_at": ctx.now + timedelta(minutes=catalogue.shop.draft_minutes),
        },
    )


def clear(ctx: ToolContext) -> None:
    """Forget the draft: it became an order."""
    if ctx.conversation_id is not None:
        Draft.objects.filter(conversation_id=ctx.conversation_id).delete()


def wish_json(wish: Wish) -> dict[str, Json]:
    """A wish as tools take it."""
    return {
        "product": wish.product,
        "quantity": wish.quantity,
        "variant": wish.variant,
        "options": list(wish.options),
        "note": wish.note or None,
    }


def _wish(line: dict[str, Json]) -> Wish:
    return Wish(
        product=line["product"],
        quantity=line["quantity"],
        variant=line.get("variant"),
        options=tuple(line.get("options") or ()),
        note=line.get("note") or "",
    )
