"""Which branches are near: true distances, and what a customer may be told of each."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st

from aitools import clock
from orders import models, places
from orders.catalogue import Point, current
from tests.orders import factories as make

HERE = (4.6, -74.08)
MORNING = {"days": make.ALL_DAYS[:6], "open": "07:00", "close": "12:00"}


@pytest.fixture
def _tuesday_at_ten(db: None) -> Iterator[None]:
    set_clock(make.NOW)
    yield
    clock.shift(0)


def set_clock(to: datetime) -> None:
    clock.shift(0)
    with connection.cursor() as cursor:
        cursor.execute("SELECT extract(epoch FROM %s::timestamptz - clock_timestamp())", [to])
        clock.shift(float(cursor.fetchone()[0]))


def branch(key: str, north: float | None = None, east: float | None = None, **more: Any) -> dict[str, Any]:
    return {"key": key, "name": key.title(), "hours": [MORNING], "latitude": north, "longitude": east, **more}


def load(*branches: dict[str, Any], **more: Any) -> None:
    make.load_menu(make.menu(branches=list(branches), **more))


def described(place: tuple[float, float] = HERE, language: str = "en") -> list[str]:
    return places.described(*place, language).split("\n")


class TestDistances:
    @pytest.mark.parametrize(
        ("one", "other", "km"),
        [
            ((36.12, -86.67), (33.94, -118.4), 2886.4),  # two airports, as many tables have it
            ((0, 179.99), (0, -179.99), 2.2),
            ((90, 0), (90, 123), 0.0),
            ((-90, 0), (90, 0), 20015.1),
            ((0, 0), (0, 180), 20015.1),
            ((-16.5, 180), (-16.5, -180), 0.0),
        ],
    )
    def test_they_hold_anywhere_on_earth(self, one: tuple[float, float], other: tuple[float, float], km: float) -> None:
        assert round(places.kilometres(Point(*one), Point(*other)), 1) == km

    @given(st.floats(-90, 90), st.floats(-180, 180), st.floats(-90, 90), st.floats(-180, 180))
    def test_they_are_the_same_both_ways_and_never_round_the_earth(
        self, north: float, east: float, to_north: float, to_east: float
    ) -> None:
        one, other = Point(north, east), Point(to_north, to_east)
        km = places.kilometres(one, other)
        assert 0 <= km <= math.pi * places.EARTH_KM
        assert math.isclose(km, places.kilometres(other, one), abs_tol=1e-6)


@pytest.mark.usefixtures("_tuesday_at_ten")
class TestTelling:
    def test_the_nearest_three_come_in_order_with_opening_and_address(self) -> None:
        load(
            branch("lejos", 5.6, -74.08),
            branch("cerca", 4.61, -74.08, address="Calle 1", hours=[{**MORNING, "close": "19:00"}]),
            branch("aqui", 4.6, -74.08, hours=[{**MORNING, "days": ["mon", "wed"]}]),
            branch("medio", 4.7, -74.08),
        )
        assert described() == [
            "The closest is Aqui (0.1 km): closed, opens tomorrow at 07:00.",
            "• Cerca (1.1 km): open until 19:00, Calle 1",
            "• Medio (11.1 km): open until 12:00",
        ]

    def test_the_catalogue_knows_where_each_branch_is(self) -> None:
        load(branch("norte", 4.61, -74.08), branch("sur"))
        assert [one.point for one in current().branches] == [Point(Decimal("4.61"), Decimal("-74.08")), None]

    def test_branches_that_are_not_on_the_map_are_told_without_a_distance(self) -> None:
        load(branch("sur", address="Carrera 9"), branch("norte", 4.61, -74.08))
        assert described() == [
            "The closest is Norte (1.1 km): open until 12:00.",
            "• Sur: open until 12:00, Carrera 9",
        ]

    def test_without_any_on_the_map_all_are_listed_with_their_address(self) -> None:
        load(branch("sur", address="Carrera 9"), branch("norte"))
        assert described() == [
            "I can't tell how far it is, but these are our branches:",
            "• Sur: open until 12:00, Carrera 9",
            "• Norte: open until 12:00",
        ]

    def test_a_closed_branch_is_not_told(self) -> None:
        load(branch("sur", 4.61, -74.08), branch("norte", 4.7, -74.08))
        models.Branch.objects.filter(key="sur").update(active=False)
        assert described() == ["The closest is Norte (11.1 km): open until 12:00."]

    def test_a_pause_is_told(self) -> None:
        load(branch("sur", 4.61, -74.08))
        models.Branch.objects.update(paused_until=make.NOW + timedelta(hours=2))
        assert described() == ["The closest is Sur (1.1 km): takes no orders until today at 12:00."]

    @pytest.mark.parametrize(
        ("hours", "told"), [([], "closed"), ([{**MORNING, "open": "00:00", "close": "24:00"}], "open all day")]
    )
    def test_a_branch_that_never_opens_or_closes_says_so(self, hours: list[dict[str, Any]], told: str) -> None:
        load(branch("sur", 4.61, -74.08, hours=hours))
        assert described() == [f"The closest is Sur (1.1 km): {told}."]

    def test_there_is_nothing_to_tell_before_a_menu_was_loaded(self) -> None:
        assert places.described(*HERE, "en") == ""

    @pytest.mark.parametrize(
        ("locale", "language", "distance"),
        [("es-CO", "es", "1,1 km"), ("es-MX", "es", "1.1 km"), ("es-CO", "en", "1.1 km"), ("en-US", "es", "1,1 km")],
    )
    def test_decimals_are_written_as_in_the_shops_country(self, locale: str, language: str, distance: str) -> None:
        load(branch("sur", 4.61, -74.08), locale=locale)
        assert f"Sur ({distance})" in described(language=language)[0]
