"""Deploys: the next release comes while customers write, and one of them has a question to answer."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from tests.e2e.stack import Stack
from tests.e2e.texting import Texting
from tests.outages import rest
from tests.outages.conftest import Figure, NewCustomer
from tests.outages.load import ORDER, assert_each_has_one_order, ordering

pytestmark = pytest.mark.outage

#: What the next release's processes get: settings with a migration more for each app.
NEXT = {"DJANGO_SETTINGS_MODULE": "tests.outages.next_release.settings"}
NEW_IN = ("aitools_conversation", "aitools_outboundmessage", "aitools_pendingconfirmation", "orders_order")
NEW_COLUMNS = "SELECT table_name FROM information_schema.columns WHERE column_name = 'next_release' ORDER BY 1"
#: Workers start and sweeps come; the rest is for a busy machine.
SOON_SECONDS = 100


@pytest.fixture(autouse=True)
def nothing_left(stack: Stack) -> Iterator[None]:
    """Whatever happens, in the end nothing is left undone."""
    yield
    rest.assert_at_rest(stack)


def test_old_processes_are_replaced_by_new_ones_under_load(stack: Stack, customer: NewCustomer, figure: Figure) -> None:
    """The new worker starts before the old one is told to stop; the web takes on new processes by itself."""
    old = [stack.start_worker(), stack.start_worker()]
    stack.start_beat()
    with ordering(customer) as load:
        for worker in old:
            load.until_answered(4)
            stack.start_worker()
            stack.stop(worker)
        stack.processes[0].send_signal(signal.SIGHUP)
        load.until_answered(8)
    assert not load.refused, "a webhook was not accepted"
    assert [worker.returncode for worker in old] == [0, 0]
    figure(f"two workers and the web replaced under load: {len(load.customers)} orders, one each, no webhook refused")


def test_a_question_outlives_a_migration_that_runs_beside_the_old_release(
    stack: Stack, customer: NewCustomer, figure: Figure
) -> None:
    """The old release works on while columns, a filled one too, and an index come; the new one takes the yes."""
    old = stack.start_worker()
    stack.start_beat()
    one = asked(stack, customer)
    with ordering(customer) as load:
        load.until_answered(4)
        migrate_to_next(stack)
        load.until_answered(4)
        new = stack.start_worker(**NEXT)
        stack.stop(old)
        load.until_answered(4)
    assert not load.refused
    assert stack.sql(NEW_COLUMNS) == [(table,) for table in NEW_IN]
    assert confirmed(one)
    assert new.poll() is None
    stack.kill(new)
    for app in ("aitools", "orders"):
        migrate_to_next(stack, app, migrations(stack, app)[-1])
    stack.start_worker()
    figure(f"a migration beside the old release under load: {len(load.customers)} orders, one each; a yes across it")


@pytest.mark.parametrize("app", ["aitools", "orders"])
def test_a_question_outlives_the_newest_migration_with_everything_stopped(
    stack: Stack, customer: NewCustomer, app: str
) -> None:
    """Our own last migration goes back and comes again with the question in the rows: both data steps keep it."""
    names = migrations(stack, app)
    old = stack.start_worker()
    one = asked(stack, customer)
    stack.stop(old)
    stack.manage("migrate", "--verbosity=0", app, names[-2])
    assert migrations(stack, app) == names[:-1]
    stack.manage("migrate", "--verbosity=0")
    assert migrations(stack, app) == names
    stack.start_worker()
    stack.start_beat()
    assert confirmed(one)


def asked(stack: Stack, customer: NewCustomer) -> Texting:
    """A customer with an open question, known to have been sent."""
    one = customer()
    one.write(ORDER)
    one.hears(1, SOON_SECONDS)
    sent = """SELECT count(*) FROM aitools_outboundmessage o JOIN aitools_conversation c ON c.id = o.conversation_id
              WHERE c.address = %s AND o.state = 'sent'"""
    stack.until(lambda: stack.one(sent, one.number), "the question to be marked as sent")
    return one


def confirmed(one: Texting) -> bool:
    """They say yes; whether that made one order, told once."""
    one.write("sí")
    one.hears(2, SOON_SECONDS)
    assert_each_has_one_order([one])
    return True


def migrate_to_next(stack: Stack, *which: str) -> None:
    stack.manage("migrate", "--verbosity=0", "--settings", NEXT["DJANGO_SETTINGS_MODULE"], *which)


def migrations(stack: Stack, app: str) -> list[str]:
    query = "SELECT name FROM django_migrations WHERE app = %s AND name ~ '^0' ORDER BY name"
    return [name for (name,) in stack.sql(query, app)]
