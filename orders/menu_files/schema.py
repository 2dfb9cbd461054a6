"""The shape of a ``menu/1`` file. Absent optional fields have defaults."""

from __future__ import annotations

from datetime import date, time
from decimal import Decimal, InvalidOperation
from typing import Annotated, Literal, Self
from zoneinfo import available_timezones

from babel import UnknownLocaleError
from babel.core import Locale
from babel.numbers import is_currency
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)
from pydantic_core import PydanticCustomError

from orders.models.shop import SLOT_MINUTES

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
Day = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
Key = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(?:[-_][a-z0-9]+)*$", max_length=80)]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120)]


def _decimal_text(value: object) -> object:
    """Money is a decimal string: floats have lost digits already."""
    if not isinstance(value, str):
        raise PydanticCustomError("money", 'must be a decimal string such as "2500" or "2.50"')
    return value


def _clock(value: object) -> object:
    if value == "24:00":
        return "00:00"
    if not isinstance(value, str):
        raise PydanticCustomError("clock", 'must be a time such as "07:30"')
    return value


def _degrees(value: object) -> object:
    """Rounded to the six decimals that are kept: maps show more."""
    try:
        return round(Decimal(str(value)), 6)
    except InvalidOperation:
        return value


def _timezone(name: str) -> str:
    if name not in available_timezones():
        raise ValueError("is not a time zone")
    return name


def _locale(name: str) -> str:
    try:
        Locale.parse(name, sep="-")
    except (ValueError, UnknownLocaleError) as error:
        raise ValueError("is not a locale such as es-CO") from error
    return name


def _currency(code: str) -> str:
    if not is_currency(code):
        raise ValueError("is not a currency such as COP")
    return code


def _slot(minutes: int) -> int:
    if minutes not in SLOT_MINUTES:
        raise ValueError(f"must be one of {', '.join(map(str, SLOT_MINUTES))}")
    return minutes


Delta = Annotated[Decimal, BeforeValidator(_decimal_text), Field(max_digits=14)]
Price = Annotated[Decimal, BeforeValidator(_decimal_text), Field(ge=0, max_digits=14)]
Percent = Annotated[Decimal, Field(ge=0, le=100)]
Degrees = Annotated[Decimal, BeforeValidator(_degrees), Field(max_digits=9, decimal_places=6)]
Clock = Annotated[time, BeforeValidator(_clock)]
Minutes = Annotated[int, Field(ge=0, le=60 * 24 * 365)]
Count = Annotated[int, Field(ge=1, le=1_000_000)]
Small = Annotated[int, Field(ge=0, le=32_767)]


class Part(BaseModel):
    """What all parts share: nothing unknown is silently dropped."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Hours(Part):
    days: list[Day] = Field(min_length=1)
    open: Clock
    close: Clock


class DayHours(Part):
    date: date
    open: Clock
    close: Clock


class Pickup(Part):
    lead_minutes: Minutes = 15
    slot_minutes: Annotated[int, AfterValidator(_slot)] = 15
    orders_per_slot: Small | None = None


class Zone(Part):
    key: Key
    name: Text
    aliases: list[Text] = []
    fee: Price = Decimal(0)
    min_order: Price | None = None


class Delivery(Part):
    lead_minutes: Minutes = 60
    min_order: Price | None = None
    hours: list[Hours] = []
    zones: list[Zone] = []


class BranchPart(Part):
    key: Key
    name: Text
    aliases: list[Text] = []
    letter: Annotated[str, StringConstraints(pattern="^[A-Z]$")] | None = None
    address: Annotated[str, StringConstraints(max_length=240)] = ""
    latitude: Annotated[Degrees, Field(ge=-90, le=90)] | None = None
    longitude: Annotated[Degrees, Field(ge=-180, le=180)] | None = None
    timezone: Annotated[str, AfterValidator(_timezone)] | None = None
    hours: list[Hours] = []
    closed_dates: list[date] = []
    special_hours: list[DayHours] = []
    pickup: Pickup = Pickup()
    delivery: Delivery | None = None

    @model_validator(mode="after")
    def _whole_place(self) -> Self:
        if (self.latitude is None) != (self.longitude is None):
            raise PydanticCustomError("place", "needs both latitude and longitude, or neither")
        return self


class CategoryPart(Part):
    key: Key
    name: Text


class OptionPart(Part):
    key: Key
    name: Text
    price_delta: Delta = Decimal(0)
    aliases: list[Text] = []


class OptionListPart(Part):
    key: Key
    name: Text
    options: list[OptionPart] = Field(min_length=1)


class OptionUse(Part):
    list: Key
    min: Small = 0
    max: Small = 1


class Available(Part):
    days: list[Day] = []
    from_: Clock | None = Field(default=None, alias="from")
    to: Clock | None = None
    branches: list[Key] = []
    season: tuple[date, date] | None = None


class Note(Part):
    label: Text
    max_chars: Annotated[int, Field(ge=1, le=200)]


class VariantPart(Part):
    key: Key
    name: Text
    price: Price
    aliases: list[Text] = []
    pack_size: Count | None = None
    lead_minutes: Minutes | None = None


class ProductPart(Part):
    key: Key
    category: Key
    name: Text
    description: Annotated[str, StringConstraints(max_length=1000)] = ""
    price: Price | None = None
    tax: Annotated[str, StringConstraints(max_length=40)] | None = None
    aliases: list[Text] = []
    unit: Annotated[str, StringConstraints(max_length=40)] = ""
    pack_size: Count | None = None
    min_qty: Count = 1
    max_qty: Count | None = None
    step: Count = 1
    daily_stock: Annotated[int, Field(ge=0, le=1_000_000)] | None = None
    sold_out: bool = False
    lead_minutes: Minutes = 0
    deposit_percent: Percent | None = None
    note: Note | None = None
    allergens: list[Annotated[str, StringConstraints(min_length=1, max_length=40)]] | None = None
    available: Available | None = None
    option_lists: list[OptionUse] = []
    variants: list[VariantPart] = []


class Policies(Part):
    deposit_percent: Percent = Decimal(0)
    change_cutoff_minutes: Minutes | None = None
    cancel_cutoff_minutes: Minutes = 0
    max_days_ahead: Small = 30
    payment_methods: list[Text] = []


class MenuFile(Part):
    """A whole shop: who it is, where, and what it sells."""

    format: Literal["menu/1"] = Field(alias="schema")
    key: Key
    name: Text
    kind: str = ""
    country: Annotated[str, StringConstraints(max_length=2)] = ""
    locale: Annotated[str, AfterValidator(_locale)]
    currency: Annotated[str, StringConstraints(pattern="^[A-Z]{3}$"), AfterValidator(_currency)]
    minor_digits: Annotated[int, Field(ge=0, le=2)]
    prices_include_tax: bool = True
    tax_rates: dict[str, Percent] = {}
    cash_rounding: Price | None = None
    timezone: Annotated[str, AfterValidator(_timezone)]
    policies: Policies = Policies()
    branches: list[BranchPart] = Field(min_length=1)
    categories: list[CategoryPart] = []
    option_lists: list[OptionListPart] = []
    products: list[ProductPart] = Field(min_length=1)
