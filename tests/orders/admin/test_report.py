"""The report page: what it shows equals the orders, and a file is what a spreadsheet can open."""

from __future__ import annotations

import csv
import io
from datetime import UTC, date, datetime
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from orders.models import Shop
from orders.views import MOST_DAYS, read
from tests.orders.admin import rows

TENTH = datetime(2026, 3, 10, 15, tzinfo=UTC)
ELEVENTH_IN_UTC = datetime(2026, 3, 11, 2, 30, tzinfo=UTC)
TODAY = date(2026, 3, 12)


def page(browser: Client, **query: str) -> Any:
    return browser.get(reverse("order_report"), {"from": "2026-03-10", "to": "2026-03-11"} | query)


def test_days_are_the_branchs_and_cancelled_orders_stand_apart(browser: Client) -> None:
    bread = rows.product("Pan", 2000)
    rows.order(bread, quantity=2, due=TENTH)
    rows.order(bread, quantity=1, due=ELEVENTH_IN_UTC)
    rows.order(bread, quantity=5, due=TENTH, state="cancelled")
    shown = page(browser).context
    assert shown["rows"] == [["March 10, 2026", "2", "3", "$6.000", "1", "$10.000"]]
    assert shown["total"][1:4] == ["2", "3", "$6.000"]


@pytest.mark.parametrize(
    ("by", "label"),
    [("day", "March 10, 2026"), ("product", "Pan"), ("branch", "Branch C"), ("channel", "Chat page")],
)
def test_it_is_grouped_as_asked(by: str, label: str, browser: Client) -> None:
    rows.order(rows.product("Pan", 2000), due=TENTH)
    assert page(browser, by=by).context["rows"][0][0] == label


def test_a_file_has_the_same_rows_and_runs_nothing(browser: Client) -> None:
    rows.order(rows.product("=HYPERLINK(1)", 2000), due=TENTH)
    answer = page(browser, by="product", format="csv")
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert answer["Content-Disposition"] == 'attachment; filename="orders-2026-03-10-2026-03-11-product.csv"'
    table = list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig")), delimiter=";"))
    assert table[1][:4] == ["'=HYPERLINK(1)", "1", "2", "4000"]


@pytest.mark.parametrize(
    ("query", "first", "last"),
    [
        ({}, "2026-03-06", "2026-03-12"),
        ({"from": "2026-03-01"}, "2026-03-01", "2026-03-12"),
        ({"from": "2026-03-09", "to": "2026-03-02"}, "2026-03-02", "2026-03-09"),
        ({"from": "yesterday"}, "2026-03-06", "2026-03-12"),
        ({"from": "2026-02-30"}, "2026-03-06", "2026-03-12"),
    ],
)
def test_a_range_is_always_found(query: dict[str, str], first: str, last: str) -> None:
    wanted = read(query, TODAY)
    assert (wanted.first.isoformat(), wanted.last.isoformat()) == (first, last)


def test_an_endless_range_is_cut_and_says_so() -> None:
    wanted = read({"from": "0001-01-01", "to": "9999-12-31"}, TODAY)
    assert (wanted.last - wanted.first).days == MOST_DAYS - 1
    assert wanted.first < TODAY < wanted.last
    assert "400" in wanted.problem


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ({"from": "2026-13-45"}, "not a date"),
        ({"to": "abc"}, "not a date"),
        ({"from": "2026-03-09", "to": "2026-03-02"}, "exchanged"),
        ({"by": "zzz"}, "no such grouping"),
    ],
)
def test_what_can_not_be_had_is_told_on_the_page(query: dict[str, str], problem: str, browser: Client) -> None:
    html = browser.get(reverse("order_report"), query).content.decode()
    assert problem in html.split('class="desk-note"')[1].split("</p>")[0]


def test_a_file_by_product_ends_with_the_sum(browser: Client) -> None:
    rows.order(rows.product("Pan", 2000), due=TENTH)
    rows.order(rows.product("Torta", 3000), due=TENTH)
    table = page(browser, by="product", format="csv").content.decode("utf-8-sig").splitlines()
    assert table[-1].split(";")[:4] == ["Total", "2", "4", "10000"]


def test_it_opens_before_there_is_a_shop(browser: Client, shop: Shop) -> None:
    shop.delete()
    assert "There is no shop yet." in page(browser).content.decode()
