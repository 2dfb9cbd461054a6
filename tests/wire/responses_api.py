"""OpenAI's Responses API: what it refuses and what it answers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from aitools.types import ModelReply, Stop, Usage
from tests.wire.issued import Issued, admits_bearer, text_of, usage_of

VENDOR = "openai"
PATH = re.compile(r"/v1/responses")

_KEYS = {
    "model",
    "input",
    "instructions",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "max_output_tokens",
    "store",
    "include",
    "reasoning",
    "prompt_cache_key",
}
_REASONS = {Stop.LENGTH: "max_output_tokens", Stop.CONTENT_FILTER: "content_filter"}

Item = Mapping[str, Any]


def complaint(body: Mapping[str, Any], headers: Mapping[str, str], issued: Issued) -> str:
    """Why the vendor would refuse this request, "" if it would not."""
    return next(_complaints(body, issued), "")


admits = admits_bearer


def error(code: str, message: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": code, "param": None, "code": code}}


def reply(said: ModelReply, body: Mapping[str, Any], issued: Issued) -> dict[str, Any]:
    """A vendor's response that says what ``said`` says."""
    calls = [_function_call(call.name, text_of(call), issued) for call in said.tool_calls]
    output = [_message(said, issued)] if said.text or said.stop is Stop.REFUSAL else []
    if issued.thinking and (output or calls):
        thought = _reasoning(body, issued)
        issued.reasoning.update({call["call_id"]: thought for call in calls})
        output.insert(0, thought)
    reason = _REASONS.get(said.stop)
    return {
        "id": issued.new_id("resp_"),
        "object": "response",
        "created_at": 1_790_000_000,
        "model": body["model"],
        "status": "incomplete" if reason else "completed",
        "incomplete_details": {"reason": reason} if reason else None,
        "error": None,
        "output": [*output, *calls],
        "usage": _usage(usage_of(said)),
    }


def user_text(body: Mapping[str, Any]) -> str:
    """The newest text a user message carries."""
    texts = [item["content"] for item in body["input"] if item.get("role") == "user"]
    return str(texts[-1]) if texts else ""


def results(body: Mapping[str, Any]) -> list[str]:
    """The call outputs the input ends with."""
    found: list[str] = []
    for item in reversed(body["input"]):
        if item.get("type") != "function_call_output":
            break
        found.insert(0, item["output"])
    return found


def _usage(usage: Usage) -> dict[str, Any]:
    counts = {"input_tokens": usage.input, "output_tokens": usage.output}
    return {**counts, "input_tokens_details": {"cached_tokens": usage.cached_input}}


def _message(said: ModelReply, issued: Issued) -> dict[str, Any]:
    part: dict[str, Any] = {"type": "output_text", "text": said.text, "annotations": []}
    if said.stop is Stop.REFUSAL:
        part = {"type": "refusal", "refusal": said.text or "No."}
    shown = {"type": "message", "role": "assistant", "status": "completed"}
    return {**shown, "id": issued.new_id("msg_"), "content": [part]}


def _function_call(name: str, arguments: str, issued: Issued) -> dict[str, Any]:
    ids = {"id": issued.new_id("fc_"), "call_id": issued.new_id("call_")}
    return {"type": "function_call", "status": "completed", **ids, "name": name, "arguments": arguments}


def _reasoning(body: Mapping[str, Any], issued: Issued) -> dict[str, Any]:
    thought = {"type": "reasoning", "id": issued.new_id("rs_"), "summary": []}
    if "reasoning.encrypted_content" in body.get("include", []):
        thought["encrypted_content"] = issued.new_id("enc")
    return thought


def _complaints(body: Mapping[str, Any], issued: Issued) -> Iterator[str]:
    yield from (f"Unsupported parameter: '{key}'." for key in body if key not in _KEYS)
    if body.get("max_output_tokens", 16) < 16:
        yield "Invalid 'max_output_tokens': expected a value >= 16."
    for tool in body.get("tools") or []:
        if tool.get("type") != "function" or "strict" not in tool or "parameters" not in tool:
            yield "Missing required parameter in 'tools'."
    items = body.get("input")
    if not isinstance(items, list) or not items:
        yield "Missing required parameter: 'input'."
        return
    for item in items:
        yield from _item_complaints(item)
    yield from _pairing_complaints(items)
    yield from _reasoning_complaints(items, issued)


def _item_complaints(item: Item) -> Iterator[str]:
    kind = item.get("type", "message")
    if kind == "message" and item.get("role") not in ("user", "assistant", "system", "developer"):
        yield f"Invalid value: '{item.get('role')}'."
    if kind == "function_call" and not isinstance(_parsed(item["arguments"]), dict):
        yield f"Invalid arguments in function call {item['call_id']}."
    if kind == "function_call" and not 0 < len(item["call_id"]) <= 64:
        yield "Invalid 'call_id': string of 1 to 64 characters expected."
    if kind == "function_call_output" and not isinstance(item["output"], str):
        yield "Invalid 'output'."


def _pairing_complaints(items: list[Item]) -> Iterator[str]:
    asked = [item["call_id"] for item in items if item.get("type") == "function_call"]
    answered = [item["call_id"] for item in items if item.get("type") == "function_call_output"]
    yield from (f"No tool output found for function call {one}." for one in asked if one not in answered)
    yield from (f"No tool call found for function call output {one}." for one in answered if one not in asked)
    if len(set(asked)) < len(asked) or len(set(answered)) < len(answered):
        yield "Duplicate item found for a call_id."


def _reasoning_complaints(items: list[Item], issued: Issued) -> Iterator[str]:
    for item, following in zip(items, [*items[1:], {}], strict=True):
        led_to = following.get("type") in ("message", "function_call")
        if item.get("type") == "reasoning" and not led_to:
            yield f"Item '{item['id']}' of type 'reasoning' was provided without its required following item."
        if item.get("type") == "reasoning" and "encrypted_content" not in item:
            yield f"Item with id '{item['id']}' not found. Items are not persisted when `store` is set to false."
        if item.get("call_id") in issued.reasoning and issued.reasoning[item["call_id"]] not in items:
            yield f"Item '{item['call_id']}' was provided without its required 'reasoning' item."


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None
