"""PostgreSQL restarts under load: the web says so to the vendor, and everybody comes back by themselves."""

from __future__ import annotations

import time

import pytest

from tests.e2e.servers import Servers
from tests.e2e.stack import Stack
from tests.outages.conftest import Figure, NewCustomer
from tests.outages.load import ORDER, ordering

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
        late = load.another()
        assert load.attempt(late, ORDER, "SM" + "0" * 32) == "503"
        time.sleep(AWAY_SECONDS)
        servers.postgres.start()
        back = time.monotonic()
        load.order(late)
        fresh, flowing = time.monotonic() - back, load.seconds_to_answer(back, 4)
        load.until_answered(8)
    assert set(load.refused) <= {"503"}, load.refused
    assert [process.pid for process in stack.processes if process.poll() is None] == before
    figure(
        f"PostgreSQL {how}, away {AWAY_SECONDS} s under load: order and yes that came after are answered within "
        f"{fresh:.1f} s of its start, four answers within {flowing:.1f} s (turns cut off wait for their lease); "
        f"{load.refused['503'] + 1} webhooks answered 503, then repeated; {len(load.customers)} orders, one each"
    )
    assert flowing < BOUND_SECONDS
