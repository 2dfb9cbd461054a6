"""Servers that are compatible with OpenAI, each in its own way: what each sends, and what each is sent."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest

from aitools.errors import ProviderError, ProviderPermanent, ProviderTransient
from aitools.models import ModelEndpoint
from aitools.providers.payloads import wrapped
from aitools.providers.vendors import OPENAI, OTHER, VENDORS, vendor_of
from aitools.types import (
    AssistantStep,
    AssistantText,
    CallResult,
    ModelReply,
    ModelRequest,
    RequestedCall,
    Stop,
    Usage,
    UserText,
)
from tests.aitools.providers.cases import provider_over, request
from tests.aitools.providers.wires.openai_chat import completion

URL = "http://vendor.test"
MODEL = "model-1"
ORIGIN = f"{MODEL}@{URL}"
KEYED = sorted(name for name, vendor in VENDORS.items() if not vendor.keyless)
LOCAL = ["llama_cpp", "lm_studio", "vllm", ""]


def reply_of(vendor: str, body: Any, asked: ModelRequest | None = None, **fields: Any) -> ModelReply:
    """What the vendor's answer is read as."""
    provider = provider_over("openai_chat", lambda _: httpx2.Response(200, json=body, **fields), vendor=vendor)
    return provider.complete(asked or request())


def headers_to(vendor: str, **fields: Any) -> httpx2.Headers:
    """With what headers a request goes over the wire."""
    seen: list[httpx2.Headers] = []

    def answer(received: httpx2.Request) -> httpx2.Response:
        seen.append(received.headers)
        return httpx2.Response(200, json=completion("Hola."))

    provider_over("openai_chat", answer, vendor=vendor, **fields).complete(request())
    return seen[0]


def error_of(vendor: str, status: int, body: Any) -> ProviderError:
    provider = provider_over("openai_chat", lambda _: httpx2.Response(status, json=body), vendor=vendor)
    with pytest.raises(ProviderError) as caught:
        provider.complete(request())
    return caught.value


def sent_to(vendor: str, asked: ModelRequest, **fields: Any) -> dict[str, Any]:
    """What goes over the wire."""
    seen: list[httpx2.Request] = []

    def answer(received: httpx2.Request) -> httpx2.Response:
        seen.append(received)
        return httpx2.Response(200, json=completion("Hola."))

    provider_over("openai_chat", answer, vendor=vendor, model=MODEL, **fields).complete(asked)
    body: dict[str, Any] = json.loads(seen[0].content)
    return body


def call(arguments: Any = "{}", name: str = "view_menu", **fields: Any) -> dict[str, Any]:
    return {"id": "call_1", "type": "function", "function": {"name": name, "arguments": arguments}, **fields}


def step_of(message: Any, *ids: str, text: str = "") -> ModelRequest:
    """A talk in which this very server sent ``message``, whose calls had these ids."""
    calls = tuple(RequestedCall(f"turn:1/{n}", "view_menu", {}, own) for n, own in enumerate(ids))
    results = tuple(CallResult(one.call_id, one.name, f"result {n}") for n, one in enumerate(calls))
    step = AssistantStep(text, calls, results, raw=wrapped(ORIGIN, [message]), provider="openai_chat")
    return request(UserText("Hola"), step)


# What they send


def test_every_vendor_that_staff_can_choose_is_known() -> None:
    assert set(ModelEndpoint.Vendor.values) == set(VENDORS)


def test_openai_itself_is_known_by_its_address() -> None:
    assert vendor_of("", "") is vendor_of("", "https://api.openai.com/v1/") is OPENAI
    assert vendor_of("", "https://models.example.com/v1") is OTHER


@pytest.mark.parametrize("generation", ['{"name": "view_menu", "arguments": {"foo": 1}}', "maybe"])
def test_groqs_refusal_of_its_own_models_call_may_be_tried_again(generation: str) -> None:
    error = {"code": "tool_use_failed", "failed_generation": generation, "message": "did not match schema"}
    raised = error_of("groq", 400, {"error": error})

    assert (type(raised), raised.kind) == (ProviderTransient, "tool_generation")


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ({"choices": None, "error": {"code": 502, "message": "Provider returned error"}}, "server"),
        ({"choices": None, "error": {"code": 429, "message": "Provider returned error"}}, "rate_limit"),
        ({"error": {"code": 401, "message": "User not found."}}, "auth"),
        ({"choices": None}, "server"),
        ({"choices": []}, "server"),
        (completion("half a", stop="error"), "server"),
        ({"choices": [{"error": {"code": 503, "message": "Upstream"}, "finish_reason": "stop"}]}, "overloaded"),
    ],
    ids=["502", "429", "401", "null", "none", "finish", "in the choice"],
)
def test_a_routers_fault_in_a_success_is_a_fault(body: Any, kind: str) -> None:
    provider = provider_over("openai_chat", lambda _: httpx2.Response(200, json=body), vendor="openrouter")
    with pytest.raises(ProviderError) as caught:
        provider.complete(request())

    assert caught.value.kind == kind


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"detail": "Invalid API Key"}, "Invalid API Key"),
        ({"error": "Incorrect API key provided."}, "Incorrect API key"),
        ({"error": [{"message": "No such key"}]}, "No such key"),
        ([{"error": {"message": "API key not valid"}}], "API key not valid"),
        ({"object": "error", "message": "Unauthorized"}, "Unauthorized"),
    ],
    ids=["detail", "text", "list", "wrapped", "flat"],
)
def test_an_error_is_read_in_whatever_shape_it_comes(body: Any, said: str) -> None:
    raised = error_of("", 401, body)

    assert (type(raised), raised.kind) == (ProviderPermanent, "auth")
    assert said in str(raised)


@pytest.mark.parametrize("content", [None, "", [], [{"type": "thinking", "thinking": []}], {"type": "text"}, 7])
def test_content_that_says_nothing_is_no_text(content: Any) -> None:
    reply = reply_of("groq", completion(content, call()))

    assert (reply.text, len(reply.tool_calls)) == ("", 1)


def test_mistrals_thoughts_are_no_text() -> None:
    parts = [{"type": "thinking", "thinking": [{"type": "text", "text": "2+2"}]}, {"type": "text", "text": "4"}]

    assert reply_of("mistral", completion(parts)).text == "4"


def test_togethers_eos_is_the_end() -> None:
    assert reply_of("together", completion("Hola.", stop="eos")).stop is Stop.END


@pytest.mark.parametrize("word", ["length", "max_tokens", "model_length"])
def test_every_word_for_a_cut_is_a_cut(word: str) -> None:
    assert reply_of("mistral", completion(None, call(), stop=word)).stop is Stop.LENGTH


@pytest.mark.parametrize(("written", "stop"), [(1024, Stop.LENGTH), (30, Stop.TOOL_CALLS)])
def test_a_cut_that_is_told_as_calls_is_seen_by_its_length(written: int, stop: Stop) -> None:
    body = completion(None, call('{"category": "pa'), stop="tool_calls")
    usage = {"prompt_tokens": 10, "completion_tokens": written, "total_tokens": 10 + written}
    reply = reply_of("vllm", {**body, "usage": usage})

    assert (reply.stop, reply.tool_calls[0].arguments) == (stop, None)


def test_the_word_for_calls_without_any_is_the_end() -> None:
    body = completion("Hola.", stop="tool_calls", tool_calls=[])

    assert (reply_of("vllm", body).stop, reply_of("vllm", body).text) == (Stop.END, "Hola.")


@pytest.mark.parametrize(
    ("usage", "read"),
    [
        ({"prompt_tokens": 291, "completion_tokens": 26, "total_tokens": 506}, Usage(291, 215)),
        ({"prompt_tokens": 9, "completion_tokens": 3, "prompt_cache_hit_tokens": 8}, Usage(9, 3, 8)),
        ({"prompt_tokens": 9, "completion_tokens": 3, "prompt_tokens_details": None}, Usage(9, 3)),
        (None, Usage()),
    ],
    ids=["reasoning left out", "DeepSeek's cache", "null", "none"],
)
def test_tokens_are_counted_however_they_are_told(usage: Any, read: Usage) -> None:
    assert reply_of("", {**completion("Hola."), "usage": usage}).usage == read


@pytest.mark.parametrize(
    "text",
    [
        "Abrimos a las 7.<|im_end|>",
        "Abrimos a las 7.</s>",
        "Abrimos a las 7.<|eot_id|><|start_header_id|>user\n\n¿Y el domingo?",
        "<think>They open at 7.</think>Abrimos a las 7.",
        "They open at 7.</think>\n\nAbrimos a las 7.",
        "<|im_start|>Abrimos a las 7.",
    ],
)
@pytest.mark.parametrize("vendor", [*LOCAL, "together", "openrouter"])
def test_marks_of_the_chat_template_never_reach_the_customer(vendor: str, text: str) -> None:
    reply = reply_of(vendor, completion(text))

    assert (reply.text.strip(), reply.stop) == ("Abrimos a las 7.", Stop.END)


@pytest.mark.parametrize(
    "text",
    [
        '[TOOL_REQUEST]{"name": "order_status", "arguments": {"order": "C-17"}}[END_TOOL_REQUEST]',
        '<tool_call>\n{"name": "order_status", "arguments": {"order": "C-17"}}\n</tool_call><|im_end|>',
        '```json\n{"name": "order_status", "parameters": {"order": "C-17"}}\n```',
    ],
    ids=["LM Studio", "Hermes", "Llama"],
)
@pytest.mark.parametrize("vendor", LOCAL)
def test_a_call_that_a_local_server_left_in_the_text_is_a_call(vendor: str, text: str) -> None:
    reply = reply_of(vendor, completion(text))

    assert [(one.name, one.arguments) for one in reply.tool_calls] == [("order_status", {"order": "C-17"})]
    assert (reply.text, reply.stop) == ("", Stop.TOOL_CALLS)


@pytest.mark.parametrize(
    ("text", "stop"),
    [
        ("<tool_call><function=view_menu></function></tool_call>", Stop.MALFORMED),
        ('{"name": "order_status", "arguments": {"order": "C-1', Stop.LENGTH),
    ],
)
def test_a_call_in_the_text_that_can_not_be_read_is_not_shown(text: str, stop: Stop) -> None:
    reply = reply_of("lm_studio", completion(text))

    assert (reply.tool_calls, reply.stop) == ((), stop)


def test_a_text_with_braces_is_still_a_text() -> None:
    assert reply_of("vllm", completion("Hay pan {de bono} y café. ")).text == "Hay pan {de bono} y café. "


def test_a_stream_that_nobody_asked_for_says_its_fault() -> None:
    lines = [{"choices": [{"delta": {"content": ""}}]}, {"error": {"code": "tool_use_failed", "message": "No call"}}]
    stream = "".join(f"data: {json.dumps(line)}\n\n" for line in lines)
    provider = provider_over("openai_chat", lambda _: httpx2.Response(200, text=stream), vendor="groq")
    with pytest.raises(ProviderTransient) as caught:
        provider.complete(request())

    assert caught.value.kind == "tool_generation"


# What they are sent


@pytest.mark.parametrize("vendor", [*VENDORS, ""])
def test_every_vendor_gets_one_system_message_tools_and_a_limit(vendor: str) -> None:
    body = sent_to(vendor, request(UserText("Hola")))

    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    assert [tool["function"]["name"] for tool in body["tools"]] == ["view_menu", "order_status"]
    assert [body.get(key) for key in ("max_tokens", "max_completion_tokens")].count(1024) == 1
    assert {"tool_choice", "parallel_tool_calls", "stream", "store"}.isdisjoint(body)


def test_openais_reasoning_models_refuse_max_tokens() -> None:
    assert (vendor_of("", "").max_tokens, vendor_of("groq", "").max_tokens) == ("max_completion_tokens",) * 2


@pytest.mark.parametrize("vendor", ["deepseek", "vllm", "llama_cpp", ""])
def test_reasoning_goes_back_to_who_wants_it(vendor: str) -> None:
    message = {"role": "assistant", "content": "", "reasoning_content": "Let me see.", "tool_calls": [call()]}

    assert sent_to(vendor, step_of(message, "call_1"))["messages"][2]["reasoning_content"] == "Let me see."


@pytest.mark.parametrize("vendor", ["groq", "mistral", "together", "lm_studio"])
def test_keys_that_a_vendor_refuses_stay_here(vendor: str) -> None:
    extra: dict[str, Any] = {
        "reasoning": "r",
        "reasoning_content": "r",
        "refusal": None,
        "annotations": [],
        "extra_content": {},
    }
    message = {"role": "assistant", "content": "Miro.", **extra, "tool_calls": [call(index=0)]}
    turn = sent_to(vendor, step_of(message, "call_1", text="Miro."))["messages"][2]

    assert set(turn) == {"role", "content", "tool_calls"}
    assert set(turn["tool_calls"][0]) == {"id", "type", "function"}


def test_deepseek_wants_reasoning_on_every_turn_even_where_there_was_none() -> None:
    foreign = AssistantStep("", (RequestedCall("1", "view_menu", {}),), (CallResult("1", "view_menu", "pan"),))
    body = sent_to("deepseek", request(UserText("Hola"), AssistantText("¡Hola!"), UserText("¿Pan?"), foreign))

    assert [m["reasoning_content"] for m in body["messages"] if m["role"] == "assistant"] == [" ", " "]


def test_geminis_compatible_endpoint_gets_its_signatures_back_without_ids() -> None:
    signed = {"google": {"thought_signature": "AVSoXO4A"}}
    message = {"role": "assistant", "extra_content": signed, "tool_calls": [call(id="", extra_content=signed)] * 2}
    turn, *results = sent_to("", step_of(message, "", ""))["messages"][2:]

    ids = [one["id"] for one in turn["tool_calls"]]
    assert len(set(ids)) == 2
    assert all(ids)
    assert [(one["tool_call_id"], one["content"]) for one in results] == [(ids[0], "result 0"), (ids[1], "result 1")]
    assert [turn["extra_content"], *(one["extra_content"] for one in turn["tool_calls"])] == [signed] * 3


@pytest.mark.parametrize("vendor", ["mistral", "llama_cpp"])
@pytest.mark.parametrize("own", ["gSIMJiOkT", "tvMeWZLgD9sURsf9sATbsZf9Ms5MQ0Ks", ""])
def test_where_ids_are_short_every_id_is_nine_letters_or_digits(vendor: str, own: str) -> None:
    message = {"role": "assistant", "content": None, "tool_calls": [call(id=own)]}
    turn, result = sent_to(vendor, step_of(message, own))["messages"][2:]
    used = turn["tool_calls"][0]["id"]

    assert len(used) == 9
    assert used.isalnum()
    assert result["tool_call_id"] == used
    assert used == own or len(own) != 9


def test_mistrals_parts_go_back_as_they_came() -> None:
    parts = [{"type": "thinking", "thinking": []}, {"type": "text", "text": "Miro."}]
    message = {"role": "assistant", "content": parts, "tool_calls": [call()]}

    assert sent_to("mistral", step_of(message, "call_1", text="Miro."))["messages"][2]["content"] == parts


@pytest.mark.parametrize("arguments", ['{"category": "pa', "", None, "[]"])
def test_no_server_gets_broken_arguments_back(arguments: Any) -> None:
    """The server of llama.cpp answers 500 to such a history, for good."""
    message = {"role": "assistant", "content": None, "tool_calls": [call(arguments)]}
    turn = sent_to("llama_cpp", step_of(message, "call_1"))["messages"][2]

    assert turn["tool_calls"][0]["function"]["arguments"] == "{}"


def test_calls_found_in_a_text_go_back_as_calls() -> None:
    message = {"role": "assistant", "content": '<tool_call>{"name": "view_menu", "arguments": {}}</tool_call>'}
    turn = sent_to("vllm", step_of(message, ""))["messages"][2]

    assert turn["content"] == ""
    assert turn["tool_calls"][0]["function"] == {"name": "view_menu", "arguments": "{}"}


@pytest.mark.parametrize(
    ("vendor", "kept"), [("vllm", True), ("llama_cpp", True), ("lm_studio", True), ("groq", False)]
)
def test_servers_that_can_keep_a_text_to_a_schema_are_given_it(vendor: str, kept: bool) -> None:
    wanted = {"type": "object", "properties": {}}
    body = sent_to(vendor, request(tools=(), text_schema=wanted))

    assert (body.get("response_format", {}).get("json_schema", {}).get("schema") == wanted) is kept


# Keys and addresses


@pytest.mark.parametrize("vendor", KEYED)
def test_each_vendor_has_an_address_and_a_key_of_its_own(vendor: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai")
    monkeypatch.delenv(f"{VENDORS[vendor].variables}_API_KEY", raising=False)
    assert VENDORS[vendor].url.startswith("https://")

    with pytest.raises(ProviderPermanent, match=f"No key for {VENDORS[vendor].name} is set"):
        provider_over("openai_chat", lambda _: httpx2.Response(500), vendor=vendor, api_key="").complete(request())


@pytest.mark.parametrize("vendor", ["vllm", "llama_cpp", "lm_studio"])
def test_a_local_server_is_asked_without_a_key(vendor: str) -> None:
    assert sent_to(vendor, request(), api_key="")["model"] == MODEL


@pytest.mark.parametrize("vendor", [*VENDORS, ""])
def test_nobody_else_learns_whose_account_it_is_at_openai(vendor: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-1")

    assert not {"openai-organization", "openai-project"} & headers_to(vendor).keys()


def test_openai_learns_whose_account_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")

    assert headers_to("", base_url=OPENAI.url)["openai-organization"] == "org-1"
