"""Odd answers that no recording has: nothing a vendor sends may crash us or run by mistake."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from aitools.errors import ProviderPermanent, ProviderTransient
from aitools.types import ModelReply, Stop, Usage
from tests.aitools.providers.cases import provider_over, request
from tests.wire.vendors import API_KEY


def _from(kind: str, **answer: Any) -> ModelReply:
    return provider_over(kind, lambda _: httpx2.Response(200, **answer)).complete(request())


def _anthropic(content: Any, stop_reason: str | None = "tool_use", **fields: Any) -> ModelReply:
    return _from("anthropic", json={"content": content, "stop_reason": stop_reason, **fields})


def _openai(*output: Any, status: str | None = "completed", **fields: Any) -> ModelReply:
    return _from("openai", json={"output": list(output), "status": status, **fields})


def _function_call(arguments: str | None, name: str = "order_status", **fields: Any) -> dict[str, Any]:
    return {"type": "function_call", "call_id": "call_1", "name": name, "arguments": arguments, **fields}


MENU = {"type": "tool_use", "id": "t1", "name": "view_menu", "input": {}}


@pytest.mark.parametrize("word", ["end_turn", "stop_sequence", "something_new", None])
def test_anthropic_calls_count_whatever_the_word(word: str | None) -> None:
    assert _anthropic([MENU], word).stop is Stop.TOOL_CALLS


@pytest.mark.parametrize("word", ["tool_use", "something_new", None])
def test_anthropic_without_calls_it_is_the_end(word: str | None) -> None:
    reply = _anthropic([{"type": "text", "text": "Hola"}], word)

    assert (reply.stop, reply.raw_stop) == (Stop.END, word or "")


def test_anthropic_a_full_context_is_a_cut() -> None:
    assert _anthropic([MENU], "model_context_window_exceeded").stop is Stop.LENGTH


@pytest.mark.parametrize("given", ["{cut", None, [], 3])
def test_anthropic_input_that_is_no_object_is_kept_aside(given: Any) -> None:
    (call,) = _anthropic([{**MENU, "input": given}]).tool_calls

    assert call.arguments is None
    assert call.raw


@pytest.mark.parametrize("content", [None, [], [None, "text", {"type": "hologram"}, {"type": "text", "text": None}]])
def test_anthropic_unknown_content_is_no_content(content: Any) -> None:
    reply = _anthropic(content, "end_turn")

    assert (reply.text, reply.tool_calls, reply.stop) == ("", (), Stop.END)


def test_anthropic_counts_cached_tokens_as_input() -> None:
    usage = {"input_tokens": 3, "cache_creation_input_tokens": 40, "cache_read_input_tokens": 500, "output_tokens": 7}

    assert _anthropic([], usage=usage).usage == Usage(input=543, output=7, cached_input=500)


def test_anthropic_an_error_in_a_success_is_a_fault() -> None:
    error = {"type": "overloaded_error", "message": f"Overloaded: {API_KEY}"}
    with pytest.raises(ProviderTransient) as caught:
        _from("anthropic", json={"type": "error", "error": error})

    assert caught.value.kind == "overloaded"
    assert API_KEY not in str(caught.value)


@pytest.mark.parametrize("text", ['{"order": "C-1', "[]", "3", "null", "C-17", '{"order": NaN}', "[" * 100_000])
def test_openai_arguments_that_are_no_object_are_kept_aside(text: str) -> None:
    (call,) = _openai(_function_call(text)).tool_calls

    assert call.arguments is None
    assert call.raw == text[:2000]


@pytest.mark.parametrize("text", ["", None])
def test_openai_empty_arguments_will_do_only_where_nothing_is_required(text: str | None) -> None:
    assert _openai(_function_call(text, "view_menu")).tool_calls[0].arguments == {}
    assert _openai(_function_call(text, "order_status")).tool_calls[0].arguments is None


@pytest.mark.parametrize(
    ("reason", "stop"),
    [
        ("max_output_tokens", Stop.LENGTH),
        ("max_messages", Stop.LENGTH),
        ("something_new", Stop.LENGTH),
        ("content_filter", Stop.CONTENT_FILTER),
    ],
)
def test_openai_an_incomplete_response_is_not_acted_on(reason: str, stop: Stop) -> None:
    reply = _openai(_function_call("{}"), status="incomplete", incomplete_details={"reason": reason})

    assert (reply.stop, reply.raw_stop) == (stop, reason)


def test_openai_counts_cached_tokens_once() -> None:
    usage = {"input_tokens": 543, "input_tokens_details": {"cached_tokens": 500}, "output_tokens": 7}

    assert _openai(usage=usage).usage == Usage(input=543, output=7, cached_input=500)


def test_openai_a_half_written_call_cuts_the_turn() -> None:
    assert _openai(_function_call("{}", status="incomplete")).stop is Stop.LENGTH


def test_openai_a_refusal_part_is_a_refusal() -> None:
    refusing = {"type": "message", "content": [{"type": "refusal", "refusal": "No."}]}

    assert _openai(refusing).stop is Stop.REFUSAL
    assert _openai(refusing).text == ""


def test_openai_a_run_stopped_by_policy_is_a_refusal() -> None:
    assert _openai(status="failed", error={"code": "bio_policy", "message": "No."}).stop is Stop.REFUSAL


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"code": "server_error", "message": f"Oops {API_KEY}"}, "server"),
        ({"code": "rate_limit_exceeded", "message": "Wait"}, "rate_limit"),
        ({"code": "something_new", "message": "?"}, "server"),
        (None, "server"),
    ],
)
def test_openai_a_failed_run_may_be_tried_again(error: Any, kind: str) -> None:
    with pytest.raises(ProviderTransient) as caught:
        _openai(status="failed", error=error)

    assert caught.value.kind == kind
    assert API_KEY not in str(caught.value)


def test_openai_an_invalid_prompt_stays_invalid() -> None:
    with pytest.raises(ProviderPermanent):
        _openai(status="failed", error={"code": "invalid_prompt", "message": "No"})


@pytest.mark.parametrize("status", ["queued", "in_progress", "cancelled"])
def test_openai_an_unfinished_run_is_no_answer(status: str) -> None:
    with pytest.raises(ProviderTransient):
        _openai(status=status)
