"""What a chat remembers as already done, and for how long."""

from __future__ import annotations

import pytest

from aitools import clock, memory
from aitools.models import ToolCall
from aitools.providers import scripted
from aitools.providers.scripted import asks, says
from aitools.validation import digest_of
from tests.aitools.desk import Desk

PAN = {"name": "pan", "count": 1}


@pytest.fixture
def made(desk: Desk) -> Desk:
    """A desk where one thing was made."""
    with scripted.script([asks(("make", PAN)), says("Listo.")]):
        desk.write("pan")
        desk.write("sí")
    return desk


def recalled(desk: Desk) -> memory.Memory:
    return memory.recall(desk.conversation(), clock.now())


def test_a_success_is_found_by_tool_and_arguments(made: Desk) -> None:
    found = recalled(made).find("make", digest_of(PAN))
    assert found is not None
    assert found.content == '{"made": "pan", "say": "Hecho: 1 × pan."}'
    assert 0 <= found.seconds_ago < 10


def test_other_arguments_and_other_tools_are_another_thing(made: Desk) -> None:
    assert recalled(made).find("make", digest_of(PAN | {"count": 2})) is None
    assert recalled(made).find("undo", digest_of(PAN)) is None


def test_it_is_forgotten_after_half_an_hour(made: Desk) -> None:
    clock.shift(memory.REMEMBERED_SECONDS - 5)
    assert recalled(made).calls
    clock.shift(memory.REMEMBERED_SECONDS + 5)
    assert not recalled(made).calls


def test_another_chat_has_another_memory(made: Desk) -> None:
    other = Desk(address="visitor-2", published=made.published)
    with scripted.script([says("Hola.")]):
        other.write("hola")
    assert not recalled(other).calls


def test_a_reset_forgets(made: Desk) -> None:
    made.write("/reset")
    assert not recalled(made).calls


@pytest.mark.parametrize("state", ["failed", "refused", "declined", "replied", "cancelled", "unknown", "running"])
def test_only_a_success_counts(made: Desk, state: str) -> None:
    ToolCall.objects.update(state=state)
    assert not recalled(made).calls


def test_a_success_that_reports_an_error_is_none(made: Desk) -> None:
    ToolCall.objects.update(value={"error": "closed"})
    assert not recalled(made).calls


def test_reads_are_not_remembered(desk: Desk) -> None:
    with scripted.script([asks(("look", {})), says("Pan.")]):
        desk.write("¿qué hay?")
    assert not recalled(desk).calls


def test_undoing_forgets_only_what_came_before(made: Desk) -> None:
    with scripted.script([asks(("undo", PAN)), says("Deshecho."), asks(("make", PAN)), says("Listo.")]):
        for text in ("cancélalo", "sí"):
            made.write(text)
        assert [call.name for call in recalled(made).calls] == ["undo"]
        for text in ("otra vez pan", "sí"):
            made.write(text)
    assert [call.name for call in recalled(made).calls] == ["make", "undo"]


def test_the_model_is_told_what_was_done(made: Desk) -> None:
    with scripted.script([says("Ya está.")]) as script:
        made.write("¿ya está?")
    assert "Already done in this chat, newest first: make" in script.calls[0].system
