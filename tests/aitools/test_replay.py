"""A turn is replayed from rows: what the page says the model saw is what the provider got."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta

import pytest
from pytest_django import DjangoAssertNumQueries

from aitools import clock, retention
from aitools.models import CallState, PendingConfirmation, Turn
from aitools.providers import scripted
from aitools.providers.scripted import Line, asks, says
from aitools.replay import Replay, replay
from aitools.types import Message, UserText
from tests.aitools.desk import Desk

ORDER = asks(("make", {"name": "pan", "count": 2}))
LOOKS = asks(("look", {}))
#: More queries than this would mean one for each step or call.
QUERIES = 8


@pytest.fixture
def talked(desk: Desk) -> Desk:
    """A desk with an earlier turn, which every window holds."""
    with scripted.script([says("¡Hola! ¿Qué te gustaría?")]):
        desk.write("hola")
    return desk


def typed_yes(desk: Desk) -> None:
    desk.write("quiero 2 panes")
    desk.write("sí")


def pressed_yes(desk: Desk) -> None:
    desk.write("quiero 2 panes")
    desk.press("yes")


def typed_no(desk: Desk) -> None:
    desk.write("quiero 2 panes")
    desk.write("no")


def something_else_then_yes(desk: Desk) -> None:
    desk.write("quiero 2 panes")
    desk.write("¿y cuánto cuesta?")
    desk.write("sí")


def a_burst_as_answer(desk: Desk) -> None:
    desk.write("quiero 2 panes")
    desk.receive("bueno")
    desk.write("sí, dale")


def just_talk(desk: Desk) -> None:
    desk.write("¿qué hay?\ny cuánto cuesta")


SCENES: list[tuple[Callable[[Desk], None], Sequence[Line]]] = [
    (typed_yes, [LOOKS, ORDER, says("Listo.")]),
    (pressed_yes, [ORDER, says("Listo.")]),
    (typed_no, [ORDER, says("Bien, nada.")]),
    (something_else_then_yes, [ORDER, ORDER, says("Listo.")]),
    (a_burst_as_answer, [ORDER, says("Listo.")]),
    (just_talk, [LOOKS, asks(("look", {}), ("make", {"name": ""})), says(""), says("Hay pan.")]),
    (just_talk, [asks(("fly", {})), says("Eso no puedo.")]),
]


@pytest.mark.parametrize(("happens", "lines"), SCENES)
def test_what_the_model_saw_is_what_the_provider_got(
    happens: Callable[[Desk], None], lines: Sequence[Line], talked: Desk
) -> None:
    with scripted.script(lines) as script:
        happens(talked)

    seen = [tuple(step.seen) for step in of(talked).steps if not step.is_ours]
    assert seen == [tuple(request.messages) for request in script.calls]


class TestStep:
    def test_facts_are_those_in_force_and_shown_as_new_once(self, talked: Desk) -> None:
        with scripted.script([LOOKS, says("Hay pan.")]):
            talked.write("¿qué hay?")

        told = [(step.facts, step.facts_changed) for step in of(talked).steps]
        assert told == [({"channel": "web"}, True), ({"channel": "web"}, False)]

    def test_a_question_comes_with_its_answer_and_the_time_it_took(self, talked: Desk) -> None:
        with scripted.script([ORDER, says("Listo.")]):
            talked.write("2 panes")
            PendingConfirmation.objects.update(asked_at=clock.now() - timedelta(seconds=40))
            talked.press("yes")

        (call,) = of(talked).steps[0].calls
        assert call.question is not None
        assert call.question.answered_by is not None
        assert call.question.answered_by.text == "Sí"
        assert call.waited is not None
        assert 40 <= call.waited.total_seconds() < 60

    def test_nobody_waited_for_a_call_without_a_question(self, talked: Desk) -> None:
        with scripted.script([LOOKS, says("Hay pan.")]):
            talked.write("¿qué hay?")

        (call,) = of(talked).steps[0].calls
        assert (call.question, call.waited) == (None, None)

    def test_an_open_question_has_no_time_yet(self, talked: Desk) -> None:
        with scripted.script([ORDER]):
            talked.write("2 panes")

        (call,) = of(talked).steps[0].calls
        assert call.row.state == CallState.WAITING
        assert call.question is not None
        assert call.waited is None

    def test_events_stand_with_the_call_the_step_or_the_turn_they_are_of(self, talked: Desk) -> None:
        with scripted.script([ORDER, says(""), says("Listo.")]):
            talked.write("2 panes")
            talked.write("sí")

        shown = of(talked)
        ordered, *_rest = shown.steps
        kinds = [event.kind for event in ordered.calls[0].events]
        assert kinds[:2] == ["tool.confirm.requested", "tool.confirm.approved"]
        assert kinds[-1] == "tool.result"
        everywhere = [
            *shown.events,
            *(event for step in shown.steps for event in step.events),
            *(event for step in shown.steps for call in step.calls for event in call.events),
        ]
        assert len(everywhere) == shown.turn.events.count()
        assert "reply.empty" in [event.kind for step in shown.steps for event in step.events]

    def test_a_step_of_our_own_code_saw_nothing(self, talked: Desk) -> None:
        with scripted.script([ORDER]):
            talked.write("2 panes")
            talked.conversation().outbound.create(conversation=talked.conversation(), text="¡Hoy 2×1!", state="sent")
            talked.write("sí")

        asked, again = of(talked).steps
        assert (asked.is_ours, again.is_ours) == (False, True)
        assert again.seen == ()


class TestTurn:
    def test_messages_of_both_sides_are_this_turns(self, talked: Desk) -> None:
        with scripted.script([ORDER, says("Listo.")]):
            talked.receive("2 panes")
            talked.write("porfa")
            talked.press("yes")

        shown = of(talked)
        assert [event.text for event in shown.heard] == ["2 panes", "porfa", "Sí"]
        assert [message.kind for message in shown.said] == ["question", "reply"]
        assert shown.said[-1].text == "Listo."

    def test_a_reset_that_came_later_hides_nothing(self, talked: Desk) -> None:
        with scripted.script([says("Hay pan.")]):
            talked.write("¿qué hay?")
        before = of(talked).steps[0].seen
        talked.write("/reset")

        assert of(talked).steps[0].seen == before
        assert before[0] == UserText("hola")

    def test_a_reset_that_came_before_hides_what_it_hid(self, talked: Desk) -> None:
        talked.write("/reset")
        with scripted.script([says("Hay pan.")]):
            talked.write("¿qué hay?")

        assert of(talked).steps[0].seen == (UserText("¿qué hay?"),)

    def test_an_emptied_turn_is_replayed_without_its_words(self, talked: Desk) -> None:
        with scripted.script([ORDER, says("Listo.")]):
            talked.write("2 panes")
            talked.write("sí")
        retention.purge(clock.now() + timedelta(days=366))

        words: list[Message] = [message for step in of(talked).steps for message in step.seen]
        assert [call.row.name for step in of(talked).steps for call in step.calls] == ["make"]
        assert "pan" not in str(words)

    @pytest.mark.parametrize("looks", [0, 3])
    def test_more_steps_make_no_more_queries(
        self, looks: int, talked: Desk, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        with scripted.script([*[LOOKS] * looks, ORDER, says("Listo.")]):
            talked.write("2 panes")
            talked.write("sí")
        turn = Turn.objects.select_related("conversation").get(pk=talked.turn().pk)

        with django_assert_num_queries(QUERIES):
            shown = replay(turn)
            everything = [(call.question, call.waited) for step in shown.steps for call in step.calls]

        assert len(everything) == 1 + looks


def of(desk: Desk) -> Replay:
    """The newest turn's replay."""
    return replay(desk.turn())
