"""Amounts as the shop's people write them, without a query per amount."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from orders.models import Shop
from orders.money import format_money


@dataclass(frozen=True, slots=True)
class Amounts:
    """The shop's way of writing money. Take one per page."""

    locale: str = "en-US"
    digits: int = 2
    currency: str = "USD"

    @classmethod
    def current(cls) -> Amounts:
        """The shop's; one query. Plain defaults before there is a shop."""
        row = Shop.objects.values_list("locale", "minor_digits", "currency").first()
        return cls(*row) if row else cls()

    def show(self, amount: Decimal, currency: str = "") -> str:
        """An amount in its currency, the shop's by default."""
        return format_money(amount, locale=self.locale, currency=currency or self.currency, digits=self.digits)
