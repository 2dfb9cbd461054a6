"""The rules of the loop, one by one and then all together on whatever may come."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from aitools import events
from aitools.loop import (
    NUDGE_CUT,
    NUDGE_EMPTY,
    NUDGE_SUMMARY,
    NUDGE_UNBACKED,
    OUR_CODE,
    AskHuman,
    CallModel,
    CallStatus,
    CallView,
    Ending,
    Expire,
    Finish,
    Limits,
    Previous,
    RunCall,
    Settle,
    StepView,
    Transcript,
    decide,
)
from aitools.tools import Tool, ToolContext, ToolSet
from aitools.types import ModelReply, Stop, ToolRequest
from aitools.validation import Valid, digest_of, validate


class Count(BaseModel):
    model_config = ConfigDict(extra="forbid")
    count: int = Field(strict=True, ge=1, le=9)


def nothing(args: Any, ctx: ToolContext) -> None:
    raise AssertionError("Deciding runs nothing.")


LOOK = Tool("look", "Reads.", nothing, Count)
SAVE = Tool("save", "Writes without asking.", nothing, Count, effects="database")
ONCE = Tool("once", "Writes once in ten minutes.", nothing, Count, effects="database", dedupe="args")
MAKE = Tool("make", "Writes after a yes.", nothing, Count, confirm=True, effects="database")
TOOLS = ToolSet([LOOK, SAVE, ONCE, MAKE])
LIMITS = Limits(3)
SILENCED = (Stop.LENGTH, Stop.REFUSAL, Stop.CONTENT_FILTER)


def call(name: str, count: object = 1, **fields: Any) -> CallView:
    arguments = {"count": count}
    if fields.get("status") is CallStatus.SETTLED:
        fields = {"digest": digest_of(arguments), "content": f"{name} {count}", "done": True} | fields
    return CallView(fields.pop("id", f"{name}-{count}"), ToolRequest(name, arguments), **fields)


def done(name: str, count: int = 1, **fields: Any) -> CallView:
    return call(name, count, status=CallStatus.SETTLED, **fields)


def step(*calls: CallView, text: str = "", stop: Stop | None = None, provider: str = "scripted") -> StepView:
    requests = tuple(one.request for one in calls)
    return StepView(ModelReply(text, requests, stop or (Stop.TOOL_CALLS if calls else Stop.END)), calls, provider)


def next_after(*steps: StepView, counted_from: int = 0, limits: Limits = LIMITS) -> object:
    return decide(Transcript(steps, counted_from), TOOLS, limits)


def test_a_turn_begins_with_the_model() -> None:
    assert next_after() == CallModel()


def test_a_text_ends_the_turn() -> None:
    assert next_after(step(text=" ¡Hola!\n")) == Finish("¡Hola!")


def test_a_read_runs_and_its_result_goes_to_the_model() -> None:
    action = next_after(step(call("look")))
    assert isinstance(action, RunCall)
    assert action.valid.arguments == {"count": 1}
    assert next_after(step(done("look"))) == CallModel()


def test_calls_run_one_by_one_in_the_order_asked() -> None:
    action = next_after(step(done("look", 1), call("look", 2), call("look", 3)))
    assert isinstance(action, RunCall)
    assert action.call.id == "look-2"


def test_an_effect_with_confirm_is_asked_first_and_runs_once_approved() -> None:
    assert isinstance(next_after(step(call("make"))), AskHuman)
    assert isinstance(next_after(step(call("make", status=CallStatus.APPROVED))), RunCall)


def test_an_approved_call_runs_even_when_the_steps_are_used_up() -> None:
    spent = [step(done("look", number)) for number in range(1, 4)]
    assert isinstance(next_after(*spent, step(call("make", status=CallStatus.APPROVED))), RunCall)


WRONG_COUNTS = [0, 10, -2, 2.5, 1e9, "2", True, None]


@pytest.mark.parametrize("count", WRONG_COUNTS)
def test_wrong_arguments_are_never_run_nor_asked_about(count: object) -> None:
    action = next_after(step(call("make", count)))
    assert isinstance(action, Settle)
    assert action.event == events.INVALID


@pytest.mark.parametrize("count", WRONG_COUNTS)
def test_an_approved_call_that_is_valid_no_more_expires(count: object) -> None:
    assert isinstance(next_after(step(call("make", count, status=CallStatus.APPROVED))), Expire)


def test_an_approved_call_whose_tool_is_gone_expires() -> None:
    assert isinstance(next_after(step(call("mkae", status=CallStatus.APPROVED))), Expire)


def test_arguments_that_were_no_json_are_refused() -> None:
    broken = CallView("c", ToolRequest("look", None, raw='{"coun'))
    action = next_after(step(broken))
    assert isinstance(action, Settle)
    assert "not a JSON object" in action.content


def test_an_unknown_tool_is_told_the_known_ones() -> None:
    action = next_after(step(call("mkae")))
    assert isinstance(action, Settle)
    assert action.event == events.UNKNOWN_TOOL
    assert "look, save, once, make" in action.content


@pytest.mark.parametrize("stop", SILENCED)
def test_a_cut_or_refused_reply_runs_no_call(stop: Stop) -> None:
    assert isinstance(next_after(step(call("look"), stop=stop)), Settle)


def test_a_cut_reply_is_tried_once_more_with_more_room() -> None:
    cut = step(done("look", is_error=True), stop=Stop.LENGTH)
    assert next_after(cut) == CallModel(more_room=True)
    assert next_after(cut, cut) == Finish("", Ending.TRUNCATED)


def test_half_a_sentence_is_never_said() -> None:
    cut = step(text="Tenemos croissants a $3.", stop=Stop.LENGTH)
    assert next_after(cut) == CallModel(nudge=NUDGE_CUT, more_room=True, event=events.CUT)
    assert next_after(cut, cut) == Finish("", Ending.TRUNCATED, events.CUT)
    assert next_after(cut, limits=Limits(1)) == Finish("", Ending.TRUNCATED, events.CUT)


def test_more_room_is_not_given_beyond_the_limit_of_steps() -> None:
    cut = step(done("look", is_error=True), stop=Stop.LENGTH)
    assert next_after(cut, limits=Limits(1)) == Finish("", Ending.TRUNCATED)


@pytest.mark.parametrize(
    ("stop", "end"),
    [
        (Stop.REFUSAL, Finish("", Ending.REFUSAL, events.REFUSED)),
        (Stop.CONTENT_FILTER, Finish("", Ending.FILTERED, events.FILTERED)),
    ],
)
def test_a_refusal_ends_the_turn_without_a_second_try(stop: Stop, end: Finish) -> None:
    assert next_after(step(text="I can't", stop=stop)) == end
    assert next_after(step(done("look"), stop=stop)) == end


def test_an_empty_reply_is_nudged_once() -> None:
    assert next_after(step(text="  ")) == CallModel(NUDGE_EMPTY, more_room=True, event=events.EMPTY)
    assert next_after(step(), step(text="\n")) == Finish("", Ending.EMPTY, events.EMPTY)
    assert next_after(step(), limits=Limits(1)) == Finish("", Ending.EMPTY, events.EMPTY)


def test_a_malformed_call_is_told_so() -> None:
    action = next_after(step(stop=Stop.MALFORMED))
    assert isinstance(action, CallModel)
    assert "could not be read" in action.nudge


def test_calls_of_the_last_allowed_step_are_not_run() -> None:
    spent = [step(done("look", number)) for number in range(1, 3)]
    action = next_after(*spent, step(call("look", 9)))
    assert isinstance(action, Settle)
    assert action.event == events.MAX_STEPS
    last = step(done("look", 9, done=False), text="Un momento")
    assert next_after(*spent, last) == Finish("", Ending.MAX_STEPS, events.MAX_STEPS)


def test_at_the_limit_one_more_reply_may_sum_up_without_tools() -> None:
    spent = [step(done("look", number)) for number in range(1, 4)]
    limits = Limits(3, summary=True)
    assert next_after(*spent, limits=limits) == CallModel(NUDGE_SUMMARY, without_tools=True, event=events.MAX_STEPS)
    assert next_after(*spent, step(text="Hay 3."), limits=limits) == Finish("Hay 3.", Ending.MAX_STEPS)
    surplus = step(done("look", 9, done=False))
    assert next_after(*spent, surplus, limits=limits) == Finish("", Ending.MAX_STEPS)


def suspicious(text: str, transcript: Transcript) -> str:
    return "5 %" if "descuento" in text else ""


def test_what_no_result_backs_is_corrected_once_and_then_not_said() -> None:
    claim, plain = step(text="Tienes descuento."), step(text="Hay pan.")
    guarded = Finish("", Ending.UNBACKED, events.GUARDED, "5 %")
    nudge = NUDGE_UNBACKED.format(unbacked="5 %")
    first = decide(Transcript((claim,)), TOOLS, LIMITS, guard=suspicious)
    assert first == CallModel(nudge, event=events.GUARDED, detail="5 %")
    assert decide(Transcript((claim, claim)), TOOLS, LIMITS, guard=suspicious) == guarded
    assert decide(Transcript((claim, plain)), TOOLS, LIMITS, guard=suspicious) == Finish("Hay pan.")
    assert decide(Transcript((claim,)), TOOLS, Limits(1), guard=suspicious) == guarded


def test_limits_count_from_the_customers_last_message() -> None:
    spent = [step(done("look", number)) for number in range(1, 4)]
    assert next_after(*spent, counted_from=3) == CallModel()


def test_a_question_of_our_own_code_is_no_step_of_the_model() -> None:
    again = step(call("make"), provider=OUR_CODE)
    assert isinstance(next_after(again, limits=Limits(1)), AskHuman)


def test_equal_writes_of_one_step_share_one_result() -> None:
    first = done("save")
    action = next_after(step(first, call("save", id="again")))
    assert isinstance(action, Settle)
    assert (action.content, action.event, action.is_error) == (first.content, events.DUPLICATE, False)


def test_an_equal_write_of_a_later_step_runs_again() -> None:
    assert isinstance(next_after(step(done("save")), step(call("save", id="again"))), RunCall)


def test_an_equal_read_gets_the_earlier_result_until_something_changed() -> None:
    again = step(call("look", id="again"))
    assert isinstance(next_after(step(done("look")), again), Settle)
    assert isinstance(next_after(step(done("look")), step(done("save")), again, limits=Limits(5)), RunCall)
    assert isinstance(next_after(step(done("look", done=False)), again), RunCall)
    assert isinstance(next_after(step(done("look")), again, counted_from=1), RunCall)


def remembered(seconds_ago: int) -> object:
    def memory(name: str, digest: str) -> Previous:
        return Previous("old", seconds_ago)

    return memory


@pytest.mark.parametrize(("ago", "action"), [(599, Settle), (600, RunCall)])
def test_a_deduplicated_write_runs_once_in_its_window(ago: int, action: type) -> None:
    asked = Transcript((step(call("once")),))
    assert isinstance(decide(asked, TOOLS, LIMITS, remembered(ago)), action)  # type: ignore[arg-type]


def test_a_repeated_effect_is_asked_about_with_its_previous() -> None:
    action = decide(Transcript((step(call("make")),)), TOOLS, LIMITS, remembered(5))  # type: ignore[arg-type]
    assert isinstance(action, AskHuman)
    assert action.previous == Previous("old", 5)


def test_a_read_has_no_memory() -> None:
    action = decide(Transcript((step(call("look")),)), TOOLS, LIMITS, remembered(5))  # type: ignore[arg-type]
    assert isinstance(action, RunCall)


names = st.sampled_from(["look", "save", "once", "make", "mkae", ""])
counts = st.sampled_from([1, 2, 9, 0, -1, 10, 2.5, "2", True, None])
requests = st.builds(ToolRequest, names, st.none() | st.builds(lambda count: {"count": count}, counts))
stops = st.sampled_from(list(Stop))


@st.composite
def transcripts(draw: st.DrawFn) -> Transcript:
    """Any turn: earlier steps are settled, the last one is up to some call."""
    steps = []
    for number in range(draw(st.integers(0, 6))):
        asked = draw(st.lists(requests, max_size=4))
        reply = ModelReply(draw(st.sampled_from(["", "  ", "Hola."])), tuple(asked), draw(stops))
        views = [settled(draw, f"{number}.{position}", one) for position, one in enumerate(asked)]
        provider = draw(st.sampled_from(["scripted", OUR_CODE]))
        steps.append(StepView(reply, tuple(views), provider))
    if steps:
        settled_calls = draw(st.integers(0, len(steps[-1].calls)))
        waiting = [
            replace(one, status=draw(st.sampled_from([CallStatus.OPEN, CallStatus.APPROVED])), content="", digest="")
            for one in steps[-1].calls[settled_calls:]
        ]
        steps[-1] = replace(steps[-1], calls=(*steps[-1].calls[:settled_calls], *waiting))
    return Transcript(tuple(steps), draw(st.integers(0, len(steps))))


def settled(draw: st.DrawFn, key: str, request: ToolRequest) -> CallView:
    worked = draw(st.booleans())
    return CallView(key, request, CallStatus.SETTLED, "result", not worked, worked, digest_of(request.arguments or {}))


@given(transcripts(), st.integers(1, 4), st.sampled_from([None, 5, 5000]))
def test_whatever_came_the_next_action_is_allowed(turn: Transcript, max_steps: int, ago: int | None) -> None:
    limits = Limits(max_steps)
    action = decide(turn, TOOLS, limits, lambda name, digest: None if ago is None else Previous("old", ago))
    last = turn.steps[-1] if turn.steps else step()
    waiting = [one for one in last.calls if one.status is not CallStatus.SETTLED]
    asked = [one for one in turn.counted if one.provider != OUR_CODE]
    match action:
        case CallModel() | Finish():
            assert not waiting
            assert isinstance(action, Finish) or len(asked) < max_steps
        case RunCall() | AskHuman():
            assert action.call is waiting[0]
            assert last.reply.stop not in SILENCED
            assert action.valid == valid_of(action.call)
            approved = action.call.status is CallStatus.APPROVED
            assert approved or len(asked) < max_steps
            may_run = approved or not action.bound.tool.confirm
            assert may_run if isinstance(action, RunCall) else not may_run
        case Settle():
            assert action.call is waiting[0]
            assert action.call.status is CallStatus.OPEN or last.reply.stop in SILENCED
            assert action.content
        case Expire():
            assert action.call is waiting[0]
            assert action.call.status is CallStatus.APPROVED


def valid_of(view: CallView) -> Valid:
    bound = TOOLS.get(view.request.name)
    assert bound is not None
    valid = validate(bound, view.request)
    assert isinstance(valid, Valid)
    return valid
