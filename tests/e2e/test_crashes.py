"""``kill -9`` at the worst moments: another worker carries on from the rows."""

from __future__ import annotations

import psycopg
import pytest

from tests.e2e.stack import Stack
from tests.e2e.texting import Texting

pytestmark = [pytest.mark.outage, pytest.mark.usefixtures("no_worker")]

ORDER = "quiero 2 croissants y un café"


def test_killed_after_the_question_is_stored(stack: Stack, texting: Texting) -> None:
    worker = stack.start_worker()
    texting.write(ORDER)
    texting.hears(1)
    stack.until(lambda: _is_sent(stack, texting), "the question to be marked as sent")
    stack.kill(worker)
    stack.start_worker()
    texting.write("sí")
    texting.hears(2)
    assert len(texting.orders()) == 1


def test_killed_after_the_yes_is_stored(stack: Stack, texting: Texting) -> None:
    worker = stack.start_worker()
    texting.write(ORDER)
    texting.hears(1)
    stack.until(lambda: _is_sent(stack, texting), "the question to be marked as sent")
    stack.kill(worker)
    texting.write("sí")
    stack.flush_redis()
    stack.start_worker()
    stack.start_beat()
    texting.hears(2)
    assert len(texting.orders()) == 1


def test_killed_during_the_tool(stack: Stack, texting: Texting) -> None:
    worker = stack.start_worker()
    texting.write(ORDER)
    texting.hears(1)
    stack.until(lambda: _is_sent(stack, texting), "the question to be marked as sent")
    with psycopg.connect(stack.environment["DATABASE_URL"]) as other:
        other.execute("LOCK TABLE orders_order IN SHARE MODE")
        texting.write("sí")
        stack.until(lambda: _waits_for_the_lock(stack), "the tool to run into the lock")
        stack.kill(worker)
    assert texting.orders() == []
    stack.shift_clock(60)  # the dead worker's lease is over now, for everybody who connects from here on
    stack.start_worker()
    stack.start_beat()
    texting.hears(2)
    assert len(texting.orders()) == 1


def test_killed_between_the_send_and_its_record(stack: Stack, texting: Texting) -> None:
    """The question was taken by the vendor, the row does not know: it is looked up, not repeated."""
    worker = stack.start_worker()
    texting.write(ORDER)
    texting.hears(1)
    stack.until(lambda: _is_sent(stack, texting), "the question to be marked as sent")
    stack.kill(worker)
    stack.sql(
        "UPDATE aitools_outboundmessage SET state = 'sending', provider_id = '' WHERE text = %s", texting.heard()[0]
    )
    stack.shift_clock(60)
    stack.start_worker()
    stack.start_beat()
    stack.until(lambda: _is_sent(stack, texting), "the look-up", 40)
    texting.write("sí")
    texting.hears(2)
    assert len(texting.orders()) == 1


def _is_sent(stack: Stack, texting: Texting) -> bool:
    return _question(stack, texting) == "sent"


def _question(stack: Stack, texting: Texting) -> str:
    rows = stack.sql(
        """SELECT o.state FROM aitools_outboundmessage o JOIN aitools_conversation c ON c.id = o.conversation_id
           WHERE c.address = %s AND o.kind = 'question' ORDER BY o.id DESC LIMIT 1""",
        texting.number,
    )
    return str(rows[0][0]) if rows else ""


def _waits_for_the_lock(stack: Stack) -> bool:
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%orders_order%'"
    return bool(stack.one(waiting))
