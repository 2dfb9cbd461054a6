"""Recorded vendors' answers, through the real SDK, come out normalised."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx2
import pytest

from aitools import events
from aitools.errors import ProviderError, ProviderPermanent, ProviderTransient
from aitools.loop import CallModel, Finish, Limits, Settle, Transcript, decide
from aitools.providers.failures import failure
from aitools.running import step_from
from aitools.tools import ToolSet
from aitools.types import ModelReply, Stop
from tests.aitools.providers.cases import provider_over, request

FOLDER = Path(__file__).parents[4] / "shared" / "cases" / "providers"
KINDS = {"anthropic": "anthropic", "openai_responses": "openai"}

CASES = [path for kind in KINDS for path in sorted(FOLDER.glob(f"{kind}-*.json"))]
#: Servers that imitate these two: their errors come through the same adapters.
ERRORS = [path for kind in ("ollama", "openai_chat", "openai_compat") for path in sorted(FOLDER.glob(f"{kind}-*.json"))]
needs_recordings = pytest.mark.skipif(not CASES, reason=f"no recordings in {FOLDER}")


@needs_recordings
@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_recorded_answer_gives_what_its_case_expects(path: Path) -> None:
    case = json.loads(path.read_text())
    expected = case["expect"]

    if expected["ok"]:
        _assert_reply(_complete(case), expected)
    else:
        _assert_error(case, expected["error"])


def _refusals() -> list[Path]:
    cases = {path: json.loads(path.read_text()) for path in ERRORS}
    return [path for path, case in cases.items() if not case["expect"]["ok"] and "response" in case]


@needs_recordings
@pytest.mark.parametrize("path", _refusals(), ids=lambda path: path.stem)
def test_a_recorded_refusal_of_another_server_is_named(path: Path) -> None:
    case = json.loads(path.read_text())
    expected = case["expect"]["error"]

    error = failure(case["http"]["status"], case["response"], headers=case["http"]["headers"])

    assert error.kind == expected["class"]
    assert type(error) is (ProviderTransient if expected["retryable"] else ProviderPermanent)
    assert expected["message_contains"] in str(error)


@needs_recordings
@pytest.mark.parametrize(
    ("name", "event"),
    [
        ("anthropic-refusal_details", events.REFUSED),
        ("anthropic-refusal_no_details", events.REFUSED),
        ("anthropic-truncated_parallel", events.TRUNCATED),
        ("anthropic-empty_content", events.EMPTY),
    ],
)
def test_a_recorded_stop_has_one_outcome_in_the_loop(name: str, event: str) -> None:
    reply = _complete(json.loads((FOLDER / f"{name}.json").read_text()))

    action = decide(Transcript((step_from(reply, "anthropic"),)), ToolSet([]), Limits())

    assert isinstance(action, Finish | Settle | CallModel)
    assert action.event == event


def _complete(case: dict[str, Any]) -> ModelReply:
    answer = httpx2.Response(case["http"]["status"], headers=case["http"]["headers"], json=case["response"])
    return provider_over(KINDS[case["provider"]], lambda _: answer).complete(request())


def _assert_reply(reply: ModelReply, expected: dict[str, Any]) -> None:
    # A cut turn keeps its calls for the record; the stop tells the engine to run none.
    calls = expected["tool_calls"] or expected.get("dropped_tool_calls", [])
    assert [(c.vendor_id, c.name, c.arguments) for c in reply.tool_calls] == [
        (call["id"], call["name"], call["args"]) for call in calls
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
