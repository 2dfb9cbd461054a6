"""Taking products off sale for a day, and putting them back."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from zoneinfo import ZoneInfo

from orders.models import Product, Shop


def sell_out_today(product_ids: Iterable[int], now: datetime) -> int:
    """Mark products as sold out for the shop's date of ``now``; how many. They return by themselves at midnight."""
    zone = Shop.objects.values_list("timezone", flat=True).first() or "UTC"
    today = now.astimezone(ZoneInfo(zone)).date()
    return Product.objects.filter(pk__in=list(product_ids)).update(sold_out_on=today)


def make_available(product_ids: Iterable[int]) -> int:
    """Undo both kinds of sold out; how many products."""
    return Product.objects.filter(pk__in=list(product_ids)).update(sold_out=False, sold_out_on=None)
