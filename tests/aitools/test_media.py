"""What came besides words: what the model is told of it, and what the customer is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from aitools import mediamarks
from aitools.models import BotProfile, ToolCall
from aitools.providers import scripted
from aitools.providers.scripted import asks, says
from aitools.types import Json, UserText
from tests.aitools.desk import Desk

PICTURE = mediamarks.unseen("image")
PAN = asks(("make", {"name": "pan", "count": 2}))


def medium(kind: str, mime_type: str = "", **more: Json) -> Mapping[str, Json]:
    return {"kind": kind, "mime_type": mime_type, "ref": "1", "filename": None, **more}


def sent(kind: str, **more: Any) -> dict[str, Any]:
    """The fields of a message that is one thing of this kind."""
    return {"message_kind": kind, "media": (medium(kind),)} | more


@pytest.fixture(autouse=True)
def _english(profile: BotProfile) -> None:
    BotProfile.objects.update(language="en")


@pytest.mark.parametrize(
    ("kinds", "answer"),
    [
        (["image"], "I can't see pictures. Please tell me in words what you would like."),
        (["image", "image", "image"], "I can't see pictures. Please tell me in words what you would like."),
        (["sticker"], "I can't see stickers. Please tell me in words what you would like."),
        (["video"], "I can't watch videos. Please tell me in words what you would like."),
        (["voice"], "I can't listen to voice notes. Please write to me what you need."),
        (["voice", "audio"], "I can't listen to voice notes. Please write to me what you need."),
        (["document"], "I can't open documents. Please write to me what you need."),
        (["contacts"], "I can't open contact cards. Please write to me what you need."),
        (["image", "sticker"], "I can read only text. Please write it to me."),
        (["unsupported"], "I can read only text. Please write it to me."),
        (["hologram"], "I can read only text. Please write it to me."),
    ],
)
def test_a_burst_without_words_is_answered_once_saying_what_to_do(desk: Desk, kinds: list[str], answer: str) -> None:
    *earlier, last = kinds
    for kind in earlier:
        desk.receive(**sent(kind))
    assert desk.write("", **sent(last)) == [answer]
    assert not ToolCall.objects.exists()


def test_a_reaction_is_answered_by_nobody(desk: Desk) -> None:
    assert desk.write("", message_kind="reaction", extra={"reaction": {"emoji": "👍"}}) == []


@pytest.mark.parametrize(
    ("text", "fields", "told"),
    [
        ("this one", sent("image"), f"{PICTURE}\nthis one"),
        ("these", {"message_kind": "image", "media": (medium("image"), medium("image"))}, f"{PICTURE}\nthese"),
        ("the list", sent("document"), f"{mediamarks.unseen('document')}\nthe list"),
        ("hi", {}, "hi"),
    ],
)
def test_the_model_is_told_in_words_what_came_with_the_words(
    desk: Desk, text: str, fields: dict[str, Any], told: str
) -> None:
    with scripted.script([says("Which?")]) as script:
        desk.write(text, **fields)
    assert script.calls[0].messages[-1] == UserText(told)


@pytest.mark.parametrize(
    ("name", "mime_type", "reads"),
    [
        ("factura.pdf", "application/pdf", False),
        ("factura.pdf", "image/png", True),
        ("quiero 2 panes.pdf por favor", "application/pdf", True),
    ],
)
def test_the_bare_name_of_a_document_is_no_message(desk: Desk, name: str, mime_type: str, *, reads: bool) -> None:
    fields = {"message_kind": "document", "media": (medium("document", mime_type),)}
    with scripted.script([says("Yes.")] if reads else []):
        answer = desk.write(name, **fields)
    assert answer == (["Yes."] if reads else ["I can't open documents. Please write to me what you need."])


@pytest.mark.parametrize("text", ["", "yes"])
def test_a_picture_under_a_question_is_no_yes_to_it(desk: Desk, text: str) -> None:
    with scripted.script([PAN]):
        desk.write("2 pan")
    with scripted.script([says("A picture of what?")]) as script:
        assert desk.write(text, **sent("image")) == ["A picture of what?"]
    assert desk.calls() == [("make", "replied")]
    assert PICTURE in script.calls[0].messages[-1].results[0].content  # type: ignore[union-attr]


def test_marks_can_be_taken_out_of_a_text_again() -> None:
    text = f"{PICTURE}\n{mediamarks.VOICE} two croissants\nplease"
    assert mediamarks.unmarked(text) == "two croissants\nplease"
    assert mediamarks.kinds_in(text) == {"image"}
    assert mediamarks.kinds_in(mediamarks.unseen("hologram")) == {"unsupported"}
