"""The same order with a real vendor's SDK: OpenAI's and Anthropic's wire formats, scripted replies."""

from __future__ import annotations

import pytest

from aitools.providers.scripted import asks, says
from tests.e2e.stack import Stack
from tests.e2e.texting import Texting
from tests.wire.vendors import vendor_server

ITEMS = [
    {"product": "croissant", "quantity": 2, "variant": None, "options": [], "note": None},
]


@pytest.mark.parametrize("vendor", ["openai", "anthropic"])
@pytest.mark.usefixtures("no_worker")
def test_an_order_through_a_vendors_model(stack: Stack, texting: Texting, vendor: str) -> None:
    script = [
        asks(("search_products", {"query": "croissant"})),
        asks(("create_order", {"items": ITEMS, "name": None, "branch": None, "pickup_at": None, "note": None})),
        says("¡Listo, Ana! Tu pedido quedó registrado."),
    ]
    with vendor_server(script) as server:
        stack.start_worker(AI_PROVIDER=vendor, AI_MODEL="model-of-the-test", **server.environment)
        texting.write("quiero 2 croissants")
        assert "2 × Croissant" in texting.hears(1)[0]
        texting.write("sí")
        assert texting.hears(2)[1] == "¡Listo, Ana! Tu pedido quedó registrado."
    assert len(texting.orders()) == 1
    providers = stack.sql(
        """SELECT DISTINCT s.provider FROM aitools_step s JOIN aitools_turn t ON t.id = s.turn_id
           JOIN aitools_conversation c ON c.id = t.conversation_id WHERE c.address = %s""",
        texting.number,
    )
    assert providers == [(vendor,)]
