"""What goes over the wire, word for word, for the talk that has everything."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest

from aitools.providers.payloads import wrapped
from aitools.types import (
    AssistantStep,
    AssistantText,
    CallResult,
    ModelRequest,
    Nudge,
    RequestedCall,
    ToolSpec,
    UserText,
)
from tests.aitools.providers.cases import provider_over, request
from tests.wire.vendors import API_KEY

MODEL = "model-1"
ORIGIN = f"{MODEL}@http://vendor.test"

QUOTE = ToolSpec(
    name="quote_order",
    description="Price an order.",
    schema={
        "title": "Args",
        "type": "object",
        "properties": {
            "title": {"type": "string", "title": "Title"},
            "product": {"type": "string", "enum": ["pan", "torta"], "x-choices": "products"},
        },
        "required": ["product"],
        "additionalProperties": False,
    },
)
QUOTE_ON_THE_WIRE = {
    "type": "object",
    "properties": {"title": {"type": "string"}, "product": {"type": "string", "enum": ["pan", "torta"]}},
    "required": ["product"],
    "additionalProperties": False,
}

CALLS = (RequestedCall("7/1", "quote_order", {"product": "pan"}, "v_1"), RequestedCall("ok-2", "view_menu", {}, "v_2"))
RESULTS = (
    CallResult("7/1", "quote_order", '{"total": "$700"}', vendor_id="v_1"),
    CallResult("ok-2", "view_menu", "The menu is closed.", is_error=True, vendor_id="v_2"),
)
#: "7/1" is not in the vendors' alphabet; this stands for it.
OWN_ID = "call_d3d2f5798ea0625e5aadfd88"


def _sent(kind: str, asked: ModelRequest) -> tuple[dict[str, Any], httpx2.Request]:
    seen: list[httpx2.Request] = []

    def answer(received: httpx2.Request) -> httpx2.Response:
        seen.append(received)
        return httpx2.Response(200, json={"content": [], "output": [], "status": "completed"})

    provider_over(kind, answer, model=MODEL).complete(asked)
    return json.loads(seen[0].content), seen[0]


def _talk(raw: Any, provider: str) -> ModelRequest:
    step = AssistantStep("Miro.", CALLS, RESULTS, raw=raw, provider=provider)
    talk = (UserText("Hola"), AssistantText("¡Hola!"), UserText("¿Un pan?"), step, Nudge("Answer in Spanish."))
    return request(*talk, tools=(QUOTE,), max_output_tokens=700)


def test_anthropic_gets_one_message_with_all_results() -> None:
    body, received = _sent("anthropic", _talk(None, "openai"))

    assert body == {
        "model": MODEL,
        "max_tokens": 700,
        "system": [{"type": "text", "text": "You take orders.", "cache_control": {"type": "ephemeral"}}],
        "tools": [
            {
                "name": "quote_order",
                "description": "Price an order.",
                "input_schema": QUOTE_ON_THE_WIRE,
                "cache_control": {"type": "ephemeral"},
            }
        ],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "Hola"}]},
            {"role": "assistant", "content": [{"type": "text", "text": "¡Hola!"}]},
            {"role": "user", "content": [{"type": "text", "text": "¿Un pan?"}]},
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "Miro."},
                    {"type": "tool_use", "id": OWN_ID, "name": "quote_order", "input": {"product": "pan"}},
                    {"type": "tool_use", "id": "ok-2", "name": "view_menu", "input": {}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": OWN_ID, "content": '{"total": "$700"}'},
                    {
                        "type": "tool_result",
                        "tool_use_id": "ok-2",
                        "content": "The menu is closed.",
                        "is_error": True,
                    },
                ],
            },
            {"role": "user", "content": [{"type": "text", "text": "Answer in Spanish."}]},
        ],
    }
    assert received.url.path == "/v1/messages"
    assert received.headers["authorization"] == f"Bearer {API_KEY}"
    assert received.headers["anthropic-version"] == "2026-10-21"


def test_openai_gets_items_and_stores_nothing() -> None:
    body, received = _sent("openai", _talk(None, "anthropic"))

    assert body == {
        "model": MODEL,
        "max_output_tokens": 3500,
        "store": False,
        "include": ["reasoning.encrypted_content"],
        "instructions": "You take orders.",
        "tools": [
            {
                "type": "function",
                "name": "quote_order",
                "description": "Price an order.",
                "parameters": QUOTE_ON_THE_WIRE,
                "strict": False,
            }
        ],
        "input": [
            {"role": "user", "content": "Hola"},
            {"role": "assistant", "content": "¡Hola!"},
            {"role": "user", "content": "¿Un pan?"},
            {"role": "assistant", "content": "Miro."},
            {"type": "function_call", "call_id": OWN_ID, "name": "quote_order", "arguments": '{"product": "pan"}'},
            {"type": "function_call", "call_id": "ok-2", "name": "view_menu", "arguments": "{}"},
            {"type": "function_call_output", "call_id": OWN_ID, "output": '{"total": "$700"}'},
            {"type": "function_call_output", "call_id": "ok-2", "output": '{"error": "The menu is closed."}'},
            {"role": "user", "content": "Answer in Spanish."},
        ],
    }
    assert received.url.path == "/responses"
    assert received.headers["authorization"] == f"Bearer {API_KEY}"


def test_models_that_do_not_reason_are_neither_asked_for_it_nor_given_room() -> None:
    seen: list[dict[str, Any]] = []

    def answer(received: httpx2.Request) -> httpx2.Response:
        seen.append(json.loads(received.content))
        return httpx2.Response(200, json={"output": [], "status": "completed"})

    provider_over("openai", answer, model="gpt-4.1-mini").complete(request(max_output_tokens=700))

    assert "include" not in seen[0]
    assert seen[0]["max_output_tokens"] == 700


@pytest.mark.parametrize("kind", ["anthropic", "openai"])
def test_without_tools_and_prompt_their_keys_are_absent(kind: str) -> None:
    body, _ = _sent(kind, request(tools=(), system=" "))

    assert {"tools", "system", "instructions"}.isdisjoint(body)


BLOCKS: list[dict[str, Any]] = [
    {"type": "thinking", "thinking": "…", "signature": "sig"},
    {"type": "text", "text": "Miro."},
    {"type": "tool_use", "id": "v_1", "name": "quote_order", "input": {"product": "pan"}, "caller": {"type": "direct"}},
    {"type": "tool_use", "id": "v_2", "name": "view_menu", "input": {}},
]


def _anthropic_turn(*blocks: Any) -> list[Any]:
    body, _ = _sent("anthropic", _talk(wrapped(ORIGIN, blocks), "anthropic"))
    turn: list[Any] = body["messages"][3]["content"]
    return turn


def test_anthropic_gets_its_own_turn_back_as_it_was() -> None:
    body, _ = _sent("anthropic", _talk(wrapped(ORIGIN, BLOCKS), "anthropic"))

    assert body["messages"][3]["content"] == BLOCKS
    assert [block["tool_use_id"] for block in body["messages"][4]["content"]] == ["v_1", "v_2"]


def test_anthropic_empty_text_and_broken_input_are_mended() -> None:
    broken = [{"type": "text", "text": ""}, {**BLOCKS[2], "input": "{cut"}, BLOCKS[3]]

    assert _anthropic_turn(*broken) == [{**BLOCKS[2], "input": {}}, BLOCKS[3]]


@pytest.mark.parametrize(
    "blocks",
    [BLOCKS[:3], [*BLOCKS[:3], BLOCKS[2]], [*BLOCKS[1:], BLOCKS[0]], []],
    ids=["a call is missing", "an id twice", "ends in thinking", "empty"],
)
def test_anthropic_gets_the_plain_form_when_the_raw_turn_would_be_refused(blocks: list[Any]) -> None:
    assert [block.get("id") for block in _anthropic_turn(*blocks)] == [None, OWN_ID, "ok-2"]


ITEMS: list[dict[str, Any]] = [
    {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"},
    {"type": "function_call", "id": "fc_1", "call_id": "v_1", "name": "quote_order", "arguments": '{"product":"pan"}'},
    {"type": "function_call", "id": "fc_2", "call_id": "v_2", "name": "view_menu", "arguments": "{}"},
]


def _openai_turn(*items: Any) -> list[Any]:
    body, _ = _sent("openai", _talk(wrapped(ORIGIN, items), "openai"))
    return [item for item in body["input"][3:] if item.get("type") in ("reasoning", "function_call")]


def test_openai_gets_its_own_items_back_as_they_were() -> None:
    body, _ = _sent("openai", _talk(wrapped(ORIGIN, ITEMS), "openai"))

    assert body["input"][3:6] == ITEMS
    assert [item["call_id"] for item in body["input"][6:8]] == ["v_1", "v_2"]


def test_openai_never_gets_broken_arguments_back() -> None:
    assert _openai_turn(ITEMS[0], {**ITEMS[1], "arguments": '{"product": "pa'}, ITEMS[2])[1]["arguments"] == "{}"


@pytest.mark.parametrize(
    "items",
    [ITEMS[:2], [*ITEMS[1:], ITEMS[0]], [{"type": "reasoning", "id": "rs_1"}, *ITEMS[1:]]],
    ids=["a call is missing", "ends in reasoning", "reasoning not encrypted"],
)
def test_openai_gets_the_plain_form_when_the_items_would_be_refused(items: list[Any]) -> None:
    assert [item["call_id"] for item in _openai_turn(*items)] == [OWN_ID, "ok-2"]
