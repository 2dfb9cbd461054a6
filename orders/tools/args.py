"""What tools take. No field holds money; nothing unknown is accepted."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from aitools.choices import ClosedSet
from orders import sources
from orders.customers import clean_name
from orders.items import Wish

MAX_QUANTITY = 500
MAX_ITEMS = 60


def _real_moment(text: str) -> str:
    datetime.strptime(text, "%Y-%m-%dT%H:%M")  # noqa: DTZ007 — local to the branch, which is not known yet
    return text


def _real_date(text: str) -> str:
    date.fromisoformat(text)
    return text


def _one_line(text: str) -> str:
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


ProductKey = Annotated[str, ClosedSet(sources.products)]
BranchKey = Annotated[str, ClosedSet(sources.branches)]
CategoryKey = Annotated[str, ClosedSet(sources.categories)]
OptionCode = Annotated[str, ClosedSet(sources.options)]
Quantity = Annotated[
    int, Field(strict=True, ge=1, le=MAX_QUANTITY, description=f"A whole number from 1 to {MAX_QUANTITY}.")
]
Note = Annotated[str, StringConstraints(max_length=200), AfterValidator(_one_line)]
PickupAt = Annotated[
    str,
    StringConstraints(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d$"),
    AfterValidator(_real_moment),
    Field(description="Pick-up time YYYY-MM-DDTHH:MM in the shop's time. Leave out for as soon as possible."),
]
Day = Annotated[str, StringConstraints(pattern=r"^\d{4}-\d\d-\d\d$"), AfterValidator(_real_date)]
Name = Annotated[
    str,
    StringConstraints(max_length=120),
    AfterValidator(clean_name),
    Field(description="The name the order is for, as the customer said it."),
]
OrderNumber = Annotated[
    str, StringConstraints(min_length=1, max_length=20), Field(description="The order's number, such as C-17, or code.")
]


class Args(BaseModel):
    """The root of all arguments: extra keys are faults."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ItemChoices(Args):
    """What an item has besides its product."""

    quantity: Quantity
    variant: Annotated[str, StringConstraints(max_length=80)] | None = Field(
        default=None, description="The variant's key, for products that have variants."
    )
    options: list[OptionCode] = Field(default=[], max_length=20, description='Chosen options as "list:option" keys.')
    note: Note | None = Field(default=None, description="A text for this item, such as the message on a cake.")


class Item(ItemChoices):
    """A product of the menu, by its key."""

    product: ProductKey

    def wish(self) -> Wish:
        return Wish(self.product, self.quantity, self.variant, tuple(self.options), self.note or "")


class LooseItem(ItemChoices):
    """A product by its key or in the customer's own words."""

    product: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120)] = Field(
        description="The product's key, or the customer's words for it."
    )

    def wish(self) -> Wish:
        return Wish(self.product, self.quantity, self.variant, tuple(self.options), self.note or "")


class ViewMenu(Args):
    category: CategoryKey | None = None


class SearchProducts(Args):
    query: Annotated[str, StringConstraints(min_length=1, max_length=120)] = Field(description="The customer's words.")


class CheckHours(Args):
    branch: BranchKey | None = None
    date: Day | None = Field(default=None, description="YYYY-MM-DD; today if left out.")


class QuoteOrder(Args):
    items: list[LooseItem] = Field(
        max_length=MAX_ITEMS, description="The whole list wanted now; empty when the customer starts over."
    )
    branch: BranchKey | None = None
    name: Name | None = None
    pickup_at: PickupAt | None = None


class CreateOrder(Args):
    items: list[Item] | None = Field(
        default=None, min_length=1, max_length=MAX_ITEMS, description="The whole list; leave out to order the draft."
    )
    name: Name | None = None
    branch: BranchKey | None = None
    pickup_at: PickupAt | None = None
    note: Note | None = Field(default=None, description="A note for the whole order, such as an allergy.")


class UpdateOrder(Args):
    order: OrderNumber
    items: list[Item] = Field(min_length=1, max_length=MAX_ITEMS, description="The whole new list, not only changes.")
    pickup_at: PickupAt | None = None
    note: Note | None = None


class CancelOrder(Args):
    order: OrderNumber
    reason: Note | None = None


class OrderStatus(Args):
    order: OrderNumber


class TalkToPerson(Args):
    reason: Annotated[str, StringConstraints(max_length=300)] = Field(description="What the person should know.")


class Nothing(Args):
    """A tool without arguments."""


def moment(text: str | None) -> datetime | None:
    """A stated pick-up time, naive: it is the branch's own."""
    return datetime.fromisoformat(text) if text is not None else None
