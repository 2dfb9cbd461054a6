"""The chaos run's judge bites: a desk that was broken on purpose is found out by what it does."""

from __future__ import annotations

import psycopg
import pytest
from django.db import connection

from aitools import bursts, queue, turns
from aitools.answers import Answer
from aitools.models import BotProfile
from aitools.tools import ToolContext
from bench.chaos.checks import judge
from bench.chaos.journal import Journal
from bench.chaos.rows import Rows
from bench.chaos.wares import Wares
from orders import placing
from orders.models import Order
from orders.planning import Plan
from tests.aitools.desk import Desk
from tests.bench.customers import Customer
from tests.orders.factories import SAMPLE, load_sample

WARES = Wares.read(SAMPLE)


@pytest.fixture
def ana(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Customer:
    load_sample()
    BotProfile.objects.create(name="test", settle_seconds=0)
    desk = Desk()
    monkeypatch.setattr(queue, "publish", desk.publish)
    return Customer(desk, Journal())


def found(ana: Customer) -> set[str]:
    """The checks that find something."""
    values = connection.get_connection_params()
    with psycopg.connect("postgresql://{user}:{password}@{host}:{port}/{dbname}".format(**values)) as reading:
        return {title for title, lines in judge(Rows.read(reading), ana.journal, WARES).items() if lines}


def test_one_that_takes_yes_but_for_a_yes(ana: Customer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bursts, "read", lambda *given: Answer.YES)
    ana.write("quiero 2 pandebonos")
    ana.write("sí, pero que sean 5")
    assert "orders without a yes to exactly that" in found(ana)


def test_one_that_orders_more_than_was_asked(ana: Customer, monkeypatch: pytest.MonkeyPatch) -> None:
    place = placing.place

    def generous(plan: Plan, ctx: ToolContext) -> Order:
        order = place(plan, ctx)
        order.lines.update(quantity=3, line_total=3 * order.lines.get().unit_price)
        return order

    monkeypatch.setattr(placing, "place", generous)
    ana.write("quiero 2 pandebonos")
    ana.write("sí", agrees=True)
    assert {"orders that are not what was agreed", "wrong totals"} <= found(ana)


def test_one_that_forgets_what_it_has_done(ana: Customer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The done-mark is lost after the effect."""
    ana.write("quiero 2 pandebonos")
    monkeypatch.setattr("aitools.execution._mark_done", lambda *given: None)
    ana.write("sí", agrees=True)
    assert {"orders without a yes to exactly that", "stuck rows"} & found(ana)


def test_one_that_never_answers(ana: Customer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "advance", lambda conversation_id: None)
    ana.write("quiero 2 pandebonos")
    assert {"lost messages", "customers without an answer", "stuck rows"} <= found(ana)
