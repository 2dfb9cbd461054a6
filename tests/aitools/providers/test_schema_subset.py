"""Schemas in the words that every vendor knows: what can't be said to a grammar is said to the model."""

from __future__ import annotations

from typing import Any

import pytest

from aitools.providers.schema_subset import plain, strict, without_nulls


def prop(schema: dict[str, Any], name: str = "x") -> Any:
    return plain({"type": "object", "properties": {name: schema}})["properties"][name]


def test_an_empty_schema_is_an_object_without_properties() -> None:
    assert plain({}) == {"type": "object", "properties": {}}


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        (
            {"type": "integer", "minimum": 1, "maximum": 50},
            {"type": "integer", "description": "(minimum 1, maximum 50)"},
        ),
        (
            {"type": "string", "description": "A name.", "maxLength": 9},
            {"type": "string", "description": "A name. (maxLength 9)"},
        ),
        ({"const": "pan"}, {"enum": ["pan"]}),
        ({"type": "string", "title": "X", "default": "a", "examples": ["b"], "x-choices": "y"}, {"type": "string"}),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, {"type": ["string", "null"]}),
        (
            {"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "null"}]},
            {"type": ["string", "null"], "enum": ["a", None]},
        ),
        (
            {"description": "One.", "anyOf": [{"type": "string", "maxLength": 3}, {"type": "null"}]},
            {"type": ["string", "null"], "description": "One. (maxLength 3)"},
        ),
        ({"oneOf": [{"type": "string"}, {"type": "integer"}]}, {"anyOf": [{"type": "string"}, {"type": "integer"}]}),
        ({"allOf": [{"type": "string", "description": "A."}]}, {"type": "string", "description": "A."}),
        ({"type": "array", "items": True}, {"type": "array"}),
        (True, {}),
    ],
)
def test_a_property_is_said_in_the_common_words(schema: Any, said: dict[str, Any]) -> None:
    assert prop(schema) == said


def test_a_property_may_be_named_like_a_keyword() -> None:
    schema = {"type": "object", "properties": {"title": {"type": "string"}, "minimum": {"type": "number"}}}

    assert plain(schema)["properties"] == {"title": {"type": "string"}, "minimum": {"type": "number"}}


def test_a_strict_schema_requires_all_and_takes_null_for_what_may_be_left_out() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "integer"}, "c": {"type": "string", "enum": ["x"]}},
        "required": ["a"],
    }

    assert strict(schema) == {
        "type": "object",
        "properties": {
            "a": {"type": "string"},
            "b": {"type": ["integer", "null"]},
            "c": {"type": ["string", "null"], "enum": ["x", None]},
        },
        "required": ["a", "b", "c"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object"},
        {"type": "object", "additionalProperties": {"type": "string"}},
        {},
        {"type": "array"},
        {"type": "string", "x-choices": "products", "enum": ["pan"]},
        {"type": "string", "enum": [str(number) for number in range(1001)]},
    ],
    ids=["free object", "map", "anything", "list of anything", "a set of the menu", "too many"],
)
def test_what_no_grammar_can_be_made_of_is_not_strict(schema: dict[str, Any]) -> None:
    assert strict({"type": "object", "properties": {"x": schema}, "required": ["x"]}) is None


def test_a_null_that_the_tool_does_not_take_was_left_out() -> None:
    item = {"type": "object", "properties": {"note": {"type": "string"}, "size": {"type": ["string", "null"]}}}
    schema = {
        "type": "object",
        "properties": {
            "items": {"anyOf": [{"type": "array", "items": item}, {"type": "null"}]},
            "name": {},
            "of": item,
        },
        "required": ["name"],
    }
    given = {"items": [{"note": None, "size": None}], "name": None, "of": {"note": None}}

    assert without_nulls(given, schema) == {"items": [{"size": None}], "name": None, "of": {}}
    assert without_nulls({"items": None, "of": None}, schema) == {"items": None}
