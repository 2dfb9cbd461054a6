"""What a customer writes stands in rows and never in the log, whatever becomes of it."""

from __future__ import annotations

import logging
import traceback
from dataclasses import replace

import pytest

from aitools import attention, completion, reports, sending, tasks, validation
from aitools.channels.base import EventKind
from aitools.errors import ChannelPermanent, ProviderError, ProviderTransient, ToolFailed
from aitools.models import InboundEvent, OutboundMessage, ToolCall
from aitools.providers import scripted
from aitools.providers.base import EndpointConfig
from aitools.providers.scripted import asks, says
from aitools.schemas import Shape
from aitools.tools import BoundTool, Tool, ToolContext, registry
from aitools.types import ModelRequest, ToolRequest
from tests.aitools import faulty
from tests.aitools.desk import MAKE, Desk, Thing

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


def test_faults_that_stop_nothing_are_logged_with_where_they_happened(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """An error's own words may be a customer's, as of a value that can't be read."""

    def read(*given: object) -> str:
        raise ValueError(f"can't read {WORDS}")

    with scripted.script([asks(("make", {"name": "pan"})), says("Listo.")]):
        desk.write("pan")
        desk.write("sí")
    conversation, call = desk.conversation(), ToolCall.objects.get()
    monkeypatch.setattr(faulty.FaultyChannel, "attend", read, raising=False)
    monkeypatch.setattr(faulty.FaultyChannel, "find_sent", read)
    monkeypatch.setattr(completion, "_provider", read)
    monkeypatch.setattr(validation, "_checked", read)
    monkeypatch.setitem(registry._tools, "make", replace(MAKE, report=read))
    bound = BoundTool(MAKE, Shape(None, {}), Shape(None, {}))
    row = OutboundMessage.objects.latest("id")

    attention.show(conversation, InboundEvent.objects.latest("id"))
    sending._find_sent(faulty.FaultyChannel(), row, row.created_at)
    reports.report_of(call, conversation, row.created_at)
    validation.validate(bound, ToolRequest("make", {}))
    with pytest.raises(ProviderError):
        completion.complete(ModelRequest("", ()), [EndpointConfig("scripted")])
    assert caplog.text.count("ValueError in tests.aitools.test_logs") == 5
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
