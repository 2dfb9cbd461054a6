"""What comes between: an event at the worst moment, and what the customer and staff then see."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import pytest
from pytest_django import Settings

from aitools import audit, clock, execution, outbox, staffing, turns
from aitools.errors import ChannelPermanent, Stale
from aitools.models import AuditEvent, BotProfile, ModelEndpoint, PendingConfirmation
from aitools.providers import scripted
from aitools.providers.scripted import asks, says
from aitools.tools import Tool, ToolContext, registry
from aitools.turnrows import Settlement
from aitools.types import ModelReply, ModelRequest, Prompt
from tests.aitools import desk as parts
from tests.aitools import faulty
from tests.aitools.desk import Desk, Nothing, Thing
from tests.aitools.threads import together, until_somebody_waits_for_a_lock

WANTED = asks(("make", {"name": "pan"}))
BOTH = asks(("make", {"name": "pan"}), ("make", {"name": "café"}))
#: Longer than any lease that a dead worker leaves behind.
LEASE_SECONDS = 600


class Crash(BaseException):
    """A worker's sudden end: no ``except Exception`` sees it."""


@pytest.fixture
def person(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The desk has a tool that hands the chat to staff."""

    def call(args: Nothing, ctx: ToolContext) -> str:
        assert ctx.conversation_id is not None
        staffing.ask_for_staff(ctx.conversation_id)
        return "a person comes"

    tool = Tool("person", "Calls a person.", call, Nothing, effects="database")
    monkeypatch.setitem(registry._tools, "person", tool)


def test_a_yes_to_what_the_model_asked_after_the_effect_is_for_the_model(desk: Desk) -> None:
    """Not "that is already confirmed": they want the coffee."""
    more = asks(("make", {"name": "café"}))
    with scripted.script([WANTED, says("Listo. ¿Quieres también café?"), more]):
        desk.write("pan")
        desk.write("sí")
        (asked,) = desk.write("sí")
    assert "1 × café" in asked


def test_an_effect_is_told_though_the_next_question_cannot_be_sent(desk: Desk, settings: Settings) -> None:
    faulty.move(desk, settings)
    with scripted.script([BOTH]):
        (first,) = desk.write("pan y café")
        faulty.VENDOR.refused[first.replace("pan", "café")] = ChannelPermanent("no", code="63016")
        desk.write("sí")
    assert "Hecho: 1 × pan." in " ".join(desk.said())


def test_a_no_is_kept_when_the_worker_dies_after_the_effect_of_its_neighbour(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def note(args: Thing, ctx: ToolContext) -> None:
        ModelEndpoint.objects.create(name=args.name, kind="scripted", model="made")

    monkeypatch.setitem(registry._tools, "note", Tool("note", "Notes.", note, Thing, effects="database"))
    real = execution._finish

    def die(*args: Any) -> None:
        monkeypatch.setattr(execution, "_finish", real)
        raise Crash

    with scripted.script([asks(("make", {"name": "pan"}), ("note", {"name": "x"})), says("Vale.")]):
        desk.write("pan")
        monkeypatch.setattr(execution, "_finish", die)
        with pytest.raises(Crash):
            desk.write("no")
        clock.shift(LEASE_SECONDS)
        assert desk.sweep() == ["Vale."]
    assert desk.calls() == [("make", "declined"), ("note", "done")]


def test_a_yes_whose_effect_just_commits_is_never_noted_as_cancelled(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reset waits for the handler's transaction: the question was answered, and what was done is told."""
    is_marked, goes_on = threading.Event(), threading.Event()
    real = audit.store

    def slow(happened: Sequence[AuditEvent]) -> None:
        if any(event.kind == "tool.result" for event in happened) and not is_marked.is_set():
            is_marked.set()
            goes_on.wait(10)
        real(happened)

    def reset() -> None:
        is_marked.wait(10)
        desk.receive("/reset")

    def let_go() -> None:
        is_marked.wait(10)
        until_somebody_waits_for_a_lock()
        goes_on.set()

    answers = lambda request: says("Listo.") if "made" in str(request.messages) else WANTED  # noqa: E731
    with scripted.script(answers):
        desk.write("pan")
        desk.receive("sí")
        monkeypatch.setattr(audit, "store", slow)
        key = desk.conversation().pk
        together(lambda: turns.advance(key), reset, let_go)
    assert (len(parts.things()), desk.calls(), desk.question().state) == (1, [("make", "done")], "approved")
    assert "tool.confirm.cancelled" not in desk.events()
    assert any("Hecho: 1 × pan." in text for text in desk.said())


def test_a_closed_question_takes_no_answer(desk: Desk) -> None:
    with scripted.script([WANTED]):
        desk.write("pan")
    asked = desk.question()
    PendingConfirmation.objects.update(state="expired")
    answer = Settlement(asked, asked.State.APPROVED, audit.of_call("tool.confirm.approved", asked.call), clock.now())
    with pytest.raises(Stale):
        answer.store()
    assert desk.question().state == "expired"


@pytest.mark.usefixtures("person")
def test_no_notice_of_an_expiry_disturbs_a_person(desk: Desk) -> None:
    with scripted.script([asks(("person", {}), ("make", {"name": "pan"}))]):
        desk.write("una persona y pan")
        clock.shift(LEASE_SECONDS)
        assert desk.sweep() == []
    assert desk.question().state == "expired"


@pytest.mark.usefixtures("person")
def test_what_was_left_to_staff_is_theirs_though_a_turn_goes_on(desk: Desk) -> None:
    """It was written after a person was called and before the bot's last words; then staff hand back."""

    def meanwhile(request: ModelRequest) -> ModelReply:
        desk.receive("¿hola?")
        staffing.hand_back(desk.conversation().pk)
        return says("Ya viene.")

    with scripted.script([asks(("person", {})), meanwhile]):
        assert desk.write("una persona") == ["Ya viene."]
    assert not desk.conversation().has_unread


def unprintable(ctx: ToolContext) -> Prompt:
    raise RuntimeError("a\x00b")


def test_a_fault_whose_words_no_database_takes_is_counted(desk: Desk, settings: Settings) -> None:
    settings.AITOOLS_PROMPT_BUILDER = "tests.aitools.test_interleavings.unprintable"
    desk.receive("hola")
    for _ in range(3):
        with pytest.raises(RuntimeError):
            turns.advance(desk.conversation().pk)
    assert desk.turn().state == "failed"


def test_a_burst_that_begins_while_the_bot_thinks_settles_too(desk: Desk) -> None:
    BotProfile.objects.update(settle_seconds=3)

    def slow(request: ModelRequest) -> ModelReply:
        clock.shift(20)
        desk.receive("quiero")
        return says("Hola.")

    with scripted.script([slow, says("Van 2.")]) as script:
        desk.receive("hola")
        clock.shift(4)
        assert desk.sweep() == ["Hola."]
        clock.shift(22)
        desk.receive("2 panes")
        clock.shift(26)
        assert desk.sweep() == ["Van 2."]
    assert "quiero\n2 panes" in str(script.calls[-1].messages[-1].text)


def test_a_language_that_staff_set_while_the_bot_thinks_stays(desk: Desk) -> None:
    def meanwhile(request: ModelRequest) -> ModelReply:
        staffing.set_language(desk.conversation().pk, "en")
        return says("Hola.")

    with scripted.script([meanwhile]):
        desk.write("quiero saber qué pan hay hoy")
    assert desk.conversation().language == "en"


def test_no_call_stays_open_when_the_question_before_it_cannot_be_sent(desk: Desk, settings: Settings) -> None:
    faulty.move(desk, settings)
    faulty.VENDOR.outcomes.append(ChannelPermanent("no", code="63016"))
    with scripted.script([BOTH]):
        desk.write("pan y café")
    assert desk.calls() == [("make", "cancelled"), ("make", "cancelled")]


def test_a_yes_that_is_asked_again_is_not_noticed_as_a_no(desk: Desk) -> None:
    BotProfile.objects.update(answered_notice=True)
    with scripted.script([WANTED]):
        desk.write("pan")
        outbox.enqueue(desk.conversation(), "Hoy cerramos a las 5.", kind="notice")
        (again,) = desk.write("sí")
    assert again.startswith("Te pregunto de nuevo")
