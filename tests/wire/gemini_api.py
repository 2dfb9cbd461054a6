"""Gemini's generateContent: what it refuses and what it answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from aitools.types import ModelReply, Stop, ToolRequest, Usage
from tests.wire.issued import Issued, usage_of

VENDOR = "gemini"
PATH = re.compile(r"/v1(beta)?/models/[^/:]+:generateContent")

#: The signature that the vendor documents for calls of other models.
FOREIGN = "skip_thought_signature_validator"
_KEYS = {"contents", "systemInstruction", "tools", "toolConfig", "generationConfig"}
_GENERATION_KEYS = {"maxOutputTokens", "responseMimeType", "responseJsonSchema"}
_TOOL_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}")
_PROPERTY_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]{0,63}")
_SCHEMA_KEYS = {
    *("type", "title", "description", "enum", "format", "minimum", "maximum", "minItems", "maxItems", "items"),
    *("prefixItems", "properties", "required", "propertyOrdering", "additionalProperties", "anyOf", "oneOf"),
}
_STOPS = {
    Stop.LENGTH: "MAX_TOKENS",
    Stop.CONTENT_FILTER: "SAFETY",
    Stop.REFUSAL: "PROHIBITED_CONTENT",
    Stop.MALFORMED: "MALFORMED_FUNCTION_CALL",
}
_STATUSES = {
    "overloaded_error": "UNAVAILABLE",
    "rate_limit_error": "RESOURCE_EXHAUSTED",
    "not_found_error": "NOT_FOUND",
    "invalid_request_error": "INVALID_ARGUMENT",
}

Content = Mapping[str, Any]


def admits(headers: Mapping[str, str], key: str) -> bool:
    return headers.get("x-goog-api-key") == key


def complaint(body: Mapping[str, Any], headers: Mapping[str, str], issued: Issued) -> str:
    """Why the vendor would refuse this request, "" if it would not."""
    return next(_complaints(body, issued), "")


def error(code: str, message: str) -> dict[str, Any]:
    return {"error": {"message": message, "status": _STATUSES.get(code, "UNKNOWN"), "details": []}}


def reply(said: ModelReply, body: Mapping[str, Any], issued: Issued) -> dict[str, Any]:
    """An answer that says what ``said`` says. Calls have no ids, and only the first of them is signed."""
    calls: list[dict[str, Any]] = [{"functionCall": {"name": one.name, "args": _args(one)}} for one in said.tool_calls]
    if issued.thinking and calls:
        signature = issued.new_id("sig+/")
        calls[0]["thoughtSignature"] = signature
        issued.reasoning[signature] = {"signature": signature, "part": dict(calls[0])}
    text = [{"text": said.text}] if said.text else []
    # Without a word to say, the whole list of parts is missing.
    content = {"role": "model", **({"parts": [*text, *calls]} if text or calls else {})}
    candidate = {"content": content, "finishReason": _STOPS.get(said.stop, "STOP"), "index": 0}
    names = {"modelVersion": "model-of-the-test", "responseId": issued.new_id("resp")}
    return {"candidates": [candidate], "usageMetadata": _usage(usage_of(said)), **names}


def user_text(body: Mapping[str, Any]) -> str:
    """The newest text a user content carries."""
    texts = [
        part["text"] for one in body["contents"] if one["role"] == "user" for part in one["parts"] if "text" in part
    ]
    return texts[-1] if texts else ""


def results(body: Mapping[str, Any]) -> list[str]:
    """The results in the last content."""
    given = [part["functionResponse"]["response"] for part in _with(body["contents"][-1], "functionResponse")]
    return [str(one.get("output", one.get("error"))) for one in given]


def _args(call: ToolRequest) -> Any:
    return call.raw if call.arguments is None else dict(call.arguments)


def _usage(usage: Usage) -> dict[str, int]:
    """Thoughts are counted apart from the answer."""
    thoughts = 1 if usage.output > 1 else 0
    counts = {"promptTokenCount": usage.input, "candidatesTokenCount": usage.output - thoughts}
    return {**counts, "thoughtsTokenCount": thoughts, "cachedContentTokenCount": usage.cached_input}


def _complaints(body: Mapping[str, Any], issued: Issued) -> Iterator[str]:
    yield from (f"Unknown name {key!r}" for key in body if key not in _KEYS)
    yield from (f"Unknown name {key!r}" for key in body.get("generationConfig", {}) if key not in _GENERATION_KEYS)
    if "toolConfig" in body and not body.get("tools"):
        yield "Function calling config is set without function_declarations."
    for tool in body.get("tools") or []:
        for declared in tool["functionDeclarations"]:
            yield from _tool_complaints(declared)
    contents = body.get("contents")
    if not contents or contents[0]["role"] != "user":
        yield "contents: a user content expected first"
        return
    for content in contents:
        yield from _content_complaints(content)
    yield from _pairing_complaints(contents)
    yield from _signature_complaints(contents, issued)


def _tool_complaints(declared: Mapping[str, Any]) -> Iterator[str]:
    if not _TOOL_NAME.fullmatch(declared.get("name", "")):
        yield "Invalid function name."
    if declared.get("parametersJsonSchema", {}).get("type") != "object":
        yield "parametersJsonSchema: an object expected"
    yield from schema_complaints(declared.get("parametersJsonSchema", {}))


def schema_complaints(schema: Any) -> Iterator[str]:
    """What the vendor's documentation does not name in a JSON Schema."""
    if not isinstance(schema, Mapping):
        return
    yield from (f"{key} is not supported" for key in schema if key not in _SCHEMA_KEYS)
    if any(isinstance(value, bool) or not (value or value == 0) for value in schema.get("enum", ())):
        yield "enum: cannot be empty"
    for name, inner in schema.get("properties", {}).items():
        if not _PROPERTY_NAME.fullmatch(name):
            yield f"{name}: invalid property name"
        yield from schema_complaints(inner)
    for key in ("items", "additionalProperties"):
        yield from schema_complaints(schema.get(key))
    for key in ("anyOf", "oneOf", "prefixItems"):
        for inner in schema.get(key, ()):
            yield from schema_complaints(inner)


def _content_complaints(content: Content) -> Iterator[str]:
    if content["role"] not in ("user", "model"):
        yield "Please use a valid role: user, model."
    if not content["parts"]:
        yield "contents.parts must not be empty."
    for part in content["parts"]:
        if "text" in part and not part["text"].strip() and "thoughtSignature" not in part:
            yield "a part must have a text parameter"
        if "functionCall" in part and not isinstance(part["functionCall"].get("args", {}), dict):
            yield "function_call.args: Proto field is not repeating"
        if "functionResponse" in part and not isinstance(part["functionResponse"]["response"], dict):
            yield "function_response.response: an object expected"


def _pairing_complaints(contents: list[Content]) -> Iterator[str]:
    """Calls follow the user's side, and one content with all their results, in order, follows them."""
    asked: list[str] = []
    before = "model"
    for content in contents:
        answered = [part["functionResponse"]["name"] for part in _with(content, "functionResponse")]
        if answered != asked or (asked and len(content["parts"]) != len(asked)):
            yield "the number of function response parts is equal to the number of function call parts"
        asked = [part["functionCall"]["name"] for part in _with(content, "functionCall")]
        if asked and before == "model":
            yield "a function call turn comes immediately after a user turn or after a function response turn"
        before = content["role"]
    if asked:
        yield "the number of function response parts is equal to the number of function call parts"


def _signature_complaints(contents: list[Content], issued: Issued) -> Iterator[str]:
    for content in contents:
        for number, part in enumerate(_with(content, "functionCall")):
            signature = part.get("thoughtSignature")
            if issued.thinking and number == 0 and not signature:
                yield "Function call is missing a thought_signature"
            if not signature or signature == FOREIGN:
                continue
            known = issued.reasoning.get(signature)
            if known is None or part["functionCall"]["name"] != known["part"]["functionCall"]["name"]:
                yield "Corrupted thought signature."


def _with(content: Content, kind: str) -> list[dict[str, Any]]:
    return [part for part in content["parts"] if kind in part]
