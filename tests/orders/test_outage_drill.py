"""Vendors fail, customers don't notice: the next model answers, and in the end the order taker."""

from __future__ import annotations

import socket
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from decimal import Decimal

import pytest

from aitools import completion, queue
from aitools.models import AuditEvent, BotProfile, ModelEndpoint, Step
from aitools.providers.scripted import asks, says
from orders.models import Order
from tests.aitools.desk import Desk
from tests.orders.factories import load_sample
from tests.wire.vendors import API_KEY, DROPPED, OVERLOADED, SERVER_ERROR, Line, vendor_server

ITEMS = [{"product": "croissant", "quantity": 2}]
ORDER = asks(("create_order", {"items": ITEMS, "name": "Ana"}))
TOLD = says("¡Listo!")
MODELS = (("first", "anthropic"), ("second", "openai"), ("third", "anthropic"))


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
def running() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def vendors(running: ExitStack, first: list[Line] | None, second: list[Line], third: list[Line]) -> None:
    """Three models of two vendors, by what they will answer. None: it takes connections and is silent for ever."""
    urls = [_silent(running)] if first is None else []
    urls += [running.enter_context(vendor_server(lines)).url for lines in (first, second, third) if lines is not None]
    rows = [
        ModelEndpoint.objects.create(
            name=name,
            kind=kind,
            model="m",
            base_url=url + ("/v1" if kind == "openai" else ""),
            key_variable="DRILL_API_KEY",
            timeout_seconds=1 if first is None and name == "first" else 30,
        )
        for (name, kind), url in zip(MODELS, urls, strict=True)
    ]
    profile = BotProfile.objects.create(name="drill", settle_seconds=0, endpoint=rows[0])
    profile.fallbacks.set(rows[1:])


def _silent(running: ExitStack) -> str:
    listening = running.enter_context(socket.create_server(("127.0.0.1", 0)))
    return f"http://127.0.0.1:{listening.getsockname()[1]}"


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
    desk: Desk, running: ExitStack, capsys: pytest.CaptureFixture[str]
) -> None:
    vendors(running, None, [OVERLOADED] * 4, [ORDER, TOLD])
    question, told = order(desk, capsys)
    assert "Total: $7.000" in question
    assert told == "¡Listo!"
    assert Order.objects.get().total == Decimal(7000)
    assert fallbacks() == ["first: timeout", "second: overloaded", "second: overloaded"] * 2
    assert set(Step.objects.values_list("provider", flat=True)) == {"anthropic"}


def test_with_all_three_down_the_order_taker_takes_it(
    desk: Desk, running: ExitStack, capsys: pytest.CaptureFixture[str]
) -> None:
    """The customer reads nothing of it: no error, no apology."""
    vendors(running, [DROPPED] * 4, [SERVER_ERROR] * 4, [OVERLOADED] * 4)
    question, told = order(desk, capsys)
    assert "2 × Croissant — $7.000" in question
    assert "C-1" in told
    assert Order.objects.get().total == Decimal(7000)
    assert set(Step.objects.values_list("provider", flat=True)) == {"offline"}
    twice = ["first: connection"] * 2 + ["second: server"] * 2 + ["third: overloaded"] * 2
    assert fallbacks() == twice * 2
