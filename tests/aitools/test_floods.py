"""A contact that never stops writing is answered once, shown to staff, and not answered until it is calm."""

from __future__ import annotations

import pytest
from pytest_django import Settings

from aitools import caps, clock, staffing
from aitools.models import InboundEvent, Mode, Turn
from aitools.providers import scripted
from aitools.providers.scripted import asks, says
from tests.aitools import desk as parts
from tests.aitools.desk import Desk


@pytest.fixture
def three_a_minute(desk: Desk, settings: Settings) -> None:
    settings.CONTACT_TURNS_PER_MINUTE = 3
    settings.CONTACT_TURNS_PER_HOUR = 5


def write(desk: Desk, times: int) -> list[str]:
    """One message after another, each answered before the next."""
    with scripted.script([says("¿Sí?")] * times):
        return [line for _ in range(times) for line in desk.write("hola hola")]


@pytest.mark.usefixtures("three_a_minute")
def test_a_flood_is_answered_once_and_left_to_staff(desk: Desk) -> None:
    assert write(desk, 3) == ["¿Sí?"] * 3

    said = [desk.write("hola hola") for _ in range(4)]

    assert [len(lines) for lines in said] == [1, 0, 0, 0]
    conversation = desk.conversation()
    assert conversation.needs_staff
    assert conversation.mode == Mode.HUMAN
    assert conversation.mode_until is not None
    assert 250 < (conversation.mode_until - clock.now()).total_seconds() <= 300
    assert list(InboundEvent.objects.order_by("id").values_list("state", flat=True)) == ["bot"] * 3 + ["staff"] * 4
    assert Turn.objects.count() == 3


@pytest.mark.usefixtures("three_a_minute")
def test_when_it_is_calm_again_the_bot_answers(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    write(desk, 3)
    desk.write("hola hola")
    clock.shift(301)
    monkeypatch.setattr(caps, "wait_for", lambda *asked: 0.0)

    assert write(desk, 1) == ["¿Sí?"]


@pytest.mark.usefixtures("three_a_minute")
def test_whoever_hands_back_ends_the_silence_and_not_the_cap(desk: Desk) -> None:
    write(desk, 3)
    desk.write("hola hola")
    staffing.hand_back(desk.conversation().pk)

    assert len(desk.write("hola hola")) == 1
    assert desk.conversation().mode == Mode.HUMAN


def test_the_cap_of_the_hour_holds_by_itself(desk: Desk, settings: Settings) -> None:
    settings.CONTACT_TURNS_PER_MINUTE, settings.CONTACT_TURNS_PER_HOUR = 0, 2
    write(desk, 2)
    desk.write("hola hola")

    until = desk.conversation().mode_until
    assert until is not None
    assert (until - clock.now()).total_seconds() > 3000


@pytest.mark.usefixtures("three_a_minute")
def test_another_contact_is_not_touched(desk: Desk) -> None:
    write(desk, 3)
    desk.write("hola hola")
    desk.address = "visitor-2"

    assert write(desk, 1) == ["¿Sí?"]


@pytest.mark.usefixtures("three_a_minute")
def test_a_burst_is_one_turn_and_counts_once(desk: Desk) -> None:
    for _ in range(6):
        desk.receive("hola hola")
    with scripted.script([says("¿Sí?")]):
        desk.drain()

    assert write(desk, 2) == ["¿Sí?"] * 2


@pytest.mark.usefixtures("three_a_minute")
def test_a_press_is_never_one_too_many(desk: Desk) -> None:
    write(desk, 2)
    with scripted.script([asks(("make", {"name": "pan"})), says("Listo.")]):
        desk.write("pan")
        desk.press("yes")

    assert parts.things() != []


@pytest.mark.usefixtures("three_a_minute")
def test_an_open_question_is_closed_by_a_flood_and_nothing_is_done(desk: Desk) -> None:
    write(desk, 2)
    with scripted.script([asks(("make", {"name": "pan"}))]):
        desk.write("pan")
    desk.write("sí sí sí y más")
    desk.write("sí")

    assert (desk.question().state, parts.things()) == ("cancelled", [])


@pytest.mark.usefixtures("three_a_minute", "without_redis")
def test_without_redis_everybody_is_answered(desk: Desk) -> None:
    assert write(desk, 5) == ["¿Sí?"] * 5
