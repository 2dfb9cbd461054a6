"""A worker's clock is ten minutes off: the database's decides, so nobody notices."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest

from tests.e2e.stack import Stack
from tests.outages import rest
from tests.outages.conftest import NewCustomer
from tests.outages.load import ORDER, assert_each_has_one_order
from tests.wire.twilio import RATE_LIMITED, TwilioApi

pytestmark = pytest.mark.outage

OFF_SECONDS = 600
#: A sweep comes within 15 s; the rest is for a busy machine.
SWEPT_SECONDS = 100


def start_worker(stack: Stack, off: float) -> None:
    stack.start_worker_with_clock(off)
    stack.until(lambda: _log_times(stack), "the worker's first words")
    told = max(_log_times(stack))
    assert abs((told - datetime.now(UTC)).total_seconds() - off) < 30, "the worker's clock is right"


def _log_times(stack: Stack) -> list[datetime]:
    newest = max(stack.logs.glob("worker-*.log"), key=lambda path: path.stat().st_mtime_ns)
    found = re.findall(r"^(\d{4}-\d\d-\d\dT[\d:.]+Z) \[", newest.read_text(), re.MULTILINE)
    return [datetime.fromisoformat(one) for one in found]


@pytest.mark.parametrize("off", [OFF_SECONDS, -OFF_SECONDS], ids=["ahead", "behind"])
def test_the_only_workers_clock_is_off(stack: Stack, customer: NewCustomer, twilio: TwilioApi, off: float) -> None:
    """Bursts settle, questions run out, sends are tried again and sweeps come, all by the database's time."""
    stack.sql("UPDATE aitools_botprofile SET settle_seconds = 2")
    start_worker(stack, off)
    stack.start_beat()
    one, left, lost = customer(), customer(), customer()
    twilio.faults.append(RATE_LIMITED)
    one.write(ORDER)
    one.hears(1, SWEPT_SECONDS)
    _assert_times(stack, one.number)
    one.write("sí")
    one.hears(2, SWEPT_SECONDS)
    left.write(ORDER)
    left.hears(1, SWEPT_SECONDS)
    lost.write(ORDER)
    stack.flush_redis()
    lost.hears(1, SWEPT_SECONDS)
    lost.write("sí")
    lost.hears(2, SWEPT_SECONDS)
    assert_each_has_one_order([one, lost])
    stack.sql("UPDATE aitools_pendingconfirmation SET expires_at = aitools_now() + '1 s' WHERE state = 'pending'")
    left.hears(2, SWEPT_SECONDS)
    assert left.orders() == []
    rest.assert_at_rest(stack)


def _assert_times(stack: Stack, number: str) -> None:
    """What the worker wrote is of the database's time: attempt, end of the question, start of the turn."""
    query = """
        SELECT o.attempted_at - o.created_at, p.expires_at - o.attempted_at, aitools_now() - o.attempted_at,
               t.started_at - c.created_at
        FROM aitools_outboundmessage o JOIN aitools_conversation c ON c.id = o.conversation_id
        JOIN aitools_pendingconfirmation p ON p.message_id = o.id JOIN aitools_turn t ON t.id = o.turn_id
        WHERE c.address = %s"""
    ((sending, patience, since, thinking),) = stack.sql(query, number)
    minute = timedelta(minutes=1)
    assert timedelta(0) <= sending < minute
    assert abs(patience - timedelta(seconds=1800)) < minute
    assert timedelta(0) <= since < minute
    assert timedelta(0) <= thinking < minute
