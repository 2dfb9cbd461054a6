"""Ollama's own /api/chat: what it refuses and what it answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from aitools.types import ModelReply, Stop
from tests.wire.issued import Issued, admits_bearer, usage_of

VENDOR = "ollama"
PATH = re.compile(r"/api/chat")

_KEYS = {"model", "messages", "tools", "format", "stream", "options", "keep_alive", "think"}
_MESSAGE_KEYS = {"role", "content", "thinking", "tool_calls", "tool_name", "tool_call_id", "images"}
_ROLES = ("system", "user", "assistant", "tool")


def admits(headers: Mapping[str, str], key: str) -> bool:
    """It knows no keys; what stands before it may."""
    return "Authorization" not in headers or admits_bearer(headers, key)


def complaint(body: Mapping[str, Any], headers: Mapping[str, str], issued: Issued) -> str:
    """Why the server would refuse this request, or lose a part of it in silence; "" if not."""
    return next(_complaints(body, issued), "")


def error(code: str, message: str) -> dict[str, Any]:
    return {"error": message}


def reply(said: ModelReply, body: Mapping[str, Any], issued: Issued) -> dict[str, Any]:
    """An answer that says what ``said`` says. Arguments are objects, unless a test wants them broken."""
    calls: list[dict[str, Any]] = [
        {
            "id": issued.new_id("call_"),
            "function": {
                "index": number,
                "name": call.name,
                "arguments": call.raw if call.arguments is None else dict(call.arguments),
            },
        }
        for number, call in enumerate(said.tool_calls)
    ]
    message: dict[str, Any] = {"role": "assistant", "content": said.text}
    if calls:
        message["tool_calls"] = calls
    if issued.thinking and (said.text or calls):
        message["thinking"] = issued.new_id("thought")
        issued.reasoning.update({call["id"]: {"reasoning_content": message["thinking"]} for call in calls})
    usage = usage_of(said)
    counts = {"prompt_eval_count": usage.input, "eval_count": usage.output}
    done = {"done": True, "done_reason": "length" if said.stop is Stop.LENGTH else "stop"}
    return {"model": body["model"], "created_at": "2026-11-24T16:00:00Z", "message": message, **done, **counts}


def user_text(body: Mapping[str, Any]) -> str:
    """The newest text a user message carries."""
    return next((str(one["content"]) for one in reversed(body["messages"]) if one["role"] == "user"), "")


def results(body: Mapping[str, Any]) -> list[str]:
    """The results that the messages end with."""
    found: list[str] = []
    for message in reversed(body["messages"]):
        if message["role"] != "tool":
            break
        found.insert(0, message["content"])
    return found


def _complaints(body: Mapping[str, Any], issued: Issued) -> Iterator[str]:
    yield from (f"{key}: unknown" for key in body if key not in _KEYS)
    if body.get("stream") is not False:
        yield "stream: false expected"
    if not body.get("options", {}).get("num_ctx"):
        yield "options.num_ctx: without it the talk is cut in silence"
    expected: list[str] = []
    for message in body["messages"]:
        yield from (f"messages: {key} is unknown" for key in message if key not in _MESSAGE_KEYS)
        if message["role"] not in _ROLES or not isinstance(message["content"], str):
            yield "messages: a role and a text expected"
        if message["role"] == "tool" and (not expected or message["tool_name"] != expected.pop(0)):
            yield "messages: a result without its call"
        if message["role"] != "tool" and expected:
            yield "messages: a call without its result"
        for call in message.get("tool_calls") or []:
            expected.append(call["function"]["name"])
            yield from _call_complaints(call, message, issued)
    if expected:
        yield "messages: a call without its result"


def _call_complaints(call: Mapping[str, Any], message: Mapping[str, Any], issued: Issued) -> Iterator[str]:
    if not isinstance(call["function"]["arguments"], dict):
        yield "messages.tool_calls.function.arguments: an object expected"
    thought = issued.reasoning.get(call.get("id", ""))
    if thought and message.get("thinking") != thought["reasoning_content"]:
        yield "messages: the model's thinking is not with its calls"
