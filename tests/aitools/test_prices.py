"""What a reply costs, to the sixth place."""

from __future__ import annotations

from decimal import Decimal

import pytest

from aitools.prices import Prices
from aitools.types import Usage


def d(text: str) -> Decimal:
    return Decimal(text)


@pytest.mark.parametrize(
    ("usage", "cost"),
    [
        (Usage(), "0.000000"),
        (Usage(1_000_000, 0), "3.000000"),
        (Usage(0, 1_000_000), "15.000000"),
        (Usage(1_000_000, 0, 1_000_000), "0.300000"),
        (Usage(5200, 180, 4100), "0.007230"),
        (Usage(1, 0), "0.000003"),
        (Usage(1, 0, 1), "0.000000"),
        (Usage(5, 0, 5), "0.000002"),  # 1.5 millionths, half up
        (Usage(10, 0, 99), "0.000003"),  # more cached than there was: as much as there was
    ],
)
def test_cached_input_has_its_own_price(usage: Usage, cost: str) -> None:
    assert Prices(d("3"), d("0.3"), d("15")).cost(usage) == d(cost)


def test_without_its_own_price_cached_input_costs_as_any() -> None:
    prices = Prices.of(d("3"), None, d("15"))
    assert prices is not None
    assert prices.cost(Usage(1_000_000, 0, 1_000_000)) == 3


@pytest.mark.parametrize(
    "known", [(None, None, None), (d("3"), None, None), (None, None, d("3")), (None, d("1"), None)]
)
def test_with_half_of_the_prices_the_cost_is_not_known(known: tuple[Decimal | None, ...]) -> None:
    assert Prices.of(*known) is None


def test_what_costs_nothing_has_a_price() -> None:
    prices = Prices.of(d("0"), None, d("0"))
    assert prices is not None
    assert prices.cost(Usage(9, 9)) == 0
