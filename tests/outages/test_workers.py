"""Workers that die, that are asked to go, that come too late; and two beats where there should be one."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from aitools.providers.scripted import says
from aitools.types import ModelReply
from tests.e2e.stack import Stack
from tests.e2e.texting import Texting
from tests.outages import rest
from tests.outages.conftest import Figure, NewCustomer
from tests.outages.load import ORDER, assert_each_has_one_order, ordering
from tests.wire.vendors import Received, Slow, VendorServer, vendor_server

pytestmark = pytest.mark.outage

#: A model thinks for so long.
THINKS_SECONDS = 4.0
#: A sweep comes within 15 s; the rest is for a busy machine.
SWEPT_SECONDS = 100


@pytest.fixture(autouse=True)
def nothing_left(stack: Stack) -> Iterator[None]:
    """Whatever happens, in the end nothing is left undone."""
    yield
    rest.assert_at_rest(stack)


def asks(server: VendorServer) -> dict[str, str]:
    """The environment of a worker that asks this model first."""
    return {"AI_PROVIDER": "anthropic", "AI_MODEL": "model-of-the-test", **server.environment}


def test_workers_are_killed_under_load(stack: Stack, customer: NewCustomer, figure: Figure) -> None:
    """Each of the two is shot in the midst of work and replaced by another."""
    workers = [stack.start_worker(), stack.start_worker()]
    stack.start_beat()
    with ordering(customer) as load:
        for worker in workers:
            load.until_answered(4)
            stack.kill(worker)
            stack.start_worker()
        load.until_answered(8)
    figure(f"two workers killed under load: {len(load.customers)} orders, one each")


def test_a_worker_that_is_asked_to_go_finishes_the_turn_and_hands_over(
    stack: Stack, customer: NewCustomer, figure: Figure
) -> None:
    """The model's answer is stored before it goes; the next worker waits for no lease."""
    one = customer()
    with vendor_server([Slow(says("¡Hola, Ana!"), seconds=THINKS_SECONDS)]) as server:
        old = stack.start_worker(**asks(server))
        one.write("hola")
        stack.until(lambda: server.received, "the model to be asked")
        stack.stop(old)
    assert old.returncode == 0
    assert _reply_of(stack, one) == "¡Hola, Ana!"
    assert stack.one("SELECT lease_token IS NULL FROM aitools_conversation WHERE address = %s", one.number)
    stack.start_worker()
    stack.start_beat()
    assert one.hears(1, SWEPT_SECONDS) == ["¡Hola, Ana!"]


def test_a_model_that_answers_after_the_lease_is_gone_is_not_heard(stack: Stack, customer: NewCustomer) -> None:
    """Another worker has taken the turn over and answered: of the first nothing is stored or sent.

    The vendor's repeat of the webhook wakes the other one, as the sweep would.
    """
    one, second_is_heard = customer(), threading.Event()

    def late(request: Received) -> ModelReply:
        second_is_heard.wait(SWEPT_SECONDS)
        return says("Soy el primero.")

    with vendor_server([late, says("Soy el segundo.")]) as server:
        workers = [stack.start_worker(**asks(server)) for _ in range(2)]
        sid = one.write("hola")
        stack.until(lambda: server.received, "the first to ask")
        stack.sql("UPDATE aitools_conversation SET lease_until = aitools_now() WHERE address = %s", one.number)
        one.write("hola", sid)
        assert one.hears(1, SWEPT_SECONDS) == ["Soy el segundo."]
        second_is_heard.set()
        stack.until(lambda: any("was lost" in stack.log_of(worker) for worker in workers), "the first to give up")
    assert _reply_of(stack, one) == "Soy el segundo."
    steps = """SELECT count(*), count(DISTINCT s.turn_id) FROM aitools_step s JOIN aitools_turn t ON t.id = s.turn_id
               JOIN aitools_conversation c ON c.id = t.conversation_id WHERE c.address = %s"""
    assert stack.sql(steps, one.number) == [(1, 1)]
    assert one.heard() == ["Soy el segundo."]


def test_two_beats_sweep_twice_as_often_and_nothing_happens_twice(stack: Stack, customer: NewCustomer) -> None:
    """All wake-ups are lost, twice, so that everything is done because of the sweeps."""
    crowd = [customer() for _ in range(8)]
    write_and_forget(stack, crowd, ORDER)
    processes = [stack.start_worker(), stack.start_worker(), stack.start_beat(), stack.start_beat()]
    for one in crowd:
        one.hears(1, SWEPT_SECONDS)
    write_and_forget(stack, crowd, "sí")
    for one in crowd:
        one.hears(2, SWEPT_SECONDS)
    rest.assert_at_rest(stack)
    assert all(process.poll() is None for process in processes)
    assert_each_has_one_order(crowd)
    numbers = [one.number for one in crowd]
    theirs = "JOIN aitools_conversation c ON c.id = x.conversation_id WHERE c.address = ANY(%s)"
    sends = f"SELECT DISTINCT x.attempts, x.possibly_repeated FROM aitools_outboundmessage x {theirs}"
    assert stack.sql(sends, numbers) == [(1, False)]
    assert stack.one(f"SELECT count(*) FROM aitools_turn x {theirs}", numbers) == len(crowd)


def write_and_forget(stack: Stack, crowd: list[Texting], text: str) -> None:
    """Everybody writes, and the broker forgets that they did."""
    for one in crowd:
        one.write(text)
    stack.flush_redis()


def _reply_of(stack: Stack, one: Texting) -> str:
    query = "SELECT t.reply FROM aitools_turn t JOIN aitools_conversation c ON c.id = t.conversation_id"
    ((reply,),) = stack.sql(f"{query} WHERE c.address = %s", one.number)
    return str(reply)
