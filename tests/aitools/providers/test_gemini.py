"""What only Gemini does: parts that are signed, calls without ids, many words for an end, faults in details."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import google
import httpx2
import pytest
from google.genai import types

from aitools.errors import ProviderError, ProviderPermanent, ProviderTransient
from aitools.providers.gemini import NOT_INSTALLED
from aitools.providers.gemini_shape import FOREIGN_SIGNATURE
from aitools.providers.scripted import says
from aitools.types import (
    AssistantStep,
    AssistantText,
    CallResult,
    ModelReply,
    Nudge,
    RequestedCall,
    Stop,
    ToolSpec,
    UserText,
)
from tests.aitools.providers.cases import answered, provider_at, provider_over, request
from tests.aitools.providers.wires.gemini import HOLA, MENU, answer
from tests.wire.vendors import Raw, VendorServer, vendor_server

SIGNED = {**MENU, "thoughtSignature": "skip_thought_signature_validator"}
TWO_CALLS = (RequestedCall("turn:1/call:1", "view_menu", {}), RequestedCall("turn:1/call:2", "view_menu", {}))
TWO_RESULTS = tuple(CallResult(call.call_id, call.name, "ok") for call in TWO_CALLS)

_FILTERED = (
    *("SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "RECITATION", "LANGUAGE", "MODEL_ARMOR", "ESCALATION"),
    *("PUP_LIMITED_DISABLED", "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"),
)
_MALFORMED = ("MALFORMED_FUNCTION_CALL", "MALFORMED_RESPONSE", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS")
_PLAIN = ("STOP", "OTHER", "NO_IMAGE", "IMAGE_OTHER", "FINISH_REASON_UNSPECIFIED")
ENDS = {
    **dict.fromkeys(_FILTERED, Stop.CONTENT_FILTER),
    **dict.fromkeys(_MALFORMED, Stop.MALFORMED),
    **dict.fromkeys(("MAX_TOKENS", "CONTINUATION"), Stop.LENGTH),
    **dict.fromkeys(_PLAIN, Stop.END),
}


def _replied(body: Any, **fields: Any) -> ModelReply:
    return provider_over("gemini", lambda _: httpx2.Response(200, json=body), **fields).complete(request())


def _refused(status: int, body: Any) -> ProviderError:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    with pytest.raises(ProviderError) as caught:
        provider_over("gemini", lambda _: httpx2.Response(status, content=content)).complete(request())
    return caught.value


def _sent(*messages: Any, **fields: Any) -> dict[str, Any]:
    """The body of the request that asks for an answer to ``messages``."""
    with vendor_server([says("Listo.")], thinking=False) as server:
        provider_at(server, "gemini", **fields).complete(request(*messages))
        return dict(server.received[-1].body)


def _echoed(server: VendorServer, *results: str) -> list[dict[str, Any]]:
    """The contents that follow the customer's words when a reply's calls are answered."""
    provider = provider_at(server, "gemini")
    step = answered(provider.complete(request()), *results, provider="gemini")
    provider.complete(request(UserText("Hola"), step))
    return list(server.received[-1].body["contents"][1:])


# Parts and signatures


def test_parts_go_back_to_the_letter() -> None:
    parts = [{"text": "", "thoughtSignature": "a+/b=="}, {"hologram": {"é": 1.0}}, {**SIGNED, "partMetadata": {"x": 1}}]
    with vendor_server([Raw(answer(*parts)), says("Listo.")]) as server:
        assert _echoed(server, "Pan $700")[0] == {"role": "model", "parts": parts}


def test_a_blank_part_without_a_signature_does_not_go_back() -> None:
    with vendor_server([Raw(answer({"text": " "}, SIGNED, {}, None)), says("Listo.")]) as server:
        assert _echoed(server, "ok")[0]["parts"] == [SIGNED]


def test_results_stand_in_one_content_in_the_order_of_equal_calls() -> None:
    with vendor_server([Raw(answer(SIGNED, MENU, MENU)), says("Listo.")]) as server:
        said, results = _echoed(server, "one", "two", "three")

    assert said["parts"] == [SIGNED, MENU, MENU]
    assert results == {
        "role": "user",
        "parts": [
            {"functionResponse": {"name": "view_menu", "response": {"output": text}}}
            for text in ("one", "two", "three")
        ],
    }


def test_an_id_that_it_gave_stands_on_the_result() -> None:
    named = {"functionCall": {**MENU["functionCall"], "id": "oqeiriep"}, "thoughtSignature": FOREIGN_SIGNATURE}
    with vendor_server([Raw(answer(named, MENU)), says("Listo.")]) as server:
        results = _echoed(server, "one", "two")[1]["parts"]

    assert [part["functionResponse"].get("id") for part in results] == ["oqeiriep", None]


def test_a_failure_is_an_error_inside_the_response() -> None:
    failed = CallResult("turn:1/call:1", "view_menu", "The menu is away.", is_error=True)
    sent = _sent(UserText("Hola"), AssistantStep("", TWO_CALLS[:1], (failed,)))

    assert sent["contents"][-1]["parts"][0]["functionResponse"]["response"] == {"error": "The menu is away."}


@pytest.mark.parametrize(
    ("model", "signatures"),
    [
        ("", [FOREIGN_SIGNATURE, None]),
        ("gemini-3.8-flash", [FOREIGN_SIGNATURE, None]),
        ("gemini-2.5-flash", [None, None]),
        ("models/gemini-2.5-pro", [None, None]),
    ],
)
def test_another_models_turn_has_the_documented_signature_on_its_first_call(
    model: str, signatures: list[str | None]
) -> None:
    sent = _sent(UserText("Hola"), AssistantStep("Ya miro.", TWO_CALLS, TWO_RESULTS, provider="openai"), model=model)

    said, *calls = sent["contents"][1]["parts"]
    assert said == {"text": "Ya miro."}
    assert [part.get("thoughtSignature") for part in calls] == signatures


def test_turns_of_the_model_in_a_row_are_one() -> None:
    # "Function call turn comes immediately after a user turn or after a function response turn", or a 400.
    notice = AssistantText("Su torta está lista.")
    sent = _sent(UserText("Hola"), notice, AssistantStep("", TWO_CALLS, TWO_RESULTS), Nudge("Answer."))

    assert [content["role"] for content in sent["contents"]] == ["user", "model", "user", "user"]
    assert [next(iter(part)) for part in sent["contents"][1]["parts"]] == ["text", "functionCall", "functionCall"]


# The request


def test_it_asks_for_nothing_that_the_sdk_would_do_by_itself() -> None:
    sent = _sent(UserText("Hola"))

    assert sent.keys() == {"contents", "generationConfig", "systemInstruction", "tools"}
    assert sent["tools"][0].keys() == {"functionDeclarations"}
    assert sent["contents"] == [{"role": "user", "parts": [{"text": "Hola"}]}]


@pytest.mark.parametrize(("wanted", "room"), [(1024, 5120), (60_000, 65_536)])
def test_thoughts_have_room_beside_the_answer(wanted: int, room: int) -> None:
    with vendor_server([says("Hola.")]) as server:
        provider_at(server, "gemini").complete(request(max_output_tokens=wanted))

    assert server.received[0].body["generationConfig"] == {"maxOutputTokens": room}


def test_a_plan_is_kept_to_its_schema() -> None:
    schema = {"type": "object", "properties": {"action": {"const": "reply"}}}
    with vendor_server([says("{}")]) as server:
        provider_at(server, "gemini").complete(request(tools=(), text_schema=schema))

    assert server.received[0].body["generationConfig"] == {
        "maxOutputTokens": 5120,
        "responseMimeType": "application/json",
        "responseJsonSchema": {"type": "object", "properties": {"action": {"enum": ["reply"]}}},
    }


def test_a_tools_schema_is_said_in_documented_words() -> None:
    schema = {
        "type": "object",
        "properties": {
            "size": {"anyOf": [{"type": "string", "enum": ["s", "m"]}, {"type": "null"}], "description": "How big."},
            "count": {"type": "integer", "exclusiveMinimum": 0},
            "sure": {"type": "boolean", "const": True},
            "extras": {"type": "array", "items": {"type": "string", "enum": ["", "nut"]}, "minItems": 1},
        },
        "required": ["count"],
        "additionalProperties": False,
    }
    with vendor_server([says("Hola.")]) as server:
        provider_at(server, "gemini").complete(request(tools=(ToolSpec("order", "Orders.", schema),)))

    (declared,) = server.received[0].body["tools"][0]["functionDeclarations"]
    assert declared["parametersJsonSchema"] == {
        "type": "object",
        "properties": {
            "size": {"description": "How big.", "anyOf": [{"type": "string", "enum": ["s", "m"]}, {"type": "null"}]},
            "count": {"type": "integer", "description": "(exclusiveMinimum 0)"},
            "sure": {"type": "boolean"},
            "extras": {"type": "array", "items": {"type": "string"}, "description": "(minItems 1)"},
        },
        "required": ["count"],
        "additionalProperties": False,
    }


def test_the_environment_can_not_send_it_to_another_service(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_ENTERPRISE"):
        monkeypatch.setenv(name, "true")
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "somebodys")
    monkeypatch.setenv("GOOGLE_API_KEY", "another-key")
    with vendor_server([says("Hola.")]) as server:
        assert provider_at(server, "gemini").complete(request()).text == "Hola."


# How it ends


def test_every_end_that_the_sdk_names_has_its_rule() -> None:
    assert {str(end.value) for end in types.FinishReason} == ENDS.keys() | {"MISSING_THOUGHT_SIGNATURE"}


@pytest.mark.parametrize(("word", "stop"), ENDS.items())
def test_an_end_has_its_stop_and_keeps_its_word(word: str, stop: Stop) -> None:
    reply = _replied(answer(HOLA, stop=word))

    assert (reply.stop, reply.raw_stop) == (stop, word)


def test_a_history_without_a_signature_is_our_fault_and_permanent() -> None:
    error = _refused(200, answer(stop="MISSING_THOUGHT_SIGNATURE"))

    assert (type(error), error.kind) == (ProviderPermanent, "invalid_request")


@pytest.mark.parametrize("reason", ["SAFETY", "OTHER", "BLOCKLIST", "PROHIBITED_CONTENT", "JAILBREAK", "SOMETHING_NEW"])
def test_a_blocked_prompt_is_a_filtered_reply(reason: str) -> None:
    reply = _replied({"promptFeedback": {"blockReason": reason}})

    assert (reply.stop, reply.raw_stop, reply.text) == (Stop.CONTENT_FILTER, f"promptFeedback:{reason}", "")


def test_an_answer_counts_whatever_is_said_of_the_prompt() -> None:
    assert _replied({**answer(HOLA), "promptFeedback": {"blockReason": "OTHER"}}).text == "Hola."


@pytest.mark.parametrize("word", _MALFORMED)
def test_the_words_before_a_call_that_failed_are_no_answer(word: str) -> None:
    assert _replied(answer({"text": "Ya lo registro."}, stop=word)).text == ""


@pytest.mark.parametrize(
    ("word", "kept"),
    [("UNEXPECTED_TOOL_CALL", ["list_files"]), ("TOO_MANY_TOOL_CALLS", []), ("MALFORMED_RESPONSE", [])],
)
def test_of_malformed_replies_only_calls_of_no_tool_are_kept(word: str, kept: list[str]) -> None:
    strange = {"functionCall": {"name": "list_files", "args": {}}}

    assert [call.name for call in _replied(answer(MENU, strange, stop=word)).tool_calls] == kept


def test_a_reply_that_would_go_on_is_a_cut_one() -> None:
    unfinished = answer(HOLA, stop="CONTINUATION")
    unfinished["candidates"][0]["continuationToken"] = "dG9rZW4="
    with vendor_server([Raw(unfinished)]) as server:  # which refuses a second request
        assert provider_at(server, "gemini").complete(request()).stop is Stop.LENGTH


def test_its_names_for_the_answer_are_kept() -> None:
    reply = _replied({**answer(HOLA), "modelVersion": "gemini-3.8-flash-002", "responseId": "JniLac"})

    assert (reply.model, reply.request_id) == ("gemini-3.8-flash-002", "JniLac")


def test_tokens_of_tools_and_thoughts_are_counted() -> None:
    counts = {"promptTokenCount": 100, "toolUsePromptTokenCount": 20, "cachedContentTokenCount": 60}
    usage = _replied({**answer(HOLA), "usageMetadata": {**counts, "thoughtsTokenCount": 30}}).usage

    assert (usage.input, usage.output, usage.cached_input) == (120, 30, 60)


# Faults


def _error(status: int, message: str, name: str = "INVALID_ARGUMENT", **detail: str) -> dict[str, Any]:
    return {"error": {"code": status, "message": message, "status": name, "details": [detail]}}


@pytest.mark.parametrize("wrapped", [False, True], ids=["object", "list"])
@pytest.mark.parametrize(
    ("status", "body", "kind", "waits"),
    [
        (400, _error(400, "API key expired. Please renew it.", reason="API_KEY_INVALID"), "auth", None),
        (429, _error(429, "Slow down.", "RESOURCE_EXHAUSTED", retryDelay="34.4s"), "rate_limit", 34.4),
        (429, _error(429, "Slow down.", "RESOURCE_EXHAUSTED", retryDelay="soon"), "rate_limit", None),
        (503, _error(503, "The model is overloaded.", "UNAVAILABLE"), "overloaded", None),
        (500, _error(500, "Internal error encountered.", "INTERNAL"), "server", None),
        (504, _error(504, "Deadline expired.", "DEADLINE_EXCEEDED"), "timeout", None),
        (403, _error(403, "Permission denied.", "PERMISSION_DENIED"), "auth", None),
        (
            400,
            _error(400, "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."),
            "context_overflow",
            None,
        ),
        (400, _error(400, "Function calling is not enabled for models/gemma-3"), "tools_unsupported", None),
        (400, _error(400, "Function call is missing a thought_signature"), "invalid_request", None),
    ],
)
def test_a_refusal_has_its_kind(status: int, body: Any, kind: str, waits: float | None, *, wrapped: bool) -> None:
    error = _refused(status, [body] if wrapped else body)

    assert (error.kind, error.retry_after) == (kind, waits)
    assert str(error) == f"HTTP {status}: {body['error']['message']}"


@pytest.mark.parametrize("body", [b"Puerta de enlace err\xf3nea", b"[" * 100_000, b"[]", b"null", b'{"error": "no"}'])
def test_an_error_page_that_nobody_can_read_is_a_server_fault(body: bytes) -> None:
    error = _refused(502, body)

    assert (type(error), error.kind) == (ProviderTransient, "server")


# Installing


def test_without_the_sdk_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(google, "genai")
    monkeypatch.setitem(sys.modules, "google.genai", None)

    with vendor_server() as server, pytest.raises(ProviderPermanent, match=NOT_INSTALLED):
        provider_at(server, "gemini").complete(request())


def test_nobody_else_pays_for_the_sdk() -> None:
    code = (
        "import django, sys; django.setup()\n"
        "from aitools.providers.base import EndpointConfig, provider_for\n"
        "provider_for(EndpointConfig(kind='gemini', model='m'))\n"
        "print([name for name in sys.modules if name.startswith('google')])"
    )
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "bakery.settings"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
