"""Orders and money over a range of days, in rows for pages, terminals and spreadsheets.

A day is the branch's own, stored on the order.  Cancelled orders are counted
apart.  Money by product is that of its lines, before any tax on top.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Any

from django.db.models import Count, F, Q, QuerySet, Sum, Value
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from aitools.channels.names import channel_title
from orders.catalogue import ShopTerms
from orders.models import Order, OrderLine, OrderState
from orders.money import decimal_comma, round_to

_NOTHING = Value(Decimal(0))
#: What a spreadsheet would run as a formula.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
_BOM = "\ufeff"


class By(StrEnum):
    """What a row of a report stands for."""

    DAY = "day"
    PRODUCT = "product"
    BRANCH = "branch"
    CHANNEL = "channel"


@dataclass(frozen=True, slots=True)
class ReportRow:
    """``label`` names the day (ISO), product, branch or channel; ``quantity`` counts units sold."""

    label: str
    orders: int
    quantity: int
    money: Decimal
    cancelled: int
    cancelled_money: Decimal


@dataclass(frozen=True, slots=True)
class Report:
    """Rows in order (days by date, all else by money), and their sum.

    A product's ``orders`` overlap between rows, so the sum counts each order once.
    """

    by: By
    first: date
    last: date
    rows: tuple[ReportRow, ...]
    total: ReportRow


def report(first: date, last: date, by: By = By.DAY) -> Report:
    """The range from ``first`` to ``last``, both included. Days without orders have no row."""
    orders = Order.objects.filter(business_date__range=(first, last))
    rows = _by_product(orders) if by == By.PRODUCT else _by_order(orders, by)
    return Report(by, first, last, tuple(rows), _total(orders, rows))


def to_csv(made: Report, terms: ShopTerms) -> str:
    """For a spreadsheet of the shop's locale: BOM, its separator and decimal mark, no formulas."""
    comma = decimal_comma(terms.locale)
    out = io.StringIO()
    writer = csv.writer(out, delimiter=";" if comma else ",", lineterminator="\r\n")
    writer.writerow([plain_cell(heading) for heading in headings(made.by)])
    for row in (*made.rows, made.total):
        cells = _cells(row, made.by, terms, comma)
        writer.writerow([plain_cell(cell) if isinstance(cell, str) else cell for cell in cells])
    return _BOM + out.getvalue()


def headings(by: By) -> list[str]:
    """The columns' names in the active language."""
    first = {By.DAY: _("Day"), By.PRODUCT: _("Product"), By.BRANCH: _("Branch"), By.CHANNEL: _("Channel")}[by]
    return [first, _("Orders"), _("Units"), _("Money"), _("Cancelled"), _("Cancelled money")]


def titled(row: ReportRow, by: By) -> str:
    """The row's label as people call it: channels by their title, days as they are."""
    return channel_title(row.label) if by == By.CHANNEL else row.label


def plain_cell(text: str) -> str:
    """Text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text


def _by_order(orders: QuerySet[Order], by: By) -> list[ReportRow]:
    field = {By.DAY: "business_date", By.BRANCH: "branch__name", By.CHANNEL: "channel"}[by]
    units = dict(
        OrderLine.objects.filter(order__in=orders.exclude(state=OrderState.CANCELLED))
        .values_list(f"order__{field}")
        .annotate(units=Sum("quantity"))
    )
    found = orders.values(label=F(field)).annotate(**_sums("total")).order_by("label")
    rows = [_row(values, units.get(values["label"], 0)) for values in found]
    return rows if by == By.DAY else sorted(rows, key=lambda row: -row.money)


def _by_product(orders: QuerySet[Order]) -> list[ReportRow]:
    sold = ~Q(order__state=OrderState.CANCELLED)
    lines = (
        OrderLine.objects.filter(order__in=orders)
        .values(label=F("product__name"))
        .annotate(
            units=Coalesce(Sum("quantity", filter=sold), Value(0)),
            orders=Count("order", filter=sold, distinct=True),
            money=Coalesce(Sum("line_total", filter=sold), _NOTHING),
            cancelled=Count("order", filter=~sold, distinct=True),
            cancelled_money=Coalesce(Sum("line_total", filter=~sold), _NOTHING),
        )
        .order_by("-money", "label")
    )
    return [_row(values, values["units"]) for values in lines]


def _sums(money: str) -> dict[str, Any]:
    cancelled = Q(state=OrderState.CANCELLED)
    return {
        "orders": Count("id", filter=~cancelled),
        "money": Coalesce(Sum(money, filter=~cancelled), _NOTHING),
        "cancelled": Count("id", filter=cancelled),
        "cancelled_money": Coalesce(Sum(money, filter=cancelled), _NOTHING),
    }


def _row(values: dict[str, Any], units: int) -> ReportRow:
    label = values["label"]
    return ReportRow(
        label=label.isoformat() if isinstance(label, date) else str(label),
        orders=values["orders"],
        quantity=units,
        money=values["money"],
        cancelled=values["cancelled"],
        cancelled_money=values["cancelled_money"],
    )


def _total(orders: QuerySet[Order], rows: Sequence[ReportRow]) -> ReportRow:
    counts = orders.aggregate(
        orders=Count("id", filter=~Q(state=OrderState.CANCELLED)),
        cancelled=Count("id", filter=Q(state=OrderState.CANCELLED)),
    )
    return ReportRow(
        label=_("Total"),
        orders=counts["orders"],
        quantity=sum(row.quantity for row in rows),
        money=sum((row.money for row in rows), Decimal(0)),
        cancelled=counts["cancelled"],
        cancelled_money=sum((row.cancelled_money for row in rows), Decimal(0)),
    )


def _cells(row: ReportRow, by: By, terms: ShopTerms, comma: bool) -> list[str | int]:
    money, lost = (
        str(round_to(amount, terms.digits)).replace(".", "," if comma else ".")
        for amount in (row.money, row.cancelled_money)
    )
    return [titled(row, by), row.orders, row.quantity, money, row.cancelled, lost]
