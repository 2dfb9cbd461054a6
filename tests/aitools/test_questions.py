"""How a question looks, what a profile changes in it, and what is stored with it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from aitools import clock, pacing, staffing
from aitools.channels.base import EventKind
from aitools.errors import ToolRetry
from aitools.models import BotProfile, Conversation, OutboundMessage, PendingConfirmation, TextOverride, ToolCall
from aitools.providers import scripted
from aitools.providers.scripted import asks, says
from aitools.tools import ToolContext, registry
from tests.aitools import desk as parts
from tests.aitools.desk import Desk

PAN = asks(("make", {"name": "pan", "count": 2}))
QUESTION = "Voy a: Hacer\n• 2 × pan\n• Total: 10\n¿Confirmas?"


@pytest.fixture
def remake(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Declare the tool that makes things with other fields."""

    def declare(**fields: Any) -> None:
        monkeypatch.setitem(registry._tools, "make", replace(parts.MAKE, **fields))

    return declare


def asked(desk: Desk) -> str:
    with scripted.script([PAN]):
        (question,) = desk.write("2 panes")
    return question


def shown() -> OutboundMessage:
    return OutboundMessage.objects.filter(kind="question").latest("id")


def own(name: str, text: str, language: str = "es") -> None:
    TextOverride.objects.create(profile=BotProfile.objects.get(), language=language, name=name, text=text)


@pytest.mark.parametrize("channel", ["web", "plain"])
@pytest.mark.parametrize("message", ["¿Hacemos 2 panes?", lambda args, ctx: f"¿Hacemos {args.count} panes?"])
def test_a_tools_own_question_is_verbatim_with_buttons_and_without(
    desk: Desk, remake: Callable[..., None], channel: str, message: Any
) -> None:
    desk.channel = channel
    remake(confirm_message=message)
    assert asked(desk) == "¿Hacemos 2 panes?"


@pytest.mark.parametrize(("channel", "end"), [("web", ""), ("plain", " (sí/no)")])
def test_staffs_own_question_is_used_with_buttons_and_without(desk: Desk, channel: str, end: str) -> None:
    desk.channel = channel
    own("confirm", "{title}:\n{lines}\n¿De una?")
    assert asked(desk) == f"Hacer:\n• 2 × pan\n• Total: 10\n¿De una?{end}"


def test_labels_and_hint_are_those_of_the_profile_and_language(desk: Desk) -> None:
    own("yes", "¡Dale!")
    own("no", "Mejor no")
    own("hint", "(dale/no)")
    own("yes", "Go ahead", language="en")
    asked(desk)
    assert [button.title for button in shown().choices] == ["¡Dale!", "Mejor no"]
    other = Desk(channel="plain", address="visitor-2", published=desk.published)
    with scripted.script([PAN]):
        (question,) = other.write("2 panes")
    assert question.endswith("¿Confirmas? (dale/no)")


def test_with_buttons_off_every_channel_gets_the_hint(desk: Desk) -> None:
    BotProfile.objects.update(buttons_on=False)
    assert asked(desk) == f"{QUESTION} (sí/no)"
    assert shown().choices == ()


def test_each_question_has_buttons_of_its_own(desk: Desk) -> None:
    with scripted.script([PAN, PAN]):
        desk.write("2 panes")
        first = shown().choices
        desk.write("¿me preguntas otra vez?")
    assert {button.id for button in first} & {button.id for button in shown().choices} == set()
    assert shown().choices[0].id == f"confirm:{desk.question().key}:yes"


def test_a_press_of_another_question_answers_nothing(desk: Desk) -> None:
    asked(desk)
    desk.press("yes", key="00000000-0000-0000-0000-000000000000")
    assert (parts.things(), desk.question().state) == ([], "pending")


def test_the_default_question_shows_no_description_no_key_and_no_json(desk: Desk, remake: Callable[..., None]) -> None:
    remake(confirm_lines=None, labels={"name": {"pan": "Pan de bono"}}, description="Secret words for the model.")
    question = asked(desk)
    assert "Pan de bono" in question
    assert not [word for word in ("Secret", "make", "{", '"', ": pan\n") if word in question]


def test_a_language_without_texts_gets_the_profiles(desk: Desk) -> None:
    Conversation.objects.create(channel="web", address=desk.address, language="fr", language_fixed=True)
    assert asked(desk) == QUESTION
    BotProfile.objects.update(language="en")
    other = Desk(address="visitor-2", published=desk.published)
    Conversation.objects.create(channel="web", address=other.address, language="fr", language_fixed=True)
    with scripted.script([PAN]):
        assert other.write("2 panes")[0].startswith("I am about to: Hacer")


# What is stored with a question, and what it leaves free.


def test_a_question_and_its_message_are_stored_together_or_not_at_all(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*given: object, **fields: object) -> None:
        raise RuntimeError("the database says no")

    with monkeypatch.context() as while_broken, scripted.script([PAN]):
        while_broken.setattr(PendingConfirmation, "save", broken)
        with pytest.raises(RuntimeError):
            desk.write("2 panes")
    assert (PendingConfirmation.objects.count(), OutboundMessage.objects.count()) == (0, 0)
    assert desk.sweep() == [QUESTION]
    assert (PendingConfirmation.objects.count(), OutboundMessage.objects.count()) == (1, 1)


def test_nobody_holds_the_conversation_while_the_customer_thinks(desk: Desk) -> None:
    asked(desk)
    conversation = desk.conversation()
    assert (conversation.lease_token, conversation.lease_until) == (None, None)


def test_the_row_holds_the_arguments_as_they_will_run_their_digest_and_the_schema(desk: Desk) -> None:
    with scripted.script([asks(("make", {"name": "pan"}))]):
        desk.write("pan")
    row = desk.question()
    assert (row.arguments, row.fingerprint) == ({"name": "pan", "count": 1}, {"total": 5})
    assert (len(row.digest), len(row.schema_hash)) == (22, 16)


def test_the_need_for_a_yes_stays_decided_when_the_tool_stops_asking(desk: Desk, remake: Callable[..., None]) -> None:
    asked(desk)
    remake(confirm=False, fingerprint=None)
    with scripted.script([says("¿Entonces?")]):
        assert desk.write("déjame pensar") == ["¿Entonces?"]
    assert parts.things() == []


def test_each_of_several_is_priced_when_it_is_asked(desk: Desk) -> None:
    with scripted.script([asks(("make", {"name": "pan"}), ("make", {"name": "té"}))]):
        assert "Total: 5" in desk.write("pan y té")[0]
        parts.PRICES["each"] = 8
        assert "Total: 8" in desk.press("no")[0]


def test_a_no_is_a_result_that_forbids_to_try_again(desk: Desk) -> None:
    asked(desk)
    with scripted.script([says("Vale.")]):
        desk.write("no")
    result = json.loads(ToolCall.objects.get().result)
    assert (result["executed"], result["reason"]) == (False, "denied")
    assert "Do not retry" in result["note"]


def test_what_is_not_to_be_had_any_more_is_not_done_and_the_model_may_offer_another(
    desk: Desk, remake: Callable[..., None]
) -> None:
    left = [True]

    def cost(args: parts.Thing, ctx: ToolContext) -> dict[str, int]:
        if not left:
            raise ToolRetry("pan is sold out; offer café instead.")
        return parts.cost(args, ctx)

    remake(fingerprint=cost)
    asked(desk)
    left.clear()
    with scripted.script([says("Se acabó el pan. ¿Un café?")]) as script:
        assert desk.write("sí") == ["Se acabó el pan. ¿Un café?"]
    assert "offer café instead" in str(script.calls[0].messages[-1])
    assert parts.things() == []


# Notices.


def test_the_notice_of_an_expiry_can_be_switched_off(desk: Desk) -> None:
    BotProfile.objects.update(expired_notice=False)
    asked(desk)
    clock.shift(121)
    assert desk.sweep() == []
    assert desk.question().state == "expired"


def test_a_person_who_took_over_is_not_talked_into(desk: Desk) -> None:
    """Neither a notice of expiry nor one of a settled question."""
    desk.channel = "plain"
    asked(desk)
    key = desk.question().key
    staffing.take_over(desk.conversation().pk)
    clock.shift(121)
    assert desk.sweep() == []
    assert desk.press("yes", key=key) == []
    assert parts.things() == []


@pytest.mark.parametrize(("on", "notices"), [(False, []), (True, ["Recibido: sí."])])
def test_that_an_answer_was_understood_is_told_only_where_the_profile_wants_it(
    desk: Desk, on: bool, notices: list[str]
) -> None:
    if on:
        BotProfile.objects.update(answered_notice=True)
    asked(desk)
    with scripted.script([says("Listo.")]):
        assert desk.write("sí") == [*notices, "Listo."]


def test_an_answered_question_shows_the_choice_where_a_channel_can_edit(desk: Desk) -> None:
    asked(desk)
    with scripted.script([says("Listo.")]):
        desk.press("yes")
    assert shown().choice == "Sí"
    other = Desk(channel="plain", address="visitor-2", published=desk.published)
    with scripted.script([PAN, says("Listo.")]):
        other.write("2 panes")
        other.write("sí")
    assert shown().choice == ""


# Words of the shop's own.

WORDS: list[tuple[str, dict[str, Any], int]] = [
    ("hágale pues", {}, 0),
    ("hágale pues", {"word_regions": ["CO"]}, 1),
    ("listo el pollo", {"yes_words": "listo el pollo"}, 1),
    ("sí", {"yes_words": "listo el pollo"}, 1),
    ("sí", {"yes_words": "listo el pollo", "words_replace": True}, 0),
]


@pytest.mark.parametrize(("answer", "changes", "made"), WORDS)
def test_a_profile_extends_or_replaces_the_words(desk: Desk, answer: str, changes: dict[str, Any], made: int) -> None:
    BotProfile.objects.update(**changes)
    asked(desk)
    with scripted.script([says("Bien.")]):
        desk.write(answer)
    assert len(parts.things()) == made


def test_a_burst_is_one_answer(desk: Desk) -> None:
    asked(desk)
    desk.receive("sí")
    desk.receive("por favor")
    with scripted.script([says("Listo.")]):
        desk.drain()
    assert (len(parts.things()), desk.said()[-1]) == (1, "Listo.")


def test_a_yes_press_is_no_yes_to_a_question_that_followed(desk: Desk) -> None:
    asked(desk)
    first = desk.question().key
    with scripted.script([asks(("make", {"name": "té"}))]):
        desk.write("mejor té")
    desk.write("Sí", kind=EventKind.PRESS, payload=f"confirm:{first}:yes")
    assert (parts.things(), desk.question().state) == ([], "pending")


def test_a_tool_whose_own_words_break_is_told_to_the_model_and_asks_nobody(
    desk: Desk, remake: Callable[..., None]
) -> None:
    def broken(args: Any, ctx: Any) -> list[str]:
        raise KeyError("secret")

    for part in ("check", "confirm_lines", "confirm_message", "fingerprint"):
        remake(**{part: broken})
        with scripted.script([PAN, says("Lo siento.")]) as script:
            assert desk.write("2 panes") == ["Lo siento."]
        assert "failed (KeyError)" in str(script.calls[1].messages)
        assert "secret" not in str(script.calls[1].messages)
    assert desk.events().count("tool.error") == 4


def test_a_question_that_could_not_go_yet_is_not_asked_once_it_is_over(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sender's pause ends: the customer wrote meanwhile, and only the question made since is theirs."""
    held = pacing.held
    monkeypatch.setattr(pacing, "held", lambda row: pacing.Hold(60.0))
    with scripted.script([PAN, PAN]):
        desk.write("2 panes")
        desk.write("¿siguen ahí? 2 panes")
    monkeypatch.setattr(pacing, "held", held)
    clock.shift(61)
    desk.sweep()

    states = OutboundMessage.objects.order_by("id").values_list("kind", "state")
    assert list(states) == [("question", "withdrawn"), ("question", "sent")]
    assert desk.question().asked_at is not None
