"""Everybody at once: whatever the order, one effect, one answer, nothing hidden."""

from __future__ import annotations

import threading
from functools import partial
from typing import ClassVar

import pytest

from aitools import clock, inbox, queue, sending, sweep, turns
from aitools.channels.base import EventKind, InboundMessage
from aitools.models import Conversation, InboundEvent, OutboundMessage, PendingConfirmation, ToolCall, Turn
from aitools.providers.base import EndpointConfig
from aitools.providers.scripted import asks, says
from aitools.types import AssistantStep, ModelReply, ModelRequest, UserText
from tests.aitools import desk as parts
from tests.aitools.desk import Desk
from tests.aitools.threads import together

TOLD = "Hecho: 1 × pan."


class Model:
    """Orders what begins with "pan", says "Listo." after results, else repeats what it heard."""

    kind: ClassVar[str] = "scripted"

    def __init__(self, endpoint: EndpointConfig) -> None:
        pass

    def complete(self, request: ModelRequest) -> ModelReply:
        last = request.messages[-1]
        if isinstance(last, AssistantStep):
            return says("Listo.")
        assert isinstance(last, UserText)
        return asks(("make", {"name": last.text})) if last.text.startswith("pan") else says(f"eco {last.text}")


@pytest.fixture(autouse=True)
def near_workers(desk: Desk, settings: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever publishes works at once in its own thread, as a worker that is very near would."""

    def publish(task: str, conversation_id: int, delay_seconds: float = 0) -> None:
        if delay_seconds <= 0:
            (turns.advance if task == queue.ADVANCE else sending.deliver)(conversation_id)

    settings.AITOOLS_PROVIDERS = {"scripted": "tests.aitools.test_races.Model"}  # type: ignore[attr-defined]
    monkeypatch.setattr(queue, "publish", publish)


@pytest.fixture
def far_workers(near_workers: None, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Nobody hears what is published; undone, the workers are near again."""
    far = pytest.MonkeyPatch()
    far.setattr(queue, "publish", lambda *args: None)
    return far


def asked(desk: Desk, text: str = "pan") -> int:
    desk.receive(text)
    assert desk.question().state == "pending"
    return desk.conversation().pk


def later(milliseconds: float, desk: Desk, text: str) -> None:
    """Write a little after the others, so that over many rounds every order comes up."""
    threading.Event().wait(milliseconds / 1000)
    desk.receive(text)


def test_five_identical_webhooks_at_once_are_one_message_and_one_turn(desk: Desk) -> None:
    same = InboundMessage(EventKind.MESSAGE, "web", "SM1", address=desk.address, text="hola")
    together(*[partial(inbox.receive, [same])] * 5)
    sweep.sweep()
    assert (InboundEvent.objects.count(), Turn.objects.count(), Conversation.objects.count()) == (1, 1, 1)
    assert desk.said() == ["eco hola"]


def test_two_workers_on_one_conversation_run_one_turn(desk: Desk, far_workers: pytest.MonkeyPatch) -> None:
    desk.receive("hola")
    far_workers.undo()
    together(*[partial(turns.advance, desk.conversation().pk)] * 4)
    assert desk.said() == ["eco hola"]


def test_messages_of_many_customers_at_once_never_mix(desk: Desk) -> None:
    desks = [Desk(address=f"visitor {number}") for number in range(4)]
    for number in range(2):
        together(*[partial(one.receive, f"{one.address} dice {number}") for one in desks])
    for one in desks:
        assert one.said() == [f"eco {one.address} dice {number}" for number in range(2)]


@pytest.mark.parametrize("number", range(5))
def test_two_yes_at_once_make_one_effect(desk: Desk, number: int) -> None:
    """Either they are read as one answer, or the second is told that it is done."""
    asked(desk)
    together(partial(desk.receive, "sí"), partial(later, 10 * number, desk, "ok"))
    assert len(parts.things()) == 1
    assert desk.calls() == [("make", "done")]
    assert desk.said()[1:] in (["Listo."], ["Listo.", f"Eso ya está confirmado. {TOLD}"])


def test_two_presses_at_once_make_one_effect(desk: Desk) -> None:
    asked(desk)
    payload = f"confirm:{desk.question().key}:yes"
    press = partial(desk.receive, "Sí", kind=EventKind.PRESS, payload=payload)
    together(press, press)
    assert len(parts.things()) == 1


def test_a_yes_and_a_reset_at_once_never_leave_an_effect_untold(desk: Desk) -> None:
    """Thirty rounds: the reset comes before, during or after the effect, and the customer knows which."""
    happened = 0
    for number in range(30):
        customer = Desk(address=f"visitor {number}")
        asked(customer, f"pan{number}")
        together(partial(customer.receive, "sí"), partial(later, 5 * number, customer, "/reset"))
        made = [thing for thing in parts.things() if thing.startswith(f"pan{number} ")]
        told = [text for text in customer.said()[1:] if text == "Listo." or f"pan{number}" in text]
        assert len(made) <= 1
        assert bool(made) == bool(told), customer.said()
        happened += len(made)
    assert not Turn.objects.filter(state__in=["running", "waiting"]).exists()
    assert not PendingConfirmation.objects.filter(state="pending").exists()
    assert 0 < happened < 30, "One of the two always came first: the race was never run."


def test_a_yes_and_the_expiry_at_once_agree_on_one_of_them(desk: Desk) -> None:
    for number in range(10):
        customer = Desk(address=f"visitor {number}")
        key = asked(customer)
        PendingConfirmation.objects.update(expires_at=clock.now())
        together(partial(customer.receive, "sí"), partial(turns.advance, key))
        sweep.sweep()
        assert ToolCall.objects.filter(turn__conversation=key).earliest("id").state == "expired"
        assert "Listo." not in customer.said()
    assert parts.things() == []


def test_sweeps_at_once_answer_once(desk: Desk, far_workers: pytest.MonkeyPatch) -> None:
    desks = [Desk(address=f"visitor {number}") for number in range(3)]
    for one in desks:
        one.receive("hola")
    far_workers.undo()
    together(sweep.sweep, sweep.sweep, sweep.sweep)
    assert [one.said() for one in desks] == [["eco hola"]] * 3
    assert set(OutboundMessage.objects.values_list("state", "attempts")) == {("sent", 1)}


def test_writing_while_the_turn_ends_is_always_answered(desk: Desk) -> None:
    """The second message comes while the first is answered: read along or next, never left."""
    for number in range(12):
        customer = Desk(address=f"visitor {number}")
        together(partial(customer.receive, "uno"), partial(later, 5 * number, customer, "dos"))
        assert not customer.conversation().has_unread
        heard = " ".join(customer.said())
        assert "uno" in heard
        assert "dos" in heard


def test_nothing_is_ever_left_held(desk: Desk) -> None:
    key = asked(desk)
    together(partial(desk.receive, "sí"), partial(turns.advance, key), partial(sending.deliver, key), sweep.sweep)
    conversation = desk.conversation()
    assert (conversation.lease_token, conversation.send_token) == (None, None)
    assert len(parts.things()) == 1
