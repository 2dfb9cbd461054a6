"""Amounts: arithmetic and how they are written."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orders.catalogue import Product, ShopTerms
from orders.money import decimal_comma, format_money, round_to
from orders.pricing import Item, quote

TERMS = ShopTerms(
    key="t",
    name="T",
    locale="en-US",
    currency="USD",
    digits=2,
    prices_include_tax=True,
    timezone=ZoneInfo("UTC"),
    change_cutoff=0,
    cancel_cutoff=0,
    max_days_ahead=9,
    draft_minutes=9,
)
BEFORE_TAX = replace(TERMS, prices_include_tax=False)


def product(price: str, tax: str = "0", key: str = "p") -> Product:
    return Product(
        id=1,
        key=key,
        name=key,
        description="",
        category="c",
        aliases=(),
        price=Decimal(price),
        tax_rate=Decimal(tax),
        unit="",
        pack_size=None,
        min_quantity=1,
        max_quantity=None,
        step=1,
        lead=0,
        note_label="",
        note_max=None,
        allergens=None,
        daily_stock=None,
        sold_out=False,
        sold_out_on=None,
    )


@pytest.mark.parametrize(
    ("amount", "locale", "currency", "digits", "written"),
    [
        ("25500", "es-CO", "COP", 0, "$25.500"),
        ("1500", "es-CO", "COP", 0, "$1.500"),
        ("1234567", "es-CO", "COP", 0, "$1.234.567"),
        ("5.6", "es-SV", "USD", 2, "$5.60"),
        ("4.3", "es-ES", "EUR", 2, "4,30 €"),
        ("1250.5", "es-MX", "MXN", 2, "$1,250.50"),
        ("1250.5", "en-US", "USD", 2, "$1,250.50"),
        ("2.5", "es-CO", "COP", 0, "$3"),
    ],
)
def test_amounts_are_written_as_the_locale_does(
    amount: str, locale: str, currency: str, digits: int, written: str
) -> None:
    assert format_money(Decimal(amount), locale=locale, currency=currency, digits=digits) == written


def test_halves_are_rounded_up() -> None:
    assert round_to(Decimal("2.675"), 2) == Decimal("2.68")
    assert round_to(Decimal("0.5"), 0) == 1


def test_each_line_is_rounded_once_and_the_total_is_the_sum_of_what_is_shown() -> None:
    priced = quote([Item(product("0.335"), 1)] * 3, TERMS)
    assert [line.total for line in priced.lines] == [Decimal("0.34")] * 3
    assert priced.total == Decimal("1.02")


def test_a_price_finer_than_the_currency_is_rounded_before_it_is_multiplied() -> None:
    """Staff may type one, or change the shop's decimals: price × quantity must still be the line."""
    [line] = quote([Item(product("3500.50"), 3)], replace(TERMS, currency="COP", digits=0)).lines
    assert (line.unit_price, line.total) == (Decimal(3501), Decimal(10503))


def test_included_tax_is_inside_the_total() -> None:
    priced = quote([Item(product("11.00", "10"), 1)], TERMS)
    assert (priced.subtotal, priced.tax, priced.total) == (Decimal("11.00"), Decimal("1.00"), Decimal("11.00"))


def test_tax_on_top_is_added_line_by_line() -> None:
    priced = quote([Item(product("4.25", "8.25"), 2), Item(product("1.85"), 1)], BEFORE_TAX)
    assert (priced.subtotal, priced.tax, priced.total) == (Decimal("10.35"), Decimal("0.70"), Decimal("11.05"))


def test_a_product_with_sizes_has_no_price_without_one() -> None:
    with pytest.raises(ValueError, match="without a variant"):
        quote([Item(replace(product("1"), price=None), 1)], TERMS)


@given(st.lists(st.tuples(st.decimals(0, 9999, places=2), st.integers(1, 500)), min_size=1, max_size=20))
def test_a_total_is_the_exact_sum_of_its_lines(wanted: list[tuple[Decimal, int]]) -> None:
    priced = quote([Item(product(str(price)), quantity) for price, quantity in wanted], TERMS)
    assert priced.total == sum(price * quantity for price, quantity in wanted)
    assert priced.total == sum(line.total for line in priced.lines)


def test_where_decimals_follow_a_comma() -> None:
    assert decimal_comma("es-CO")
    assert not decimal_comma("es-MX")
