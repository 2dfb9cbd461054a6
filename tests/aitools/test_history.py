"""What a model is sent: this turn in full, earlier talk as plain text, and no more than fits."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import translation

from aitools import history, notes, turnrows
from aitools.errors import IllPaired
from aitools.loop import CallStatus
from aitools.models import BotProfile, Conversation, Turn
from aitools.providers import scripted
from aitools.providers.scripted import asks, says
from aitools.tools import registry
from aitools.types import AssistantStep, AssistantText, ModelReply, Nudge, UserText
from tests.aitools import desk as parts
from tests.aitools.desk import Desk

with translation.override("es"):
    NEVER_CLAIM = notes.never_claim()


def earlier(desk: Desk, pairs: list[tuple[str, str]]) -> None:
    conversation = desk.conversation()
    Turn.objects.bulk_create(
        Turn(conversation=conversation, state="done", text=text, reply=reply) for text, reply in pairs
    )


@pytest.fixture
def begun(desk: Desk) -> Desk:
    desk.write("/reset")
    return desk


def test_earlier_talk_is_plain_and_remembers_no_call(desk: Desk) -> None:
    with scripted.script([asks(("look", {})), says("Pan."), says("A 5.")]) as script:
        desk.write("¿qué hay?")
        desk.write("¿a cómo?")
    assert script.calls[2].messages == (UserText("¿qué hay?"), AssistantText("Pan."), UserText("¿a cómo?"))


def test_the_window_is_whole_turns_newest_last(begun: Desk) -> None:
    earlier(begun, [(f"p{number}", f"r{number}") for number in range(50)])
    with scripted.script([says("Hola.")]) as script:
        begun.write("hola")
    messages = script.calls[0].messages
    assert len(messages) == 2 * 10 + 1
    assert messages[:2] == (UserText("p40"), AssistantText("r40"))
    assert messages[-1] == UserText("hola")


def test_long_talk_is_cut_at_whole_turns(begun: Desk) -> None:
    earlier(begun, [("x" * 5000, f"r{number}" * 500) for number in range(10)])
    with scripted.script([says("Hola.")]) as script:
        begun.write("hola")
    sent = script.calls[0].messages
    assert isinstance(sent[0], UserText)
    assert len(sent) % 2 == 1
    assert sum(len(message.text) for message in sent if isinstance(message, UserText | AssistantText)) < 30_000


def test_a_very_long_message_is_cut_for_the_model_and_kept_in_the_row(desk: Desk) -> None:
    with scripted.script([says("Es mucho.")]) as script:
        desk.write("pan " * 5000)
    (said,) = script.calls[0].messages
    assert isinstance(said, UserText)
    assert len(said.text) == history.MAX_MESSAGE_CHARACTERS + 1
    assert len(desk.turn().text) == 20_000


def test_what_was_before_a_reset_is_gone(desk: Desk) -> None:
    with scripted.script([says("Hola."), says("¿Sí?")]) as script:
        desk.write("mi secreto")
        desk.write("/reset")
        desk.write("hola")
    assert script.calls[1].messages == (UserText("hola"),)


def test_a_turn_without_a_reply_leaves_no_empty_message(begun: Desk) -> None:
    earlier(begun, [("hola", ""), ("", "Aviso.")])
    with scripted.script([says("Hola.")]) as script:
        begun.write("¿hay alguien?")
    assert all(message.text for message in script.calls[0].messages if isinstance(message, UserText | AssistantText))


def test_braces_and_percent_signs_of_a_customer_mean_nothing(desk: Desk) -> None:
    said = "{total} {0} %s {{x}} {x.__class__}"
    with scripted.script([says("Hola.")]) as script:
        desk.write(said)
    assert script.calls[0].messages == (UserText(said),)


def test_a_vendors_own_form_goes_back_as_it_came(desk: Desk) -> None:
    raw = {"content": [{"type": "thinking", "signature": "abc"}]}
    asked = asks(("look", {}))
    reply = ModelReply(asked.text, asked.tool_calls, asked.stop, raw=raw)
    with scripted.script([reply, says("Pan.")]) as script:
        desk.write("hola")
    step = script.calls[1].messages[-1]
    assert isinstance(step, AssistantStep)
    assert (step.raw, step.provider) == (raw, "scripted")
    assert step.calls[0].call_id == step.results[0].call_id


def test_a_silent_step_is_replaced_by_the_nudge_that_followed_it(desk: Desk) -> None:
    with scripted.script([says(""), asks(("look", {})), says("Pan.")]) as script:
        desk.write("hola")
    assert isinstance(script.calls[1].messages[-1], Nudge)
    kinds = [type(message) for message in script.calls[2].messages]
    assert kinds == [UserText, Nudge, AssistantStep]


def test_the_system_prompt_names_what_is_confirmed_and_holds_the_persona(desk: Desk) -> None:
    BotProfile.objects.update(persona="Talk like a baker.")
    with scripted.script([says("Hola.")]) as script:
        desk.write("hola")
    system = script.calls[0].system
    assert system.startswith("You take orders.\n\nTalk like a baker.")
    assert "le pide un sí al cliente antes de ejecutar estas: make, undo." in system
    assert NEVER_CLAIM in system
    assert script.calls[0].facts == {"channel": "web"}


def test_the_window_is_bounded_by_an_estimate_of_tokens_too(begun: Desk) -> None:
    """A token is about four characters; a turn is in it whole or not at all."""
    BotProfile.objects.update(history_tokens=300)
    earlier(begun, [(f"{name}" * 396, "r" * 396) for name in "abc"])
    with scripted.script([says("Hola.")]) as script:
        begun.write("hola")
    assert script.calls[0].messages == (UserText("c" * 396), AssistantText("r" * 396), UserText("hola"))


@pytest.fixture
def done(desk: Desk) -> Desk:
    """A desk where something was made a moment ago."""
    with scripted.script([asks(("make", {"name": "pan"})), says("Listo.")]):
        desk.write("pan")
        desk.write("sí")
    return desk


def system(desk: Desk) -> str:
    """The instructions that the next message is answered by."""
    with scripted.script([says("Hola.")]) as script:
        desk.write("¿hola?")
    return script.calls[0].system


def test_the_note_forbids_to_ask_to_mention_the_process_and_to_claim_and_says_what_to_do_without_a_tool(
    desk: Desk,
) -> None:
    note = system(desk)
    for rule in (
        "no pidas tú la confirmación",
        "ni menciones este proceso",
        "nunca digas que algo se hizo, cambió o canceló si ningún resultado",
        "Si ninguna herramienta sirve para lo que piden, dilo claramente",
    ):
        assert rule in note


@pytest.mark.parametrize(
    ("language", "claims", "done_before"),
    [("es", "nunca digas que algo se hizo", "Ya hecho"), ("en", "never say that something was done", "Already done")],
)
def test_the_note_is_in_the_chats_language(done: Desk, language: str, claims: str, done_before: str) -> None:
    Conversation.objects.update(language=language, language_fixed=True)
    note = system(done)
    assert claims in note
    assert done_before in note


def test_a_shop_may_word_the_note_itself(done: Desk) -> None:
    BotProfile.objects.update(note="The system asks; you don't.")
    said = system(done)
    assert "The system asks; you don't." in said
    assert "Ya hecho en este chat" in said
    assert NEVER_CLAIM not in said


def test_a_note_switched_off_takes_the_list_of_done_actions_with_it(done: Desk) -> None:
    assert "Ya hecho en este chat" in system(done)
    BotProfile.objects.update(note_on=False)
    assert system(done) == "You take orders."


def test_without_a_tool_that_asks_the_note_names_none(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_tools", {"look": parts.LOOK})
    assert system(desk) == f"You take orders.\n\n{NEVER_CLAIM}"


def test_an_ill_paired_transcript_is_never_sent(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever fault of ours made it: the attempt ends, and no model is asked."""
    monkeypatch.setattr(history, "messages_of", lambda talk, so_far, nudge: (AssistantText("Hola."),))
    with scripted.script([]), pytest.raises(IllPaired):
        desk.write("hola")


def test_rows_become_a_transcript_with_the_calls_as_far_as_they_are(desk: Desk) -> None:
    with scripted.script([asks(("look", {}), ("make", {"name": "pan"}))]):
        desk.write("hola")
    rows = turnrows.load(desk.turn().pk)
    assert rows is not None
    (step,) = turnrows.transcript(rows).steps
    assert [call.status for call in step.calls] == [CallStatus.SETTLED, CallStatus.OPEN]
    assert [call.done for call in step.calls] == [True, False]


def test_the_work_for_a_message_does_not_grow_with_the_age_of_the_chat(begun: Desk) -> None:
    def queries() -> int:
        with scripted.script([says("Hola.")]), CaptureQueriesContext(connection) as captured:
            begun.write("hola")
        return len(captured)

    queries()
    young = queries()
    earlier(begun, [("hola", "Hola.")] * 300)
    assert queries() == young
