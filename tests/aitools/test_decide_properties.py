"""Whatever a model replies and a person answers: nothing runs that must not, and every run ends."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from aitools import events
from aitools.asking import Answer
from aitools.driving import MAX_QUESTIONS
from aitools.errors import AgreementChanged, ToolFailed, ToolRetry
from aitools.loop import StepView, Transcript
from aitools.providers.scripted import ScriptedProvider
from aitools.running import Decision, Question, Reply, RunResult, run_tools
from aitools.tools import Tool, ToolContext
from aitools.transcripts import check_pairs
from aitools.types import ModelReply, ModelRequest, Stop, ToolRequest

#: The same examples in every run; enough of them to meet each rule many times.
PROFILE = settings(
    max_examples=250, deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
CUT = (Stop.LENGTH, Stop.REFUSAL, Stop.CONTENT_FILTER)
NAMES = ("look", "save", "once", "make", "sell", "undo")


class Count(BaseModel):
    model_config = ConfigDict(extra="forbid")
    count: int = Field(strict=True, ge=1, le=9)


PLAIN = {
    "type": "object",
    "properties": {"count": {"type": "integer", "minimum": 1, "maximum": 9}},
    "required": ["count"],
    "additionalProperties": False,
}

counts = st.sampled_from([1, 1, 2, 9, 0, 10, "2", None, True])
arguments = st.none() | st.builds(lambda count, more: {"count": count} | more, counts, st.just({}) | st.just({"x": 1}))
requests = st.builds(ToolRequest, st.sampled_from([*NAMES, *NAMES, "mkae", ""]), arguments)
stops = st.sampled_from([Stop.TOOL_CALLS, Stop.TOOL_CALLS, Stop.END, Stop.LENGTH, *Stop])
replies = st.builds(
    ModelReply, st.sampled_from(["", " ", "Hola.", "Es gratis."]), st.lists(requests, max_size=4).map(tuple), stops
)
answers: st.SearchStrategy[Answer] = st.sampled_from(
    [True, True, Decision.APPROVED, False, Decision.DENIED, Reply("espera"), Reply("")]
)
faults = st.sampled_from([None, None, None, ToolRetry("x"), ToolFailed("x"), KeyError("x"), AgreementChanged("x")])


@dataclass
class World:
    """A model, a person and a shop that do as drawn, and what came of it."""

    replies: list[ModelReply]
    answers: list[Answer]
    faults: list[Exception | None]
    approved: Counter[str] = field(default_factory=Counter)
    ran: list[tuple[str, str, int]] = field(default_factory=list)
    asked_at: list[int] = field(default_factory=list)
    requests: list[ModelRequest] = field(default_factory=list)

    def reply(self, request: ModelRequest) -> ModelReply:
        """As drawn, and then the same over and over: a model need not come to an end by itself."""
        self.requests.append(request)
        check_pairs(request.messages)
        return self.replies[(len(self.requests) - 1) % len(self.replies)]

    def confirm(self, question: Question) -> Answer:
        answer = self.answers[len(self.asked_at) % len(self.answers)]
        self.approved[question.call_id] += answer in (True, Decision.APPROVED)
        self.asked_at.append(len(self.requests))
        return answer

    def handle(self, args: Any, ctx: ToolContext) -> Any:
        count = args.count if isinstance(args, Count) else args["count"]
        self.ran.append((ctx.call_id, ctx.tool, count))
        fault = self.faults[len(self.ran) % len(self.faults)]
        if fault is not None:
            raise fault
        return {"error": "sold out"} if count == 9 else None

    def tools(self) -> list[Tool]:
        asking: dict[str, Any] = {"confirm": True, "effects": "database"}
        return [
            Tool("look", "Reads.", self.handle, Count),
            Tool("save", "Writes.", self.handle, PLAIN, effects="database"),
            Tool("once", "Writes once.", self.handle, lambda: Count, effects="external", dedupe="args"),
            Tool("make", "Writes after a yes.", self.handle, Count, **asking),
            Tool("sell", "At a price.", self.handle, PLAIN, fingerprint=lambda args, ctx: len(self.ran) // 3, **asking),
            Tool("undo", "Undoes.", self.handle, Count, forgets=("make", "once"), **asking),
        ]


def unbacked(text: str, transcript: Transcript) -> str:
    return "gratis" if "gratis" in text else ""


@st.composite
def worlds(draw: st.DrawFn) -> World:
    return World(
        draw(st.lists(replies, min_size=1, max_size=8)),
        draw(st.lists(answers, min_size=1, max_size=4)),
        draw(st.lists(faults, min_size=1, max_size=4)),
    )


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("CRITICAL")


@PROFILE
@given(worlds(), st.integers(1, 4), st.booleans(), st.booleans())
def test_no_run_does_what_it_must_not(world: World, max_steps: int, summary: bool, alone: bool) -> None:
    result = run_tools(
        "hola",
        tools=world.tools(),
        provider=ScriptedProvider(world.reply),
        confirm=None if alone else world.confirm,
        max_steps=max_steps,
        summary=summary,
        guard=unbacked,
    )
    calls = {call.id: (call, step, number) for number, step in enumerate(result.steps) for call in step.calls}
    surplus = surplus_steps(result, world, max_steps)

    # Never an unvalidated, unapproved, truncated or surplus call, and none twice.
    assert max(Counter(call_id for call_id, _, _ in world.ran).values(), default=0) <= 1
    for call_id, name, count in world.ran:
        call, step, number = calls[call_id]
        assert call.request.arguments == {"count": count}
        assert type(count) is int
        assert 1 <= count <= 9
        assert step.reply.stop not in CUT
        assert number not in surplus
        assert name not in ("make", "sell", "undo") or world.approved[call_id] == 1

    # After another answer than yes or no, nothing else of that step runs or is asked about.
    for place, event in enumerate(result.events):
        after = [later.kind for later in result.events[place + 1 :] if later.step == event.step and later.call_id]
        assert event.kind != events.REPLIED or set(after) <= {events.CANCELLED}

    # Every call has exactly one result, and the model is sent each with its call.
    for step in result.steps:
        assert [call.request for call in step.calls] == list(step.reply.tool_calls)
        assert all(call.content for call in step.calls)
    settling = Counter(event.call_id for event in result.events if event.kind in SETTLING and event.call_id)
    assert settling == dict.fromkeys(calls, 1)

    # Every run ends, within its limits, with words or a reason for none.
    assert len(world.asked_at) <= MAX_QUESTIONS
    borders = [0, *sorted(set(world.asked_at)), len(world.requests)]
    assert all(later - earlier <= max_steps + summary for earlier, later in pairwise(borders))
    assert result.text
    assert result.ending is not None
    assert "gratis" not in result.text


#: Each call gets exactly one of these; what else is reported of it comes before.
SETTLING = {
    events.RESULT,
    events.ERROR,
    events.TIMEOUT,
    events.INVALID,
    events.UNKNOWN_TOOL,
    events.TRUNCATED,
    events.DUPLICATE,
    events.CHANGED,
    events.DENIED,
    events.REPLIED,
    events.CANCELLED,
    events.MAX_STEPS,
}


def surplus_steps(result: RunResult, world: World, max_steps: int) -> set[int]:
    """The model's replies beyond the allowed ones since the person spoke last, by place, from 0.

    Not those whose calls were put up for a yes: they were not beyond when asked.
    """
    asked = {event.step - 1 for event in result.events if event.kind == events.REQUESTED}
    surplus, counted = set[int](), 0
    for place, step in enumerate(result.steps):
        counted += is_the_models(step)
        if place in asked:
            counted = 0
        elif counted >= max_steps:
            surplus.add(place)
    return surplus


def is_the_models(step: StepView) -> bool:
    return step.provider == ScriptedProvider.kind
