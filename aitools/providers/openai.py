"""OpenAI's Responses API through its SDK, without state on OpenAI's side.

Nothing is stored there (``store: false``): every request carries the whole
conversation, reasoning in encrypted form.  Answers are read from the JSON as it
came, not from the SDK's models: items must go back unchanged.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import ClassVar

import httpx2
import openai
import openai.resources.responses.responses  # otherwise imported with the first request, in its time

from aitools.providers.adapter import MessagesAdapter, faults_of
from aitools.providers.counts import counted
from aitools.providers.failures import failure
from aitools.providers.homes import Home
from aitools.providers.payloads import (
    ROOM_FOR_THOUGHTS,
    arguments_from,
    asks_the_same,
    body_of,
    raw_turn,
    result_text,
    results_in_order,
    tool_request,
    wire_id,
    wire_schema,
    wrapped,
)
from aitools.providers.schema_subset import strict, without_nulls
from aitools.types import (
    AssistantStep,
    Json,
    ModelReply,
    ModelRequest,
    Stop,
    ToolRequest,
    ToolSpec,
    Usage,
)

#: These do not reason, and answer 400 to a request for encrypted reasoning.
_PLAIN_MODELS = ("gpt-3", "gpt-4", "chatgpt-4")
MOST_WITH_THOUGHTS = 32_768


class OpenAIProvider(MessagesAdapter):
    """Models of OpenAI, and of servers that speak the Responses API."""

    kind: ClassVar[str] = "openai"
    home: ClassVar[Home] = Home("OpenAI", "https://api.openai.com/v1", "OPENAI")
    default_model: ClassVar[str] = "gpt-6-luna"

    def _post(self, body: Mapping[str, Json], timeout: httpx2.Timeout) -> httpx2.Response:
        if not self._key:
            raise self._no_key()
        with faults_of(openai, self._key):
            client = openai.OpenAI(**self._sdk_options())
            return client.responses.with_raw_response.create(**body, timeout=timeout).http_response

    # Request

    def _body(self, request: ModelRequest) -> dict[str, Json]:
        body: dict[str, Json] = {
            "model": self._model,
            "max_output_tokens": request.max_output_tokens,
            "store": False,
            "input": self._talk(request),
        }
        if not self._model.startswith(_PLAIN_MODELS):
            body["max_output_tokens"] = _with_thoughts(request.max_output_tokens)
            body["include"] = ["reasoning.encrypted_content"]
        if request.system.strip():
            body["instructions"] = request.system
        if request.tools:
            body["tools"] = [_tool(spec) for spec in request.tools]
        return body

    def _step(self, step: AssistantStep) -> Iterator[Json]:
        raw = self._raw_items(step)
        yield from raw if raw is not None else _plain_items(step)
        for call, result in zip(step.calls, results_in_order(step), strict=True):
            yield {
                "type": "function_call_output",
                "call_id": call.vendor_id if raw is not None else wire_id(call.call_id),
                "output": result_text(result),
            }

    def _raw_items(self, step: AssistantStep) -> list[Json] | None:
        """The turn as this very model sent it, None where it may not go back as it is."""
        items = [_resent(item) for item in raw_turn(step, self.kind, self.origin) or []]
        ids = [item.get("call_id") for item in items if item.get("type") == "function_call"]
        if not items or not asks_the_same(step, ids) or not _is_whole(items):
            return None
        return items

    # Reply

    def _reply(self, response: httpx2.Response, request: ModelRequest) -> ModelReply:
        body = body_of(response)
        if _has_failed(body):
            raise failure(response.status_code, body.get("error"), secret=self._key)
        items = [item for item in body.get("output") or [] if isinstance(item, Mapping)]
        calls = [item for item in items if item.get("type") == "function_call"]
        stop = _stop(body, items)
        dropped = stop in (Stop.REFUSAL, Stop.CONTENT_FILTER)
        return ModelReply(
            text="".join(_texts(items)),
            tool_calls=() if dropped else tuple(_call(item, request) for item in calls),
            stop=stop,
            usage=_usage(body.get("usage")),
            raw=wrapped(self.origin, items),
            raw_stop=_raw_stop(body),
            model=str(body.get("model") or self._model),
            request_id=response.headers.get("x-request-id", ""),
        )


def _with_thoughts(limit: int) -> int:
    """The limit with room to think; never more than any of these models takes, unless staff asked for it."""
    return max(limit, min(limit * ROOM_FOR_THOUGHTS, MOST_WITH_THOUGHTS))


def _tool(spec: ToolSpec) -> dict[str, Json]:
    """Strict where a grammar can be made of the schema once and for all; arguments are validated here in any case."""
    grammar = strict(spec.schema)
    return {
        "type": "function",
        "name": spec.name,
        "description": spec.description,
        "parameters": wire_schema(spec.schema) if grammar is None else grammar,
        "strict": grammar is not None,
    }


def _plain_items(step: AssistantStep) -> list[Json]:
    text = [{"role": "assistant", "content": step.text}] if step.text.strip() else []
    calls = [
        {
            "type": "function_call",
            "call_id": wire_id(call.call_id),
            "name": call.name,
            "arguments": json.dumps(dict(call.arguments), ensure_ascii=False),
        }
        for call in step.calls
    ]
    return [*text, *calls]


def _resent(item: Json) -> Json:
    """A call whose arguments are not JSON would make the whole history an error."""
    if item.get("type") != "function_call" or arguments_from(str(item.get("arguments"))) is not None:
        return item
    return {**item, "arguments": "{}"}


def _is_whole(items: list[Json]) -> bool:
    """Reasoning goes back only encrypted, and only with the item it led to."""
    reasoning = [item for item in items if item.get("type") == "reasoning"]
    return items[-1] not in reasoning and all(item.get("encrypted_content") for item in reasoning)


def _texts(items: list[Mapping[str, Json]]) -> Iterator[str]:
    for part in _parts(items):
        if part.get("type") == "output_text":
            yield str(part.get("text") or "")


def _parts(items: list[Mapping[str, Json]]) -> Iterator[Mapping[str, Json]]:
    for item in items:
        if item.get("type") == "message":
            yield from (part for part in item.get("content") or [] if isinstance(part, Mapping))


def _call(item: Mapping[str, Json], request: ModelRequest) -> ToolRequest:
    asked = tool_request(request, item.get("name"), item.get("arguments"), item.get("call_id"))
    schema = next((spec.schema for spec in request.tools if spec.name == asked.name), {})
    return asked if asked.arguments is None else replace(asked, arguments=without_nulls(asked.arguments, schema))


def _stop(body: Mapping[str, Json], items: list[Mapping[str, Json]]) -> Stop:
    calls = [item for item in items if item.get("type") == "function_call"]
    if _is_policy_failure(body):
        return Stop.REFUSAL
    if body.get("status") == "incomplete":
        filtered = _raw_stop(body) == "content_filter"
        return Stop.CONTENT_FILTER if filtered else Stop.LENGTH
    if any(call.get("status") == "incomplete" for call in calls):
        return Stop.LENGTH
    if any(part.get("type") == "refusal" for part in _parts(items)):
        return Stop.REFUSAL
    return Stop.TOOL_CALLS if calls else Stop.END


def _raw_stop(body: Mapping[str, Json]) -> str:
    """The vendor's word: why it is incomplete, else the status."""
    reason = (body.get("incomplete_details") or {}).get("reason")
    return str(reason or body.get("status") or "")


def _has_failed(body: Mapping[str, Json]) -> bool:
    unfinished = body.get("status") in ("failed", "cancelled", "queued", "in_progress")
    return (unfinished or bool(body.get("error"))) and not _is_policy_failure(body)


def _is_policy_failure(body: Mapping[str, Json]) -> bool:
    """A run ended by the vendor's policy is an answer: asking elsewhere won't help."""
    error = body.get("error")
    return isinstance(error, Mapping) and "policy" in str(error.get("code") or "")


def _usage(usage: Json) -> Usage:
    return Usage(
        input=counted(usage, "input_tokens"),
        output=counted(usage, "output_tokens"),
        cached_input=counted(usage, "input_tokens_details", "cached_tokens"),
    )
