"""Ollama's own API: what only it does."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest

from aitools.errors import ProviderError, ProviderPermanent, ProviderTransient
from aitools.providers.ollama import CONTEXT_TOKENS
from aitools.types import ModelReply, ModelRequest, Stop, Usage
from tests.aitools.providers.cases import provider_over, request
from tests.aitools.providers.wires.ollama import MENU, answer


def reply_of(body: Any) -> ModelReply:
    return provider_over("ollama", lambda _: httpx2.Response(200, json=body)).complete(request())


def sent(asked: ModelRequest, **fields: Any) -> tuple[dict[str, Any], httpx2.Request]:
    seen: list[httpx2.Request] = []

    def answering(received: httpx2.Request) -> httpx2.Response:
        seen.append(received)
        return httpx2.Response(200, json=answer("Hola."))

    provider_over("ollama", answering, model="gemma3:4b", **fields).complete(asked)
    return json.loads(seen[0].content), seen[0]


def test_it_is_asked_for_one_answer_with_room_for_the_talk() -> None:
    body, received = sent(request(max_output_tokens=700))

    assert received.url.path == "/api/chat"
    assert (body["model"], body["stream"]) == ("gemma3:4b", False)
    assert body["options"] == {"num_ctx": CONTEXT_TOKENS, "num_predict": 700}
    assert body["messages"] == [
        {"role": "system", "content": "You take orders."},
        {"role": "user", "content": "Hola"},
    ]
    assert "format" not in body


def test_no_key_is_sent_unless_there_is_one() -> None:
    assert "authorization" not in sent(request(), api_key="")[1].headers
    assert sent(request(), api_key="of-a-proxy")[1].headers["authorization"] == "Bearer of-a-proxy"


def test_a_plan_is_kept_to_its_schema_and_never_together_with_tools() -> None:
    schema = {"type": "object", "properties": {"reply": {"type": "string"}}}

    assert sent(request(tools=(), text_schema=schema))[0]["format"] == schema
    assert "format" not in sent(request(text_schema=schema))[0]


@pytest.mark.parametrize(
    ("status", "said", "error", "kind"),
    [
        (400, "registry.ollama.ai/library/gemma3:4b does not support tools", ProviderPermanent, "tools_unsupported"),
        (400, '"gemma3:4b" does not support thinking', ProviderPermanent, "invalid_request"),
        (404, "model 'gemma3:4b' not found", ProviderPermanent, "not_found"),
        (429, "too many requests", ProviderTransient, "rate_limit"),
        (500, "error parsing tool call: raw='ls', err=invalid", ProviderTransient, "tool_generation"),
        (500, "llama runner process has terminated", ProviderTransient, "server"),
        (502, "upstream", ProviderTransient, "server"),
        (503, "server busy, please try again.  maximum pending requests exceeded", ProviderTransient, "overloaded"),
    ],
)
def test_a_fault_has_its_kind(status: int, said: str, error: type[ProviderError], kind: str) -> None:
    provider = provider_over("ollama", lambda _: httpx2.Response(status, json={"error": said}))
    with pytest.raises(ProviderError) as caught:
        provider.complete(request())

    assert (type(caught.value), caught.value.kind) == (error, kind)
    assert said[:20] in str(caught.value)


def test_thinking_is_kept_but_is_no_text() -> None:
    reply = reply_of(answer("", MENU, thinking="They want the menu."))

    assert reply.text == ""
    assert reply.raw["parts"][0]["thinking"] == "They want the menu."


@pytest.mark.parametrize(("word", "stop"), [("length", Stop.LENGTH), ("", Stop.END), ("load", Stop.END)])
def test_its_words_for_the_end(word: str, stop: Stop) -> None:
    assert reply_of(answer("Hola.", stop=word)).stop is stop


def test_counts_may_be_left_out() -> None:
    assert reply_of({**answer("Hola."), "eval_count": 3}).usage == Usage(0, 3)


def test_an_answer_in_lines_is_one_answer() -> None:
    lines = [answer("Ho", MENU, stop=""), answer("la.", thinking="…")]
    stream = "\n".join(json.dumps(line) for line in lines)
    reply = provider_over("ollama", lambda _: httpx2.Response(200, text=stream)).complete(request())

    assert (reply.text, [call.name for call in reply.tool_calls], reply.raw_stop) == ("Hola.", ["view_menu"], "stop")
