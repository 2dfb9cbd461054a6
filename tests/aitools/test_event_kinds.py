"""Every kind of event has a story that ends in its row; what each row says, and that no kind is without one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from aitools import audit, behaviour, events
from aitools.errors import AgreementChanged, ProviderPermanent, ProviderTransient
from aitools.models import AuditEvent, BotProfile
from aitools.providers import scripted
from aitools.providers.base import EndpointConfig
from aitools.providers.scripted import Line, asks, says
from aitools.tools import registry
from aitools.types import ModelReply, Stop, ToolRequest
from tests.aitools import desk as parts
from tests.aitools.desk import Desk

LOOK, PAN = asks(("look", {})), asks(("make", {"name": "pan"}))
#: What the model does, what the customer writes after the first message, and how "look" is declared.
STORIES: dict[str, tuple[list[Line], list[str], dict[str, Any]]] = {
    events.CALL: ([LOOK, says("Pan.")], [], {}),
    events.RESULT: ([LOOK, says("Pan.")], [], {}),
    events.ERROR: ([LOOK, says("Perdón.")], [], {"handler": lambda args, ctx: 1 / 0}),
    events.TIMEOUT: (
        [LOOK, says("Perdón.")],
        [],
        {"handler": lambda args, ctx: ctx.cancelled.wait(20), "timeout_s": 0.1},
    ),
    events.INVALID: ([asks(("look", {"x": 1})), says("Perdón.")], [], {}),
    events.UNKNOWN_TOOL: ([asks(("lok", {})), says("Perdón.")], [], {}),
    events.TRUNCATED: ([ModelReply(tool_calls=(ToolRequest("look", {}),), stop=Stop.LENGTH), says("Hola.")], [], {}),
    events.DUPLICATE: ([LOOK, LOOK, says("Pan.")], [], {}),
    events.CHANGED: ([PAN], ["sí"], {}),
    events.REQUESTED: ([PAN], [], {}),
    events.APPROVED: ([PAN, says("Listo.")], ["sí"], {}),
    events.DENIED: ([PAN, says("Vale.")], ["no"], {}),
    events.REPLIED: ([PAN, says("¿Cuál?")], ["otro"], {}),
    events.CANCELLED: ([PAN], ["/reset"], {}),
    events.MAX_STEPS: ([LOOK, LOOK], [], {}),
    events.GUARDED: ([says("Cuesta $99.999."), says("No sé.")], [], {}),
    events.EMPTY: ([says(""), says("Hola.")], [], {}),
    events.REFUSED: ([ModelReply(stop=Stop.REFUSAL)], [], {}),
    events.FILTERED: ([ModelReply(stop=Stop.CONTENT_FILTER)], [], {}),
    events.CUT: ([ModelReply("Ha", stop=Stop.LENGTH), says("Hay pan.")], [], {}),
    events.OVERFLOW: ([ProviderPermanent("long", kind="context_overflow")], [], {}),
    events.FALLBACK: ([ProviderTransient("busy", kind="overloaded"), says("Hola.")], [], {}),
}
#: Their stories need a fault of ours: tests/aitools/test_deadletters.py.
OF_FAULTS = {events.TURN_FAILED, events.TURN_RETRIED}
#: Of the second step, where the story needs one: why the model was asked for it is told with it; no step is None.
STEPS: dict[str, int | None] = dict.fromkeys(
    (events.DUPLICATE, events.MAX_STEPS, events.EMPTY, events.GUARDED, events.CUT), 2
)
STEPS[events.OVERFLOW] = None
#: Events of the loop itself: no tool, no call, no arguments.
OF_THE_LOOP = {kind for kind in events.KINDS if not kind.startswith("tool.")}
#: Kinds that come with the time a handler took, and those that say what went wrong.
TIMED = {events.RESULT, events.ERROR, events.TIMEOUT}
FAULTY = {events.ERROR, events.TIMEOUT, events.INVALID, events.UNKNOWN_TOOL, events.TRUNCATED, events.FALLBACK}


@pytest.fixture
def told(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], AuditEvent]:
    """Plays the story of a kind; the newest event of that kind."""

    def play(kind: str) -> AuditEvent:
        lines, answers, fields = STORIES[kind]
        chain = [EndpointConfig("scripted", timeout_seconds=30)] * (2 if kind == events.FALLBACK else 1)
        monkeypatch.setattr(behaviour, "endpoints", lambda profile: chain)
        monkeypatch.setitem(registry._tools, "look", replace(parts.LOOK, **fields))
        BotProfile.objects.update(max_steps=2 if kind == events.MAX_STEPS else 5)
        with scripted.script(lines):
            desk.write("hola")
            parts.PRICES["each"] = 9 if kind == events.CHANGED else 5
            for answer in answers:
                desk.write(answer)
        return AuditEvent.objects.filter(kind=kind).latest("id")

    return play


def test_every_kind_has_a_story() -> None:
    assert set(STORIES) | OF_FAULTS == set(events.KINDS)


@pytest.mark.parametrize("kind", sorted(STORIES))
def test_its_story_ends_in_a_row_that_says_what_when_where_and_whose(
    told: Callable[[str], AuditEvent], desk: Desk, kind: str
) -> None:
    row = told(kind)
    assert (row.conversation, row.turn, row.chat_key) == (desk.conversation(), desk.turn(), str(desk.conversation().pk))
    assert row.at is not None
    assert row.step == STEPS.get(kind, 1)
    if kind in OF_THE_LOOP:
        assert (row.tool, row.call_id, row.arguments) == ("", "", None)
    else:
        assert row.tool
        assert len(row.call_id) == 36
        assert isinstance(row.arguments, dict)
    assert (row.duration_ms is not None) == (kind in TIMED)
    assert bool(row.error) or kind not in FAULTY


def test_an_event_that_can_not_be_stored_undoes_what_it_reports(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The effect and its events are one transaction."""
    real = audit.store

    def broken(happened: list[AuditEvent]) -> None:
        if any(event.kind == events.RESULT for event in happened):
            raise AgreementChanged("stands for any fault while events are stored")
        real(happened)

    with scripted.script([PAN]):
        desk.write("pan")
        monkeypatch.setattr(audit, "store", broken)
        desk.write("sí")
    assert parts.things() == []
