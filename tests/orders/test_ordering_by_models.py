"""One conversation through every vendor's wire: whoever the model is, the same rows are left."""

from __future__ import annotations

import json
from typing import Any

import pytest

from aitools.models import BotProfile, ModelEndpoint, Step, ToolCall
from aitools.providers.scripted import asks, says
from aitools.types import ModelReply
from orders.models import Draft, Order, OrderLine
from tests.aitools.desk import Desk
from tests.aitools.providers.wires import WIRES
from tests.orders.factories import load_sample
from tests.wire.vendors import API_KEY, VendorServer, vendor_server

#: The JSON plan needs no wire of its own; it goes over the one that a model without tools is most likely behind.
PLAN = "json_plan"
MODELS = (*sorted(WIRES), PLAN)

ITEMS = [
    {"product": "croissant", "quantity": 2},
    {"product": "cafe", "quantity": 1, "note": "sin azúcar"},
]
CHANGED = [{"product": "croissant", "quantity": 3}]

SCRIPT = [
    asks(("search_products", {"query": "croissant"}), ("view_menu", {"category": "bebidas"}), text="Miro."),
    asks(("quote_order", {"items": ITEMS})),
    says("Son dos croissants y un café: $9.500. ¿Lo pido?"),
    asks(("create_order", {})),
    says("¡Listo, Ana! Es el pedido C-1."),
    asks(("order_status", {"order": "C-1"})),
    says("Lo están preparando."),
    asks(("update_order", {"order": "C-1", "items": CHANGED})),
    says("Ahora son tres croissants."),
]


#: What is filled in where a customer was asked: the row has the arguments as they will run.
LEFT_OUT: dict[str, Any] = {"note": None, "variant": None, "options": []}
#: The tools that were called, all done, with their arguments as they are stored.
CALLS = [
    ("search_products", {"query": "croissant"}),
    ("view_menu", {"category": "bebidas"}),
    ("quote_order", {"items": ITEMS}),
    ("create_order", {"items": None, "note": None, "branch": None, "name": None, "pickup_at": None}),
    ("order_status", {"order": "C-1"}),
    ("update_order", {"order": "C-1", "items": [{**CHANGED[0], **LEFT_OUT}], "note": None, "pickup_at": None}),
]
EVENTS = ["tool.call", "tool.result"]
ASKED = ["tool.confirm.requested", "tool.confirm.approved", *EVENTS]


@pytest.mark.parametrize("model", MODELS)
def test_every_model_leaves_the_same_rows(desk: Desk, model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    load_sample()
    with vendor_server([planned(line) if model == PLAN else line for line in SCRIPT]) as server:
        answered_by(model, server, monkeypatch)
        said = talk(desk)

    assert said[0] == ["Son dos croissants y un café: $9.500. ¿Lo pido?"]
    assert "2 × Croissant" in said[1][0]
    assert "Total: $9.500" in said[1][0]
    assert said[2] == ["¡Listo, Ana! Es el pedido C-1."]
    assert said[3] == ["Lo están preparando."]
    assert "3 × Croissant" in said[4][0]
    assert said[5] == ["Ahora son tres croissants."]
    assert order_rows() == {
        "order": ("Ana", "accepted", "COP", 2, "web"),
        "lines": [("Croissant", 3, "10500.00", "")],
        "drafts": 0,
    }
    assert desk.calls() == [(name, "done") for name, _ in CALLS]
    assert list(ToolCall.objects.order_by("id").values_list("name", "arguments")) == CALLS
    assert desk.events() == [*EVENTS * 3, *ASKED, *EVENTS, *ASKED]
    assert {step.provider for step in Step.objects.all()} == {"openai_chat" if model == PLAN else model}


def talk(desk: Desk) -> list[list[str]]:
    """What the customer wrote, and what was said to each."""
    first = desk.write("quiero 2 croissants y un café sin azúcar", profile_name="Ana")
    return [first, *(desk.write(text) for text in ("dale", "sí", "¿cómo va?", "mejor solo 3 croissants", "sí"))]


def order_rows() -> dict[str, Any]:
    order = Order.objects.get()
    lines = [
        (line.name, line.quantity, str(line.line_total), line.note) for line in OrderLine.objects.order_by("position")
    ]
    return {
        "order": (order.name, order.state, order.currency, order.version, order.channel),
        "lines": lines,
        "drafts": Draft.objects.count(),
    }


def answered_by(model: str, server: VendorServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The desk's profile on one endpoint: the fake server, spoken to as ``model``."""
    kind = "openai_chat" if model == PLAN else model
    monkeypatch.setenv("MODELS_API_KEY", API_KEY)
    row = ModelEndpoint.objects.create(
        name=model,
        kind=kind,
        model="model-of-the-test",
        vendor=WIRES[kind].vendor,
        base_url=WIRES[kind].base_url(server),
        key_variable="MODELS_API_KEY",
        tool_calls="plan" if model == PLAN else "native",
    )
    BotProfile.objects.update(endpoint=row)


def planned(line: ModelReply) -> ModelReply:
    """The same line as a model without tools writes it."""
    calls = [{"tool": call.name, "args": dict(call.arguments or {})} for call in line.tool_calls]
    said = {"action": "call", "calls": calls} if calls else {"action": "reply", "reply": line.text}
    return says(json.dumps(said, ensure_ascii=False))
