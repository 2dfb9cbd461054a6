"""The broker forgets everything, or is away: answers come late and none is lost."""

from __future__ import annotations

import time

import pytest

from tests.e2e.servers import Servers
from tests.e2e.stack import Stack
from tests.outages.conftest import Figure, NewCustomer
from tests.outages.load import ORDER, ordering

pytestmark = [pytest.mark.outage, pytest.mark.usefixtures("workers")]


def test_redis_is_flushed_under_load(stack: Stack, customer: NewCustomer) -> None:
    """Wake-ups and whatever Celery kept there are gone; nobody has to be started again."""
    with ordering(customer) as load:
        load.until_answered(8)
        stack.flush_redis()
        load.until_answered(8)
    assert not load.refused


def test_redis_is_away_under_load(stack: Stack, servers: Servers, customer: NewCustomer, figure: Figure) -> None:
    """Webhooks are accepted all the while; afterwards the same workers go on by themselves."""
    before = [process.pid for process in stack.workers()]
    with ordering(customer) as load:
        load.until_answered(4)
        servers.valkey.crash()
        late = customer()
        late.write(ORDER)
        assert late.stack.one("SELECT count(*) FROM aitools_conversation WHERE address = %s", late.number) == 1
        servers.valkey.start()
        back = time.monotonic()
        seconds = load.seconds_to_answer(back)
        assert len(late.hears(1, seconds=100)) == 1
        late.write("no")
        late.hears(2, seconds=100)
    assert not load.refused, "a webhook was not accepted"
    assert [process.pid for process in stack.workers() if process.poll() is None] == before
    figure(f"Redis stopped and started: answers flow {seconds:.1f} s after; {len(load.customers)} orders, one each")
