"""What a catalogue is made of. ``id`` is always the row's primary key."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import Decimal
from functools import cached_property
from uuid import UUID
from zoneinfo import ZoneInfo


@dataclass(frozen=True, slots=True)
class ShopTerms:
    """The shop's money, language and rules. Times in minutes."""

    key: str
    name: str
    locale: str
    currency: str
    digits: int
    prices_include_tax: bool
    timezone: ZoneInfo
    change_cutoff: int
    cancel_cutoff: int
    max_days_ahead: int
    draft_minutes: int
    payment_methods: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Option:
    """One choice of a list. ``code`` is what tools take: ``"list:option"``."""

    id: int
    code: str
    key: str
    name: str
    aliases: tuple[str, ...]
    price_delta: Decimal
    sold_out_on: date | None


@dataclass(frozen=True, slots=True)
class OptionRule:
    """A list that a product offers: choose ``min`` to ``max`` of ``options``."""

    key: str
    name: str
    min: int
    max: int
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class Variant:
    """A size with its own price; ``lead`` in minutes, None = the product's."""

    id: int
    key: str
    name: str
    aliases: tuple[str, ...]
    price: Decimal
    pack_size: int | None
    lead: int | None


@dataclass(frozen=True, slots=True)
class SeasonRule:
    """When a product can be picked up. What is empty or None does not restrict."""

    branch_id: int | None
    weekdays: frozenset[int]
    from_time: time | None
    to_time: time | None
    from_date: date | None
    to_date: date | None

    def allows(self, branch_id: int, at: datetime) -> bool:
        """Whether ``at`` (branch-local) is allowed at this branch."""
        return self.allows_day(branch_id, at.date()) and (
            (self.from_time is None or at.time() >= self.from_time)
            and (self.to_time is None or at.time() <= self.to_time)
        )

    def allows_day(self, branch_id: int, day: date) -> bool:
        """Whether some time of the day is allowed at this branch."""
        return (
            (self.branch_id is None or self.branch_id == branch_id)
            and (not self.weekdays or day.weekday() in self.weekdays)
            and (self.from_date is None or day >= self.from_date)
            and (self.to_date is None or day <= self.to_date)
        )


@dataclass(frozen=True, slots=True)
class Product:
    """Something sold. ``price`` is None when its variants have the prices.

    ``allergens`` None means not declared, empty means declared to have none.
    ``lead`` is in minutes from order to pick-up.
    """

    id: int
    key: str
    name: str
    description: str
    category: str
    aliases: tuple[str, ...]
    price: Decimal | None
    tax_rate: Decimal
    unit: str
    pack_size: int | None
    min_quantity: int
    max_quantity: int | None
    step: int
    lead: int
    note_label: str
    note_max: int | None
    allergens: tuple[str, ...] | None
    daily_stock: int | None
    sold_out: bool
    sold_out_on: date | None
    variants: tuple[Variant, ...] = ()
    option_rules: tuple[OptionRule, ...] = ()
    seasons: tuple[SeasonRule, ...] = ()

    def variant(self, key: str) -> Variant | None:
        return next((variant for variant in self.variants if variant.key == key), None)

    def option(self, code: str) -> Option | None:
        offered = (option for rule in self.option_rules for option in rule.options)
        return next((option for option in offered if option.code == code), None)

    def is_sold_out(self, day: date) -> bool:
        """Whether staff said there is none for that branch-local day."""
        return self.sold_out or self.sold_out_on == day

    @property
    def lowest_price(self) -> Decimal:
        """Its price, or that of its cheapest variant."""
        return self.price if self.price is not None else min(variant.price for variant in self.variants)


@dataclass(frozen=True, slots=True)
class Category:
    key: str
    name: str


@dataclass(frozen=True, slots=True)
class Window:
    """Open from ``opens`` to ``closes``, branch-local; closing at 00:00 is midnight."""

    opens: time
    closes: time


@dataclass(frozen=True, slots=True)
class SpecialHours:
    """What replaces a date's hours; no window = closed."""

    date: date
    windows: tuple[Window, ...]


@dataclass(frozen=True, slots=True)
class Point:
    """A place on earth, in degrees: latitude within ±90, longitude within ±180."""

    latitude: Decimal | float
    longitude: Decimal | float


@dataclass(frozen=True, slots=True)
class Branch:
    """A place to pick up. ``lead`` and ``slot`` in minutes."""

    id: int
    key: str
    name: str
    aliases: tuple[str, ...]
    letter: str
    address: str
    zone: ZoneInfo
    lead: int
    slot: int
    paused_until: datetime | None
    weekly: tuple[tuple[Window, ...], ...]
    special: tuple[SpecialHours, ...] = ()
    point: Point | None = None


@dataclass(frozen=True)
class Catalogue:
    """The active menu in menu order. ``token`` names its version (None = never cache)."""

    token: UUID | None
    shop: ShopTerms
    branches: tuple[Branch, ...]
    categories: tuple[Category, ...]
    products: tuple[Product, ...]
    #: Made from this catalogue by other modules and kept with it, such as the search index.
    derived: dict[str, object] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def by_key(self) -> dict[str, Product]:
        return {product.key: product for product in self.products}

    @cached_property
    def branch_by_key(self) -> dict[str, Branch]:
        return {branch.key: branch for branch in self.branches}

    @property
    def sole_branch(self) -> Branch | None:
        """The branch that needs no naming, None when there are several."""
        return self.branches[0] if len(self.branches) == 1 else None

    def of_category(self, key: str) -> Iterable[Product]:
        return (product for product in self.products if product.category == key)
