"""OpenAI's Chat Completions API as others serve it, DeepSeek's thinking included."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from aitools.types import ModelReply, Stop, Usage
from tests.wire.issued import Issued, admits_bearer, text_of, usage_of

VENDOR = "openai_chat"
PATH = re.compile(r"/v1/chat/completions")

_KEYS = {
    "model",
    "messages",
    "tools",
    "tool_choice",
    "max_tokens",
    "max_completion_tokens",
    "response_format",
    "stream",
}
_MESSAGE_KEYS = {
    "system": {"role", "content"},
    "user": {"role", "content"},
    "assistant": {"role", "content", "tool_calls", "reasoning_content"},
    "tool": {"role", "content", "tool_call_id"},
}
_STOPS = {Stop.LENGTH: "length", Stop.CONTENT_FILTER: "content_filter", Stop.TOOL_CALLS: "tool_calls"}

Entry = Mapping[str, Any]

admits = admits_bearer


def complaint(body: Mapping[str, Any], headers: Mapping[str, str], issued: Issued) -> str:
    """Why a vendor would refuse this request, "" if it would not."""
    return next(_complaints(body, issued), "")


def error(code: str, message: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": code, "param": None, "code": code}}


def reply(said: ModelReply, body: Mapping[str, Any], issued: Issued) -> dict[str, Any]:
    """A vendor's completion that says what ``said`` says."""
    calls: list[dict[str, Any]] = [
        {"id": issued.new_id("call_"), "type": "function", "function": {"name": call.name, "arguments": text_of(call)}}
        for call in said.tool_calls
    ]
    refused = said.stop is Stop.REFUSAL
    message: dict[str, Any] = {"role": "assistant", "content": None if refused else said.text or None}
    message["refusal"] = "No." if refused else None
    if calls:
        message["tool_calls"] = calls
    if issued.thinking and (said.text or calls):
        message["reasoning_content"] = issued.new_id("thought")
        issued.reasoning.update({call["id"]: {"reasoning_content": message["reasoning_content"]} for call in calls})
    choice = {"index": 0, "message": message, "finish_reason": _STOPS.get(said.stop, "stop"), "logprobs": None}
    names = {"id": issued.new_id("chatcmpl-"), "object": "chat.completion", "created": 1_790_000_000}
    return {**names, "model": body["model"], "choices": [choice], "usage": _usage(usage_of(said))}


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


def _usage(usage: Usage) -> dict[str, Any]:
    counts = {"prompt_tokens": usage.input, "completion_tokens": usage.output}
    details = {"prompt_tokens_details": {"cached_tokens": usage.cached_input}}
    return {**counts, "total_tokens": usage.input + usage.output, **details}


def _complaints(body: Mapping[str, Any], issued: Issued) -> Iterator[str]:
    yield from (f"property '{key}' is unsupported" for key in body if key not in _KEYS)
    messages = body.get("messages")
    if not messages or not any(message["role"] == "user" for message in messages):
        yield "messages: at least one user message is required"
        return
    for tool in body.get("tools") or []:
        if tool.get("type") != "function" or tool.get("function", {}).get("parameters", {}).get("type") != "object":
            yield "tools: function with parameters of type object expected"
    for index, message in enumerate(messages):
        yield from (f"messages.{index}: {fault}" for fault in _message_complaints(message, index))
    yield from _pairing_complaints(messages)
    yield from _thinking_complaints(messages, issued)


def _message_complaints(message: Entry, index: int) -> Iterator[str]:
    role = message["role"]
    yield from (f"property '{key}' is unsupported" for key in message if key not in _MESSAGE_KEYS.get(role, ()))
    if role == "system" and index:
        yield "the system message must be at the beginning"
    calls = message.get("tool_calls")
    if role in ("user", "tool", "system") and not isinstance(message.get("content"), str):
        yield "content: string expected"
    if role == "assistant" and not calls and not message.get("content"):
        yield "assistant message must have either content or tool_calls"
    for call in calls or []:
        if set(call) != {"id", "type", "function"} or not isinstance(_parsed(call["function"]["arguments"]), dict):
            yield "tool_calls: invalid function call"
        if not 0 < len(call["id"]) <= 64:
            yield "tool_calls.id: string of 1 to 64 characters expected"


def _pairing_complaints(messages: list[Entry]) -> Iterator[str]:
    """Results stand right after their calls, one for each."""
    open_ids: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            if message["tool_call_id"] not in open_ids:
                yield f"No tool call found for {message['tool_call_id']}."
                return
            open_ids.remove(message["tool_call_id"])
        elif open_ids:
            yield f"No tool output found for tool call {open_ids[0]}."
            return
        open_ids += [call["id"] for call in message.get("tool_calls") or []]
        if len(set(open_ids)) < len(open_ids):
            yield "Duplicate tool call id."
    if open_ids:
        yield f"No tool output found for tool call {open_ids[0]}."


def _thinking_complaints(messages: list[Entry], issued: Issued) -> Iterator[str]:
    for message in messages:
        for call in message.get("tool_calls") or []:
            thought = issued.reasoning.get(call["id"])
            if thought and message.get("reasoning_content") != thought["reasoning_content"]:
                yield "The `reasoning_content` in the thinking mode must be passed back to the API."


def _parsed(text: Any) -> Any:
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return None
