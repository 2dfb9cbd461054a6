"""`manage.py chat`, as it is typed and as it is piped."""

from __future__ import annotations

import io
from typing import Any

import pytest
from django.core.management import call_command
from django.http import HttpRequest
from pytest_django import Settings

from aitools import consolechat, queue
from aitools.channels.console import ConsoleChannel
from aitools.consolechat import open_chat
from aitools.errors import SignatureError
from aitools.models import Conversation, OutboundMessage
from aitools.providers import scripted
from aitools.providers.scripted import asks, says
from tests.aitools import desk as parts
from tests.aitools.desk import Desk

ORDER = asks(("make", {"name": "pan", "count": 2}))


@pytest.fixture(autouse=True)
def at_the_console(desk: Desk, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """The desk's tools at the console, and no worker anywhere."""
    settings.AITOOLS_CHANNELS = {"console": "aitools.channels.console.ConsoleChannel"}
    monkeypatch.setattr(queue, "publish", lambda *_task: None)


def chat(piped: str, monkeypatch: pytest.MonkeyPatch, **options: Any) -> str:
    """What the command prints for this input."""
    printed = io.StringIO()
    monkeypatch.setattr("sys.stdin", io.StringIO(piped))
    call_command("chat", stdout=printed, no_color=True, **options)
    return printed.getvalue()


def test_every_line_is_answered_before_the_next_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted.script([says("¡Hola!"), ORDER, says("Listo.")]):
        printed = chat("hola\n\n2 panes\nsí\n", monkeypatch)

    said = [line for line in printed.splitlines() if line]
    assert said[:3] == ["> hola", "¡Hola!", "> 2 panes"]
    assert said[-3:] == ["¿Confirmas? (sí/no)", "> sí", "Listo."]
    assert len(parts.things()) == 1


def test_the_trace_shows_each_call_with_arguments_result_and_time(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted.script([asks(("look", {})), says("Hay pan y café.")]):
        printed = chat("¿qué hay?\n", monkeypatch, trace=True)

    assert "[step 1] scripted: tool_calls" in printed
    assert "[done] look {}, " in printed
    assert " ms\n    = " in printed
    assert '"pan"' in printed


def test_without_trace_only_the_conversation_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted.script([asks(("look", {})), says("Hay pan y café.")]):
        printed = chat("¿qué hay?\n", monkeypatch)

    assert printed.split("\n") == ["> ¿qué hay?", "Hay pan y café.", "", ""]


def test_name_and_language_are_the_conversations(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted.script([says("Hi!")]):
        chat("hola\n", monkeypatch, name="Ana", language="en")

    conversation = Conversation.objects.get(channel="console")
    assert (conversation.profile_name, conversation.language, conversation.language_fixed) == ("Ana", "en", True)


def test_the_next_run_goes_on_without_telling_everything_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted.script([says("¡Hola!"), says("¿Qué más?")]) as script:
        chat("hola\n", monkeypatch)
        printed = chat("y tú?\n", monkeypatch)

    assert "¡Hola!" not in printed
    assert len(script.calls[1].messages) == 3


def test_a_new_conversation_forgets_the_old(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted.script([says("¡Hola!"), says("¿Qué más?")]) as script:
        chat("hola\n", monkeypatch)
        chat("y tú?\n", monkeypatch, new=True)

    assert len(script.calls[1].messages) == 1


def test_a_desk_that_does_not_answer_is_not_waited_for_for_ever(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(consolechat, "PATIENCE_SECONDS", 0.2)
    monkeypatch.setattr("aitools.turns.advance", lambda _conversation_id: None)

    chat("hola\n", monkeypatch)

    assert "No answer within" in capsys.readouterr().err


def test_one_run_does_not_print_another_conversation() -> None:
    with scripted.script([says("uno"), says("dos")]):
        told = [
            [row.text for row in open_chat(address).say("hola") if isinstance(row, OutboundMessage)]
            for address in ("a", "b")
        ]

    assert told == [["uno"], ["dos"]]


def test_nothing_comes_to_the_console_over_the_network() -> None:
    with pytest.raises(SignatureError):
        ConsoleChannel().verify(HttpRequest())
    assert ConsoleChannel().parse(HttpRequest()) == []
