"""Units promised per branch and day, of products that are limited."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import date

from django.db import connection
from django.db.models import F
from django.db.models.functions import Greatest

from orders.catalogue import Product
from orders.models import DayStock, Order
from orders.pricing import Item

_TAKE = """
INSERT INTO orders_daystock AS stock (branch_id, product_id, date, taken) VALUES (%s, %s, %s, %s)
ON CONFLICT (branch_id, product_id, date) DO UPDATE SET taken = stock.taken + excluded.taken
WHERE stock.taken + excluded.taken <= %s
RETURNING taken
"""


class NotEnough(Exception):
    """Fewer are left than wanted: ``left`` of ``product``."""

    def __init__(self, product: Product, left: int) -> None:
        super().__init__(f"{left} left of {product.key}")
        self.product = product
        self.left = left


def left(branch_id: int, product: Product, day: date, giving_back: int = 0) -> int | None:
    """How many may still be ordered; None without a limit. ``giving_back`` are counted as free."""
    if product.daily_stock is None:
        return None
    taken = (
        DayStock.objects.filter(branch_id=branch_id, product_id=product.id, date=day)
        .values_list("taken", flat=True)
        .first()
    )
    return max(product.daily_stock - (taken or 0) + giving_back, 0)


def wanted(items: Iterable[Item]) -> dict[Product, int]:
    """Units of each limited product, by product id, so that all lock rows in one order."""
    counts: Counter[Product] = Counter()
    for item in items:
        if item.product.daily_stock is not None:
            counts[item.product] += item.quantity
    return dict(sorted(counts.items(), key=lambda pair: pair[0].id))


def take(branch_id: int, items: Iterable[Item], day: date) -> None:
    """Promise the items, or raise ``NotEnough``. Requires the order's transaction."""
    for product, quantity in wanted(items).items():
        limit = product.daily_stock or 0
        if quantity > limit:
            raise NotEnough(product, left(branch_id, product, day) or 0)
        with connection.cursor() as cursor:
            cursor.execute(_TAKE, [branch_id, product.id, day, quantity, limit])
            if cursor.fetchone() is None:
                raise NotEnough(product, left(branch_id, product, day) or 0)


def give_back(order: Order) -> None:
    """Free what an order had taken. Requires the order's transaction."""
    counts: Counter[int] = Counter()
    for product_id, quantity in order.lines.values_list("product_id", "quantity"):
        counts[product_id] += quantity
    for product_id, quantity in sorted(counts.items()):
        DayStock.objects.filter(branch_id=order.branch_id, product_id=product_id, date=order.business_date).update(
            taken=Greatest(F("taken") - quantity, 0)
        )
