"""Recorded vendors' answers, from a local server through the real SDK, come out normalised."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aitools import events
from aitools.errors import ProviderError, ProviderPermanent, ProviderTransient
from aitools.loop import CallModel, Finish, Limits, Settle, Transcript, decide
from aitools.running import step_from
from aitools.tools import ToolSet
from aitools.types import ModelReply, Stop, ToolSpec
from tests.aitools.providers.cases import provider_at, request
from tests.recordings_report import PROPERTY
from tests.wire.vendors import Raw, vendor_server

FOLDER = Path(__file__).parents[4] / "shared" / "cases" / "providers"
KINDS = {"openai_responses": "openai", "openai_compat": "openai_chat"}
#: The vendors of compatible servers, by the names that the recordings give them; the others are nobody we know.
VENDORS = {
    "Groq": "groq",
    "DeepSeek": "deepseek",
    "Mistral": "mistral",
    "OpenRouter": "openrouter",
    "llama.cpp": "llama_cpp",
    "LM Studio": "lm_studio",
}

CASES = sorted(FOLDER.glob("*-*.json"))
needs_recordings = pytest.mark.skipif(not CASES, reason=f"no recordings in {FOLDER}")


@needs_recordings
@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_recorded_answer_gives_what_its_case_expects(path: Path, record_property: Callable[..., None]) -> None:
    case = json.loads(path.read_text())
    expected = case["expect"]
    record_property(PROPERTY, case["provider"])

    if expected["ok"]:
        _assert_reply(_complete(case), expected)
    else:
        _assert_error(case, expected["error"])


@needs_recordings
@pytest.mark.parametrize(
    ("name", "event"),
    [
        ("anthropic-refusal_details", events.REFUSED),
        ("anthropic-refusal_no_details", events.REFUSED),
        ("anthropic-truncated_parallel", events.TRUNCATED),
        ("anthropic-empty_content", events.EMPTY),
        ("openai_chat-refusal", events.REFUSED),
        ("openai_compat-llamacpp_truncated_args", events.TRUNCATED),
        ("gemini-prompt_blocked", events.FILTERED),
        ("gemini-malformed_function_call", events.EMPTY),
        ("gemini-unexpected_tool_call", events.UNKNOWN_TOOL),
    ],
)
def test_a_recorded_stop_has_one_outcome_in_the_loop(name: str, event: str) -> None:
    reply = _complete(json.loads((FOLDER / f"{name}.json").read_text()))

    action = decide(Transcript((step_from(reply, "anthropic"),)), ToolSet([]), Limits())

    assert isinstance(action, Finish | Settle | CallModel)
    assert action.event == event


def _complete(case: dict[str, Any]) -> ModelReply:
    # A compatible server of Ollama's has another path than its own API.
    compatible = case.get("vendor") == "Ollama /v1"
    kind = "openai_chat" if compatible else KINDS.get(case["provider"], case["provider"])
    body = case["response_raw"].encode() if "response_raw" in case else case["response"]
    headers = {name: value for name, value in case["http"]["headers"].items() if name != "content-length"}
    with vendor_server([Raw(body, case["http"]["status"], headers)]) as server:
        vendor = VENDORS.get(case.get("vendor", ""), "")
        return provider_at(server, kind, vendor=vendor).complete(request(tools=_tools(case)))


def _tools(case: dict[str, Any]) -> tuple[ToolSpec, ...]:
    """The tools that the recorded request had; whether a call may leave out its arguments depends on them."""
    asked = [tool["function"] for tool in case.get("request", {}).get("tools", ()) if "function" in tool]
    found = tuple(ToolSpec(tool["name"], tool["description"], tool["parameters"]) for tool in asked)
    return found or request().tools


def _assert_reply(reply: ModelReply, expected: dict[str, Any]) -> None:
    # A cut turn keeps its calls for the record; the stop tells the engine to run none.
    calls = expected["tool_calls"] or expected.get("dropped_tool_calls", [])
    assert [(c.vendor_id, c.name, c.arguments) for c in reply.tool_calls if c.arguments is not None] == [
        (call["id"] or "", call["name"], call["args"]) for call in calls
    ]
    assert [(c.vendor_id, c.name, c.raw) for c in reply.tool_calls if c.arguments is None] == [
        (call["id"], call["name"], call["raw"]) for call in expected.get("invalid_tool_calls", [])
    ]
    assert reply.text == expected["text"]
    assert reply.stop is Stop(expected["stop"])
    assert reply.raw_stop == expected["raw_stop"]
    usage = expected["usage"]
    assert (reply.usage.input, reply.usage.output) == (usage["input"], usage["output"])
    assert reply.usage.cached_input == (usage["cached_input"] or 0)


def _assert_error(case: dict[str, Any], expected: dict[str, Any]) -> None:
    with pytest.raises(ProviderError) as caught:
        _complete(case)

    assert caught.value.kind == expected["class"]
    assert type(caught.value) is (ProviderTransient if expected["retryable"] else ProviderPermanent)
    assert caught.value.retry_after == expected["retry_after_s"]
    assert expected["message_contains"] in str(caught.value)
