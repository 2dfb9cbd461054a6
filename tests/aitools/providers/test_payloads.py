"""The common shapes: storable text, usable ids, schemas that vendors take."""

from __future__ import annotations

import pytest

from aitools.providers.payloads import arguments_from, asks_the_same, wire_id, wire_schema
from aitools.storable import storable
from aitools.types import AssistantStep, RequestedCall


def test_storable_json_keeps_everything_that_can_be_stored() -> None:
    value = {"ñ": ["🥐", "línea\n", 3, None, True, {"a": 1.5}]}

    assert storable(value) == value


def test_storable_json_marks_what_cannot() -> None:
    assert storable({"a\x00": ("b\udc00",)}) == {"a": ["b\ufffd"]}


@pytest.mark.parametrize("text", ["{}", ' {"a": {"b": [1]}} '])
def test_an_object_is_arguments(text: str) -> None:
    assert arguments_from(text) is not None


@pytest.mark.parametrize("text", ["", "{", "[]", '"{}"', "null", '{"a": Infinity}', '{"a": 1e999}', "1" * 5000])
def test_anything_else_is_not(text: str) -> None:
    assert arguments_from(text) is None


@pytest.mark.parametrize("own", ["call_1", "a-B_9", "x" * 64])
def test_a_usable_id_is_kept(own: str) -> None:
    assert wire_id(own) == own


@pytest.mark.parametrize("own", ["turn:7/call:1", "ñ", "", "x" * 65])
def test_an_unusable_id_is_replaced_by_a_stable_usable_one(own: str) -> None:
    assert wire_id(own) == wire_id(own) == wire_id(wire_id(own))
    assert wire_id(own) != own
    assert len(wire_id(own)) <= 64


def test_different_ids_stay_different() -> None:
    assert wire_id("a:1") != wire_id("a/1")


@pytest.mark.parametrize(
    ("vendor_ids", "usable"), [(("a", "b"), True), ((), True), (("a", "a"), False), (("",), False)]
)
def test_a_raw_turn_needs_one_id_for_each_call(vendor_ids: tuple[str, ...], usable: bool) -> None:
    calls = tuple(RequestedCall(f"own-{number}", "view_menu", {}, one) for number, one in enumerate(vendor_ids))

    assert asks_the_same(AssistantStep("", calls, ()), vendor_ids) is usable


def test_a_raw_turn_is_of_other_calls_when_their_order_differs() -> None:
    calls = (RequestedCall("1", "view_menu", {}, "a"), RequestedCall("2", "view_menu", {}, "b"))

    assert not asks_the_same(AssistantStep("", calls, ()), ["b", "a"])


def test_a_schema_loses_our_marks_and_titles_but_no_property() -> None:
    schema = {
        "title": "Args",
        "properties": {
            "title": {"type": "string", "title": "Title"},
            "properties": {"type": "object", "properties": {"x": {"title": "X", "x-choices": "products"}}},
            "items": {"type": "array", "items": {"anyOf": [{"x-choices": "a", "enum": ["k"]}, {"type": "null"}]}},
        },
    }

    assert wire_schema(schema) == {
        "type": "object",
        "properties": {
            "title": {"type": "string"},
            "properties": {"type": "object", "properties": {"x": {}}},
            "items": {"type": "array", "items": {"anyOf": [{"enum": ["k"]}, {"type": "null"}]}},
        },
    }


def test_an_empty_schema_is_an_object_without_properties() -> None:
    assert wire_schema({}) == {"type": "object", "properties": {}}
