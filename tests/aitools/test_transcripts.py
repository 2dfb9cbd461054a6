"""What goes to a model is well paired, whatever the talk and the turn were."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aitools.errors import IllPaired
from aitools.loop import CallStatus, CallView, StepView, Transcript
from aitools.transcripts import check_pairs, messages_of
from aitools.types import (
    AssistantStep,
    AssistantText,
    CallResult,
    Message,
    ModelReply,
    Nudge,
    RequestedCall,
    Stop,
    ToolRequest,
    UserText,
)

HI, HELLO = UserText("Hi"), AssistantText("Hello!")


def step(*ids: str, text: str = "", results: tuple[str, ...] | None = None) -> AssistantStep:
    answered = ids if results is None else results
    return AssistantStep(
        text,
        tuple(RequestedCall(one, "look", {}) for one in ids),
        tuple(CallResult(one, "look", "ok") for one in answered),
    )


@pytest.mark.parametrize(
    "messages",
    [
        (HI,),
        (HI, HELLO, HI),
        (HI, step("a", "b"), step("c"), HELLO, UserText("More")),
        (HI, step(text="Words."), Nudge("Again."), step("a")),
        (HI, UserText("And this"), HELLO),
    ],
)
def test_a_well_paired_talk_passes(messages: tuple[Message, ...]) -> None:
    check_pairs(messages)


@pytest.mark.parametrize(
    ("messages", "fault"),
    [
        ((), "does not begin with the customer"),
        ((HELLO, HI), "does not begin with the customer"),
        ((Nudge("Go on."), HI), "does not begin with the customer"),
        ((step("a"),), "does not begin with the customer"),
        ((HI, step("a", results=())), "message 1 has calls and results that do not pair"),
        ((HI, step("a", results=("a", "a"))), "do not pair"),
        ((HI, step("a", results=("b",))), "do not pair"),
        ((HI, step("a", "b", results=("b", "a"))), "do not pair"),
        ((HI, step(results=("a",))), "do not pair"),
        ((HI, step("a", "a")), "comes twice"),
        ((HI, step("a"), step("a")), "message 2 has a call id that is empty or comes twice"),
        ((HI, step("")), "is empty or comes twice"),
        ((HI, HELLO, HELLO), "message 2 follows a text of the model's"),
        ((HI, step(text="Words."), step("a")), "message 2 follows"),
        ((HI, HELLO, step("a")), "message 2 follows"),
        ((HI, step()), "message 1 is empty"),
        ((HI, AssistantText(" ")), "message 1 is empty"),
        ((UserText("\n"),), "message 0 is empty"),
        ((HI, Nudge("")), "message 1 is empty"),
    ],
)
def test_an_ill_paired_talk_is_refused(messages: tuple[Message, ...], fault: str) -> None:
    with pytest.raises(IllPaired, match=fault):
        check_pairs(messages)


def test_what_was_said_before_the_customers_first_words_is_left_out() -> None:
    assert messages_of([HELLO, HI], Transcript()) == (HI,)


def test_several_texts_of_ours_in_a_row_become_one() -> None:
    assert messages_of([HI, HELLO, AssistantText("What else?"), HI], Transcript()) == (
        HI,
        AssistantText("Hello!\nWhat else?"),
        HI,
    )


def test_a_customer_who_wrote_nothing_still_speaks_last() -> None:
    assert messages_of([HI, HELLO, UserText(" ")], Transcript()) == (HI, HELLO, UserText("…"))
    assert messages_of([UserText(""), HELLO, HI], Transcript()) == (HI,)


texts = st.sampled_from(["", "  ", "Hi", "What else?"])
talks = st.lists(st.builds(UserText, texts) | st.builds(AssistantText, texts), max_size=6)
replies = st.builds(
    ModelReply,
    texts,
    st.lists(st.builds(ToolRequest, st.sampled_from(["look", ""]), st.none() | st.just({})), max_size=3).map(tuple),
    st.sampled_from(list(Stop)),
)


@settings(deadline=None)
@given(talks, st.builds(UserText, texts), st.lists(replies, max_size=5))
def test_whatever_was_said_what_is_sent_is_well_paired(
    talk: list[Message], last: UserText, said: list[ModelReply]
) -> None:
    """The loop asks again after words only with a nudge, so steps of words carry one here."""
    steps = [
        StepView(
            reply,
            tuple(
                CallView(f"{number}.{place}", request, CallStatus.SETTLED, "ok")
                for place, request in enumerate(reply.tool_calls)
            ),
            nudge="Again." if number else "",
        )
        for number, reply in enumerate(said)
    ]
    check_pairs(messages_of([*talk, last], Transcript(tuple(steps))))
