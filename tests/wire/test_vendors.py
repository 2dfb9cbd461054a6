"""The fake vendors refuse what the real ones refuse; else our adapters prove nothing."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from aitools.providers.scripted import asks, says
from aitools.types import ModelReply
from tests.wire import chat_api, messages_api, ollama_api, responses_api
from tests.wire.issued import Issued
from tests.wire.vendors import vendor_server

HEADERS = {"anthropic-version": "2026-10-21"}
CALL = asks(("view_menu", {}))

TALK: dict[str, Any] = {
    "model": "m",
    "max_tokens": 100,
    "messages": [
        {"role": "user", "content": "Hola"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "view_menu", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "ok"}]},
    ],
}
INPUT: list[dict[str, Any]] = [
    {"role": "user", "content": "Hola"},
    {"type": "function_call", "call_id": "c1", "name": "view_menu", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "c1", "output": "ok"},
]


def _messages(change: Any = None, issued: Issued | None = None) -> str:
    body = deepcopy(TALK)
    if change:
        change(body)
    return messages_api.complaint(body, HEADERS, issued or Issued())


def _responses(items: list[dict[str, Any]], issued: Issued | None = None, **fields: Any) -> str:
    return responses_api.complaint({"model": "m", "input": items, **fields}, {}, issued or Issued())


def test_right_requests_pass() -> None:
    assert not _messages()
    assert not _responses(INPUT)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda body: body.update(temperature=0), "Extra inputs"),
        (lambda body: body.pop("max_tokens"), "max_tokens"),
        (lambda body: body["messages"].pop(0), "first message"),
        (lambda body: body["messages"].pop(), "prefill"),
        (lambda body: body["messages"].pop(1), "tool_result"),
        (lambda body: body["messages"].insert(2, {"role": "user", "content": "Y?"}), "immediately after"),
        (lambda body: body["messages"][2]["content"].insert(0, {"type": "text", "text": "x"}), "come first"),
        (lambda body: body["messages"][2]["content"].append(body["messages"][2]["content"][0]), "immediately after"),
        (lambda body: body["messages"].append({"role": "user", "content": " "}), "non-empty"),
        (lambda body: body["messages"].append({"role": "tool", "content": "x"}), "role"),
        (lambda body: body["messages"][1]["content"][0].update(id="a:b"), "pattern"),
        (lambda body: body["messages"][1]["content"][0].update(input="{}"), "dictionary"),
        (lambda body: body.update(tools=[{"name": "a b", "input_schema": {"type": "object"}}]), "pattern"),
        (lambda body: body.update(tools=[{"name": "a", "input_schema": {}}]), "input_schema"),
    ],
)
def test_anthropic_refuses(change: Any, said: str) -> None:
    assert said in _messages(change)


def test_anthropic_refuses_an_old_version_header() -> None:
    assert "anthropic-version" in messages_api.complaint(TALK, {}, Issued())


@pytest.mark.parametrize(
    ("items", "said"),
    [
        (INPUT[:2], "No tool output found"),
        ([INPUT[0], INPUT[2]], "No tool call found"),
        ([*INPUT, INPUT[2]], "Duplicate"),
        ([{"role": "tool", "content": "x"}], "Invalid value"),
        ([INPUT[0], {**INPUT[1], "arguments": "{"}, INPUT[2]], "Invalid arguments"),
        ([{"type": "reasoning", "id": "rs_1", "encrypted_content": "x"}, INPUT[0]], "required following item"),
        ([{"type": "reasoning", "id": "rs_1"}, *INPUT[1:]], "not persisted"),
        ([], "input"),
    ],
)
def test_openai_refuses(items: list[dict[str, Any]], said: str) -> None:
    assert said in _responses(items)


def test_openai_refuses_parameters_it_does_not_know() -> None:
    assert "temperature" in _responses(INPUT, temperature=0)
    assert "tools" in _responses(INPUT, tools=[{"type": "function", "name": "a", "parameters": {}}])


ASKING: dict[str, Any] = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "view_menu", "arguments": "{}"}}],
}
CHAT: list[dict[str, Any]] = [
    {"role": "system", "content": "You take orders."},
    {"role": "user", "content": "Hola"},
    ASKING,
    {"role": "tool", "tool_call_id": "c1", "content": "ok"},
]


def _chat(messages: list[dict[str, Any]], issued: Issued | None = None, **fields: Any) -> str:
    return chat_api.complaint({"model": "m", "messages": messages, **fields}, {}, issued or Issued())


def _asking(**changes: Any) -> dict[str, Any]:
    return {**ASKING, "tool_calls": [{**ASKING["tool_calls"][0], **changes}]}


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        (CHAT[:1], "user message"),
        (CHAT[:3], "No tool output found"),
        ([*CHAT[:2], CHAT[3]], "No tool call found"),
        ([*CHAT[:3], CHAT[1], CHAT[3]], "No tool output found"),
        ([*CHAT, CHAT[3]], "No tool call found"),
        ([CHAT[1], CHAT[0]], "beginning"),
        ([CHAT[1], {"role": "assistant", "content": ""}], "content or tool_calls"),
        ([*CHAT[:2], {**ASKING, "reasoning": "…"}, CHAT[3]], "unsupported"),
        ([*CHAT[:2], _asking(index=0), CHAT[3]], "invalid function call"),
        ([*CHAT[:2], _asking(function={"name": "a", "arguments": "{"}), CHAT[3]], "invalid function call"),
        ([*CHAT[:2], {**ASKING, "tool_calls": ASKING["tool_calls"] * 2}, CHAT[3]], "Duplicate"),
        ([{"role": "user", "content": [{"type": "text", "text": "Hola"}]}], "string expected"),
    ],
)
def test_compatible_servers_refuse(messages: list[dict[str, Any]], said: str) -> None:
    assert not _chat(CHAT)
    assert said in _chat(messages)


def test_compatible_servers_refuse_parameters_that_not_all_know() -> None:
    assert "store" in _chat(CHAT, store=False)
    assert "tools" in _chat(CHAT, tools=[{"type": "function", "name": "a", "parameters": {}}])


def test_deepseek_refuses_a_turn_without_its_reasoning() -> None:
    issued = Issued()
    message = chat_api.reply(CALL, {"model": "m"}, issued)["choices"][0]["message"]
    known = {key: message[key] for key in ("role", "content", "tool_calls", "reasoning_content")}
    result = {"role": "tool", "tool_call_id": message["tool_calls"][0]["id"], "content": "ok"}

    assert not _chat([CHAT[1], known, result], issued)
    assert "passed back" in _chat([CHAT[1], {**known, "reasoning_content": " "}, result], issued)


OLLAMA_CALL: dict[str, Any] = {"function": {"name": "view_menu", "arguments": {}}}
OLLAMA: dict[str, Any] = {
    "model": "m",
    "stream": False,
    "options": {"num_ctx": 16384},
    "messages": [
        {"role": "user", "content": "Hola"},
        {"role": "assistant", "content": "", "tool_calls": [OLLAMA_CALL]},
        {"role": "tool", "tool_name": "view_menu", "content": "ok"},
    ],
}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda body: body.pop("stream"), "stream"),
        (lambda body: body.pop("options"), "num_ctx"),
        (lambda body: body.update(tool_choice="auto"), "tool_choice"),
        (lambda body: body["messages"].pop(), "without its result"),
        (lambda body: body["messages"].pop(1), "without its call"),
        (lambda body: body["messages"][2].update(tool_name="other"), "without its call"),
        (lambda body: body["messages"][0].update(content=None), "a text expected"),
        (lambda body: body["messages"][1]["tool_calls"][0]["function"].update(arguments="{}"), "an object expected"),
    ],
)
def test_ollama_refuses_or_loses(change: Any, said: str) -> None:
    body = deepcopy(OLLAMA)
    assert not ollama_api.complaint(body, {}, Issued())
    change(body)
    assert said in ollama_api.complaint(body, {}, Issued())


def _turn(said: ModelReply, issued: Issued) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    blocks = messages_api.reply(said, {"model": "m"}, issued)["content"]
    items = responses_api.reply(said, {"model": "m", "include": ["reasoning.encrypted_content"]}, issued)["output"]
    return blocks, items


def test_thinking_has_to_come_back_with_its_calls() -> None:
    issued = Issued()
    blocks, items = _turn(CALL, issued)
    outputs = [{"type": "function_call_output", "call_id": items[-1]["call_id"], "output": "ok"}]

    def turn_of(content: list[dict[str, Any]]) -> Any:
        result = {"type": "tool_result", "tool_use_id": blocks[-1]["id"], "content": "ok"}
        return lambda body: body["messages"].extend(
            [{"role": "assistant", "content": content}, {"role": "user", "content": [result]}]
        )

    assert not _messages(turn_of(blocks), issued)
    assert "cannot be modified" in _messages(turn_of(blocks[1:]), issued)
    assert not _responses([*items, *outputs], issued)
    assert "required 'reasoning' item" in _responses([*items[1:], *outputs], issued)


def test_a_script_left_over_fails_the_test() -> None:
    with pytest.raises(AssertionError, match="1 scripted"), vendor_server([says("never asked for")]):
        pass
