"""Anthropic's Messages API: what it refuses and what it answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from aitools.types import ModelReply, Stop, ToolRequest, Usage
from tests.wire.issued import Issued, admits_bearer, usage_of

VENDOR = "anthropic"
PATH = re.compile(r"/v1/messages")

_ID = re.compile(r"[a-zA-Z0-9_-]+")
_TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
_KEYS = {"model", "max_tokens", "messages", "system", "tools", "tool_choice", "thinking", "output_config", "metadata"}
_STOPS = {Stop.END: "end_turn", Stop.TOOL_CALLS: "tool_use", Stop.LENGTH: "max_tokens", Stop.REFUSAL: "refusal"}

Block = Mapping[str, Any]


def complaint(body: Mapping[str, Any], headers: Mapping[str, str], issued: Issued) -> str:
    """Why the vendor would refuse this request, "" if it would not."""
    return next(_complaints(body, headers, issued), "")


admits = admits_bearer


def error(code: str, message: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": code, "message": message}, "request_id": "req_0"}


def reply(said: ModelReply, body: Mapping[str, Any], issued: Issued) -> dict[str, Any]:
    """A vendor's turn that says what ``said`` says."""
    calls: list[dict[str, Any]] = [
        {"type": "tool_use", "id": issued.new_id("toolu_"), "name": call.name, "input": _input(call)}
        for call in said.tool_calls
    ]
    content: list[dict[str, Any]] = [{"type": "text", "text": said.text}] if said.text else []
    if issued.thinking and (content or calls):
        thought = {"type": "thinking", "thinking": "…", "signature": issued.new_id("sig")}
        issued.reasoning.update({call["id"]: thought for call in calls})
        content.insert(0, thought)
    return {
        "id": issued.new_id("msg_"),
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": [*content, *calls],
        "stop_reason": _STOPS[said.stop],
        "stop_sequence": None,
        "usage": _usage(usage_of(said)),
    }


def _input(call: ToolRequest) -> Any:
    return call.raw if call.arguments is None else dict(call.arguments)


def _usage(usage: Usage) -> dict[str, int]:
    """Cached tokens are counted apart."""
    cached = usage.cached_input
    counts = {"input_tokens": usage.input - cached, "output_tokens": usage.output}
    return {**counts, "cache_read_input_tokens": cached, "cache_creation_input_tokens": 0}


def user_text(body: Mapping[str, Any]) -> str:
    """The newest text a user message carries."""
    texts = [
        block["text"]
        for message in body["messages"]
        if message["role"] == "user"
        for block in _blocks(message)
        if block["type"] == "text"
    ]
    return texts[-1] if texts else ""


def results(body: Mapping[str, Any]) -> list[str]:
    """The tool results in the last message."""
    return [block["content"] for block in _blocks(body["messages"][-1]) if block["type"] == "tool_result"]


def _complaints(body: Mapping[str, Any], headers: Mapping[str, str], issued: Issued) -> Iterator[str]:
    if headers.get("anthropic-version") != "2026-10-21":
        yield "anthropic-version: header is required"
    yield from (f"{key}: Extra inputs are not permitted" for key in body if key not in _KEYS)
    if not isinstance(body.get("max_tokens"), int) or body["max_tokens"] < 1:
        yield "max_tokens: Field required"
    yield from _tool_complaints(body.get("tools") or [])
    messages = body.get("messages")
    if not messages or messages[0]["role"] != "user":
        yield "messages: first message must use the user role"
        return
    if messages[-1]["role"] == "assistant":
        yield "messages: this model does not support assistant message prefill"
    for index, message in enumerate(messages):
        yield from (f"messages.{index}: {fault}" for fault in _message_complaints(message))
    yield from _pairing_complaints(messages)
    yield from _thinking_complaints(messages, issued)


def _tool_complaints(tools: list[Block]) -> Iterator[str]:
    for tool in tools:
        if not _TOOL_NAME.fullmatch(tool.get("name", "")):
            yield "tools.name: String should match pattern"
        if tool.get("input_schema", {}).get("type") != "object":
            yield "tools.input_schema.type: Field required"
    if len({tool.get("name") for tool in tools}) < len(tools):
        yield "tools: Tool names must be unique."


def _message_complaints(message: Block) -> Iterator[str]:
    if message["role"] not in ("user", "assistant"):
        yield "unexpected role"
    blocks = _blocks(message)
    if not blocks:
        yield "all messages must have non-empty content"
    for block in blocks:
        if block["type"] == "text" and not block["text"].strip():
            yield "text content blocks must be non-empty"
        if block["type"] == "tool_use" and not isinstance(block["input"], dict):
            yield "tool_use.input: Input should be a valid dictionary"
        if block["type"] == "tool_use" and not _ID.fullmatch(block["id"]):
            yield "tool_use.id: String should match pattern"
    if message["role"] == "assistant" and blocks and blocks[-1]["type"] == "thinking":
        yield "The final block in an assistant message cannot be `thinking`."


def _pairing_complaints(messages: list[Block]) -> Iterator[str]:
    """Results stand first in the message right after their calls, one for each."""
    asked: list[str] = []
    for message in messages:
        kinds = [block["type"] for block in _blocks(message)]
        answered = [block["tool_use_id"] for block in _blocks(message) if block["type"] == "tool_result"]
        if sorted(answered) != sorted(asked):
            yield f"tool_use ids {asked} need tool_result blocks immediately after, found {answered}"
        if "tool_result" in kinds[len(answered) :]:
            yield "tool_result blocks must come first in the message"
        asked = [block["id"] for block in _blocks(message) if block["type"] == "tool_use"]
    if asked:
        yield f"tool_use ids {asked} were found without tool_result blocks"


def _thinking_complaints(messages: list[Block], issued: Issued) -> Iterator[str]:
    for blocks in map(_blocks, messages):
        thoughts = (issued.reasoning.get(block.get("id", "")) for block in blocks)
        if any(thought and thought not in blocks for thought in thoughts):
            yield "`thinking` blocks in the assistant message cannot be modified"


def _blocks(message: Block) -> list[dict[str, Any]]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content
