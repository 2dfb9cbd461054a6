"""Vendors fail, customers don't notice: the next model answers, and in the end the order taker."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from decimal import Decimal
from typing import Any

import pytest

from aitools import breakers, completion, queue
from aitools.models import AuditEvent, BotProfile, ModelEndpoint, Step
from aitools.providers.scripted import asks, says
from orders.models import Order
from tests.aitools.desk import Desk
from tests.orders.factories import load_sample
from tests.wire.vendors import API_KEY, DROPPED, OVERLOADED, SERVER_ERROR, Line, Slow, VendorServer, vendor_server

ITEMS = [{"product": "croissant", "quantity": 2}]
ORDER = asks(("create_order", {"items": ITEMS, "name": "Ana"}))
TOLD = says("¡Listo!")


@pytest.fixture
def desk(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """Ana at the sample bakery; vendors are tried again without a pause."""
    load_sample()
    made = Desk()
    monkeypatch.setattr(queue, "publish", made.publish)
    monkeypatch.setattr(completion, "PAUSE", (0.0, 0.0))
    monkeypatch.setenv("DRILL_API_KEY", API_KEY)
    return made


@pytest.fixture
def vendors(desk: Desk) -> Iterator[Any]:
    """Three models of three vendors, by what they will answer; the first is waited for a second."""
    with ExitStack() as stack:

        def made(*scripts: list[Line]) -> list[VendorServer]:
            servers = [stack.enter_context(vendor_server(script)) for script in scripts]
            kinds = (("anthropic", ""), ("openai", "/v1"), ("anthropic", ""))
            rows = [
                ModelEndpoint.objects.create(
                    name=name,
                    kind=kind,
                    model="m",
                    base_url=f"{server.url}{path}",
                    key_variable="DRILL_API_KEY",
                    timeout_seconds=1 if name == "first" else 30,
                )
                for name, (kind, path), server in zip(("first", "second", "third"), kinds, servers, strict=True)
            ]
            profile = BotProfile.objects.create(name="drill", settle_seconds=0, endpoint=rows[0])
            profile.fallbacks.set(rows[1:])
            return servers

        yield made


def order(desk: Desk, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """An order in two messages; what was said. Prints how long each answer took."""
    said = []
    for words in ("quiero 2 croissants", "sí"):
        started = time.monotonic()
        said += desk.write(words, profile_name="Ana")
        with capsys.disabled():
            sys.stdout.write(f"\n{words!r} was answered in {time.monotonic() - started:.2f} s\n")
    return said


def fallbacks() -> list[str]:
    return list(AuditEvent.objects.filter(kind="provider.fallback").order_by("id").values_list("error", flat=True))


def test_the_first_is_silent_the_second_overloaded_and_the_third_takes_the_order(
    desk: Desk, vendors: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    silent: list[Line] = [Slow(TOLD, seconds=60)] * 2
    vendors(silent, [OVERLOADED] * 4, [ORDER, TOLD])
    question, told = order(desk, capsys)
    assert "Total: $7.000" in question
    assert told == "¡Listo!"
    assert Order.objects.get().total == Decimal(7000)
    assert fallbacks() == ["first: timeout", "second: overloaded", "second: overloaded"] * 2
    assert set(Step.objects.values_list("provider", flat=True)) == {"anthropic"}


def test_with_all_three_down_the_order_taker_takes_it(
    desk: Desk, vendors: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """The customer reads nothing of it: no error, no apology."""
    # Two tries for each of the four replies that an order takes, until the breaker opens with the fifth failure.
    most = breakers.FAILURES + 1
    vendors([DROPPED] * most, [SERVER_ERROR] * most, [OVERLOADED] * most)
    question, told = order(desk, capsys)
    assert "2 × Croissant — $7.000" in question
    assert "C-1" in told
    assert Order.objects.get().total == Decimal(7000)
    assert set(Step.objects.values_list("provider", flat=True)) == {"offline"}
    assert fallbacks()[:6] == [
        f"{name}: {kind}"
        for name, kind in (("first", "connection"), ("second", "server"), ("third", "overloaded"))
        for _ in range(2)
    ]
    assert fallbacks()[-3:] == [f"{name}: left alone for a while" for name in ("first", "second", "third")]
