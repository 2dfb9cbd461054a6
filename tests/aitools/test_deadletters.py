"""A given-up turn waits for staff: found by them, tried again at a press, never done twice, in nobody's way."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from aitools import clock, deadletters, events, retention, staffing, turns
from aitools.channels.base import EventKind
from aitools.deadletters import Refusal
from aitools.models import AuditEvent, BotProfile, ToolCall, Turn
from aitools.providers import scripted
from aitools.providers.scripted import asks, says
from tests.aitools import desk as parts
from tests.aitools.desk import Desk
from tests.aitools.threads import together

APOLOGY = "Disculpa, algo falló de nuestro lado. Ya avisamos a una persona, que mirará tu mensaje."
PAN = asks(("make", {"name": "pan"}))


@pytest.fixture
def dead(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Turn:
    """A turn that failed three times while the program was broken; it is repaired now."""
    desk.receive("2 panes")
    die(desk, monkeypatch)
    assert desk.said() == [APOLOGY]
    return desk.turn()


def die(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three attempts die at the model."""
    with monkeypatch.context() as while_broken:
        while_broken.setattr(turns, "_call_model", lambda *given: 1 / 0)
        for _ in range(3):
            with pytest.raises(ZeroDivisionError):
                turns.advance(desk.conversation().pk)
        desk.published.clear()
        desk.sweep()


def retry(desk: Desk, turn: Turn) -> Refusal | None:
    refused = deadletters.retry(turn.pk)
    desk.drain()
    return refused


def test_staff_find_it_with_its_reason_until_they_have_dealt_with_it(desk: Desk, dead: Turn) -> None:
    assert [(turn.pk, turn.failure) for turn in deadletters.waiting()] == [(dead.pk, dead.failure)]
    assert dead.failure.startswith("ZeroDivisionError in ")
    row = AuditEvent.objects.get(kind=events.TURN_FAILED)
    assert (row.turn, row.conversation, row.error) == (dead, desk.conversation(), dead.failure)
    staffing.mark_seen(dead.conversation_id)
    assert list(deadletters.waiting()) == []


def test_trying_again_reads_the_same_messages_as_a_new_turn(desk: Desk, dead: Turn) -> None:
    with scripted.script([says("¡Marchando!")]) as script:
        assert retry(desk, dead) is None
    assert desk.said()[1:] == ["¡Marchando!"]
    assert script.calls[0].messages[-1].text == "2 panes"
    again = desk.turn()
    assert (again.state, again.text, again.read_to) == ("done", "2 panes", dead.read_to)
    assert AuditEvent.objects.get(kind=events.TURN_RETRIED).turn == again
    assert list(deadletters.waiting()) == []
    dead.refresh_from_db()
    assert dead.state == "failed"


def test_another_reason_to_look_is_not_hidden_by_trying_again(desk: Desk, dead: Turn) -> None:
    """As a message that could not be sent: only staff say that they have seen it."""
    with scripted.script([says("¡Marchando!")]):
        assert retry(desk, dead) is None
    assert desk.conversation().needs_staff


def test_a_second_press_changes_nothing(desk: Desk, dead: Turn) -> None:
    with scripted.script([says("¡Marchando!")]):
        assert [retry(desk, dead), retry(desk, dead)] == [None, Refusal.MOVED_ON]
    assert Turn.objects.count() == 2


def test_two_presses_at_once_are_one(desk: Desk, dead: Turn) -> None:
    answers: list[Refusal | None] = []
    together(*[lambda: answers.append(deadletters.retry(dead.pk))] * 2)
    assert set(answers) == {None, Refusal.MOVED_ON}
    assert Turn.objects.count() == 2


def test_what_was_done_stays_done_and_is_told_to_the_model(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The turn dies after its effect: the customer is told of it, and a second try does not repeat it."""
    with scripted.script([PAN]):
        desk.write("pan")
    desk.receive("sí")
    die(desk, monkeypatch)
    assert desk.said()[-1] == "Hecho: 1 × pan."
    with scripted.script([says("Tu pan está hecho.")]) as script:
        assert retry(desk, desk.turn()) is None
    assert '"made": "pan"' in script.calls[0].system
    assert len(parts.things()) == 1
    assert ToolCall.objects.get().state == "done"


def test_what_was_about_to_be_done_is_asked_about_anew(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A yes belongs to the question it answered, and that was given up."""
    with scripted.script([PAN]):
        desk.write("pan")
    with monkeypatch.context() as while_broken:
        while_broken.setattr(turns, "_run_call", lambda *given: 1 / 0)
        desk.receive("sí")
        for _ in range(3):
            with pytest.raises(ZeroDivisionError):
                turns.advance(desk.conversation().pk)
    desk.sweep()
    assert (desk.said()[-1], parts.things()) == (APOLOGY, [])
    with scripted.script([PAN, says("Listo.")]):
        retry(desk, desk.turn())
        assert "¿Confirmas?" in desk.said()[-1]
        assert parts.things() == []
        assert desk.write("sí") == ["Listo."]
    assert len(parts.things()) == 1


def test_a_second_try_that_fails_too_waits_again_without_a_second_apology(
    desk: Desk, dead: Turn, monkeypatch: pytest.MonkeyPatch
) -> None:
    retry_fails = deadletters.retry(dead.pk)
    die(desk, monkeypatch)
    assert (retry_fails, desk.said()) == (None, [APOLOGY])
    assert list(deadletters.waiting()) == [desk.turn()]
    assert desk.conversation().needs_staff
    desk.sweep()
    assert Turn.objects.count() == 2


def test_later_messages_are_answered_while_it_waits(desk: Desk, dead: Turn) -> None:
    with scripted.script([says("¡Hola!")]):
        assert desk.write("¿hola?") == ["¡Hola!"]
    assert list(deadletters.waiting()) == [dead]
    assert retry(desk, dead) is Refusal.MOVED_ON


def test_a_wake_up_that_is_lost_is_found_by_the_sweep(desk: Desk, dead: Turn) -> None:
    deadletters.retry(dead.pk)
    desk.published.clear()
    with scripted.script([says("¡Marchando!")]):
        assert desk.sweep() == ["¡Marchando!"]


def take_over_and_back(conversation: int) -> None:
    staffing.write_as_staff(conversation, "Voy yo.")
    staffing.hand_back(conversation)


def answer_by_phone(desk: Desk, conversation: int) -> None:
    desk.receive("Ya lo veo.", kind=EventKind.ECHO)
    staffing.hand_back(conversation)


@pytest.mark.parametrize(
    ("happened", "because"),
    [
        (lambda desk, pk: desk.receive("¿hola?"), Refusal.UNREAD),
        (lambda desk, pk: desk.write("/reset"), Refusal.RESET),
        (lambda desk, pk: desk.receive("", kind=EventKind.OPT_OUT), Refusal.OPTED_OUT),
        (lambda desk, pk: staffing.take_over(pk), Refusal.PERSON),
        (lambda desk, pk: take_over_and_back(pk), Refusal.PERSON),
        (answer_by_phone, Refusal.PERSON),
        (lambda desk, pk: BotProfile.objects.update(bot_on=False), Refusal.BOT_OFF),
        (lambda desk, pk: Turn.objects.update(text=""), Refusal.EMPTIED),
        (lambda desk, pk: Turn.objects.update(state="done"), Refusal.NOT_FAILED),
    ],
    ids=["unread", "reset", "opt-out", "person", "person who went", "shop's phone", "bot off", "emptied", "not failed"],
)
def test_it_is_refused_once_the_conversation_has_moved_on(
    desk: Desk, dead: Turn, happened: Callable[[Desk, int], object], because: Refusal
) -> None:
    happened(desk, dead.conversation_id)
    before = Turn.objects.count()
    assert deadletters.retry(dead.pk) is because
    assert Turn.objects.count() == before


def test_what_may_have_happened_elsewhere_is_not_tried_again(desk: Desk, dead: Turn) -> None:
    with scripted.script([PAN]):
        desk.write("pan")
    Turn.objects.filter(pk=desk.turn().pk).update(state="failed")
    ToolCall.objects.update(state="unknown")
    assert deadletters.retry(desk.turn().pk) is Refusal.UNKNOWN


def test_once_its_words_are_emptied_there_is_nothing_to_read_again(desk: Desk, dead: Turn) -> None:
    clock.shift(400 * 24 * 3600)
    retention.purge()
    assert deadletters.retry(dead.pk) is Refusal.EMPTIED
