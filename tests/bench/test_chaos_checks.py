"""The chaos run's judge: an honest desk passes, and each kind of fault is found when it stands in the rows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import connection
from pytest_django import DjangoDbBlocker

from aitools import queue
from aitools.models import BotProfile
from bench.chaos import reading
from bench.chaos.checks import judge
from bench.chaos.dice import Dice
from bench.chaos.journal import Chat, Journal
from bench.chaos.rows import Rows
from bench.chaos.wares import Wares
from tests.aitools.desk import Desk
from tests.bench.customers import Customer
from tests.conftest import empty_tables
from tests.orders.factories import SAMPLE, load_sample

#: Makes the test database; the rows themselves are this file's own.
pytestmark = pytest.mark.django_db

WARES = Wares.read(SAMPLE)


class Witness:
    """Rows in a transaction that is undone, and what the customer remembers."""

    def __init__(self, rows: psycopg.Connection[Any], chats: dict[str, Chat], statuses: set[str]) -> None:
        self._connection, self.journal = rows, Journal()
        self.journal.chats, self.journal.statuses = chats, set(statuses)
        (self.chat,) = chats.values()

    def plant(self, fault: str) -> None:
        self._connection.execute(fault.encode())

    def rows(self) -> Rows:
        return Rows.read(self._connection)

    def findings(self) -> dict[str, list[str]]:
        """What the checks find, without those that find nothing."""
        return {title: lines for title, lines in judge(self.rows(), self.journal, WARES).items() if lines}


@pytest.fixture(scope="module")
def played(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Journal]:
    """The journal of one who ordered and changed the order; the rows stay for the tests of this file."""
    with django_db_blocker.unblock(), pytest.MonkeyPatch.context() as patch:
        load_sample()
        BotProfile.objects.create(name="test", settle_seconds=0)
        desk = Desk()
        patch.setattr(queue, "publish", desk.publish)
        ana = Customer(desk, Journal())
        ana.write("quiero 2 pandebonos y un café")
        ana.write("sí", agrees=True)
        number = reading.deed(ana.chat.heard[-1].text)
        assert number is not None
        ana.write(f"cambia el pedido {number.number}: que sean 3 pandebonos y un café")
        ana.write("sí", agrees=True)
        yield ana.journal
        empty_tables()


@pytest.fixture
def witness(played: Journal) -> Iterator[Witness]:
    """Rows and journal to spoil: all is undone afterwards."""
    values = connection.get_connection_params()
    with psycopg.connect("postgresql://{user}:{password}@{host}:{port}/{dbname}".format(**values)) as spoiled:
        yield Witness(spoiled, deepcopy(played.chats), played.statuses)
        spoiled.rollback()


def test_an_honest_desk_has_no_violation(witness: Witness) -> None:
    assert witness.findings() == {}


EVENT = "order_id, at, actor, what"
FIRST = "(SELECT min(id) FROM aitools_outboundmessage)"
DONE = "(SELECT min(call_id) FROM aitools_pendingconfirmation)"
PLANTED = {
    "a message that no turn has read": (
        "UPDATE aitools_conversation SET inbox_seq = inbox_seq + 1",
        "stuck rows",
    ),
    "a message that was accepted and is not there": (
        "UPDATE aitools_inboundevent SET provider_id = 'another' WHERE id = (SELECT max(id) FROM aitools_inboundevent)",
        "lost messages",
    ),
    "a turn that never ended": (
        "UPDATE aitools_turn SET state = 'running' WHERE id = (SELECT max(id) FROM aitools_turn)",
        "stuck rows",
    ),
    "a turn that told nothing": (
        "UPDATE aitools_outboundmessage SET state = 'withdrawn', turn_id = NULL",
        "lost messages",
    ),
    "a lease that is never given back": (
        "UPDATE aitools_conversation SET lease_until = aitools_now() + interval '1 day'",
        "stuck rows",
    ),
    "a message that waits to be sent": ("UPDATE aitools_outboundmessage SET state = 'uncertain'", "stuck rows"),
    "a call that is not settled": ("UPDATE aitools_toolcall SET state = 'running'", "stuck rows"),
    "a question that nobody closes": (
        f"UPDATE aitools_pendingconfirmation SET state = 'pending' WHERE call_id = {DONE}",
        "stuck rows",
    ),
    "a reply queued twice": (
        "UPDATE aitools_outboundmessage SET kind = 'reply', text = 'x', turn_id = (SELECT min(id) FROM aitools_turn)",
        "replies queued twice",
    ),
    "a message sent that nobody got": (
        f"UPDATE aitools_outboundmessage SET key = gen_random_uuid() WHERE id = {FIRST}",
        "messages that only one side knows",
    ),
    "a message that nobody wrote": (
        "UPDATE aitools_inboundevent SET provider_id = 'another' WHERE id = (SELECT max(id) FROM aitools_inboundevent)",
        "messages that only one side knows",
    ),
    "an order that no call made": (
        "UPDATE orders_order SET tool_call_id = NULL",
        "orders without a yes to exactly that",
    ),
    "an order placed without a question": (
        "UPDATE aitools_pendingconfirmation SET state = 'declined'",
        "orders without a yes to exactly that",
    ),
    "a yes that the desk took for a no": (
        "UPDATE aitools_pendingconfirmation SET state = 'declined'",
        "yeses that came to nothing",
    ),
    "an order with other lines": (
        "UPDATE orders_orderline SET quantity = quantity + 1, line_total = unit_price * (quantity + 1)",
        "orders that are not what was agreed",
    ),
    "an order cancelled by nobody": (
        "UPDATE orders_order SET state = 'cancelled'",
        "orders that are not what was agreed",
    ),
    "a change made twice": (
        f"INSERT INTO orders_orderevent ({EVENT}) SELECT {EVENT} FROM orders_orderevent",
        "orders that are not what was agreed",
    ),
    "a total that the menu does not give": (
        "UPDATE orders_order SET total = total + 50, subtotal = subtotal + 50",
        "wrong totals",
    ),
    "a result that the audit does not know": (
        "DELETE FROM aitools_auditevent WHERE kind = 'tool.result'",
        "faults of the audit",
    ),
    "an effect that nobody approved": (
        "DELETE FROM aitools_auditevent WHERE kind = 'tool.confirm.approved'",
        "faults of the audit",
    ),
}


@pytest.mark.parametrize(("fault", "check"), PLANTED.values(), ids=PLANTED)
def test_a_fault_in_the_rows_is_found(witness: Witness, fault: str, check: str) -> None:
    witness.plant(fault)
    assert check in witness.findings()


def test_a_yes_beside_words_that_nobody_had_read_is_no_plain_one(witness: Witness) -> None:
    witness.plant(f"UPDATE aitools_pendingconfirmation SET state = 'replied' WHERE call_id = {DONE}")
    assert "yeses that came to nothing" in witness.findings()
    stored = f"(SELECT created_at FROM aitools_outboundmessage WHERE id = {FIRST})"
    witness.plant(f"UPDATE aitools_inboundevent SET received_at = {stored} WHERE seq = 1")
    assert "yeses that came to nothing" not in witness.findings()


def test_a_second_order_for_one_yes_is_found(witness: Witness) -> None:
    columns = (
        "branch_id, business_date, customer_id, name, channel, state, due_at, currency, subtotal, tax, "
        "prices_include_tax, total, note, cancel_reason, version, tool_call_id, created_at"
    )
    call = "(SELECT min(c.id) FROM aitools_toolcall c WHERE c.name <> 'create_order')"
    witness.plant(
        f"INSERT INTO orders_order (code, day_no, {columns}) "
        f"SELECT 'ZZZZZZ', 99, {columns.replace('tool_call_id', call)} FROM orders_order"
    )
    assert "doubled orders" in witness.findings()


def test_a_status_that_was_never_applied_is_found(witness: Witness) -> None:
    witness.journal.statuses.add("SM1:delivered")
    assert "statuses not applied" in witness.findings()


def test_stock_that_no_order_took_is_found(witness: Witness) -> None:
    witness.plant(
        "INSERT INTO orders_daystock (branch_id, product_id, date, taken) "
        "SELECT o.branch_id, p.id, o.business_date, 2 FROM orders_order o, orders_product p WHERE p.name = 'Agua'"
    )
    assert "wrong stock" in witness.findings()


def test_a_message_that_arrived_twice_without_the_mark_is_found(witness: Witness) -> None:
    witness.chat.heard.append(witness.chat.heard[-1])
    assert "replies sent twice without the mark" in witness.findings()
    witness.plant("UPDATE aitools_outboundmessage SET possibly_repeated = true")
    assert witness.findings() == {}


def test_messages_that_overtook_each_other_are_found(witness: Witness) -> None:
    first, second, *others = witness.chat.heard
    witness.chat.heard[:] = [replace(second, place=first.place), replace(first, place=second.place), *others]
    assert "replies out of order" in witness.findings()


def test_last_words_without_an_answer_are_found(witness: Witness) -> None:
    witness.chat.heard[:] = [replace(one, at=0) for one in witness.chat.heard]
    assert "customers without an answer" in witness.findings()


def test_an_effect_that_was_never_told_is_found(witness: Witness) -> None:
    witness.chat.heard[-1] = replace(witness.chat.heard[-1], text="Disculpa.")
    assert "effects the customer never heard of" in witness.findings()


def test_a_yes_that_was_not_said_is_found(witness: Witness) -> None:
    witness.chat.said[1].agrees_to = ""
    assert "orders without a yes to exactly that" in witness.findings()


def test_a_question_with_a_wrong_price_is_found(witness: Witness) -> None:
    asked = witness.chat.heard[0]
    witness.chat.heard[0] = replace(asked, text=asked.text.replace("$4.800", "$4.700"))
    assert "wrong totals" in witness.findings()


def test_a_message_stored_twice_is_found(witness: Witness) -> None:
    rows = witness.rows()
    rows.tables["inbound"].append(rows.inbound[0])
    assert judge(rows, witness.journal, WARES)["messages stored twice"]


def test_the_journal_can_be_read_beside_the_rows(witness: Witness, tmp_path: Path) -> None:
    witness.journal.write(tmp_path / "journal.json")
    (chat,) = json.loads((tmp_path / "journal.json").read_text())
    assert [one["text"] for one in chat["said"]][1] == "sí"


def test_the_same_seed_throws_the_same_dice() -> None:
    assert Dice(3).of("send", 1).random() == Dice(3).of("send", 1).random()
    assert Dice(3).of("send", 1).random() != Dice(4).of("send", 1).random()
