"""Numbers as people write them become values."""

from __future__ import annotations

from decimal import Decimal

import pytest

from orders.offline.normalise import Kind, tokenise
from orders.offline.quantities import with_numbers


def values(text: str) -> list[Decimal | None]:
    return [token.value for token in with_numbers(tokenise(text)) if token.value is not None]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3 panes", "3"),
        ("3x pan", "3"),
        ("pan x 4", "4"),
        ("treinta y dos panes", "32"),
        ("ciento veinte panes", "120"),
        ("twenty five rolls", "25"),
        ("two hundred rolls", "200"),
        ("una docena de panes", "12"),
        ("media docena", "6"),
        ("half a dozen", "6"),
        ("docena y media", "18"),
        ("a dozen and a half", "18"),
        ("3 dozen", "36"),
        ("un par de panes", "2"),
        ("medio kilo", "0.5"),
        ("1/4 de kilo", "0.25"),
        ("tres cuartos", "0.75"),
        ("dos mil", "2000"),
        ("1.500", "1500"),
        ("2.5", "2.5"),
        ("-2 panes", "-2"),
    ],
)
def test_a_number_has_the_value_people_mean(text: str, value: str) -> None:
    assert values(text) == [Decimal(value)]


@pytest.mark.parametrize(
    ("text", "value"),
    [("$3 de pan", "3"), ("35 pesos de pan", "35"), ("5 lucas de pan", "5000"), ("3 mil de pan", "3000")],
)
def test_amounts_of_money_are_no_quantities(text: str, value: str) -> None:
    money = [token for token in with_numbers(tokenise(text)) if token.kind is Kind.MONEY]

    assert [token.value for token in money] == [Decimal(value)]


def test_digits_beside_digits_are_not_added_up() -> None:
    assert values("20 2") == [Decimal(20), Decimal(2)]


def test_lines_that_begin_with_a_dash_are_a_list_and_not_negative() -> None:
    assert values("-2 panes\n-3 bollos") == [Decimal(2), Decimal(3)]
