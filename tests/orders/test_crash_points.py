"""Whoever dies wherever while the shop takes, changes and cancels orders: nothing is lost or done twice."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from itertools import count
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client

from aitools import queue
from aitools.channels.twilio import TwilioWhatsApp
from aitools.models import BotProfile, PendingConfirmation
from aitools.providers.base import EndpointConfig
from aitools.providers.scripted import asks, says
from aitools.tools import registry
from aitools.types import ModelReply, ModelRequest, UserText
from orders.models import DayCounter, DayStock, Draft, Order, OrderEvent
from orders.offline.provider import OfflineProvider
from tests.aitools import crash_customers, crash_points
from tests.aitools.crash_customers import Customer, Outcome
from tests.aitools.crash_points import POINTS, Mind
from tests.aitools.desk import Desk
from tests.orders.factories import load_sample
from tests.wire import twilio

pytestmark = pytest.mark.crash

Record = Callable[[str, object], None]
#: Eleven in the morning at the shop; every talk begins then.
MORNING = datetime(2026, 11, 24, 16, tzinfo=UTC)
#: Longer than all the dying before an answer.
PATIENCE_SECONDS = 3000


def clerk(request: ModelRequest) -> ModelReply:
    """A model that asks for several things at once."""
    last = request.messages[-1]
    return WANTED[last.text] if isinstance(last, UserText) else says("Listo.")


def _order(product: str, quantity: int) -> dict[str, Any]:
    return {"items": [{"product": product, "quantity": quantity}]}


TOMORROW = {"pickup_at": "2026-11-25T10:00"}
WANTED = {
    "dos pedidos": asks(
        ("create_order", _order("croissant", 2) | TOMORROW),
        ("create_order", _order("pan-masa-madre", 1) | TOMORROW),
    ),
    "mira y cambia": asks(("my_orders", {}), ("update_order", _order("pan-masa-madre", 3) | {"order": "C-1"})),
    "cancela dos": asks(("cancel_order", {"order": "C-1"}), ("cancel_order", {"order": "C-2"})),
}
OFFLINE = OfflineProvider(EndpointConfig("offline")).complete

SCENES: dict[str, tuple[Mind, list[str]]] = {
    "an order, changed and cancelled": (
        OFFLINE,
        [
            "¿qué panes tienen?",
            "quiero 2 panes de masa madre y un café para mañana a las 10",
            "sí",
            "cambia mi pedido C-1 a 3 panes de masa madre",
            "sí",
            "cancela el pedido C-1",
            "sí",
        ],
    ),
    "several calls in one step": (
        clerk,
        ["dos pedidos", "sí", "sí", "mira y cambia", "sí", "cancela dos", "sí", "no"],
    ),
}


class MortalWhatsApp(crash_points.Mortal, TwilioWhatsApp):
    """Twilio's webhooks as they are; what is sent is handed to a vendor who can prove nothing."""


class Texting(Customer):
    """Writes over signed webhooks; the vendor repeats what was not answered with 200."""

    def arrive(self, text: str, provider_id: str) -> None:
        form = {"MessageSid": provider_id, "From": f"whatsapp:{self.desk.address}", "To": "whatsapp:+15550100"}
        client = Client(raise_request_exception=POINTS.instead is None)
        response = twilio.signed_post(client, "/webhooks/twilio", form | {"Body": text, "ProfileName": "Ana"})
        if response.status_code != 200:
            raise OperationalError(f"the vendor got {response.status_code}")


@pytest.fixture
def desk(transactional_db: None, monkeypatch: pytest.MonkeyPatch, settings: Any) -> Desk:
    """The sample bakery's, with a queue drained by hand."""
    settings.AITOOLS_CHANNELS = {"twilio_whatsapp": "tests.orders.test_crash_points.MortalWhatsApp"}
    settings.AITOOLS_PROVIDERS = {"offline": "tests.aitools.crash_points.MortalModel"}
    settings.TWILIO_AUTH_TOKEN = twilio.AUTH_TOKEN
    BotProfile.objects.create(name="test", settle_seconds=0, confirm_seconds=PATIENCE_SECONDS)
    load_sample()
    made = Desk("twilio_whatsapp")
    monkeypatch.setattr(queue, "publish", made.publish)
    return made


def sold(one: Customer) -> list[Any]:
    """The customer's orders whole, what is left of drafts, and what the shop has promised and counted."""
    return [
        *map(_whole, _orders(one)),
        list(Draft.objects.filter(conversation=one.desk.conversation()).values_list("lines", flat=True)),
        list(DayStock.objects.order_by("id").values_list("product__key", "date", "taken")),
        list(DayCounter.objects.order_by("id").values_list("business_date", "last")),
    ]


def _orders(one: Customer) -> list[Order]:
    return list(Order.objects.filter(customer__contacts__address=one.desk.address).order_by("id"))


def _whole(order: Order) -> list[Any]:
    lines = order.lines.values_list("position", "name", "quantity", "unit_price", "line_total")
    events = order.events.order_by("id").values_list("what", "actor", "before", "after")
    worth = (order.subtotal, order.tax, order.total)
    return [order.number, order.name, order.state, order.version, order.due_at, *worth, list(lines), list(events)]


def assert_agreed(one: Customer) -> None:
    """Each order was made by one approved call, and each thing that happened to one has its yes, to that total."""
    asked = PendingConfirmation.objects.filter(call__turn__conversation=one.desk.conversation())
    approved = [
        question for question in asked.select_related("call").order_by("call_id") if question.state == "approved"
    ]
    made = [question.call_id for question in approved if question.tool == "create_order"]
    assert [order.tool_call_id for order in _orders(one)] == made
    happened = OrderEvent.objects.filter(order__in=_orders(one)).order_by("id")
    assert [_total(event.after) for event in happened] == [_total(question.fingerprint) for question in approved]


def _total(values: Any) -> Decimal:
    return Decimal(values["total"])


_numbers = count(1)


def played(desk: Desk, lines: list[str], *strikes: int, **more: Any) -> Outcome:
    """The scene with a customer of its own, on a day without any order yet."""
    for rows in (Order, DayStock, DayCounter):
        rows.objects.all().delete()
    crash_points.begin_at(MORNING)
    number = next(_numbers)
    one = Texting(Desk(desk.channel, f"+5730000{number:05d}", desk.published), number, repeats=False)
    crash_customers.play(one, lines, *strikes, **more)
    assert_agreed(one)
    return crash_customers.outcome(one, sold(one), hidden=[order.code for order in _orders(one)])


@pytest.mark.parametrize("name", SCENES)
def test_a_death_at_any_point_of_each_act_changes_no_order(
    desk: Desk, name: str, record_property: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Orders, stock, words and audit are those of a talk without deaths."""
    mind, lines = SCENES[name]
    with crash_points.mortal_world(monkeypatch, registry._tools, mind):
        undisturbed = played(desk, lines)
        for point in crash_customers.every_point(record_property):
            assert played(desk, lines, point) == undisturbed, (point, POINTS.died)


#: Lines of a scene, from which act on connections are lost, and how.
LOSSES: dict[str, tuple[str, int, int, Callable[[str], None]]] = {
    "an order, by the network": ("an order, changed and cancelled", 3, 1, crash_points.cut),
    "two orders in one step, by the server": ("several calls in one step", 3, 1, crash_points.terminate),
}


@pytest.mark.parametrize("name", LOSSES)
def test_a_connection_lost_at_any_point_changes_no_order(
    desk: Desk, name: str, record_property: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process lives on, and may not know what the server did: the rows do."""
    scene, acts, since, lose = LOSSES[name]
    mind, lines = SCENES[scene]
    with crash_points.mortal_world(monkeypatch, registry._tools, mind):
        undisturbed = played(desk, lines[:acts])
        for point in crash_customers.every_point(record_property):
            got = played(desk, lines[:acts], point, since=since, instead=lose)
            assert got == undisturbed, (point, POINTS.died)
