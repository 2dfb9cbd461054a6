"""Ollama's own /api/chat over plain HTTP: its client for Python drops parts of schemas and the calls' ids."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

import httpx2

from aitools.errors import ProviderTransient
from aitools.providers import http
from aitools.providers.adapter import MessagesAdapter
from aitools.providers.chat_shape import calls_of, function_tool, mapping, raw_message, request_of, system_message
from aitools.providers.counts import counted
from aitools.providers.failures import failure, failure_of
from aitools.providers.homes import Home
from aitools.providers.honest import honest
from aitools.providers.payloads import body_of, events_of, result_text, results_in_order, wire_id, wrapped
from aitools.providers.spoken import cleaned, text_in, with_calls_in_text
from aitools.types import (
    AssistantStep,
    Json,
    ModelReply,
    ModelRequest,
    Stop,
    Usage,
)

#: Tokens of context. The server's own default is 4,096 on small machines, and it cuts what is more without a word;
#: the tools alone would fill that.
CONTEXT_TOKENS = 16_384


class OllamaProvider(MessagesAdapter):
    """Models that a server of Ollama runs. A key is for a proxy before it; the server knows none."""

    kind: ClassVar[str] = "ollama"
    home: ClassVar[Home] = Home("Ollama", "http://127.0.0.1:11434", "OLLAMA", keyless=True)

    def _post(self, body: Mapping[str, Json], timeout: httpx2.Timeout) -> httpx2.Response:
        client = self._http_client or http.client_for(self._base_url)
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        url = f"{self._base_url.rstrip('/')}/api/chat"
        try:
            response = client.post(url, json=body, headers=headers, timeout=timeout)
        except httpx2.TimeoutException as error:
            raise ProviderTransient("No reply in time.", kind="timeout") from error
        except httpx2.TransportError as error:
            raise ProviderTransient("The connection failed.", kind="connection") from error
        if not response.is_success:
            raise failure_of(response, self._key)
        return response

    # Request

    def _body(self, request: ModelRequest) -> dict[str, Json]:
        body: dict[str, Json] = {
            "model": self._model,
            "messages": [*system_message(request), *self._talk(request)],
            "stream": False,
            "options": {"num_ctx": CONTEXT_TOKENS, "num_predict": request.max_output_tokens},
        }
        if request.tools:
            body["tools"] = [function_tool(spec) for spec in request.tools]
        elif request.text_schema:  # the two do not go together
            body["format"] = dict(request.text_schema)
        return body

    def _step(self, step: AssistantStep) -> Iterator[Json]:
        """A turn of the model and, right after it, the results in its order: older servers pair them by that alone."""
        raw = raw_message(step, self.kind, self.origin)
        ids = [(raw is not None and call.vendor_id) or wire_id(call.call_id) for call in step.calls]
        if step.calls or step.text.strip():
            yield _turn(step, ids, mapping(raw).get("thinking"))
        for wire, call, result in zip(ids, step.calls, results_in_order(step), strict=True):
            yield {"role": "tool", "tool_name": call.name, "tool_call_id": wire, "content": result_text(result)}

    # Reply

    def _reply(self, response: httpx2.Response, request: ModelRequest) -> ModelReply:
        body = _whole(events_of(response)) or body_of(response)
        if body.get("error"):
            raise failure(response.status_code, body, secret=self._key)
        message, said = mapping(body.get("message")), str(body.get("done_reason") or "")
        calls = tuple(request_of(call, request) for call in calls_of(message))
        reply = ModelReply(
            text=cleaned(text_in(message.get("content"))),
            tool_calls=calls,
            stop=Stop.LENGTH if said == "length" else Stop.TOOL_CALLS if calls else Stop.END,
            usage=Usage(counted(body, "prompt_eval_count"), counted(body, "eval_count")),
            raw=wrapped(self.origin, [dict(message)]),
            raw_stop=said,
            model=str(body.get("model") or self._model),
        )
        # The text is cut before it is searched.
        return with_calls_in_text(honest(reply, request, self._key), request)


def _whole(events: list[Mapping[str, Json]]) -> dict[str, Json]:
    """The answer that the lines of a stream make together; some proxies stream whatever they were asked for."""
    said = [mapping(event.get("message")) for event in events]
    texts = {key: "".join(str(one.get(key) or "") for one in said) for key in ("content", "thinking")}
    calls = [call for one in said for call in calls_of(one)]
    message = {"role": "assistant", **{key: text for key, text in texts.items() if text}, "tool_calls": calls}
    return {**events[-1], "message": message} if events else {}


def _turn(step: AssistantStep, ids: list[str], thinking: Json) -> dict[str, Json]:
    """The model's own turn; what it thought before its calls is wanted back by the templates of thinking models."""
    calls = [
        {"id": wire, "function": {"name": call.name, "arguments": dict(call.arguments)}}
        for wire, call in zip(ids, step.calls, strict=True)
    ]
    thought = {"thinking": thinking} if isinstance(thinking, str) and thinking else {}
    return {"role": "assistant", "content": step.text, **thought, **({"tool_calls": calls} if calls else {})}
