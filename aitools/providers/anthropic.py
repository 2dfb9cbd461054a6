"""Anthropic's Messages API through its SDK.

Answers are read from the JSON as it came, not from the SDK's models: the turn
must go back unchanged, and values this SDK does not know yet must not matter.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import anthropic
import anthropic.resources.messages.messages  # otherwise imported with the first request, in its time
import httpx2

from aitools.errors import ProviderPermanent
from aitools.providers.adapter import MessagesAdapter, faults_of
from aitools.providers.counts import counted
from aitools.providers.failures import failure
from aitools.providers.homes import Home
from aitools.providers.payloads import (
    RAW_LIMIT,
    asks_the_same,
    body_of,
    raw_turn,
    results_in_order,
    wire_id,
    wire_schema,
    wrapped,
)
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

#: Two marks: tools change with the menu, the instructions with the bot profile.
_CACHED = {"cache_control": {"type": "ephemeral"}}
_THINKING = ("thinking", "redacted_thinking")

_STOPS = {
    "max_tokens": Stop.LENGTH,
    "model_context_window_exceeded": Stop.LENGTH,
    "refusal": Stop.REFUSAL,
    "pause_turn": Stop.PAUSED,
}


class AnthropicProvider(MessagesAdapter):
    """Models of Anthropic, and of servers that speak the Messages API."""

    kind: ClassVar[str] = "anthropic"
    home: ClassVar[Home] = Home("Anthropic", "https://api.anthropic.com", "ANTHROPIC")
    default_model: ClassVar[str] = "claude-haiku-5-5"

    def _post(self, body: Mapping[str, Json], timeout: httpx2.Timeout) -> httpx2.Response:
        try:
            with faults_of(anthropic, self._key):
                return self._client().messages.with_raw_response.create(**body, timeout=timeout).http_response
        except anthropic.AnthropicError as error:  # the SDK's own ways to credentials
            raise ProviderPermanent(str(error), kind="auth") from error

    def _client(self) -> anthropic.Anthropic:
        client = anthropic.Anthropic(**self._sdk_options())
        if not (client.api_key or client.auth_token or client.credentials):
            raise self._no_key()
        return client

    # Request

    def _body(self, request: ModelRequest) -> dict[str, Json]:
        body: dict[str, Json] = {
            "model": self._model,
            "max_tokens": request.max_output_tokens,
            "messages": self._talk(request),
        }
        if request.system.strip():
            body["system"] = _system(request)
        if request.tools:
            tools = [_tool(spec) for spec in request.tools]
            body["tools"] = [*tools[:-1], {**tools[-1], **_CACHED}]
        return body

    def _said(self, role: str, text: str) -> dict[str, Json]:
        return {"role": role, "content": [{"type": "text", "text": text}]}

    def _step(self, step: AssistantStep) -> Iterator[Json]:
        """A turn of the model and, in one user message right after it, all results."""
        raw = self._raw_blocks(step)
        blocks = raw if raw is not None else _plain_blocks(step)
        if blocks:
            yield {"role": "assistant", "content": blocks}
        if step.calls:
            ids = [call.vendor_id if raw is not None else wire_id(call.call_id) for call in step.calls]
            yield {"role": "user", "content": _results(step, ids)}

    def _raw_blocks(self, step: AssistantStep) -> list[Json] | None:
        """The turn as this very model sent it, None where it may not go back as it is."""
        kept = raw_turn(step, self.kind, self.origin) or []
        blocks = [_resent(block) for block in kept if not _is_empty_text(block)]
        ids = [block.get("id") for block in blocks if block.get("type") == "tool_use"]
        if not blocks or blocks[-1].get("type") in _THINKING or not asks_the_same(step, ids):
            return None
        return blocks

    # Reply

    def _reply(self, response: httpx2.Response, request: ModelRequest) -> ModelReply:
        body = body_of(response)
        if body.get("error"):
            raise failure(response.status_code, body, secret=self._key)
        blocks = [block for block in body.get("content") or [] if isinstance(block, Mapping)]
        said = str(body.get("stop_reason") or "")
        calls = tuple(_call(block) for block in blocks if block.get("type") == "tool_use")
        stop = _STOPS.get(said, Stop.TOOL_CALLS if calls else Stop.END)
        return ModelReply(
            text="".join(str(b.get("text") or "") for b in blocks if b.get("type") == "text"),
            tool_calls=() if stop is Stop.REFUSAL else calls,
            stop=stop,
            usage=_usage(body.get("usage")),
            raw=wrapped(self.origin, blocks),
            raw_stop=said,
            model=str(body.get("model") or self._model),
            request_id=response.headers.get("request-id", ""),
        )


def _system(request: ModelRequest) -> list[Json]:
    """What stays the same, marked, and then what is true now: a mark behind it would keep nothing for a minute."""
    kept = request.stable if request.stable.strip() and request.system.startswith(request.stable) else request.system
    blocks: list[Json] = [{"type": "text", "text": kept, **_CACHED}]
    if changing := request.system[len(kept) :].strip():
        blocks.append({"type": "text", "text": changing})
    return blocks


def _tool(spec: ToolSpec) -> dict[str, Json]:
    return {
        "name": spec.name,
        "description": spec.description,
        "input_schema": wire_schema(spec.schema),
    }


def _plain_blocks(step: AssistantStep) -> list[Json]:
    text = [{"type": "text", "text": step.text}] if step.text.strip() else []
    calls = [
        {
            "type": "tool_use",
            "id": wire_id(call.call_id),
            "name": call.name,
            "input": dict(call.arguments),
        }
        for call in step.calls
    ]
    return [*text, *calls]


def _results(step: AssistantStep, ids: list[str]) -> list[Json]:
    return [
        {
            "type": "tool_result",
            "tool_use_id": wire,
            "content": result.content.strip() or "(empty)",
            **({"is_error": True} if result.is_error else {}),
        }
        for wire, result in zip(ids, results_in_order(step), strict=True)
    ]


def _is_empty_text(block: Json) -> bool:
    """The API may send such a block and then refuses to take it back."""
    return block.get("type") == "text" and not str(block.get("text") or "").strip()


def _resent(block: Json) -> Json:
    """A call whose input is no object would make the whole history a 400."""
    if block.get("type") == "tool_use" and not isinstance(block.get("input"), Mapping):
        return {**block, "input": {}}
    return block


def _call(block: Mapping[str, Json]) -> ToolRequest:
    given: Any = block.get("input")
    usable = isinstance(given, Mapping)
    return ToolRequest(
        name=str(block.get("name") or ""),
        arguments=dict(given) if usable else None,
        vendor_id=str(block.get("id") or ""),
        raw="" if usable else json.dumps(given)[:RAW_LIMIT],
    )


def _usage(usage: Json) -> Usage:
    cached = counted(usage, "cache_read_input_tokens")
    written = counted(usage, "cache_creation_input_tokens")
    return Usage(
        input=counted(usage, "input_tokens") + written + cached,
        output=counted(usage, "output_tokens"),
        cached_input=cached,
    )
