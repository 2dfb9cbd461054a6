"""Every tool of the shop in the words of every vendor: none that it would refuse, nothing lost that the tool takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from aitools.providers import schema_subset
from aitools.providers.scripted import says
from aitools.tools import ToolSet, registry
from aitools.types import Json, ToolSpec
from tests.aitools.providers.cases import provider_at, request
from tests.aitools.providers.wires import WIRES
from tests.orders.factories import load_sample
from tests.wire.vendors import vendor_server

ITEM = {"product": "croissant", "quantity": 2}
#: Arguments that the tools take: the fewest, and all of them.
TAKEN: dict[str, list[dict[str, Json]]] = {
    "my_orders": [{}],
    "order_status": [{"order": "C-17"}],
    "create_order": [
        {},
        {"items": [ITEM]},
        {
            "items": [{**ITEM, "variant": "grande", "options": ["leche:almendra"], "note": "sin azúcar"}],
            "name": "Ana",
            "branch": "centro",
            "pickup_at": "2026-11-24T18:00",
            "note": "alergia a la nuez",
        },
    ],
    "update_order": [{"order": "C-17", "items": [ITEM]}, {"order": "C-17", "items": [ITEM], "pickup_at": None}],
    "cancel_order": [{"order": "C-17"}, {"order": "C-17", "reason": "viaje"}],
    "check_hours": [{}, {"branch": "centro", "date": "2026-11-24"}, {"branch": None, "date": None}],
    "view_menu": [{}, {"category": "pan"}, {"category": None}],
    "search_products": [{"query": "croissant"}],
    "talk_to_person": [{"reason": "quiere hablar"}],
    "quote_order": [{"items": []}, {"items": [{"product": "cruasán", "quantity": 2}], "branch": "centro"}],
}

_SHAPE = {"type", "description", "enum", "properties", "required", "items", "anyOf", "additionalProperties"}
_LIMITS = {"minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "pattern", "format"}
#: The words that each vendor takes in a tool's schema. Anthropic, and OpenAI where it is not strict, take any.
WORDS = {
    "openai_chat": _SHAPE,
    "ollama": _SHAPE,
    "gemini": _SHAPE | {"format", "minimum", "maximum", "minItems", "maxItems", "prefixItems", "title"},
    "anthropic": _SHAPE | _LIMITS | {"default"},
    "openai": _SHAPE | _LIMITS | {"default"},
}


@pytest.fixture
def tools(transactional_db: None) -> tuple[ToolSpec, ...]:
    load_sample()
    return ToolSet(registry.all()).specs()


def test_the_arguments_here_are_of_every_tool_and_are_taken(tools: tuple[ToolSpec, ...]) -> None:
    assert {spec.name for spec in tools} == set(TAKEN)
    for spec in tools:
        for arguments in TAKEN[spec.name]:
            Draft202012Validator(dict(spec.schema)).validate(arguments)


@pytest.mark.parametrize("kind", sorted(WIRES))
def test_every_tool_is_said_in_the_vendors_words_and_takes_what_it_took(tools: tuple[ToolSpec, ...], kind: str) -> None:
    sent = on_the_wire(kind, tools)
    for spec in tools:
        schema = sent[spec.name]
        Draft202012Validator.check_schema(schema)
        assert {word for node in nodes(schema) for word in node} <= WORDS[kind]
        for arguments in TAKEN[spec.name]:
            Draft202012Validator(schema).validate(in_full(arguments, schema) if is_strict(schema) else arguments)


@pytest.mark.parametrize("kind", sorted(WIRES))
def test_the_closed_sets_are_on_the_wire(tools: tuple[ToolSpec, ...], kind: str) -> None:
    schema = on_the_wire(kind, tools)["create_order"]

    assert ["croissant" in node["enum"] for node in nodes(schema) if "pan-campesino" in node.get("enum", ())] == [True]


@pytest.mark.parametrize("kind", ["openai_chat", "ollama"])
def test_limits_that_are_not_on_the_wire_are_in_words(tools: tuple[ToolSpec, ...], kind: str) -> None:
    said = [node.get("description", "") for node in nodes(on_the_wire(kind, tools)["create_order"])]

    assert any("(minimum 1, maximum 500)" in one for one in said)


def test_what_a_strict_grammar_lets_pass_is_what_the_tool_takes(tools: tuple[ToolSpec, ...]) -> None:
    strict = [(spec, schema) for spec in tools if (schema := schema_subset.strict(spec.schema)) is not None]

    assert {spec.name for spec, _ in strict} >= {"order_status", "cancel_order", "search_products", "my_orders"}
    for spec, schema in strict:
        for arguments in TAKEN[spec.name]:
            full = in_full(arguments, schema)
            Draft202012Validator(schema).validate(full)
            Draft202012Validator(dict(spec.schema)).validate(schema_subset.without_nulls(full, spec.schema))


def test_tools_whose_sets_change_with_the_menu_get_no_grammar(tools: tuple[ToolSpec, ...]) -> None:
    without = {spec.name for spec in tools if schema_subset.strict(spec.schema) is None}

    assert {"create_order", "update_order", "quote_order", "view_menu", "check_hours"} <= without


def on_the_wire(kind: str, tools: tuple[ToolSpec, ...]) -> dict[str, Any]:
    """Each tool's schema as the vendor was sent it."""
    with vendor_server([says("Hola.")]) as server:
        provider_at(server, kind).complete(request(tools=tools))
    sent = server.received[-1].body["tools"]
    listed = sent[0]["functionDeclarations"] if kind == "gemini" else [one.get("function", one) for one in sent]
    keys = ("parameters", "input_schema", "parametersJsonSchema")
    return {one["name"]: next(one[key] for key in keys if key in one) for one in listed}


def nodes(node: Json) -> Iterator[Mapping[str, Json]]:
    """A schema and all inside it; no properties that are only named like a keyword."""
    yield node
    inner = [*node.get("properties", {}).values(), *node.get("anyOf", ()), node.get("items")]
    for one in inner:
        if isinstance(one, dict):
            yield from nodes(one)


def is_strict(schema: Mapping[str, Json]) -> bool:
    return schema.get("additionalProperties") is False and set(schema.get("required", ())) == set(schema["properties"])


def in_full(arguments: Mapping[str, Json], schema: Mapping[str, Json]) -> dict[str, Json]:
    """The arguments as a strict grammar makes a model write them: null for what is left out."""
    return dict.fromkeys(schema["properties"]) | dict(arguments)
