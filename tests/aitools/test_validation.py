"""Checking arguments before anybody is asked."""

from __future__ import annotations

import json
from typing import Annotated, Any

import pytest
from django.db import OperationalError
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, model_validator

from aitools.tools import BoundTool, Tool, ToolContext, bind
from aitools.types import ToolRequest
from aitools.validation import NOT_ASKED, Invalid, Valid, digest_of, validate


class Item(BaseModel):
    model_config = ConfigDict(extra="forbid")
    product: str = Field(min_length=1, max_length=60)
    quantity: Annotated[int, Field(strict=True, ge=1, le=500)]
    note: str | None = None


class Order(BaseModel):
    model_config = ConfigDict(extra="forbid")
    items: list[Item]


JSON_SCHEMA = {
    "type": "object",
    "properties": {"quantity": {"type": "integer", "minimum": 1, "maximum": 500}},
    "required": ["quantity"],
    "additionalProperties": False,
}


def nothing(args: Any, ctx: ToolContext) -> None: ...


def bound(schema: Any = Order) -> BoundTool:
    return bind(Tool("work", "Works.", nothing, schema))


def check(arguments: Any, schema: Any = Order) -> Valid | Invalid:
    return validate(bound(schema), ToolRequest("work", arguments))


def order(**item: Any) -> dict[str, Any]:
    return {"items": [{"product": "pan", "quantity": 2} | item]}


def test_good_arguments_are_parsed_for_the_handler_and_plain_for_the_row() -> None:
    valid = check(order())
    assert isinstance(valid, Valid)
    assert valid.parsed == Order(items=[Item(product="pan", quantity=2)])
    assert valid.arguments == {"items": [{"product": "pan", "quantity": 2, "note": None}]}


@pytest.mark.parametrize("quantity", [0, -2, 2.5, 2.0, 1e9, 501, 10**9, "2", "dos mil", True, None, [], {}])
def test_a_quantity_is_a_whole_number_from_1_to_500(quantity: object) -> None:
    invalid = check(order(quantity=quantity))
    assert isinstance(invalid, Invalid)
    assert "items[0].quantity" in invalid.reason


@pytest.mark.parametrize("quantity", [0, -2, 2.5, 1e9, 501, "2", True, None])
def test_plain_json_schema_is_as_strict(quantity: object) -> None:
    invalid = check({"quantity": quantity}, JSON_SCHEMA)
    assert isinstance(invalid, Invalid)
    assert invalid.reason.startswith("quantity: ")


@pytest.mark.parametrize("extra", ["price", "precio", "total", "customer", "__class__"])
def test_no_key_slips_in(extra: str) -> None:
    assert isinstance(check(order(**{extra: 1})), Invalid)
    assert isinstance(check({"quantity": 1, extra: 1}, JSON_SCHEMA), Invalid)


def test_the_model_is_told_what_where_and_that_nobody_was_asked() -> None:
    invalid = check({"items": [{"product": "", "quantity": 0}]})
    assert isinstance(invalid, Invalid)
    assert "items[0].product: String should have at least 1 character" in invalid.reason
    assert "items[0].quantity: Input should be greater than or equal to 1" in invalid.reason
    assert invalid.reason.endswith(NOT_ASKED)


def test_plain_json_schema_says_the_same() -> None:
    invalid = check({"quantity": 0, "x": 1}, JSON_SCHEMA)
    assert isinstance(invalid, Invalid)
    assert "quantity: 0 is less than the minimum of 1" in invalid.reason
    assert "arguments: Additional properties are not allowed ('x' was unexpected)" in invalid.reason
    assert invalid.reason.endswith(NOT_ASKED)


def test_a_wrong_one_of_many_gets_the_nearest_right_ones() -> None:
    many = [f"screw-{number}" for number in range(3000)] + ["hammer"]
    schema = {"type": "object", "properties": {"part": {"enum": many}}}
    invalid = check({"part": "hamer"}, schema)
    assert isinstance(invalid, Invalid)
    assert invalid.reason.startswith("part: 'hamer' is not allowed; nearest: hammer, ")
    assert len(invalid.reason) < 300


def test_a_wrong_one_of_few_gets_all_of_them() -> None:
    invalid = check({"size": "huge"}, {"type": "object", "properties": {"size": {"enum": ["small", "big"]}}})
    assert isinstance(invalid, Invalid)
    assert "'huge' is not one of ['small', 'big']" in invalid.reason


def test_of_several_ways_the_nearest_miss_is_told() -> None:
    either = {"anyOf": [{"type": "null"}, {"type": "object", "required": ["street"], "properties": {"street": {}}}]}
    invalid = check({"address": {}}, {"type": "object", "properties": {"address": either}})
    assert isinstance(invalid, Invalid)
    assert "address: 'street' is a required property" in invalid.reason


def test_formats_are_checked_too() -> None:
    schema = {"type": "object", "properties": {"day": {"type": "string", "format": "date"}}}
    assert isinstance(check({"day": "2026-02-30"}, schema), Invalid)
    assert isinstance(check({"day": "2026-02-28"}, schema), Valid)


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_no_number_slips_in_that_a_database_refuses(number: float) -> None:
    assert isinstance(check({"x": number}, {"type": "object"}), Invalid)


def test_arguments_nested_without_end_are_refused() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    assert isinstance(check({"x": deep}, {"type": "object"}), Invalid)


def test_a_handler_may_do_as_it_likes_with_its_arguments() -> None:
    given: dict[str, Any] = {"names": ["a"]}
    valid = check(given, {"type": "object"})
    assert isinstance(valid, Valid)
    valid.parsed["names"].append("b")
    assert valid.arguments == given == {"names": ["a"]}


def test_a_validator_that_breaks_is_told_to_the_model_without_its_words() -> None:
    class Broken(BaseModel):
        @model_validator(mode="after")
        def fail(self) -> Broken:
            raise KeyError("secret")

    invalid = check({}, Broken)
    assert isinstance(invalid, Invalid)
    assert "could not be checked (KeyError)" in invalid.reason
    assert "secret" not in invalid.reason


def test_a_database_that_is_away_is_no_fault_of_the_arguments() -> None:
    class Away(BaseModel):
        @model_validator(mode="after")
        def fail(self) -> Away:
            raise OperationalError("the server closed the connection")

    with pytest.raises(OperationalError):
        check({}, Away)


def test_what_was_no_object_is_told_so() -> None:
    invalid = check(None)
    assert isinstance(invalid, Invalid)
    assert "not a JSON object" in invalid.reason


def test_a_thousand_faults_are_not_all_told() -> None:
    invalid = check({"items": [{"product": "", "quantity": 0}] * 1000})
    assert isinstance(invalid, Invalid)
    assert len(invalid.reason) < 1000


@pytest.mark.parametrize("arguments", [{}, {"items": "pan"}, {"items": [None]}, {"items": {"0": {}}}, {"": 1}])
def test_any_shape_is_answered(arguments: dict[str, Any]) -> None:
    assert isinstance(check(arguments), Invalid)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(["items", "quantity", "x"]), json_values))
def test_no_arguments_break_the_check(arguments: dict[str, Any]) -> None:
    for schema in (Order, JSON_SCHEMA):
        assert isinstance(check(arguments, schema), Valid | Invalid)


@settings(deadline=None)
@given(st.lists(st.builds(Item, product=st.text(min_size=1, max_size=9), quantity=st.integers(1, 500)), max_size=3))
def test_what_is_stored_is_valid_again_with_the_same_digest(items: list[Item]) -> None:
    """A yes comes minutes later: the row must mean what the customer was asked."""
    first = check(Order(items=items).model_dump())
    assert isinstance(first, Valid)
    again = check(json.loads(json.dumps(first.arguments)))
    assert isinstance(again, Valid)
    assert (again.digest, again.parsed) == (first.digest, first.parsed)


def test_the_digest_knows_no_order_of_keys_but_every_value() -> None:
    assert digest_of({"a": 1, "b": [1, 2]}) == digest_of({"b": [1, 2], "a": 1})
    assert len({digest_of({"a": value}) for value in (1, "1", 2, None, [1], "é", "e\u0301")}) == 7


def test_left_out_defaults_and_written_ones_are_the_same_call() -> None:
    short, full = check(order()), check(order(note=None))
    assert isinstance(short, Valid)
    assert isinstance(full, Valid)
    assert short.digest == full.digest


@pytest.mark.parametrize("number", [1e16, 1.5e16, 1e22, -0.0, 2.0, 0.1, 1e-7])
def test_a_number_has_one_digest_whatever_form_the_database_gives_it(number: float) -> None:
    stored = int(number) if number.is_integer() else number
    assert digest_of({"a": [number]}) == digest_of({"a": [stored]})
