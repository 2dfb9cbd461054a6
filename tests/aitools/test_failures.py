"""A fault of ours while a turn ends: nothing is half said, and nobody is left without an answer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from aitools import clock, turns
from aitools.models import CallState, Turn
from aitools.providers import scripted
from aitools.providers.scripted import asks, says
from aitools.types import UserText
from tests.aitools import desk as parts
from tests.aitools.desk import Desk

LOOK, PAN = asks(("look", {})), asks(("make", {"name": "pan"}))
TIME_IS_UP = "Se acabó el tiempo"


@contextmanager
def nothing_can_be_said(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every transaction that says something fails, as late as it can."""

    def broken(*given: object, **fields: object) -> None:
        raise RuntimeError("the database says no")

    with monkeypatch.context() as while_broken:
        while_broken.setattr("aitools.outbox.enqueue", broken)
        yield


def fail(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    with nothing_can_be_said(monkeypatch), pytest.raises(RuntimeError):
        turns.advance(desk.conversation().pk)


def test_a_reply_that_could_not_be_stored_is_given_by_the_next_worker(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model is not asked again: what it said was kept, with its calls and events."""
    desk.receive("¿qué hay?")
    with scripted.script([LOOK, says("Pan.")]):
        fail(desk, monkeypatch)
        turn = desk.turn()
        assert (turn.state, turn.reply, turn.finished_at, turn.failures) == ("running", "", None, 1)
        assert desk.sweep() == ["Pan."]
    assert desk.events() == ["tool.call", "tool.result"]


def test_what_was_done_is_told_by_the_next_worker_and_done_once(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted.script([PAN, says("Listo.")]):
        desk.write("pan")
        desk.receive("sí")
        fail(desk, monkeypatch)
        assert desk.sweep() == ["Listo."]
    assert len(parts.things()) == 1


def test_who_would_have_read_words_of_our_own_reads_the_models(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.receive("", message_kind="image")
    fail(desk, monkeypatch)
    with scripted.script([says("¿Qué hay en la foto?")]) as script:
        assert desk.sweep() == ["¿Qué hay en la foto?"]
    assert script.calls[0].messages == (UserText("[image]"),)


def test_an_expiry_that_could_not_be_told_happens_again(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted.script([PAN]):
        desk.write("pan")
    clock.shift(121)
    fail(desk, monkeypatch)
    assert (desk.question().state, desk.turn().state, desk.turn().failures) == ("pending", "waiting", 1)
    (told,) = desk.sweep()
    assert told.startswith(TIME_IS_UP)
    assert desk.calls() == [("make", CallState.EXPIRED)]


def test_the_third_time_the_customer_gets_an_apology_and_staff_are_told(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.receive("hola")
    with scripted.script([says("Hola.")]):
        for _ in range(2):
            fail(desk, monkeypatch)
        monkeypatch.setattr(turns, "_words_for", lambda *given: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            turns.advance(desk.conversation().pk)
        desk.drain()
    assert desk.said()[-1].startswith("Disculpa, algo falló")
    assert (Turn.objects.get().state, desk.conversation().needs_staff) == ("failed", True)
