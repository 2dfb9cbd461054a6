"""Two workers with four threads each, and things that happen at the same instant."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from functools import partial
from uuid import uuid4

import psycopg
import pytest

from tests.e2e.stack import Stack
from tests.e2e.texting import Texting
from tests.outages import rest
from tests.outages.conftest import Figure, NewCustomer
from tests.outages.load import ORDER
from tests.outages.staff import Staff, staff_of

pytestmark = pytest.mark.outage

#: A sweep comes within 15 s; the rest is for a busy machine.
SOON_SECONDS = 100
CONVERSATION = "JOIN aitools_conversation c ON c.id = x.conversation_id WHERE c.address = %s"


@pytest.fixture(scope="module")
def two_workers(desk: Stack) -> Iterator[None]:
    processes = [desk.start_worker(), desk.start_worker(), desk.start_beat()]
    yield
    for process in processes:
        desk.kill(process)


@pytest.fixture
def stack(desk: Stack, two_workers: None) -> Iterator[Stack]:
    """The desk with its workers; after each test nothing is left undone."""
    yield desk
    rest.assert_at_rest(desk)


@pytest.fixture(scope="module")
def staff(desk: Stack) -> Iterator[Staff]:
    with staff_of(desk) as people:
        yield people


@pytest.fixture
def crowd(stack: Stack, customer: NewCustomer) -> list[Texting]:
    return [customer() for _ in range(6)]


def at_once(*acts: Callable[[], object]) -> list[object]:
    """Each in a thread of its own; what they gave."""
    with ThreadPoolExecutor(len(acts)) as pool:
        return [done.result() for done in [pool.submit(act) for act in acts]]


def after(seconds: float, act: Callable[..., object], *values: object) -> object:
    """A little later than the others, so that over several rounds each comes first."""
    time.sleep(seconds)
    return act(*values)


def pace(one: Texting) -> tuple[float, float]:
    """Seconds that a webhook takes here now, and a yes until the order is told."""
    asked([one])
    started = time.monotonic()
    one.write("sí")
    accepted = time.monotonic()
    one.hears(2, SOON_SECONDS)
    settled(one)
    return accepted - started, time.monotonic() - started


def asked(crowd: list[Texting]) -> None:
    """Everybody has an open question, which is known to have been sent."""
    for one in crowd:
        one.write(ORDER)
    for one in crowd:
        one.hears(1, SOON_SECONDS)
        settled(one)


def settled(one: Texting) -> None:
    """All that this customer wrote is read and answered."""
    query = """
        SELECT read_seq = inbox_seq AND lease_token IS NULL AND NOT EXISTS (
          SELECT 1 FROM aitools_outboundmessage WHERE conversation_id = c.id AND state IN ('queued', 'sending'))
        FROM aitools_conversation c WHERE address = %s"""
    one.stack.until(partial(one.stack.one, query, one.number), f"{one.number} to be answered", SOON_SECONDS)


def reset(crowd: list[Texting]) -> None:
    """Close whatever question is still open."""
    for one in crowd:
        one.write("/reset")


def in_order(one: Texting) -> bool:
    """Whether what was heard is what the rows say, once each and in their order."""
    rows = f"SELECT text FROM aitools_outboundmessage x {CONVERSATION} AND x.state <> 'withdrawn' ORDER BY x.id"
    return one.heard() == [text for (text,) in one.stack.sql(rows, one.number)]


def test_bursts_that_come_twice_and_shuffled_are_read_once_and_whole(stack: Stack, crowd: list[Texting]) -> None:
    texts = ("hola", "quiero 2 croissants", "y un café", "para hoy")
    posts = [(one, text, f"SM{uuid4().hex}") for one in crowd for text in texts] * 2
    random.Random(4).shuffle(posts)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda post: post[0].write(*post[1:]), posts))
    for one in crowd:
        settled(one)
        seen = stack.sql(f"SELECT x.seq, x.text FROM aitools_inboundevent x {CONVERSATION} ORDER BY x.seq", one.number)
        assert [seq for seq, _ in seen] == [1, 2, 3, 4]
        turns = stack.sql(f"SELECT x.text FROM aitools_turn x {CONVERSATION} ORDER BY x.id", one.number)
        replied = stack.sql(
            f"""SELECT call.result FROM aitools_toolcall call JOIN aitools_turn x ON x.id = call.turn_id
                {CONVERSATION} AND call.result LIKE '%%userReply%%'""",
            one.number,
        )
        read = "\n".join(text for (text,) in [*turns, *replied])
        assert Counter(texts) == Counter(text for text in texts for _ in range(read.count(text))), read
        assert in_order(one)
    reset(crowd)


def test_a_yes_and_a_no_at_once_are_never_both(stack: Stack, crowd: list[Texting], figure: Figure) -> None:
    _, seconds = pace(crowd.pop())
    asked(crowd)
    for place, one in enumerate(crowd):
        at_once(partial(one.write, "sí"), partial(after, seconds * place / 4, one.write, "no"))
    outcomes: Counter[str] = Counter()
    for one in crowd:
        settled(one)
        states = stack.sql(
            f"SELECT x.state FROM aitools_pendingconfirmation x {CONVERSATION} ORDER BY x.call_id", one.number
        )
        approved = [state for (state,) in states].count("approved")
        assert len(one.orders()) == approved <= 1
        assert not approved or one.order_numbers()[0] in " ".join(one.heard())
        assert in_order(one)
        outcomes[states[0][0]] += 1
    reset(crowd)
    figure(f"a yes and a no at once: {dict(outcomes)}")


def test_a_yes_and_a_reset_at_once_never_hide_an_order(stack: Stack, crowd: list[Texting], figure: Figure) -> None:
    _, seconds = pace(crowd.pop())
    asked(crowd)
    for place, one in enumerate(crowd):
        at_once(partial(one.write, "sí"), partial(after, seconds * place / 4, one.write, "/reset"))
    made = 0
    for one in crowd:
        settled(one)
        assert len(one.orders()) <= 1
        told = [number for number in one.order_numbers() if number in " ".join(one.heard()[1:])]
        assert told == one.order_numbers(), one.heard()
        assert in_order(one)
        made += len(told)
    figure(f"a yes and a reset at once: {made} ordered and told, {len(crowd) - made} not ordered")


def test_a_yes_and_the_expiry_at_once_agree(stack: Stack, crowd: list[Texting], staff: Staff, figure: Figure) -> None:
    """A yes that was received in time counts, whoever looks first; a later one orders nothing."""
    seconds, _ = pace(crowd.pop())
    asked(crowd)
    mine = "conversation_id = (SELECT id FROM aitools_conversation WHERE address = %s)"
    for place, one in enumerate(crowd):
        soon = f"UPDATE aitools_pendingconfirmation SET expires_at = aitools_now() + %s * interval '1 s' WHERE {mine}"
        stack.sql(soon, seconds * (1 + place), one.number)
        at_once(partial(one.write, "sí"), *[partial(staff.do, "wake", key_of(one))] * 3)
    timely = 0
    for one in crowd:
        settled(one)
        ((in_time,),) = stack.sql(
            f"""SELECT e.received_at <= x.expires_at FROM aitools_pendingconfirmation x
                JOIN aitools_inboundevent e ON e.conversation_id = x.conversation_id AND e.text = 'sí'
                {CONVERSATION} ORDER BY x.call_id LIMIT 1""",
            one.number,
        )
        assert len(one.orders()) == int(in_time), one.heard()
        assert in_order(one)
        timely += in_time
    reset(crowd)
    figure(f"a yes and the expiry at once: {timely} in time, {len(crowd) - timely} too late")


def test_staff_take_over_while_an_order_is_stored(stack: Stack, customer: NewCustomer, staff: Staff) -> None:
    """The tool runs and has not committed: nothing of it stays, and the bot says nothing more."""
    one = customer()
    asked([one])
    with psycopg.connect(stack.environment["DATABASE_URL"]) as other:
        other.execute("LOCK TABLE orders_order IN SHARE MODE")
        one.write("sí")
        waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%orders_order%'"
        stack.until(lambda: stack.one(waiting), "the tool to run into the lock", SOON_SECONDS)
        assert staff.do("take_over", key_of(one)) == "ok"
    rest.assert_at_rest(stack)
    assert one.orders() == []
    assert len(one.heard()) == 1
    assert staff.do("hand_back", key_of(one)) == "ok"
    one.write(ORDER)
    assert one.hears(2, SOON_SECONDS)[1].startswith("Voy a: ")
    one.write("sí")
    one.hears(3, SOON_SECONDS)
    assert len(one.orders()) == 1


def test_a_price_edited_between_question_and_yes_is_asked_again(stack: Stack, customer: NewCustomer) -> None:
    """What is stored is what the last question said, and never the old price."""
    one = customer()
    one.write("quiero 2 croissants")
    assert "Total: $7.000" in one.hears(1, SOON_SECONDS)[0]
    asked_for = "UPDATE orders_product SET price = %s WHERE key = 'croissant'"
    stack.sql(asked_for, 4000)
    one.write("sí")
    again = one.hears(2, SOON_SECONDS)[1]
    assert "Total: $8.000" in again
    assert one.orders() == []
    settled(one)
    one.write("sí")
    one.hears(3, SOON_SECONDS)
    stack.sql(asked_for, 3500)
    assert total_of(one) == Decimal(8000)


def test_an_order_changed_by_staff_while_its_customer_changes_it(
    stack: Stack, crowd: list[Texting], staff: Staff, figure: Figure
) -> None:
    """Staff begin to prepare it as the customer says yes to three instead of two: one of them comes first."""
    _, seconds = pace(crowd.pop())
    for one in crowd:
        one.write("quiero 2 croissants")
    for heard, text in ((1, "sí"), (2, "cambia mi pedido a 3 croissants")):
        for one in crowd:
            one.hears(heard, SOON_SECONDS)
            settled(one)
            one.write(text)
    for one in crowd:
        assert "3 × Croissant" in one.hears(3, SOON_SECONDS)[2]
        settled(one)
    first: Counter[str] = Counter()
    for place, one in enumerate(crowd):
        key = stack.one("SELECT id FROM orders_order WHERE code = %s", one.orders()[0][0])
        _, moved = at_once(
            partial(one.write, "sí"), partial(after, seconds * place / 6, staff.do, "move", key, "preparing", 1)
        )
        settled(one)
        state, version, total = stack.sql("SELECT state, version, total FROM orders_order WHERE id = %s", key)[0]
        by_staff = ("ok", "preparing", 2, Decimal(7000))
        by_customer = ("NotMoved", "accepted", 2, Decimal(10500))
        assert (moved, state, version, total) in (by_staff, by_customer)
        assert stack.one("SELECT sum(line_total) FROM orders_orderline WHERE order_id = %s", key) == total
        assert ("10.500" in one.heard()[3]) == (state == "accepted"), one.heard()
        first["staff" if state == "preparing" else "the customer"] += 1
    reset(crowd)
    figure(f"staff and the customer change an order at once: first were {dict(first)}")


def key_of(one: Texting) -> int:
    return int(one.stack.one("SELECT id FROM aitools_conversation WHERE address = %s", one.number))


def total_of(one: Texting) -> Decimal:
    ((code, _, _),) = one.orders()
    return Decimal(one.stack.one("SELECT total FROM orders_order WHERE code = %s", code))
