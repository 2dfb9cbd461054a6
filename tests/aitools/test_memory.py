"""What a chat remembers as already done, and for how long."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from aitools import clock, memory
from aitools.models import ToolCall
from aitools.providers import scripted
from aitools.providers.scripted import asks, says
from aitools.tools import registry
from aitools.validation import digest_of
from tests.aitools import desk as parts
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
    assert "Ya hecho en este chat, lo más reciente primero: make" in script.calls[0].system


# What a tool with ``dedupe`` may not do twice.


@pytest.fixture
def once(made: Desk, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """The desk where one thing was made, by a tool that is not to do the same again."""
    monkeypatch.setitem(registry._tools, "make", replace(parts.MAKE, dedupe="args"))
    return made


def test_the_same_call_again_is_neither_asked_nor_run_and_the_model_is_told(once: Desk) -> None:
    with scripted.script([asks(("make", PAN)), says("Ya lo tienes.")]):
        assert once.write("pan otra vez") == ["Ya lo tienes."]
    told = json.loads(ToolCall.objects.latest("id").result)
    assert (told["executed"], told["reason"]) == (False, "duplicate")
    assert json.loads(told["previous"]["result"])["made"] == "pan"
    assert 0 <= told["previous"]["secondsAgo"] < 60
    assert once.events()[-1] == "tool.duplicate"
    assert len(parts.things()) == 1


@pytest.mark.parametrize(("seconds", "asked"), [(590, False), (610, True)])
def test_ten_minutes_later_it_may_be_meant(once: Desk, seconds: int, asked: bool) -> None:
    clock.shift(seconds)
    with scripted.script([asks(("make", PAN)), *([] if asked else [says("Ya lo tienes.")])]):
        (said,) = once.write("pan otra vez")
    assert ("¿Confirmas?" in said) is asked


def test_order_cancel_order_again_is_no_duplicate(once: Desk) -> None:
    with scripted.script([asks(("undo", PAN)), says("Deshecho."), asks(("make", PAN))]):
        once.write("cancélalo")
        once.write("sí")
        (question,) = once.write("mejor sí, pan")
    assert question.startswith("Voy a: Hacer")


def test_code_may_forget_what_a_chat_did(once: Desk) -> None:
    memory.clear_tool_history(str(once.conversation().pk))
    assert not recalled(once).calls
    with scripted.script([asks(("make", PAN))]):
        assert once.write("pan")[0].startswith("Voy a: Hacer")
