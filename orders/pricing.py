"""What things cost: pure arithmetic, used alike by quote, confirmation and order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from orders.catalogue import Option, Product, ShopTerms, Variant
from orders.money import format_money, round_to


@dataclass(frozen=True, slots=True)
class Item:
    """Something wanted, with every choice resolved to a member of the menu."""

    product: Product
    quantity: int
    variant: Variant | None = None
    options: tuple[Option, ...] = ()
    note: str = ""

    @property
    def lead(self) -> int:
        """Minutes from order to pick-up that this item needs."""
        if self.variant is not None and self.variant.lead is not None:
            return self.variant.lead
        return self.product.lead


@dataclass(frozen=True, slots=True)
class Line:
    """A priced item: ``total`` = unit price × quantity; ``tax`` inside or on top of it."""

    item: Item
    unit_price: Decimal
    total: Decimal
    tax: Decimal


@dataclass(frozen=True, slots=True)
class Quote:
    """What an order costs, in the shop's currency, every amount rounded."""

    lines: tuple[Line, ...]
    subtotal: Decimal
    tax: Decimal
    total: Decimal
    terms: ShopTerms

    def show(self, amount: Decimal) -> str:
        """An amount as the shop's customers write it."""
        return show(amount, self.terms)


def show(amount: Decimal, terms: ShopTerms) -> str:
    """An amount as the shop's customers write it."""
    return format_money(amount, locale=terms.locale, currency=terms.currency, digits=terms.digits)


def unit_price(item: Item) -> Decimal:
    """The price of one: variant or product, plus what the options add.

    Raises ``ValueError`` for a product sold by variants without a chosen one.
    """
    base = item.variant.price if item.variant is not None else item.product.price
    if base is None:
        raise ValueError(f"{item.product.key} has no price without a variant")
    return base + sum((option.price_delta for option in item.options), Decimal(0))


def quote(items: Iterable[Item], terms: ShopTerms) -> Quote:
    """Price the items. Unit prices are rounded as they are shown, all else is made of them."""
    lines = tuple(_line(item, terms) for item in items)
    subtotal = sum((line.total for line in lines), Decimal(0))
    tax = sum((line.tax for line in lines), Decimal(0))
    total = subtotal if terms.prices_include_tax else subtotal + tax
    return Quote(lines=lines, subtotal=subtotal, tax=tax, total=total, terms=terms)


def _line(item: Item, terms: ShopTerms) -> Line:
    price = round_to(unit_price(item), terms.digits)
    total = price * item.quantity
    return Line(item=item, unit_price=price, total=total, tax=_tax(total, item.product.tax_rate, terms))


def _tax(total: Decimal, rate: Decimal, terms: ShopTerms) -> Decimal:
    if terms.prices_include_tax:
        return round_to(total - total / (1 + rate / 100), terms.digits)
    return round_to(total * rate / 100, terms.digits)
