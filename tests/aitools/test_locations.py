"""A shared location: what is readable of it, and what the model is told."""

from __future__ import annotations

import math

import pytest
from pytest_django import Settings

from aitools import locations
from aitools.models import BotProfile
from aitools.providers import scripted
from aitools.providers.scripted import asks, says
from aitools.types import Json
from tests.aitools.desk import Desk

PLACE: Json = {"latitude": 4.6, "longitude": -74.08}


def described(latitude: float, longitude: float, language: str) -> str:
    """A shop with one branch everywhere."""
    return f"{language}: near {latitude} {longitude}\nopen"


@pytest.fixture(autouse=True)
def _shop(settings: Settings) -> None:
    settings.AITOOLS_PLACES = "tests.aitools.test_locations.described"


@pytest.mark.parametrize(
    "place",
    [
        None,
        "4.6, -74.08",
        {},
        {"latitude": 4.6},
        {"latitude": 90.1, "longitude": 0},
        {"latitude": 0, "longitude": -180.5},
        {"latitude": math.inf, "longitude": 0},
        {"latitude": 0, "longitude": math.nan},
        {"latitude": "4.6", "longitude": "0"},
        {"latitude": True, "longitude": False},
        {"latitude": 10**400, "longitude": 0},
    ],
)
def test_what_is_nowhere_on_earth_is_unreadable(place: Json) -> None:
    assert locations.location_in("location", {"location": place}) is None


@pytest.mark.parametrize("place", [(90, 0), (-90, 180), (0, -180), (0, 0)])
def test_the_edges_of_the_map_are_on_it(place: tuple[int, int]) -> None:
    found = locations.location_in("location", {"location": {"latitude": place[0], "longitude": place[1]}})
    assert found is not None
    assert (found.latitude, found.longitude) == place


def test_only_a_location_shares_a_place() -> None:
    assert locations.location_in("text", {"location": PLACE}) is None


def test_what_is_unreadable_is_answered_without_a_model(desk: Desk) -> None:
    place: Json = {"latitude": 91.5, "longitude": 0}
    (answer,) = desk.write("", message_kind="location", extra={"location": place})
    assert answer == "I can't look up locations. Please write to me what you need." or answer.startswith("No puedo")


def test_a_place_is_told_in_the_language_of_the_words_beside_it(desk: Desk) -> None:
    BotProfile.objects.update(language="es")
    desk.receive("which of your shops is close to this place, please?")
    with scripted.script([says("This one.")]) as script:
        desk.write("", message_kind="location", extra={"location": PLACE})
    assert "[location] en: near 4.6 -74.08" in script.calls[0].messages[-1].text


@pytest.mark.parametrize("text", ["", "yes"])
def test_a_place_under_a_question_is_no_yes_to_it(desk: Desk, text: str) -> None:
    with scripted.script([asks(("make", {"name": "pan", "count": 2}))]):
        desk.write("2 pan")
    with scripted.script([says("What is there?")]) as script:
        desk.write(text, message_kind="location", extra={"location": PLACE})
    assert desk.calls() == [("make", "replied")]
    assert "near 4.6" in script.calls[0].messages[-1].results[0].content  # type: ignore[union-attr]


def test_what_was_told_can_be_taken_out_of_a_text_again() -> None:
    place = locations.Location(4.6, -74.08, "Parque")
    text = "\n".join(["hola", *locations.told(place), "¿hay pan?"])
    assert locations.without(text) == "hola\n¿hay pan?"
    near, opening = locations.told_in(text)
    assert (near.endswith("near 4.6 -74.08"), opening) == (True, "open")


def test_a_shop_that_says_nothing_of_places_still_hears_where(settings: Settings) -> None:
    settings.AITOOLS_PLACES = ""
    place = locations.Location(4.6, -74.08)
    assert locations.told(place) == ["[location] the customer shared a place: 4.60000, -74.08000"]
