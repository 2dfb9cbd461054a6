"""Chat Completions through OpenAI's SDK, for the many who speak it in their own way.

How vendors differ stands in ``vendors``.  Answers are read from the JSON as it
came, not from the SDK's models, which know OpenAI's own answers only.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import httpx2
import openai
import openai.resources.chat.chat  # otherwise imported with the first request, in its time

from aitools.providers.adapter import MessagesAdapter, faults_of
from aitools.providers.base import EndpointConfig
from aitools.providers.chat_shape import calls_of, function_tool, mapping, raw_message, request_of, system_message
from aitools.providers.counts import counted
from aitools.providers.failures import failure
from aitools.providers.homes import Home
from aitools.providers.honest import honest
from aitools.providers.payloads import (
    arguments_from,
    body_of,
    events_of,
    result_text,
    results_in_order,
    short_id,
    wire_id,
    wrapped,
)
from aitools.providers.spoken import cleaned, text_in, with_calls_in_text
from aitools.providers.vendors import OPENAI, OTHER, vendor_of
from aitools.types import (
    AssistantStep,
    Json,
    ModelReply,
    ModelRequest,
    Stop,
    ToolRequest,
    Usage,
)

#: "eos" (Together), "stop" and words that nobody knows yet are the end, unless there are calls.
_STOPS = {
    "length": Stop.LENGTH,
    "max_tokens": Stop.LENGTH,
    "model_length": Stop.LENGTH,
    "content_filter": Stop.CONTENT_FILTER,
    "refusal": Stop.REFUSAL,
}

#: Whose account it is at OpenAI is nobody else's business.
_NO_ACCOUNT = {"OpenAI-Organization": openai.Omit(), "OpenAI-Project": openai.Omit()}


class OpenAIChatProvider(MessagesAdapter):
    """Models behind servers that are compatible with OpenAI's Chat Completions."""

    kind: ClassVar[str] = "openai_chat"
    home: ClassVar[Home] = OTHER

    def __init__(self, endpoint: EndpointConfig, http_client: httpx2.Client | None = None) -> None:
        self._vendor = vendor_of(endpoint.vendor, endpoint.base_url or os.environ.get("OPENAI_BASE_URL", ""))
        super().__init__(endpoint, http_client)

    def _home_of(self, endpoint: EndpointConfig) -> Home:
        return self._vendor

    def _sdk_options(self) -> dict[str, Any]:
        # The SDK tells everybody the account that the environment names.
        return super()._sdk_options() | ({} if self._vendor is OPENAI else {"default_headers": _NO_ACCOUNT})

    def _post(self, body: Mapping[str, Json], timeout: httpx2.Timeout) -> httpx2.Response:
        if not (self._key or self._vendor.keyless):
            raise self._no_key()
        with faults_of(openai, self._key):
            client = openai.OpenAI(**self._sdk_options())
            return client.chat.completions.with_raw_response.create(**body, timeout=timeout).http_response

    # Request

    def _body(self, request: ModelRequest) -> dict[str, Json]:
        body: dict[str, Json] = {
            "model": self._model,
            self._vendor.max_tokens: request.max_output_tokens,
            "messages": [*system_message(request), *self._talk(request)],
        }
        if request.tools:
            body["tools"] = [function_tool(spec) for spec in request.tools]
        if request.text_schema and self._vendor.formats:
            wanted = {"name": "answer", "schema": dict(request.text_schema)}
            body["response_format"] = {"type": "json_schema", "json_schema": wanted}
        return body

    def _step(self, step: AssistantStep) -> Iterator[Json]:
        """A turn of the model and, right after it, one result for each call."""
        raw = self._raw_message(step)
        ids = self._ids(step, raw)
        if raw is not None:
            yield self._resent(raw, ids)
        elif step.text.strip() or step.calls:
            yield self._said("assistant", step.text) | _plain_calls(step, ids)
        for wire, result in zip(ids, results_in_order(step), strict=True):
            yield {"role": "tool", "tool_call_id": wire, "content": result_text(result)}

    def _said(self, role: str, text: str) -> dict[str, Json]:
        # DeepSeek refuses an empty text in its place; a space will do (hermes-agent pull 18263).
        blank = {self._vendor.blank_echo: " "} if self._vendor.blank_echo and role == "assistant" else {}
        return {"role": role, "content": text, **blank}

    def _raw_message(self, step: AssistantStep) -> Mapping[str, Json] | None:
        """The turn as this very server sent it, None where its calls are not those that were answered."""
        kept = raw_message(step, self.kind, self.origin)
        if kept is None:
            return None
        same = [str(call.get("id") or "") for call in calls_of(kept)] == [call.vendor_id for call in step.calls]
        return kept if same and (step.calls or cleaned(text_in(kept.get("content"))).strip()) else None

    def _ids(self, step: AssistantStep, raw: Mapping[str, Json] | None) -> list[str]:
        """The vendor's own ids where it gave usable ones; some give none, or the same to all."""
        own = [call.vendor_id for call in step.calls]
        shown = own if raw is not None and all(own) and len(set(own)) == len(own) else [c.call_id for c in step.calls]
        return [short_id(one) if self._vendor.short_ids else wire_id(one) for one in shown]

    def _resent(self, raw: Mapping[str, Json], ids: list[str]) -> dict[str, Json]:
        """The vendor's own message, without the keys that it would refuse."""
        given = raw.get("content")
        message = self._said("assistant", "") | {key: raw[key] for key in self._vendor.echoes if raw.get(key)}
        message["content"] = given if isinstance(given, list) else cleaned(text_in(given))
        calls = [self._resent_call(call, wire) for call, wire in zip(calls_of(raw), ids, strict=True)]
        return message | ({"tool_calls": calls} if calls else {})

    def _resent_call(self, call: Mapping[str, Json], wire: str) -> dict[str, Json]:
        asked = call.get("function") or {}
        known = {key: call[key] for key in self._vendor.echoes if call.get(key)}
        return {**known, **_function(wire, str(asked.get("name") or ""), str(asked.get("arguments") or ""))}

    # Reply

    def _reply(self, response: httpx2.Response, request: ModelRequest) -> ModelReply:
        # Groq's stream ends in a fault when the model's text is no call; a whole answer is no stream.
        streamed = next((event for event in events_of(response) if event.get("error")), None)
        body = streamed or body_of(response)
        choice = self._choice(response, body)
        message = mapping(choice.get("message"))
        calls = tuple(request_of(call, request) for call in calls_of(message))
        said, usage = str(choice.get("finish_reason") or ""), _usage(body.get("usage"))
        stop = _stop(said, message, calls, is_full=usage.output >= request.max_output_tokens)
        reply = ModelReply(
            text=cleaned(text_in(message.get("content"))),
            tool_calls=() if stop in (Stop.REFUSAL, Stop.CONTENT_FILTER) else calls,
            stop=stop,
            usage=usage,
            raw=wrapped(self.origin, [dict(message)]),
            raw_stop=said,
            model=str(body.get("model") or self._model),
            request_id=response.headers.get("x-request-id", ""),
        )
        # The text is cut before it is searched.
        return with_calls_in_text(honest(reply, request, self._key), request) if self._vendor.text_calls else reply

    def _choice(self, response: httpx2.Response, body: Mapping[str, Json]) -> Mapping[str, Json]:
        """The first choice. Routers report their own and others' faults in a success, with or without one."""
        choices = body.get("choices")
        choice = mapping(choices[0]) if isinstance(choices, list) and choices else None
        fault = body.get("error") or (choice or {}).get("error")
        if fault or choice is None or choice.get("finish_reason") == "error":
            raise failure(response.status_code, {"error": fault or "an answer without a choice"}, secret=self._key)
        return choice


def _function(wire: str, name: str, arguments: str) -> dict[str, Json]:
    """A call as it goes back. Arguments that are no object would make the whole history an error."""
    usable = arguments if arguments_from(arguments) is not None else "{}"
    return {"id": wire, "type": "function", "function": {"name": name, "arguments": usable}}


def _plain_calls(step: AssistantStep, ids: list[str]) -> dict[str, Json]:
    calls = [
        _function(wire, call.name, json.dumps(dict(call.arguments), ensure_ascii=False))
        for wire, call in zip(ids, step.calls, strict=True)
    ]
    return {"tool_calls": calls} if calls else {}


def _stop(said: str, message: Mapping[str, Json], calls: tuple[ToolRequest, ...], *, is_full: bool) -> Stop:
    if message.get("refusal"):
        return Stop.REFUSAL
    if said in _STOPS:
        return _STOPS[said]
    # Some routers and servers hide a cut behind the word for calls.
    if is_full and any(call.arguments is None for call in calls):
        return Stop.LENGTH
    return Stop.TOOL_CALLS if calls else Stop.END


def _usage(usage: Json) -> Usage:
    """Where the total says more than the parts, reasoning was left out of them (xAI, Gemini)."""
    given, written = counted(usage, "prompt_tokens"), counted(usage, "completion_tokens")
    cached = counted(usage, "prompt_tokens_details", "cached_tokens") or counted(usage, "prompt_cache_hit_tokens")
    return Usage(given, max(written, counted(usage, "total_tokens") - given) if given else written, cached)
