"""The loop in memory: what runs, what is told, and that rows say the same."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.utils import translation
from pydantic import BaseModel, ConfigDict, Field

from aitools import driving, events, results, texts
from aitools.asking import Answer
from aitools.driving import MAX_QUESTIONS
from aitools.errors import AgreementChanged, ProviderTransient, ToolFailed, ToolRetry
from aitools.loop import Ending, Transcript
from aitools.models import BotProfile, ToolCall
from aitools.providers import scripted
from aitools.providers.scripted import Line, ScriptedProvider, asks, says
from aitools.running import (
    Decision,
    Event,
    Question,
    Reply,
    RunCancelled,
    RunResult,
    ToolCancelled,
    clear_tool_history,
    run_tools,
)
from aitools.tools import Tool, ToolContext
from aitools.transcripts import check_pairs
from aitools.types import (
    AssistantStep,
    AssistantText,
    CallResult,
    Message,
    ModelReply,
    ModelRequest,
    Nudge,
    Stop,
    ToolRequest,
    Usage,
    UserText,
)
from tests.aitools import desk as parts
from tests.aitools.desk import Desk

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def spanish() -> Iterator[None]:
    """The language of whoever calls, whatever page another test has opened."""
    with translation.override("es"):
        yield


class Count(BaseModel):
    model_config = ConfigDict(extra="forbid")
    count: int = Field(default=1, strict=True, ge=1, le=9)


@dataclass
class Workshop:
    """Tools that note what they were run with."""

    ran: list[tuple[str, int]] = field(default_factory=list)
    fault: Exception | None = None
    result: dict[str, Any] | None = None

    def tools(self, **make_fields: Any) -> list[Tool]:
        make = Tool("make", "Makes.", self.note, Count, title="Hacer", confirm=True, effects="database", **make_fields)
        return [Tool("look", "Looks.", self.note, Count), make]

    def note(self, args: Count, ctx: ToolContext) -> dict[str, Any]:
        if self.fault is not None:
            raise self.fault
        self.ran.append((ctx.tool, args.count))
        return self.result or {"tool": ctx.tool, "count": args.count}


@dataclass
class Asked:
    """A person who answers as written down, and no after that."""

    answers: list[Answer]
    questions: list[Question] = field(default_factory=list)

    def __call__(self, question: Question) -> Answer:
        self.questions.append(question)
        return self.answers.pop(0) if self.answers else False


def run(
    lines: Sequence[Line], workshop: Workshop | None = None, **options: Any
) -> tuple[RunResult, list[ModelRequest]]:
    options.setdefault("tools", (workshop or Workshop()).tools())
    with ScriptedProvider(lines) as provider:
        return run_tools("hola", provider=provider, **options), provider.calls


def kinds(result: RunResult) -> list[tuple[str, str]]:
    return [(event.kind, event.tool) for event in result.events]


MAKE = asks(("make", {"count": 2}))
LOOK = asks(("look", {}))


def test_a_text_is_the_result() -> None:
    result, (request,) = run([says("¡Hola!", usage=Usage(10, 2))], system="You sell bread.")
    assert (result.text, result.ending, result.events) == ("¡Hola!", Ending.END, ())
    assert request.system.startswith("You sell bread.\n\n")
    assert result.usage == Usage(10, 2)


def test_a_talk_so_far_may_be_given() -> None:
    talk: list[Message] = [UserText("hola"), AssistantText("¿Qué tal?"), UserText("bien")]
    with ScriptedProvider([says("Qué bueno.")]) as provider:
        run_tools(talk, tools=[], provider=provider, facts={"open": True})
    assert provider.calls[0].messages == tuple(talk)
    assert provider.calls[0].facts == {"open": True}


def test_a_read_runs_and_is_reported() -> None:
    result, requests = run([asks(("look", {"count": 3})), says("Hay 3.")])
    assert result.tool_results == [("look", '{"tool": "look", "count": 3}')]
    assert kinds(result) == [(events.CALL, "look"), (events.RESULT, "look")]
    assert isinstance(requests[1].messages[-1], AssistantStep)


def test_an_event_says_what_when_and_for_whom() -> None:
    heard: list[Event] = []
    now = datetime(2026, 3, 10, 8, tzinfo=UTC)
    ctx = ToolContext("", "", "chat-7", "es", now)
    result, _ = run([asks(("look", {"count": 3})), says("Ya.")], ctx=ctx, on_event=heard.append)
    assert tuple(heard) == result.events
    called, ended = heard
    assert (called.step, called.chat_key, called.args) == (1, "chat-7", {"count": 3})
    assert called.call_id == ended.call_id == result.steps[0].calls[0].id
    assert now <= called.at <= ended.at < now + timedelta(minutes=1)
    assert (called.duration_ms, ended.error) == (None, "")
    assert ended.duration_ms is not None


def test_steps_are_counted_from_one() -> None:
    result, _ = run([LOOK, asks(("look", {"count": 2}), ("look", {"count": 0})), says("Ya.")])
    assert [event.step for event in result.events] == [1, 1, 2, 2, 2]
    assert "count" in result.events[-1].error


def test_a_listener_that_fails_harms_nobody(caplog: pytest.LogCaptureFixture) -> None:
    def fail(event: Event) -> None:
        raise KeyError("broken")

    result, _ = run([LOOK, says("Ya.")], on_event=fail)
    assert result.text == "Ya."
    assert "a listener to tool.call failed" in caplog.text


@pytest.mark.parametrize(
    ("answer", "ran", "event", "told"),
    [
        (True, 1, events.APPROVED, '"count": 2'),
        (Decision.APPROVED, 1, events.APPROVED, '"count": 2'),
        (False, 0, events.DENIED, '"reason": "denied"'),
        (Decision.DENIED, 0, events.DENIED, '"reason": "denied"'),
        (Reply("que sean 3"), 0, events.REPLIED, '"userReply": "que sean 3"'),
    ],
)
def test_the_person_decides(answer: Answer, ran: int, event: str, told: str) -> None:
    workshop = Workshop()
    result, _ = run([MAKE, says("Bien.")], workshop, confirm=lambda question: answer)
    assert len(workshop.ran) == ran
    assert kinds(result)[:2] == [(events.REQUESTED, "make"), (event, "make")]
    assert told in result.tool_results[0][1]


@pytest.mark.parametrize("answer", ["no", "sí", 1, [], object()])
def test_an_answer_of_another_kind_is_no_yes(answer: Any) -> None:
    workshop = Workshop()
    with pytest.raises(TypeError):
        run([MAKE], workshop, confirm=lambda question: answer)
    assert workshop.ran == []


def test_a_confirmer_gets_what_a_person_needs() -> None:
    asked = Asked([False])
    tools = Workshop().tools(confirm_lines=lambda args, ctx: [f"{args.count} × pan"])
    result, _ = run([MAKE, says("Bien.")], tools=tools, confirm=asked)
    (question,) = asked.questions
    assert (question.tool, question.call_id) == ("make", result.steps[0].calls[0].id)
    assert (question.title, question.lines, question.args) == ("Hacer", ("2 × pan",), {"count": 2})
    assert (question.description, question.previous) == ("Makes.", None)
    assert question.prompt == "Voy a: Hacer\n• 2 × pan\n¿Confirmas? (sí/no)"


@pytest.mark.parametrize("message", ["¿Hacemos 2?", lambda args, ctx: f"¿Hacemos {args.count}?"])
def test_a_tools_own_question_is_asked_as_it_is(message: Any) -> None:
    asked = Asked([False])
    run([MAKE, says("Bien.")], tools=Workshop().tools(confirm_message=message), confirm=asked)
    assert asked.questions[0].prompt == "¿Hacemos 2?"


@pytest.mark.parametrize("answer", [None, Decision.CANCELLED])
def test_cancelling_stops_everything(answer: Answer) -> None:
    workshop = Workshop()
    with pytest.raises(ToolCancelled) as stopped:
        run([asks(("look", {}), ("make", {}), ("look", {"count": 2}))], workshop, confirm=lambda question: answer)
    assert str(stopped.value) == "make"
    assert workshop.ran == [("look", 1)]
    assert kinds(stopped.value.result)[2:] == [(events.REQUESTED, "make"), (events.CANCELLED, "make")]


def test_without_anybody_to_ask_nothing_that_needs_a_yes_runs() -> None:
    workshop = Workshop()
    result, _ = run([MAKE, says("No puedo.")], workshop)
    assert (workshop.ran, kinds(result)) == ([], [(events.DENIED, "make")])
    assert "nobody can be asked" in result.tool_results[0][1]


def test_a_stubborn_model_and_a_person_who_never_tires_come_to_an_end() -> None:
    workshop, asked = Workshop(), Asked([])
    stubborn = ScriptedProvider(lambda request: asks(("make", {"count": 1 + len(request.messages) % 9})))
    result = run_tools("hola", tools=workshop.tools(), provider=stubborn, confirm=asked)
    assert result.max_steps_reached
    assert (len(asked.questions), workshop.ran) == (MAX_QUESTIONS, [])


@pytest.mark.parametrize("refusal", [ToolRetry("sold out"), ToolFailed("closed", say="Cerrado.")])
def test_the_shops_refusal_comes_before_the_question(refusal: Exception) -> None:
    def refuse(args: Count, ctx: ToolContext) -> None:
        raise refusal

    tools = Workshop().tools(check=refuse)
    result, _ = run([MAKE, says("No hay.")], tools=tools, confirm=pytest.fail)
    assert kinds(result) == [(events.INVALID, "make")]
    assert "The user was not asked." in result.tool_results[0][1]


@pytest.mark.parametrize("fault", [ToolRetry("name a size"), ToolFailed("closed"), KeyError("secret")])
def test_a_handlers_fault_is_a_result_for_the_model(fault: Exception, caplog: pytest.LogCaptureFixture) -> None:
    result, _ = run([LOOK, says("Perdón.")], Workshop(fault=fault))
    assert kinds(result) == [(events.CALL, "look"), (events.ERROR, "look")]
    (call,) = result.steps[0].calls
    assert call.is_error
    assert "secret" not in call.content + caplog.text
    assert result.events[1].error == call.content


def broken(*given: Any) -> Any:
    raise KeyError("secret")


@pytest.mark.parametrize("name", ["check", "confirm_lines", "confirm_message", "fingerprint", "labels"])
def test_a_crash_of_what_words_the_question_is_a_result_and_nobody_is_asked(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    workshop = Workshop()
    result, _ = run([MAKE, says("Perdón.")], tools=workshop.tools(**{name: broken}), confirm=pytest.fail)
    assert (workshop.ran, kinds(result)) == ([], [(events.ERROR, "make")])
    assert result.tool_results == [("make", results.crashed(KeyError()))]
    assert result.steps[0].calls[0].is_error
    assert "tool make: KeyError in broken" in caplog.text
    assert "secret" not in caplog.text


@pytest.mark.parametrize("effects", ["database", "external"])
def test_a_fingerprint_that_breaks_after_the_yes_did_nothing(effects: Any) -> None:
    taken: list[int] = []

    def fingerprint(args: Count, ctx: ToolContext) -> int:
        taken.append(1)
        return len(taken) if len(taken) == 1 else broken()

    make = Tool(
        "make",
        "Makes.",
        lambda args, ctx: pytest.fail("it ran"),
        Count,
        confirm=True,
        effects=effects,
        fingerprint=fingerprint,
    )
    result, _ = run([MAKE, says("Perdón.")], tools=[make], confirm=Asked([True]))
    assert result.tool_results == [("make", results.crashed(KeyError()))]


async def cancelling(args: Count, ctx: ToolContext) -> None:
    raise asyncio.CancelledError


def leaving(args: Count, ctx: ToolContext) -> None:
    raise SystemExit(3)


@pytest.mark.parametrize(("handler", "kind"), [(cancelling, asyncio.CancelledError), (leaving, SystemExit)])
def test_what_ends_a_handlers_thread_does_not_end_the_caller(handler: Any, kind: type[BaseException]) -> None:
    result, _ = run([LOOK, says("Perdón.")], tools=[Tool("look", "Looks.", handler, Count)])
    assert result.tool_results == [("look", results.crashed(kind()))]


@pytest.mark.django_db
def test_in_an_open_transaction_only_an_exit_is_the_callers() -> None:
    result, _ = run([LOOK, says("Perdón.")], tools=[Tool("look", "Looks.", cancelling, Count)])
    assert result.tool_results == [("look", results.crashed(asyncio.CancelledError()))]
    with pytest.raises(SystemExit):
        run([LOOK], tools=[Tool("look", "Looks.", leaving, Count)])


def test_a_result_that_nobody_can_write_down_is_a_crash() -> None:
    result, _ = run([LOOK, says("Perdón.")], tools=[Tool("look", "Looks.", lambda args, ctx: 10**5000, Count)])
    assert "ResultNotPlain" in result.tool_results[0][1]


def test_a_report_that_breaks_hides_no_effect() -> None:
    tools = Workshop().tools(report=broken)
    result, _ = run([MAKE, says(""), says("")], tools=tools, confirm=Asked([True]))
    assert result.text == "Listo: Hacer."


def test_an_effect_elsewhere_that_failed_has_an_unknown_outcome() -> None:
    def post(args: Count, ctx: ToolContext) -> object:
        return object()

    tools = [Tool("post", "Posts.", post, Count, effects="external")]
    result, _ = run([asks(("post", {})), says("No sé.")], tools=tools)
    assert "outcome is unknown" in result.tool_results[0][1]


def test_an_async_handler_runs_too() -> None:
    async def look(args: Count, ctx: ToolContext) -> str:
        await asyncio.sleep(0)
        return "Hay pan."

    result, _ = run([LOOK, says("Sí.")], tools=[Tool("look", "Looks.", look, Count)])
    assert result.tool_results == [("look", "Hay pan.")]


def test_a_models_fault_is_the_callers() -> None:
    with pytest.raises(ProviderTransient):
        run([ProviderTransient("busy", kind="overloaded")])


def test_an_endless_model_is_stopped_at_the_limit() -> None:
    workshop = Workshop()
    endless = [asks(("look", {"count": number})) for number in range(1, 4)]
    result, requests = run(endless, workshop, max_steps=3)
    assert (len(requests), len(workshop.ran)) == (3, 2)
    assert result.max_steps_reached
    assert kinds(result)[-2:] == [(events.MAX_STEPS, "look"), (events.MAX_STEPS, "")]
    assert "demasiados pasos" in result.text


def test_the_limit_may_be_summed_up_by_the_model() -> None:
    result, requests = run([LOOK, says("Hay 3.")], max_steps=1, summary=True)
    assert (result.text, result.max_steps_reached) == ("Hay 3.", True)
    assert (len(requests[0].tools), requests[1].tools) == (2, ())


def test_what_was_done_is_told_when_the_model_has_no_words() -> None:
    tools = Workshop().tools(report=lambda value, ctx: f"Hecho: {value['count']}.")
    result, _ = run([MAKE, says(""), says("")], tools=tools, confirm=Asked([True]))
    assert (result.text, result.ending) == ("Hecho: 2.", Ending.EMPTY)
    result, _ = run([MAKE, says(""), says("")], confirm=Asked([True]))
    assert result.text == "Listo: Hacer."


def test_a_guarded_reply_is_corrected_once() -> None:
    def guard(text: str, transcript: Transcript) -> str:
        return "gratis" if "gratis" in text else ""

    result, requests = run([says("Es gratis."), says("No sé el precio.")], guard=guard)
    assert (result.text, kinds(result)) == ("No sé el precio.", [(events.GUARDED, "")])
    assert isinstance(requests[1].messages[-1], Nudge)


def test_calls_that_were_cut_off_are_told_and_asked_for_with_more_room(caplog: pytest.LogCaptureFixture) -> None:
    workshop = Workshop()
    cut = ModelReply(tool_calls=(ToolRequest("look", {}), ToolRequest("make", None)), stop=Stop.LENGTH)
    result, requests = run([cut, says("Hola.")], workshop, confirm=pytest.fail, max_output_tokens=300)
    assert (result.truncated_tool_calls, workshop.ran) == (["look", "make"], [])
    assert [request.max_output_tokens for request in requests] == [300, 600]
    assert "2 calls are not run" in caplog.text


def test_a_person_s_other_answer_supersedes_the_rest_of_the_step() -> None:
    both = asks(("make", {"count": 1}), ("make", {"count": 2}), ("look", {}))
    asked = Asked([Reply("espera")])
    result, _ = run([both, says("¿Entonces?")], confirm=asked)
    assert len(asked.questions) == 1
    assert all("superseded" in content for _, content in result.tool_results[1:])
    assert kinds(result)[1:] == [(events.REPLIED, "make"), (events.CANCELLED, "make"), (events.CANCELLED, "look")]


def test_surplus_calls_are_those_of_the_last_allowed_step() -> None:
    workshop = Workshop()
    both = asks(("look", {"count": 1}), ("make", {"count": 1}))
    result, _ = run([both], workshop, max_steps=1, confirm=pytest.fail)
    assert workshop.ran == []
    assert all("limit of steps" in content for _, content in result.tool_results)


# What is agreed to.


@dataclass
class Prices:
    """A price that moves each time it was asked about, as often as it may."""

    moves: int
    price: int = 5

    def fingerprint(self, args: Count, ctx: ToolContext) -> dict[str, int]:
        return {"total": args.count * self.price}

    def confirm(self, question: Question) -> bool:
        if self.moves:
            self.moves, self.price = self.moves - 1, self.price + 1
        return True


def test_what_changed_after_the_question_is_asked_again() -> None:
    workshop, prices, asked = Workshop(), Prices(moves=1), Asked([])

    def confirm(question: Question) -> Answer:
        asked(question)
        return prices.confirm(question)

    tools = workshop.tools(
        fingerprint=prices.fingerprint, confirm_lines=lambda args, ctx: [f"Total: {args.count * prices.price}"]
    )
    result, _ = run([MAKE, says("Listo.")], tools=tools, confirm=confirm)
    first, second = asked.questions
    assert (first.lines, second.lines) == (("Total: 10",), ("Total: 12",))
    assert second.prompt.startswith("Algo cambió desde que te pregunté.")
    assert workshop.ran == [("make", 2)]
    assert (events.CHANGED, "make") in kinds(result)


def test_what_is_asked_again_leaves_no_call_of_its_step_without_a_result() -> None:
    workshop, prices = Workshop(), Prices(moves=1)
    both = asks(("make", {"count": 2}), ("make", {"count": 3}), ("look", {}))
    result, requests = run(
        [both, says("Listo.")], tools=workshop.tools(fingerprint=prices.fingerprint), confirm=prices.confirm
    )
    told = [json.loads(content).get("reason", "done") for _, content in result.tool_results]
    assert told == ["changed", "superseded", "superseded", "done"]
    assert workshop.ran == [("make", 2)]
    check_pairs(requests[1].messages)


def test_a_handler_may_find_itself_that_it_is_not_what_was_agreed() -> None:
    agreed: list[Any] = []

    def make(args: Count, ctx: ToolContext) -> str:
        agreed.append(ctx.agreed)
        if len(agreed) == 1:
            raise AgreementChanged(ctx.tool)
        return "ok"

    fields: dict[str, Any] = {"confirm": True, "effects": "database", "fingerprint": lambda args, ctx: {"total": 5}}
    tools = [Tool("make", "Makes.", make, Count, **fields)]
    result, _ = run([MAKE, says("Listo.")], tools=tools, confirm=Asked([True, True]))
    assert agreed == [{"total": 5}] * 2
    assert [kind for kind, _ in kinds(result)].count(events.REQUESTED) == 2


def test_a_tool_that_nobody_agreed_to_fails_when_it_says_that_this_changed() -> None:
    workshop = Workshop(fault=AgreementChanged("look"))
    result, _ = run([LOOK, says("Perdón.")], workshop)
    assert kinds(result) == [(events.CALL, "look"), (events.ERROR, "look")]


def test_a_price_that_never_stands_still_comes_to_an_end() -> None:
    workshop, prices = Workshop(), Prices(moves=1000)
    tools = workshop.tools(fingerprint=prices.fingerprint)
    result, _ = run([MAKE, says("No puedo.")], tools=tools, confirm=prices.confirm)
    assert (workshop.ran, result.text) == ([], "No puedo.")


# What was already done.


def test_a_repeated_effect_is_asked_about_with_its_previous() -> None:
    asked, chat = Asked([True, True]), str(uuid4())
    for _ in range(2):
        run([MAKE, says("Listo.")], confirm=asked, chat_key=chat)
    first, second = asked.questions
    assert first.previous is None
    assert second.previous is not None
    assert second.previous.content == '{"tool": "make", "count": 2}'
    assert second.prompt.splitlines()[1:] == first.prompt.splitlines()


def test_a_repetition_of_what_was_agreed_at_another_price_is_none() -> None:
    asked, chat, price = Asked([True, True]), str(uuid4()), [5]
    tools = Workshop().tools(fingerprint=lambda args, ctx: price[0])
    for price[0] in (5, 6):
        run([MAKE, says("Listo.")], tools=tools, confirm=asked, chat_key=chat)
    assert [question.previous for question in asked.questions] == [None, None]


@pytest.mark.parametrize(("in_one_chat", "ran"), [(True, 1), (False, 2)])
def test_a_deduplicated_call_runs_once_in_a_chat(in_one_chat: bool, ran: int) -> None:
    workshop, chat = Workshop(), str(uuid4()) if in_one_chat else ""
    tools = workshop.tools(dedupe="args")
    run([MAKE, says("Listo.")], tools=tools, confirm=Asked([True]), chat_key=chat)
    result, _ = run([MAKE, says("Listo.")], tools=tools, confirm=Asked([True]), chat_key=chat)
    assert len(workshop.ran) == ran
    if in_one_chat:
        told = json.loads(result.tool_results[0][1])
        assert (told["executed"], told["reason"]) == (False, "duplicate")
        assert json.loads(told["previous"]["result"]) == {"tool": "make", "count": 2}
        assert 0 <= told["previous"]["secondsAgo"] < 60


def test_the_window_is_the_chats_own_time() -> None:
    workshop, chat = Workshop(), str(uuid4())
    now = datetime.now(UTC)
    for minutes in (1, 10, 12):
        ctx = ToolContext("", "", chat, "es", now + timedelta(minutes=minutes))
        run([MAKE, says("Listo.")], tools=workshop.tools(dedupe="args"), confirm=Asked([True]), ctx=ctx)
    assert len(workshop.ran) == 2


def test_a_context_that_is_used_again_does_not_stop_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    class Clock(datetime):
        at = datetime.now(UTC)

        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return cls.at.astimezone(tz)

    monkeypatch.setattr(driving, "datetime", Clock)
    workshop, ran = Workshop(), []
    ctx = ToolContext("", "", str(uuid4()), "es", Clock.at)
    for _ in range(3):
        run([MAKE, says("Listo.")], tools=workshop.tools(dedupe="args"), confirm=Asked([True]), ctx=ctx)
        ran.append(len(workshop.ran))
        Clock.at += timedelta(minutes=20)
    assert ran == [1, 2, 3]


def test_a_moment_without_a_time_zone_is_refused() -> None:
    ctx = ToolContext("", "", "c", "es", datetime.now(UTC).replace(tzinfo=None))
    with pytest.raises(ValueError, match="has no time zone"):
        run([], ctx=ctx)


@pytest.mark.parametrize("steps", [0, -1])
def test_a_run_without_steps_is_refused(steps: int) -> None:
    with pytest.raises(ValueError, match="max_steps must be at least 1"):
        run([], max_steps=steps)


def test_what_was_undone_or_cleared_or_failed_is_no_repeat() -> None:
    workshop, chat = Workshop(), str(uuid4())
    undo = Tool("undo", "Undoes.", workshop.note, Count, effects="database", forgets=("make",))
    tools = [*workshop.tools(dedupe="args"), undo]

    def made(*before: ModelReply) -> int:
        run([*before, MAKE, says("Listo.")], tools=tools, confirm=Asked([True]), chat_key=chat)
        return workshop.ran.count(("make", 2))

    assert [made(), made()] == [1, 1]
    assert made(asks(("undo", {}))) == 2
    clear_tool_history(chat)
    assert made() == 3
    clear_tool_history(chat)
    workshop.result = {"error": "no flour"}
    assert [made(), made()] == [4, 5]


# Time.


def test_a_slow_handler_is_not_waited_for_and_its_late_result_is_dropped() -> None:
    free, seen = threading.Event(), threading.Event()

    def look(args: Count, ctx: ToolContext) -> str:
        ctx.cancelled.wait(30)
        seen.set()
        free.wait(30)
        return "too late"

    tools = [Tool("look", "Looks.", look, Count, timeout_s=0.1)]
    result, _ = run([LOOK, says("No pude.")], tools=tools)
    assert seen.wait(30)
    free.set()
    assert kinds(result) == [(events.CALL, "look"), (events.TIMEOUT, "look")]
    assert result.tool_results == [("look", results.timed_out(0.1))]


@pytest.mark.parametrize("effects", ["database", "external"])
def test_of_a_slow_effect_nobody_knows_the_outcome(effects: Any) -> None:
    def save(args: Count, ctx: ToolContext) -> None:
        ctx.cancelled.wait(30)

    tools = [Tool("save", "Saves.", save, Count, timeout_s=0.1, effects=effects)]
    result, _ = run([asks(("save", {})), says("No sé.")], tools=tools)
    assert result.tool_results == [("save", results.unknown_outcome())]


@pytest.mark.parametrize(("limit", "told"), [(0, "no limit"), (5, "at most 5 s")])
def test_a_handler_knows_its_limit_if_it_has_one(limit: float, told: str) -> None:
    def look(args: Count, ctx: ToolContext) -> str:
        left = ctx.time_left()
        if left is None:
            return "no limit"
        assert 0 < left <= limit
        return f"at most {limit} s"

    result, _ = run([LOOK, says("Ya.")], tools=[Tool("look", "Looks.", look, Count, timeout_s=limit)])
    assert result.tool_results == [("look", told)]


def test_a_cancelled_run_stops_before_its_next_action() -> None:
    workshop, cancelled = Workshop(), threading.Event()

    def stop(question: Question) -> bool:
        cancelled.set()
        return True

    with pytest.raises(RunCancelled) as stopped:
        run([asks(("look", {}), ("make", {}))], workshop, confirm=stop, cancelled=cancelled)
    assert workshop.ran == [("look", 1)]
    assert stopped.value.result.ending is None
    assert stopped.value.result.tool_results[0] == ("look", '{"tool": "look", "count": 1}')


def test_a_handler_sees_that_the_run_was_cancelled() -> None:
    cancelled = threading.Event()

    def look(args: Count, ctx: ToolContext) -> str:
        cancelled.set()
        return "seen" if ctx.cancelled.wait(30) else "not seen"

    with pytest.raises(RunCancelled) as stopped:
        run([LOOK], tools=[Tool("look", "Looks.", look, Count)], cancelled=cancelled)
    assert stopped.value.result.tool_results == [("look", "seen")]


@pytest.mark.django_db
def test_in_an_open_transaction_a_handler_sees_what_was_written() -> None:
    BotProfile.objects.create(name="unstored")

    def look(args: Count, ctx: ToolContext) -> str:
        return BotProfile.objects.get().name

    result, _ = run([LOOK, says("Ya.")], tools=[Tool("look", "Looks.", look, Count)])
    assert result.tool_results == [("look", "unstored")]


def test_tools_of_the_turn_may_depend_on_who_asks() -> None:
    def schema(ctx: ToolContext) -> Any:
        return {"type": "object", "properties": {"in": {"const": ctx.language}}}

    ctx = ToolContext("", "", "c", "en", datetime.now(UTC))
    _, (request,) = run([says("Hi.")], tools=[Tool("look", "Looks.", lambda args, ctx: None, schema)], ctx=ctx)
    assert request.tools[0].schema["properties"] == {"in": {"const": "en"}}


WITHOUT_DJANGO = """
import sys
from aitools.providers.scripted import ScriptedProvider, asks, says
from aitools.running import run_tools
from aitools.tools import Tool

save = Tool("save", "Saves.", lambda args, ctx: args, {"type": "object"}, confirm=True, effects="database")
with ScriptedProvider([asks(("save", {"urgent": True})), says("Saved.")]) as provider:
    result = run_tools("hi", tools=[save], provider=provider, confirm=lambda question: print(question.prompt) or True)
print(result.text, result.tool_results[0][1])
print(sorted(name for name in sys.modules if name.startswith(("aitools.models", "psycopg", "orders", "bakery"))))
"""


ENDINGS_WITHOUT_DJANGO = """
from aitools.errors import AgreementChanged
from aitools.providers.scripted import ScriptedProvider, asks, says
from aitools.running import run_tools
from aitools.tools import Tool
from aitools.types import ModelReply, Stop

def save(args, ctx):
    if prices[-1] != ctx.agreed:
        raise AgreementChanged
    return {"at": "the shop"}

prices = [1]
save = Tool("save", "Saves.", save, {"type": "object"}, confirm=True, effects="database",
            fingerprint=lambda args, ctx: prices[-1])
look = Tool("look", "Looks.", lambda args, ctx: "seen", {"type": "object"})

def run(*lines, yes=lambda question: print(question.prompt) or True, **options):
    with ScriptedProvider(lines) as provider:
        print(run_tools("hi", tools=[save, look], provider=provider, chat_key="c", confirm=yes, **options).text)

def raised(question):
    print(question.prompt)
    if len(prices) == 1:
        prices.append(2)
    return True

run(asks(("look", {})), max_steps=1)
run(ModelReply(stop=Stop.REFUSAL))
run(asks(("save", {})), says(""), says(""))
run(asks(("save", {})), says("Twice."))
run(asks(("save", {"n": 1})), says("At 2."), yes=raised)
"""


def test_without_settings_our_code_speaks_plain_english() -> None:
    environment = {key: value for key, value in os.environ.items() if key != "DJANGO_SETTINGS_MODULE"}
    command = [sys.executable, "-c", ENDINGS_WITHOUT_DJANGO]
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    question = ["I am about to: Save", "Do you confirm? (yes/no)"]
    with_n = ["I am about to: Save", "• N: 1", "Do you confirm? (yes/no)"]
    with translation.override("en"):
        limit, refusal = texts.ending(Ending.MAX_STEPS), texts.ending(Ending.REFUSAL)
        again, changed = texts.heads_up("Save", "the shop"), texts.something_changed()
        done = texts.done("Save")
    assert ran.stdout.splitlines() == [
        *(limit, refusal),
        *(*question, done),
        *(again, *question, "Twice."),
        *(*with_n, changed, *with_n, "At 2."),
    ]


def test_neither_settings_nor_a_database_are_needed() -> None:
    environment = {key: value for key, value in os.environ.items() if key != "DJANGO_SETTINGS_MODULE"}
    command = [sys.executable, "-c", WITHOUT_DJANGO]
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines() == [
        "I am about to: Save",
        "• Urgent: Yes",
        "Do you confirm? (yes/no)",
        'Saved. {"urgent": true}',
        "[]",
    ]


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
    provider = ScriptedProvider(lines)
    result = run_tools(
        "hola",
        tools=[parts.LOOK, parts.MAKE, parts.UNDO],
        provider=provider,
        confirm=answering([*said]),
        max_steps=3,
    )
    rows = ToolCall.objects.order_by("id").values_list("name", "result")
    assert list(rows) == result.tool_results
    assert desk.events() == [event.kind for event in result.events]
    assert [told(request) for request in over_rows.calls] == [told(request) for request in provider.calls]


def answering(said: list[str]) -> Callable[[Question], Answer]:
    def confirm(question: Question) -> Answer:
        text = said.pop(0)
        return {"sí": True, "no": False}.get(text, Reply(text))

    return confirm


def told(request: ModelRequest) -> list[CallResult]:
    """What a request says about calls, but for their ids."""
    steps = [message for message in request.messages if isinstance(message, AssistantStep)]
    return [CallResult("", one.name, one.content, one.is_error) for step in steps for one in step.results]


def test_the_note_about_confirmations_follows_the_system_prompt_and_tells_what_was_done() -> None:
    def system(**given: Any) -> str:
        return run([says("Hola")], system="Bread.", **given)[1][0].system

    assert "make" in system()
    assert system(note="Just ask.") == "Bread.\n\nJust ask."
    assert system(note=None) == "Bread."
