"""Opening hours, slots and clock changes: pure, in the branch's own time."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

from orders.availability import Hindrance, earliest, hours_on, next_opening, refusals, slot_for, slots_on, window_at
from orders.catalogue import Branch, SeasonRule, SpecialHours, Window
from orders.pricing import Item
from tests.orders.test_pricing import product

MADRID = ZoneInfo("Europe/Madrid")
MORNING = Window(time(7), time(12))
EVENING = Window(time(17), time(20, 30))
#: Monday to Saturday; lead 20 minutes, slots every 15.
BRANCH = Branch(
    id=1,
    key="b",
    name="B",
    aliases=(),
    letter="B",
    address="",
    zone=MADRID,
    lead=20,
    slot=15,
    paused_until=None,
    weekly=(*((MORNING, EVENING),) * 6, ()),
    special=(SpecialHours(date(2026, 12, 25), ()), SpecialHours(date(2026, 12, 24), (Window(time(8), time(10)),))),
)
TUESDAY = date(2026, 11, 24)
BREAD = Item(product("1"), 1)


def at(hour: int, minute: int = 0, day: date = TUESDAY) -> datetime:
    return datetime.combine(day, time(hour, minute), MADRID)


def test_slots_start_at_opening_and_end_a_lead_before_closing() -> None:
    slots = [f"{slot:%H:%M}" for slot in slots_on(BRANCH, TUESDAY)]
    assert slots[:2] == ["07:00", "07:15"]
    assert "11:30" in slots
    assert "11:45" not in slots
    assert slots[-1] == "20:00"


def test_special_days_replace_the_weekday() -> None:
    assert hours_on(BRANCH, date(2026, 12, 24)) == (Window(time(8), time(10)),)
    assert hours_on(BRANCH, date(2026, 12, 25)) == ()


def test_between_windows_the_next_one_counts() -> None:
    assert window_at(BRANCH, at(13)) is None
    assert next_opening(BRANCH, at(13)) == at(17)
    assert next_opening(BRANCH, at(21, day=date(2026, 11, 28))) == at(7, day=date(2026, 11, 30))


def test_closing_time_is_not_open() -> None:
    assert window_at(BRANCH, at(11, 59)) == MORNING
    assert window_at(BRANCH, at(12)) is None


def test_the_first_slot_leaves_time_to_get_ready() -> None:
    assert earliest(BRANCH, [BREAD], at(9, 58), 5) == at(10, 30)
    assert earliest(BRANCH, [BREAD], at(11, 20), 5) == at(17)
    assert earliest(BRANCH, [BREAD], at(20, 5), 5) == at(7, day=date(2026, 11, 25))


def test_the_longest_lead_decides() -> None:
    cake = Item(replace(product("1"), lead=48 * 60), 1)
    assert earliest(BRANCH, [BREAD, cake], at(10), 5) == at(10, day=date(2026, 11, 26))


def test_a_season_moves_the_first_day() -> None:
    weekend = SeasonRule(None, frozenset({5, 6}), None, None, None, None)
    pastry = Item(replace(product("1"), seasons=(weekend,)), 1)
    assert earliest(BRANCH, [pastry], at(10), 7) == at(7, day=date(2026, 11, 28))
    assert [one.why for one in refusals(BRANCH, [pastry], at(11), at(10), 7)] == [Hindrance.NOT_THEN]


def test_a_season_may_be_of_another_branch() -> None:
    elsewhere = SeasonRule(2, frozenset(), None, None, None, None)
    pastry = Item(replace(product("1"), seasons=(elsewhere,)), 1)
    assert earliest(BRANCH, [pastry], at(10), 7) is None


def test_a_pause_counts_from_its_end() -> None:
    paused = replace(BRANCH, paused_until=at(10, 30))
    assert earliest(paused, [BREAD], at(10), 5) == at(11)
    assert [one.why for one in refusals(paused, [BREAD], at(10, 25), at(10), 5)] == [Hindrance.PAUSED]


def test_too_soon_closed_past_and_too_far() -> None:
    def why(moment: datetime) -> list[Hindrance]:
        return [one.why for one in refusals(BRANCH, [BREAD], moment, at(10), 5)]

    assert why(at(10, 15)) == [Hindrance.TOO_SOON]
    assert why(at(13)) == []
    assert why(at(21)) == [Hindrance.CLOSED]
    assert why(at(9)) == [Hindrance.PAST]
    assert why(at(10, day=date(2026, 11, 30))) == [Hindrance.TOO_FAR]


def test_midnight_closes_a_day_that_never_closes() -> None:
    always = replace(BRANCH, weekly=((Window(time(0), time(0)),),) * 7, lead=15)
    assert earliest(always, [BREAD], at(23, 40), 5) == at(0, 0, day=date(2026, 11, 25))
    assert window_at(always, at(23, 59)) is not None


def test_the_hour_that_is_skipped_or_doubled_keeps_slots_apart() -> None:
    night = replace(BRANCH, weekly=((Window(time(0), time(6)),),) * 7)
    for day in (date(2026, 3, 29), date(2026, 10, 25)):
        slots = [slot.astimezone(UTC) for slot in slots_on(night, day)]
        assert {after - before for before, after in pairwise(slots)} == {timedelta(minutes=15)}


def test_a_wanted_time_is_rounded_up_to_a_slot() -> None:
    assert slot_for(BRANCH, at(8, 1)) == at(8, 15)
    assert slot_for(BRANCH, at(20, 10)) is None
