"""Ordering over Meta's Cloud API: real web, real worker, real database, Meta faked at its wire."""

from __future__ import annotations

import pytest

from tests.e2e.stack import Stack
from tests.wire.twilio import ANSWER_LOST
from tests.wire.whatsapp import GraphApi, buttons_of, message, press, signed_request, text_of

ANA = "15550109001"


def heard(graph: GraphApi) -> list[str]:
    return [text_of(sent) for sent in graph.messages if sent["to"] == f"+{ANA}"]


@pytest.mark.usefixtures("worker")
def test_an_order_by_button_though_an_answer_of_meta_is_lost(stack: Stack, graph: GraphApi) -> None:
    graph.faults.append(ANSWER_LOST)
    signed_request(stack.url, message(ANA, text={"body": "quiero 2 croissants y un café"}, id="wamid.order"))
    stack.until(lambda: heard(graph), "the question")
    question = graph.messages[-1]
    signed_request(stack.url, graph.status(question["id"], "delivered"))
    signed_request(stack.url, press(buttons_of(question)[0], ANA))
    stack.until(lambda: len(heard(graph)) > 1, "the reply")

    asked, done = heard(graph)
    assert "2 × Croissant" in asked
    assert "C-" in done
    orders = (
        "SELECT count(*) FROM orders_order o JOIN orders_customercontact c USING (customer_id) WHERE c.address = %s"
    )
    assert stack.one(orders, f"+{ANA}") == 1
    assert graph.read[0] == "wamid.order"
    assert not graph.refused
