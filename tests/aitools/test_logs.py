"""What a customer writes stands in rows and never in the log, whatever becomes of it."""

from __future__ import annotations

import logging
import traceback

import pytest

from aitools import tasks
from aitools.channels.base import EventKind
from aitools.errors import ChannelPermanent, ProviderTransient, ToolFailed
from aitools.providers import scripted
from aitools.providers.scripted import asks, says
from aitools.tools import Tool, ToolContext, registry
from tests.aitools import faulty
from tests.aitools.desk import Desk, Thing

WORDS = "palabras-del-cliente"
REPLY = "palabras-del-modelo"


@pytest.fixture
def desk(desk: Desk, settings: object, caplog: pytest.LogCaptureFixture) -> Desk:
    caplog.set_level(logging.DEBUG, "aitools")
    return faulty.move(desk, settings)


def assert_silent(caplog: pytest.LogCaptureFixture) -> None:
    assert WORDS not in caplog.text
    assert REPLY not in caplog.text


def test_an_order_from_the_first_word_to_the_last(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    with scripted.script([asks(("make", {"name": WORDS})), says(REPLY)]):
        desk.write(WORDS, profile_name=WORDS)
        desk.write("sí")
    desk.write(WORDS, kind=EventKind.SYSTEM)
    assert_silent(caplog)


def test_calls_that_nobody_can_run(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    broken = asks(("make", {"name": WORDS, "count": 0}), (WORDS, {}), ("make", {"name": "gone", WORDS: 1}))
    with scripted.script([broken, says(REPLY)]):
        desk.write(WORDS)
    assert_silent(caplog)


def test_a_tool_that_fails(desk: Desk, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    def fail(args: Thing, ctx: ToolContext) -> None:
        raise ToolFailed(f"{args.name} is not possible.", say=args.name)

    monkeypatch.setitem(registry._tools, "work", Tool("work", "Works.", fail, Thing, effects="database"))
    with scripted.script([asks(("work", {"name": WORDS})), says(REPLY)]):
        desk.write(WORDS)
    assert_silent(caplog)


def test_a_model_and_a_vendor_that_fail(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    """The offline order taker answers then, and its answer is refused by the vendor."""
    faulty.VENDOR.outcomes.append(ChannelPermanent(f"Refused: {WORDS}", code="30005"))
    with scripted.script([ProviderTransient(f"Refused: {WORDS}", kind="overloaded")]):
        desk.write(WORDS)
    assert "overloaded" in caplog.text
    assert "30005" in caplog.text
    assert_silent(caplog)


def test_an_error_that_quotes_them(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Celery writes the whole of what a task raises."""

    def broken(*given: object) -> None:
        raise ValueError(f"can't read {WORDS}")

    monkeypatch.setattr("aitools.turns._act", broken)
    desk.receive(WORDS)
    with pytest.raises(tasks.TaskFailed) as failed:
        tasks.advance(desk.conversation().pk)
    told = "".join(traceback.format_exception(failed.value))
    assert "ValueError in tests.aitools.test_logs" in told
    assert WORDS not in told
    assert_silent(caplog)
