"""A shop on a model without tools: same questions, same effects, same events as with any other."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from aitools import endpointmarks
from aitools.models import BotProfile, ModelEndpoint, Step
from aitools.providers import scripted
from aitools.providers.scripted import says
from aitools.types import ModelReply, Stop
from tests.aitools import desk as parts
from tests.aitools.desk import Desk
from tests.wire.vendors import API_KEY, Fault, Received, VendorServer, vendor_server

NO_TOOLS = Fault(400, "api_error", "gemma3:4b does not support tools")


@pytest.fixture(autouse=True)
def nothing_remembered() -> Iterator[None]:
    endpointmarks.forget_refusals()
    yield
    endpointmarks.forget_refusals()


@pytest.fixture
def planning(desk: Desk) -> Desk:
    """The desk on a scripted model that staff marked as one without tools."""
    ModelEndpoint.objects.filter(name="script").update(tool_calls="plan")
    return desk


def plan(tool: str, **arguments: Any) -> ModelReply:
    return says(json.dumps({"action": "call", "calls": [{"tool": tool, "args": arguments}]}))


def answer(text: str) -> ModelReply:
    return says(f"```json\n{json.dumps({'action': 'reply', 'reply': text})}\n```")


def test_it_looks_asks_and_does_only_after_the_yes(planning: Desk) -> None:
    with scripted.script([plan("look"), plan("make", name="pan", count=2), answer("Listo, 2 panes.")]) as script:
        assert planning.write("2 panes") == ["Voy a: Hacer\n• 2 × pan\n• Total: 10\n¿Confirmas?"]
        assert parts.things() == []
        assert planning.write("sí") == ["Listo, 2 panes."]

    assert len(parts.things()) == 1
    assert planning.calls() == [("look", "done"), ("make", "done")]
    assert all(request.tools == () for request in script.calls)
    assert '"things":["pan","café"]' in str(script.calls[1].messages[-1])


def test_its_events_are_those_of_any_model(planning: Desk) -> None:
    with scripted.script([plan("make", name="pan"), answer("Listo.")]):
        planning.write("un pan")
        planning.write("sí")

    assert planning.events() == ["tool.confirm.requested", "tool.confirm.approved", "tool.call", "tool.result"]


def test_a_no_reaches_it_as_a_result(planning: Desk) -> None:
    with scripted.script([plan("make", name="pan"), answer("Vale, no lo hago.")]) as script:
        planning.write("un pan")
        assert planning.write("no") == ["Vale, no lo hago."]

    assert parts.things() == []
    assert "denied" in str(script.calls[1].messages[-1])


@pytest.mark.parametrize("text", ['{"action":"dance"}', '{"things":["pan"]}', '{"action":"call","calls":[]}'])
def test_rubbish_is_never_shown(planning: Desk, text: str) -> None:
    with scripted.script([says(text), answer("Hay pan.")]):
        assert planning.write("¿qué hay?") == ["Hay pan."]


def test_a_cut_plan_is_neither_run_nor_shown(planning: Desk) -> None:
    whole = plan("make", name="pan", count=12)
    cut = replace(whole, text=whole.text[:-5], stop=Stop.LENGTH)
    with scripted.script([cut, answer("¿Cuántos?")]) as script:
        assert planning.write("12 panes") == ["¿Cuántos?"]

    assert planning.calls() == []
    assert script.calls[1].max_output_tokens == 2 * script.calls[0].max_output_tokens


def test_what_it_wrote_is_kept_for_the_audit(planning: Desk) -> None:
    with scripted.script([plan("look"), answer("Hay pan.")]):
        planning.write("¿qué hay?")

    first = Step.objects.order_by("pk").first()
    assert first is not None
    assert first.raw == {"origin": "json_plan", "parts": [plan("look").text]}


def test_a_vendor_that_refuses_tools_is_asked_for_a_plan_and_remembered(
    desk: Desk, profile: BotProfile, monkeypatch: pytest.MonkeyPatch
) -> None:
    with vendor_server([_refuses, plan("look"), answer("Hay pan."), answer("Y café.")]) as server:
        row = _endpoint_at(server, profile, monkeypatch)
        assert desk.write("¿qué hay?") == ["Hay pan."]
        row.refresh_from_db()
        assert row.refuses_tools
        endpointmarks.forget_refusals()  # another process knows only the row
        assert desk.write("¿y qué más?") == ["Y café."]

    assert ["tools" in received.body for received in server.received] == [True, False, False, False]
    assert desk.calls() == [("look", "done")]
    assert desk.events().count("provider.fallback") == 1


def _refuses(received: Received) -> Fault:
    assert received.body["tools"]
    return NO_TOOLS


def _endpoint_at(server: VendorServer, profile: BotProfile, monkeypatch: pytest.MonkeyPatch) -> ModelEndpoint:
    monkeypatch.setenv("GEMMA_API_KEY", API_KEY)
    row = ModelEndpoint.objects.create(
        name="gemma", kind="openai", model="gemma3:4b", base_url=server.openai_url, key_variable="GEMMA_API_KEY"
    )
    BotProfile.objects.filter(pk=profile.pk).update(endpoint=row)
    return row
