"""Closed sets: current at each turn, forgiving in what they suggest, strict in what they take."""

from __future__ import annotations

from typing import Annotated

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError

from aitools.choices import INLINE_LIMIT, Choice, ChoiceSource, ClosedSet

MENU = [
    Choice("croissant", "Croissant", ("cruasán", "medialuna")),
    Choice("pan-de-bono", "Pan de bono", ("pandebono",)),
    Choice("pan-de-yuca", "Pan de yuca"),
    Choice("cafe", "Café", ("tinto",)),
]


def source(members: list[Choice], search_tool: str = "search_products") -> ChoiceSource:
    return ChoiceSource("products", lambda: members, search_tool=search_tool)


def schema_of(members: list[Choice], search_tool: str = "search_products") -> dict[str, object]:
    closed = Annotated[str, ClosedSet(source(members, search_tool))]
    return TypeAdapter(closed).json_schema()


@pytest.mark.parametrize(
    ("word", "key"),
    [
        ("croissants", "croissant"),
        ("CRUASAN", "croissant"),
        ("media luna", "croissant"),
        ("pandebonos", "pan-de-bono"),
        ("pan de yucca", "pan-de-yuca"),
        ("tinto", "cafe"),
        ("cafe", "cafe"),
    ],
)
def test_the_nearest_is_found_by_key_label_or_alias(word: str, key: str) -> None:
    assert source(MENU).nearest(word)[0] == key


def test_the_nearest_are_few_and_none_twice() -> None:
    assert set(source(MENU).nearest("pan", limit=2)) == {"pan-de-bono", "pan-de-yuca"}
    many = [Choice(f"pan-{number}", f"Pan {number}", (f"pan número {number}",)) for number in range(50)]
    assert len(set(source(many).nearest("pan"))) == 5


@pytest.mark.parametrize("word", ["", "   ", "🥐", "\x00", "x" * 10_000])
def test_any_word_gets_an_answer(word: str) -> None:
    assert set(source(MENU).nearest(word)) <= {choice.key for choice in MENU}
    assert source([]).nearest(word) == []


def test_a_label_is_found_and_an_unknown_key_is_its_own() -> None:
    assert source(MENU).label("cafe") == "Café"
    assert source(MENU).label("te") == "te"


def test_a_short_set_is_written_into_the_schema() -> None:
    schema = schema_of(MENU)
    assert schema["enum"] == ["croissant", "pan-de-bono", "pan-de-yuca", "cafe"]
    assert schema["x-choices"] == "products"


def test_a_long_set_is_named_and_only_checked_here() -> None:
    long = [Choice(f"p{number}", f"P {number}") for number in range(INLINE_LIMIT + 1)]
    schema = schema_of(long)
    assert "enum" not in schema
    assert schema["description"] == "A key from search_products."
    assert len(str(schema)) < 200


def test_an_empty_set_forbids_nothing_to_the_model_and_everything_here() -> None:
    assert "enum" not in schema_of([], search_tool="")
    with pytest.raises(ValidationError, match="nearest: none"):
        TypeAdapter(Annotated[str, ClosedSet(source([]))]).validate_python("pan")


def test_a_wrong_key_is_answered_with_the_nearest_right_ones() -> None:
    class Line(BaseModel):
        product: Annotated[str, ClosedSet(source(MENU))]

    assert Line(product="cafe").product == "cafe"
    with pytest.raises(ValidationError, match="'croisant' is not one of products; nearest: croissant"):
        Line(product="croisant")


def test_labels_and_aliases_are_no_keys() -> None:
    closed = TypeAdapter(Annotated[str, ClosedSet(source(MENU))])
    for word in ("Croissant", "cruasán", " cafe", "CAFE"):
        with pytest.raises(ValidationError):
            closed.validate_python(word)


def test_the_set_is_read_anew_each_time() -> None:
    members = list(MENU)
    closed = TypeAdapter(Annotated[str, ClosedSet(source(members))])
    members.append(Choice("te", "Té"))
    assert closed.validate_python("te") == "te"
    members.clear()
    with pytest.raises(ValidationError):
        closed.validate_python("te")
