"""Many orders at once: numbers never repeat, stock is never oversold."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection, connections
from django.utils import translation

from aitools.errors import ToolRetry
from orders import placing
from orders.models import DayStock, Order
from tests.orders import factories as make

AT_ONCE = 8


def together(work: Callable[[int], object]) -> list[object]:
    """Run ``work(0…)`` in threads that start as one; results or exceptions, in order."""
    barrier = Barrier(AT_ONCE)

    def one(number: int) -> object:
        try:
            barrier.wait(timeout=30)
            with translation.override("en"):
                return work(number)
        except ToolRetry as refused:
            return refused
        finally:
            connections.close_all()

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(one, range(AT_ONCE)))


@pytest.mark.django_db(transaction=True)
def test_orders_at_the_same_instant_get_different_numbers() -> None:
    make.load_sample()
    together(lambda number: make.order(make.context(address=f"+57300000010{number}"), ("cafe", 1)))
    assert sorted(Order.objects.values_list("day_no", flat=True)) == list(range(1, AT_ONCE + 1))


@pytest.mark.django_db(transaction=True)
def test_the_last_pieces_are_sold_once() -> None:
    make.load_menu(make.menu())
    outcomes = together(
        lambda number: make.order(make.context(address=f"+57300000020{number}"), ("rosca", 2), branch="sur")
    )
    assert sum(isinstance(outcome, ToolRetry) for outcome in outcomes) == AT_ONCE - 2
    assert DayStock.objects.get().taken == 4


@pytest.mark.django_db
def test_codes_are_easy_to_read_aloud() -> None:
    make.load_sample()
    make.order(make.context(), ("cafe", 1))
    code = Order.objects.get().code
    assert len(code) == placing.CODE_LENGTH
    assert not set(code) & set("01IO2Z4A5S6GB8")


@pytest.mark.django_db(transaction=True)
def test_orders_are_written_only_inside_a_transaction() -> None:
    assert not connection.in_atomic_block
    with pytest.raises(RuntimeError, match="transaction"):
        placing.cancel(Order(), "", make.context())
