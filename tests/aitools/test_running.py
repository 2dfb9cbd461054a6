"""The loop in memory: what runs, what is told, and that rows say the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from aitools import audit
from aitools.errors import ProviderTransient, ToolFailed, ToolRetry
from aitools.loop import Ending
from aitools.models import BotProfile, ToolCall
from aitools.providers import scripted
from aitools.providers.base import EndpointConfig
from aitools.providers.scripted import Line, ScriptedProvider, asks, says
from aitools.running import Question, Reply, RunResult, ToolCancelled, run_tools
from aitools.tools import Tool, ToolContext
from aitools.types import AssistantStep, CallResult, ModelReply, ModelRequest, Stop, ToolRequest, Usage
from tests.aitools import desk as parts
from tests.aitools.desk import Desk


class Count(BaseModel):
    model_config = ConfigDict(extra="forbid")
    count: int = Field(default=1, strict=True, ge=1, le=9)


@dataclass
class Workshop:
    """Tools that note what they were run with."""

    ran: list[tuple[str, int]] = field(default_factory=list)
    fault: Exception | None = None

    def tools(self, **make_fields: Any) -> list[Tool]:
        make = Tool("make", "Makes.", self._note, Count, title="Hacer", confirm=True, effects="database", **make_fields)
        return [Tool("look", "Looks.", self._note, Count), make]

    def _note(self, args: Count, ctx: ToolContext) -> dict[str, Any]:
        if self.fault is not None:
            raise self.fault
        self.ran.append((ctx.tool, args.count))
        return {"tool": ctx.tool, "count": args.count}


@dataclass
class Asked:
    """A person who always answers the same."""

    answer: bool | Reply
    questions: list[Question] = field(default_factory=list)

    def __call__(self, question: Question) -> bool | Reply:
        self.questions.append(question)
        return self.answer


def run(
    lines: Sequence[Line], workshop: Workshop | None = None, **options: Any
) -> tuple[RunResult, list[ModelRequest]]:
    options.setdefault("tools", (workshop or Workshop()).tools())
    provider = ScriptedProvider(EndpointConfig("scripted"), lines)
    result = run_tools("hola", provider=provider, **options)
    provider.assert_exhausted()
    return result, provider.calls


MAKE = asks(("make", {"count": 2}))


def test_a_text_is_the_result() -> None:
    result, (request,) = run([says("¡Hola!", usage=Usage(10, 2))], system="You sell bread.")
    assert (result.text, result.ending, result.events) == ("¡Hola!", Ending.END, ())
    assert (request.system, result.usage) == ("You sell bread.", Usage(10, 2))


def test_a_read_runs_and_is_reported() -> None:
    result, requests = run([asks(("look", {"count": 3})), says("Hay 3.")])
    assert result.tool_results == [("look", '{"tool": "look", "count": 3}')]
    assert result.events == ((audit.CALL, "look"), (audit.RESULT, "look"))
    assert isinstance(requests[1].messages[-1], AssistantStep)


def test_events_are_told_as_they_happen() -> None:
    heard: list[tuple[str, str]] = []
    result, _ = run([asks(("look", {})), says("Ya.")], on_event=lambda kind, tool: heard.append((kind, tool)))
    assert tuple(heard) == result.events


@pytest.mark.parametrize(
    ("answer", "ran", "event", "told"),
    [
        (True, 1, audit.APPROVED, '"count": 2'),
        (False, 0, audit.DENIED, '"reason": "denied"'),
        (Reply("que sean 3"), 0, audit.REPLIED, '"userReply": "que sean 3"'),
    ],
)
def test_the_person_decides(answer: bool | Reply, ran: int, event: str, told: str) -> None:
    workshop = Workshop()
    result, _ = run([MAKE, says("Bien.")], workshop, confirm=lambda question: answer)
    assert len(workshop.ran) == ran
    assert result.events[:2] == ((audit.REQUESTED, "make"), (event, "make"))
    assert told in result.tool_results[0][1]


def test_a_confirmer_gets_what_a_person_needs() -> None:
    asked = Asked(False)
    tools = Workshop().tools(confirm_lines=lambda args, ctx: [f"{args.count} × pan"])
    run([MAKE, says("Bien.")], tools=tools, confirm=asked)
    (question,) = asked.questions
    assert (question.title, question.lines, question.arguments) == ("Hacer", ("2 × pan",), {"count": 2})


def test_cancelling_stops_everything() -> None:
    workshop = Workshop()
    heard: list[str] = []
    with pytest.raises(ToolCancelled, match="make"):
        run([MAKE], workshop, confirm=lambda question: None, on_event=lambda kind, tool: heard.append(kind))
    assert (workshop.ran, heard) == ([], [audit.REQUESTED, audit.CANCELLED])


def test_without_anybody_to_ask_nothing_that_needs_a_yes_runs() -> None:
    workshop = Workshop()
    result, _ = run([MAKE, says("No puedo.")], workshop)
    assert (workshop.ran, result.events) == ([], ((audit.DENIED, "make"),))
    assert "nobody can be asked" in result.tool_results[0][1]


@pytest.mark.parametrize("refusal", [ToolRetry("sold out"), ToolFailed("closed", say="Cerrado.")])
def test_the_shops_refusal_comes_before_the_question(refusal: Exception) -> None:
    def refuse(args: Count, ctx: ToolContext) -> None:
        raise refusal

    tools = Workshop().tools(check=refuse)
    result, _ = run([MAKE, says("No hay.")], tools=tools, confirm=pytest.fail)
    assert result.events == ((audit.INVALID, "make"),)
    assert "The user was not asked." in result.tool_results[0][1]


@pytest.mark.parametrize("fault", [ToolRetry("name a size"), ToolFailed("closed"), KeyError("secret")])
def test_a_handlers_fault_is_a_result_for_the_model(fault: Exception) -> None:
    result, _ = run([asks(("look", {})), says("Perdón.")], Workshop(fault=fault))
    assert result.events == ((audit.CALL, "look"), (audit.ERROR, "look"))
    (call,) = result.steps[0].calls
    assert call.is_error
    assert "secret" not in call.content


def test_a_models_fault_is_the_callers() -> None:
    with pytest.raises(ProviderTransient):
        run([ProviderTransient("busy", kind="overloaded")])


def test_an_endless_model_is_stopped_at_the_limit() -> None:
    workshop = Workshop()
    endless = [asks(("look", {"count": number})) for number in range(1, 4)]
    result, requests = run(endless, workshop, max_steps=3)
    assert (len(requests), len(workshop.ran)) == (3, 2)
    assert result.max_steps_reached
    assert result.events[-2:] == ((audit.MAX_STEPS, "look"), (audit.MAX_STEPS, ""))


def test_a_person_s_other_answer_supersedes_the_rest_of_the_step() -> None:
    both = asks(("make", {"count": 1}), ("make", {"count": 2}))
    asked = Asked(Reply("espera"))
    result, _ = run([both, says("¿Entonces?")], confirm=asked)
    assert len(asked.questions) == 1
    assert "superseded" in result.tool_results[1][1]


names = st.sampled_from(["look", "make", "mkae"])
counts = st.sampled_from([1, 2, 0, "2"])
arguments = st.none() | st.fixed_dictionaries({}, optional={"count": counts, "extra": st.just(1)})
stops = st.sampled_from([Stop.END, Stop.TOOL_CALLS, Stop.TOOL_CALLS, Stop.LENGTH, Stop.REFUSAL, Stop.MALFORMED])
replies = st.builds(
    ModelReply,
    st.sampled_from(["", "Hola."]),
    st.lists(st.builds(ToolRequest, names, arguments), max_size=3).map(tuple),
    stops,
)
answers = st.lists(st.sampled_from([True, True, False, Reply("otra cosa")]), max_size=6)


@given(st.lists(replies, max_size=12), answers, st.integers(1, 4))
def test_whatever_a_model_asks_only_valid_approved_timely_calls_run(
    lines: list[ModelReply], said: list[bool | Reply], max_steps: int
) -> None:
    """And every call gets exactly one result, within the limit of steps."""
    approved: Counter[str] = Counter()
    asked_from, answers_left = [0], list(said)

    def confirm(question: Question) -> bool | Reply:
        answer = answers_left.pop(0) if answers_left else False
        approved[question.call_id] += answer is True
        asked_from.append(len(provider.calls))
        return answer

    ran: list[str] = []

    def note(args: Count, ctx: ToolContext) -> str:
        assert 1 <= args.count <= 9
        assert ctx.tool == "look" or approved[ctx.call_id] == 1
        ran.append(ctx.call_id)
        return "ok"

    tools = [
        Tool("look", "Looks.", note, Count),
        Tool("make", "Makes.", note, Count, confirm=True, effects="database"),
    ]
    provider = ScriptedProvider(EndpointConfig("scripted"), [*lines, *[says("Fin.")] * 20])
    result = run_tools("hola", tools=tools, provider=provider, confirm=confirm, max_steps=max_steps)

    assert max(Counter(ran).values(), default=0) <= 1
    for step in result.steps:
        assert len(step.calls) == len(step.reply.tool_calls)
        assert all(call.content for call in step.calls)
        if step.reply.stop in (Stop.LENGTH, Stop.REFUSAL):
            assert not {call.id for call in step.calls} & set(ran)
    for request in provider.calls:
        for message in request.messages:
            if isinstance(message, AssistantStep):
                assert [call.call_id for call in message.calls] == [one.call_id for one in message.results]
    borders = [*sorted(set(asked_from)), len(provider.calls)]
    assert all(later - earlier <= max_steps for earlier, later in pairwise(borders))


def test_surplus_calls_are_those_of_the_last_allowed_step() -> None:
    workshop = Workshop()
    both = asks(("look", {"count": 1}), ("make", {"count": 1}))
    result, _ = run([both], workshop, max_steps=1, confirm=pytest.fail)
    assert workshop.ran == []
    assert all("limit of steps" in content for _, content in result.tool_results)


# The same script, in memory and over rows.

Script = tuple[list[ModelReply], list[str]]
SAME: dict[str, Script] = {
    "a read": ([asks(("look", {})), says("Hay pan.")], []),
    "an effect with a yes": ([asks(("make", {"name": "pan"})), says("Listo.")], ["sí"]),
    "an effect with a no": ([asks(("make", {"name": "pan"})), says("Vale.")], ["no"]),
    "another answer": (
        [asks(("make", {"name": "pan"}), ("make", {"name": "té"})), says("¿Entonces?")],
        ["mejor mañana"],
    ),
    "two effects": ([asks(("make", {"name": "pan"}), ("make", {"name": "té"})), says("Los dos.")], ["sí", "no"]),
    "wrong calls": ([asks(("make", {"count": 0}), ("mkae", {}), ("look", {"x": 1})), says("¿Cómo?")], []),
    "a refusing shop": ([asks(("make", {"name": "gone"})), says("No queda.")], []),
    "a cut reply": ([ModelReply(tool_calls=(ToolRequest("look", {}),), stop=Stop.LENGTH), says("Hola.")], []),
    "too many steps": ([asks(("look", {})), asks(("look", {})), asks(("look", {}))], []),
    "silence": ([says(""), says("Hola.")], []),
    "twice the same": ([asks(("make", {"name": "pan"}), ("make", {"name": "pan"})), says("Listo.")], ["sí"]),
}


@pytest.mark.parametrize("name", SAME)
def test_memory_and_rows_agree(desk: Desk, name: str) -> None:
    lines, said = SAME[name]
    BotProfile.objects.update(max_steps=3)
    with scripted.script(lines) as over_rows:
        for text in ["hola", *said]:
            desk.write(text)
    provider = ScriptedProvider(EndpointConfig("scripted"), lines)
    result = run_tools(
        "hola",
        tools=[parts.LOOK, parts.MAKE, parts.UNDO],
        provider=provider,
        confirm=answering([*said]),
        max_steps=3,
    )
    rows = ToolCall.objects.order_by("id").values_list("name", "result")
    assert list(rows) == result.tool_results
    assert desk.events() == [kind for kind, _ in result.events]
    assert [told(request) for request in over_rows.calls] == [told(request) for request in provider.calls]


def answering(said: list[str]) -> Callable[[Question], bool | Reply]:
    def confirm(question: Question) -> bool | Reply:
        text = said.pop(0)
        return {"sí": True, "no": False}.get(text, Reply(text))

    return confirm


def told(request: ModelRequest) -> list[CallResult]:
    """What a request says about calls, but for their ids."""
    steps = [message for message in request.messages if isinstance(message, AssistantStep)]
    return [CallResult("", one.name, one.content, one.is_error) for step in steps for one in step.results]
