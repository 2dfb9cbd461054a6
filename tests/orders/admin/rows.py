"""A small shop in Bogotá with a product and orders, made directly."""

from __future__ import annotations

import itertools
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from aitools import clock
from orders.models import (
    Branch,
    Category,
    Customer,
    Option,
    OptionList,
    Order,
    OrderEvent,
    OrderLine,
    OrderLineOption,
    Product,
    Shop,
)

_numbers = itertools.count(1)


def shop(**fields: Any) -> Shop:
    given = {"name": "La Espiga", "locale": "es-CO", "currency": "COP", "minor_digits": 0, "timezone": "America/Bogota"}
    return Shop.objects.get_or_create(defaults=given | fields)[0]


def branch(letter: str = "C", **fields: Any) -> Branch:
    given = {"key": f"branch-{letter.lower()}", "name": f"Branch {letter}", "timezone": "America/Bogota"}
    return Branch.objects.get_or_create(letter=letter, defaults=given | fields)[0]


def product(name: str = "Croissant", price: int | None = 3500, **fields: Any) -> Product:
    category = Category.objects.get_or_create(key="pan", defaults={"name": "Pan"})[0]
    key = name.lower().replace(" ", "-").encode("ascii", "ignore").decode()
    return Product.objects.create(**{"category": category, "key": key, "name": name, "price": price} | fields)


def order(
    sold: Product | None = None,
    *,
    quantity: int = 2,
    at: Branch | None = None,
    due: datetime | None = None,
    **fields: Any,
) -> Order:
    """An accepted order of one line, due in an hour."""
    shop()
    at, due = at or branch(), due or clock.now() + timedelta(hours=1)
    sold = sold or Product.objects.first() or product()
    total = (sold.price or Decimal(0)) * quantity
    number = next(_numbers)
    given = {
        "code": f"T{number:05}",
        "branch": at,
        "business_date": due.astimezone(at.zone).date(),
        "day_no": number,
        "customer": Customer.objects.create(name="Ana", phone="+573000000001"),
        "name": "Ana",
        "channel": "web",
        "due_at": due,
        "currency": "COP",
        "subtotal": total,
        "tax": 0,
        "prices_include_tax": True,
        "total": total,
    }
    row = Order.objects.create(**given | fields)
    OrderLine.objects.create(
        order=row,
        position=1,
        product=sold,
        name=sold.name,
        quantity=quantity,
        unit_price=sold.price or 0,
        tax_rate=0,
        line_total=total,
    )
    OrderEvent.objects.create(order=row, actor="customer", what="placed", after={"state": "accepted"})
    return row


def chosen(line: OrderLine, *names: str) -> None:
    """Give a line these options."""
    options = OptionList.objects.get_or_create(key="options", defaults={"name": "Options"})[0]
    for name in names:
        option = Option.objects.get_or_create(list=options, key=name.lower(), defaults={"name": name})[0]
        OrderLineOption.objects.create(line=line, option=option, list_name=options.name, name=name, price_delta=0)
