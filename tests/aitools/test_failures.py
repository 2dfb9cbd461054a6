"""A fault of ours while a turn ends: nothing is half said, and nobody is left without an answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from django.db import OperationalError

from aitools import clock, deadletters, leases, mediamarks, openings, outbox, turnrows, turns
from aitools.models import AuditEvent, BotProfile, CallState, Conversation, Turn
from aitools.providers import scripted
from aitools.providers.scripted import asks, says
from aitools.tools import registry
from aitools.types import UserText
from tests.aitools import crash_points
from tests.aitools import desk as parts
from tests.aitools.desk import Desk

LOOK, PAN = asks(("look", {})), asks(("make", {"name": "pan"}))
TIME_IS_UP = "Se acabó el tiempo"
APOLOGY = "Disculpa, algo falló de nuestro lado. Ya avisamos a una persona, que mirará tu mensaje."
WORDS = "palabras-del-cliente"


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


def test_a_yes_whose_worker_lost_the_database_is_read_again(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The failure could be stored only without the yes: then the words that said it are not read either."""
    breaks = iter([OperationalError, OperationalError])

    def gone(*given: object, otherwise: Callable[..., None] = leases.hold, **fields: object) -> None:
        for error in breaks:
            raise error
        otherwise(*given, **fields)

    with scripted.script([PAN, says("Listo.")]):
        desk.write("pan")
        desk.receive("sí")
        with monkeypatch.context() as while_broken:
            while_broken.setattr("aitools.execution.run", gone)
            while_broken.setattr("aitools.leases.hold", gone)
            with pytest.raises(OperationalError):
                turns.advance(desk.conversation().pk)
        assert (desk.question().state, desk.turn().failures) == ("pending", 1)
        assert desk.sweep() == ["Listo."]
    assert len(parts.things()) == 1
    assert desk.turn().text == "pan\nsí"


def test_who_would_have_read_words_of_our_own_reads_the_models(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.receive("", message_kind="image")
    fail(desk, monkeypatch)
    with scripted.script([says("¿Qué hay en la foto?")]) as script:
        assert desk.sweep() == ["¿Qué hay en la foto?"]
    assert script.calls[0].messages == (UserText(mediamarks.unseen("image")),)


def test_an_expiry_that_could_not_be_told_happens_again(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted.script([PAN]):
        desk.write("pan")
    clock.shift(121)
    fail(desk, monkeypatch)
    assert (desk.question().state, desk.turn().state, desk.turn().failures) == ("pending", "waiting", 1)
    (told,) = desk.sweep()
    assert told.startswith(TIME_IS_UP)
    assert desk.calls() == [("make", CallState.EXPIRED)]


def no_such_row() -> None:
    raise ValueError("no database takes this")


def no_connection() -> None:
    """The network is gone, and soon back: the next try has a connection of its own."""
    crash_points.cut("while it is stored")
    clock.now()


@pytest.mark.parametrize("fault", [no_such_row, no_connection])
def test_a_yes_that_can_not_be_stored_is_read_again(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, fault: Callable[[], None]
) -> None:
    """Never is it stored that the answer was read, and not what it decided."""

    def broken(reported: Iterable[AuditEvent]) -> None:
        if any(event.kind == "tool.confirm.approved" for event in reported):
            fault()

    with scripted.script([PAN, says("Listo.")]):
        desk.write("pan")
        desk.receive("sí")
        with monkeypatch.context() as while_broken:
            while_broken.setattr("aitools.audit.store", broken)
            with pytest.raises((ValueError, OperationalError)):
                turns.advance(desk.conversation().pk)
        assert (desk.question().state, desk.turn().state, desk.turn().failures) == ("pending", "waiting", 1)
        assert desk.sweep() == ["Listo."]
    assert len(parts.things()) == 1


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


def test_what_can_not_be_opened_is_given_up_too_and_later_messages_are_answered(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as while_broken:
        while_broken.setattr(openings, "_set_language", broken)
        while_broken.setattr(turns, "_act", broken)
        desk.receive("hola")
        for _ in range(3):
            with pytest.raises(ZeroDivisionError):
                turns.advance(desk.conversation().pk)
        assert desk.said() == [APOLOGY]
        assert desk.sweep() == []
    turn = Turn.objects.get()
    assert (turn.state, turn.failures, turn.text) == ("failed", 3, "hola")
    assert turn.failure.startswith("ZeroDivisionError in tests.aitools.test_failures, line ")
    assert desk.conversation().needs_staff
    with scripted.script([says("¡Hola!")]):
        assert desk.write("¿hola?") == ["¡Hola!"]


def test_a_fault_in_opening_that_passes_costs_one_retry(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.receive("hola")
    with monkeypatch.context() as while_broken:
        while_broken.setattr(openings, "_set_language", broken)
        with pytest.raises(ZeroDivisionError):
            turns.advance(desk.conversation().pk)
    with scripted.script([says("¡Hola!")]):
        assert desk.sweep() == ["¡Hola!"]
    assert [(turn.state, turn.failures) for turn in Turn.objects.all()] == [("done", 1)]


def test_a_turn_that_can_not_be_read_is_given_up_with_its_question(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted.script([PAN]):
        desk.write("pan")
    with monkeypatch.context() as while_broken:
        while_broken.setattr(turnrows, "load", broken)
        desk.receive("sí")
        for _ in range(3):
            with pytest.raises(ZeroDivisionError):
                turns.advance(desk.conversation().pk)
    assert (desk.turn().state, desk.question().state, desk.calls()) == ("failed", "cancelled", [("make", "cancelled")])
    with scripted.script([says("¿Qué hago?")]):
        assert desk.write("¿y bien?") == ["¿Qué hago?"]
    assert desk.said()[1:] == [APOLOGY, "¿Qué hago?"]
    assert parts.things() == []


@pytest.mark.parametrize(
    "away", [lambda: BotProfile.objects.update(bot_on=False), lambda: Conversation.objects.update(mode="human")]
)
def test_what_is_not_the_bots_is_left_to_staff_whatever_breaks(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, away: Callable[[], int]
) -> None:
    desk.receive("hola")
    Conversation.objects.update(first_unread_at=clock.now(), wake_at=clock.now())
    away()
    monkeypatch.setattr(openings, "_leave_to_staff", broken)
    with pytest.raises(ZeroDivisionError):
        turns.advance(desk.conversation().pk)
    assert (desk.sweep(), desk.said(), Turn.objects.count()) == ([], [], 0)
    left = desk.conversation()
    assert (left.needs_staff, left.has_unread, left.first_unread_at, left.wake_at) == (True, False, None, None)


def test_where_nothing_can_be_said_the_turn_is_given_up_all_the_same(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A channel that was taken away: no reply can be queued, and no apology."""
    desk.receive("hola")
    monkeypatch.setattr(outbox, "enqueue", broken)
    with scripted.script([says("Hola.")]):
        for _ in range(3):
            with pytest.raises(ZeroDivisionError):
                turns.advance(desk.conversation().pk)
    assert (Turn.objects.get().state, desk.conversation().needs_staff) == ("failed", True)
    assert desk.sweep() == []


def test_a_call_outside_that_was_running_is_left_unknown(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody knows what came of it, whatever became of its turn."""
    away = replace(parts.MAKE, name="away", effects="external", confirm=False, fingerprint=None, check=None)
    monkeypatch.setitem(registry._tools, "away", away)
    desk.receive("pan")
    with monkeypatch.context() as while_broken:
        while_broken.setattr("aitools.execution._outcome", broken)
        with scripted.script([asks(("away", {"name": "pan"}))]), pytest.raises(ZeroDivisionError):
            turns.advance(desk.conversation().pk)
    assert desk.calls() == [("away", "running")]
    monkeypatch.setattr(turnrows, "load", broken)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            turns.advance(desk.conversation().pk)
    assert (desk.turn().state, desk.calls()) == ("failed", [("away", "unknown")])


def test_a_call_outside_that_was_running_is_left_unknown_by_a_turn_that_can_be_read(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Staff are not offered to do it a second time."""
    away = replace(parts.MAKE, name="away", effects="external", confirm=False, fingerprint=None, check=None)
    monkeypatch.setitem(registry._tools, "away", away)
    desk.receive("pan")
    monkeypatch.setattr("aitools.execution._outcome", broken)
    with scripted.script([asks(("away", {"name": "pan"}))]), pytest.raises(ZeroDivisionError):
        turns.advance(desk.conversation().pk)
    monkeypatch.setattr(turns, "_act", broken)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            turns.advance(desk.conversation().pk)
    assert (desk.turn().state, desk.calls()) == ("failed", [("away", "unknown")])
    assert deadletters.retry(desk.turn().pk) is deadletters.Refusal.UNKNOWN


def test_a_turn_that_is_given_up_leaves_no_time_behind(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next message settles anew, and nobody seems to have waited for hours."""
    desk.receive("hola")
    Conversation.objects.update(first_unread_at=clock.now(), wake_at=clock.now())
    with monkeypatch.context() as while_broken:
        while_broken.setattr(turns, "_act", broken)
        for _ in range(3):
            with pytest.raises(ZeroDivisionError):
                turns.advance(desk.conversation().pk)
    left = desk.conversation()
    assert (left.first_unread_at, left.wake_at, left.lease_token) == (None, None, None)
    assert not left.has_unread


def test_what_comes_while_a_turn_is_given_up_is_answered(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def late(*given: object) -> None:
        if Turn.objects.filter(failures=2).exists():
            desk.receive("¿hola?")
        broken()

    desk.receive("pan")
    with monkeypatch.context() as while_broken:
        while_broken.setattr(turns, "_act", late)
        for _ in range(3):
            with pytest.raises(ZeroDivisionError):
                turns.advance(desk.conversation().pk)
    with scripted.script([says("¡Hola!")]):
        desk.sweep()
    assert desk.said() == [APOLOGY, "¡Hola!"]


def test_settings_that_can_not_be_read_stop_nobody_for_ever(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """All customers wait then: none is given up, staff see them, and the lease is free for the next try."""
    desk.receive("hola")
    with monkeypatch.context() as while_broken:
        while_broken.setattr("aitools.work.begin", broken)
        for _ in range(4):
            with pytest.raises(ZeroDivisionError):
                turns.advance(desk.conversation().pk)
    assert desk.conversation().needs_staff
    with scripted.script([says("Hola.")]):
        assert desk.sweep() == ["Hola."]


def test_reasons_and_logs_say_what_and_where_but_never_the_words(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def read(*given: object) -> None:
        raise ValueError(f"can't read: {WORDS}")

    monkeypatch.setattr(turns, "_act", read)
    desk.receive(WORDS)
    for _ in range(3):
        with pytest.raises(ValueError, match=WORDS):
            turns.advance(desk.conversation().pk)
    assert "ValueError in tests.aitools.test_failures" in caplog.text
    assert WORDS not in caplog.text + desk.turn().failure


def broken(*given: object, **fields: object) -> None:
    raise ZeroDivisionError
