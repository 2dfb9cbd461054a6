"""Whole orders over WhatsApp's Cloud API while Meta fails in every way: each reply once, in order."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from pytest_django import Settings

from aitools import clock, queue
from aitools.channels.whatsapp import channel
from aitools.models import BotProfile, OutboundMessage
from aitools.providers import http
from orders.models import Order
from tests.aitools.desk import Desk
from tests.orders.factories import load_sample
from tests.wire import whatsapp as meta
from tests.wire.twilio import ANSWER_LOST, DROPPED, Fault
from tests.wire.whatsapp import GraphApi, GraphServer, buttons_of, message, press, signed_post

MORNING = "2026-11-24 16:00:00+00"
ANA = "12025550141"
FAULTS = {
    "none": None,
    "rate limited": meta.RATE_LIMITED,
    "server error": meta.SERVER_ERROR,
    "gateway error": meta.BAD_GATEWAY,
    "dropped": DROPPED,
    "answer lost": ANSWER_LOST,
    "slow, taken": Fault(seconds=0.6, accepted=True),
}


@dataclass
class Shop:
    """A shop on the Cloud API, and Ana who orders there. ``now`` is seconds after the morning."""

    desk: Desk
    graph: GraphApi
    client: Client
    start: float
    now: float = 0
    told: int = field(default=0)

    def tells(self, body: Any) -> None:
        assert signed_post(self.client, body).status_code == 200
        self.work()

    def work(self) -> None:
        """The desk works and time goes on, with a sweep now and then, until everything is settled."""
        for _ in range(40):
            self.desk.drain()
            self.report()
            if not OutboundMessage.objects.filter(state__in=("queued", "sending", "uncertain")).exists():
                return
            self.now += 20
            clock.shift(self.start + self.now)
            self.desk.sweep()
        raise AssertionError(list(OutboundMessage.objects.values_list("state", "error")))

    def report(self) -> None:
        """Meta tells what became of the messages it took, newest status first."""
        for taken in self.graph.messages[self.told :]:
            for status in ("delivered", "sent"):
                signed_post(self.client, self.graph.status(taken["id"], status))
        self.told = len(self.graph.messages)


@pytest.fixture(scope="module")
def graph_server() -> Iterator[GraphServer]:
    with meta.graph_server() as server:
        yield server
    http.close_clients()


@pytest.fixture
def shop(
    graph_server: GraphServer,
    transactional_db: None,
    client: Client,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Shop]:
    BotProfile.objects.create(name="test", settle_seconds=0)
    load_sample()
    desk = Desk(channel="whatsapp_cloud", address=f"+{ANA}")
    monkeypatch.setattr(queue, "publish", desk.publish)
    monkeypatch.setattr(channel, "SEND_SECONDS", 0.3)
    settings.WHATSAPP_PHONE_NUMBER_ID, settings.WHATSAPP_TOKEN = meta.PHONE_NUMBER_ID, meta.TOKEN
    settings.WHATSAPP_APP_SECRET = meta.APP_SECRET
    # What was sent in other tests counts for no cap.
    settings.REDIS_PREFIX = f"{settings.REDIS_PREFIX}{uuid.uuid4()}:"
    with connection.cursor() as cursor:
        cursor.execute("SELECT extract(epoch FROM %s::timestamptz - clock_timestamp())", [MORNING])
        start = float(cursor.fetchone()[0])
    clock.shift(start)
    graph = graph_server.fresh()
    settings.WHATSAPP_API_BASE_URL = graph.base_url
    yield Shop(desk, graph, client, start)
    clock.shift(0)


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
def test_an_order_by_button_whatever_meta_does(fault: Fault | None, shop: Shop) -> None:
    if fault:
        shop.graph.faults.append(fault)
    shop.tells(message(ANA, text={"body": "quiero 2 croissants y un café"}))
    (question,) = shop.graph.messages
    yes, no = buttons_of(question)
    assert (yes["title"], no["title"]) == ("Sí", "No")
    assert not Order.objects.exists()

    if fault:
        shop.graph.faults.append(fault)
    shop.tells(press(yes, ANA))

    assert Order.objects.get().total == 9500
    asked, done = shop.graph.texts
    assert "2 × Croissant" in asked
    assert "C-1" in done
    assert not shop.graph.refused
    assert list(OutboundMessage.objects.order_by("id").values_list("state", "status")) == [("sent", "delivered")] * 2


def test_a_long_talk_with_a_fault_at_every_second_send_keeps_its_order(shop: Shop) -> None:
    faults = itertools.cycle(fault for fault in FAULTS.values() if fault)
    for number in range(1, 6):
        shop.graph.faults.append(next(faults))
        shop.tells(message(ANA, text={"body": f"¿a qué hora abren? ({number})"}))

    said = list(OutboundMessage.objects.order_by("id").values_list("text", flat=True))
    assert shop.graph.texts == said
    assert len(said) == 5


def test_five_identical_webhooks_are_one_order(shop: Shop) -> None:
    order = message(ANA, text={"body": "quiero 2 croissants y un café"})
    for _ in range(5):
        shop.tells(order)
    (question,) = shop.graph.messages
    tap = press(buttons_of(question)[0], ANA)
    for _ in range(5):
        shop.tells(tap)

    assert Order.objects.count() == 1
    assert len(shop.graph.texts) == 2
