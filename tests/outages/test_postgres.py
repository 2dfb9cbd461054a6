"""PostgreSQL restarts under load: the web says so to the vendor, and everybody comes back by themselves."""

from __future__ import annotations

import time

import pytest

from tests.e2e.servers import Servers
from tests.e2e.stack import Stack
from tests.outages.conftest import Figure, NewCustomer
from tests.outages.load import ordering

pytestmark = [pytest.mark.outage, pytest.mark.usefixtures("workers")]

#: A server that is away for a moment, as at an update; the vendor's repeats fall into it.
AWAY_SECONDS = 3
#: The longest lease that a turn cut off in its middle leaves behind, one sweep, and the work itself.
BOUND_SECONDS = 45 + 15 + 20


@pytest.mark.parametrize("how", ["stop", "crash"])
def test_postgresql_restarts_under_load(
    stack: Stack, servers: Servers, customer: NewCustomer, how: str, figure: Figure
) -> None:
    before = [process.pid for process in stack.processes]
    with ordering(customer) as load:
        load.until_answered(4)
        getattr(servers.postgres, how)()
        time.sleep(AWAY_SECONDS)
        servers.postgres.start()
        back = time.monotonic()
        first, third = load.seconds_to_answer(back, 1), load.seconds_to_answer(back, 3)
        load.until_answered(8)
    assert load.refused
    assert set(load.refused) == {"503"}, load.refused
    assert [process.pid for process in stack.processes if process.poll() is None] == before
    figure(
        f"PostgreSQL {how} for {AWAY_SECONDS} s under load: first answer {first:.1f} s after its start, third "
        f"{third:.1f} s; {load.refused['503']} webhooks answered 503 and repeated; "
        f"{len(load.customers)} orders, one each"
    )
    assert third < BOUND_SECONDS
