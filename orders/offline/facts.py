"""The prompt's facts as values: the draft, the shop, the customer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from aitools.types import Json

#: Stands for a time that was not told.
NEVER = datetime.fromisoformat("0001-01-01T00:00")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the draft or of an order; ``options`` as "list:option" codes."""

    product: str
    quantity: int
    variant: str | None = None
    options: tuple[str, ...] = ()
    note: str | None = None

    def same_thing(self, other: Line) -> bool:
        """The same but for the quantity."""
        return (self.product, self.variant, sorted(self.options), self.note) == (
            other.product,
            other.variant,
            sorted(other.options),
            other.note,
        )

    def as_item(self) -> dict[str, Json]:
        """The line as tools take it."""
        return {
            "product": self.product,
            "quantity": self.quantity,
            "variant": self.variant,
            "options": list(self.options),
            "note": self.note,
        }


@dataclass(frozen=True, slots=True)
class PlacedOrder:
    """An open order; ``due`` is branch-local."""

    number: str
    state: str = ""
    lines: tuple[Line, ...] = ()
    due: datetime | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known before the customer's words. ``now`` is shop-local, without zone."""

    now: datetime
    draft: tuple[Line, ...] = ()
    branch: str | None = None
    pickup_at: str | None = None
    draft_name: str | None = None
    customer: str | None = None
    orders: tuple[PlacedOrder, ...] = ()
    shop_name: str = ""
    locale: str = "es-CO"
    currency: str = "COP"
    branches: tuple[str, ...] = ()
    payment_methods: tuple[str, ...] = field(default=())

    @property
    def name(self) -> str | None:
        return self.draft_name or self.customer


def facts_of(data: Mapping[str, Json]) -> Facts:
    """Read the prompt's facts; what is missing or odd counts as unknown."""
    shop = _mapping(data.get("shop"))
    draft = _mapping(data.get("draft"))
    return Facts(
        now=_moment(shop.get("now")) or _moment(shop.get("today")) or NEVER,
        draft=lines_of(draft.get("lines")),
        branch=_text(draft.get("branch")),
        pickup_at=_text(draft.get("pickup_at")),
        draft_name=_text(draft.get("name")),
        customer=_text(_mapping(data.get("customer")).get("name")),
        orders=tuple(_order(each) for each in _list(data.get("open_orders")) if isinstance(each, Mapping)),
        shop_name=_text(shop.get("name")) or "",
        locale=_text(shop.get("locale")) or "es-CO",
        currency=_text(shop.get("currency")) or "COP",
        branches=tuple(str(each["key"]) for each in _list(data.get("branches")) if "key" in each),
        payment_methods=tuple(str(each) for each in _list(shop.get("payment_methods"))),
    )


def lines_of(data: Any) -> tuple[Line, ...]:
    """Lines from JSON; a line without a product key is left out."""
    return tuple(_line(each) for each in _list(data) if isinstance(each, Mapping) and each.get("product"))


def _line(data: Mapping[str, Any]) -> Line:
    options = data.get("options")
    return Line(
        product=str(data["product"]),
        quantity=int(data.get("quantity") or 1),
        variant=_text(data.get("variant")),
        options=tuple(str(each) for each in _list(options)),
        note=_text(data.get("note")),
    )


def _order(data: Mapping[str, Any]) -> PlacedOrder:
    lines = lines_of(data.get("lines"))
    return PlacedOrder(str(data.get("order") or ""), str(data.get("state") or ""), lines, _moment(data.get("due")))


def _moment(value: Any) -> datetime | None:
    """A local moment without its zone."""
    try:
        return datetime.fromisoformat(str(value)).replace(tzinfo=None)
    except ValueError:
        return None


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()


def _text(value: Any) -> str | None:
    return str(value) if value else None
