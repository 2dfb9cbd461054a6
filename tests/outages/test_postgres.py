"""PostgreSQL restarts under load: the web says so to the vendor, and everybody comes back by themselves."""

from __future__ import annotations

import time

import pytest

from tests.e2e.servers import Servers
from tests.e2e.stack import Stack
from tests.outages.conftest import NewCustomer
from tests.outages.load import ordering

pytestmark = [pytest.mark.outage, pytest.mark.usefixtures("workers")]

#: A server that is away for a moment, as at an update; the vendor's repeats fall into it.
AWAY_SECONDS = 3
#: The longest lease that a turn cut off in its middle leaves behind, one sweep, and the work itself.
BOUND_SECONDS = 45 + 15 + 10


@pytest.mark.parametrize("how", ["stop", "crash"])
def test_postgresql_restarts_under_load(stack: Stack, servers: Servers, customer: NewCustomer, how: str) -> None:
    before = [process.pid for process in stack.processes]
    with ordering(customer) as load:
        load.until_answered(4)
        getattr(servers.postgres, how)()
        time.sleep(AWAY_SECONDS)
        servers.postgres.start()
        seconds = load.seconds_to_answer(time.monotonic())
        load.until_answered(8)
    assert set(load.refused) <= {"503"}, load.refused
    assert [process.pid for process in stack.processes if process.poll() is None] == before
    print(f"\nPostgreSQL back ({how}) to answers: {seconds:.1f} s, {len(load.customers)} orders, {dict(load.refused)}")
    assert seconds < BOUND_SECONDS
