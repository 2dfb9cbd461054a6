"""A burst is read in the order in which it was sent, as far as that is known."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from aitools.bursts import Burst, as_sent
from aitools.models import InboundEvent

NOON = datetime(2026, 11, 24, 12, tzinfo=UTC)


def arrived(*sent: int | None) -> list[InboundEvent]:
    """One message after the other, each sent so many seconds after noon; None: nobody knows when."""
    return [
        InboundEvent(
            seq=seq,
            kind="message",
            message_kind="text",
            text=f"{seq}",
            received_at=NOON,
            sent_at=None if seconds is None else NOON + timedelta(seconds=seconds),
        )
        for seq, seconds in enumerate(sent, start=1)
    ]


def order(events: Sequence[InboundEvent]) -> list[int]:
    return [event.seq or 0 for event in as_sent(events)]


def test_messages_that_overtook_each_other_are_put_right() -> None:
    assert Burst(tuple(arrived(7, 3))).text == "2\n1"
    assert Burst(tuple(arrived(7, 3))).line == "2 1"


def test_within_a_second_and_without_times_arrival_decides() -> None:
    assert order(arrived(5, 5, 5)) == [1, 2, 3]
    assert order(arrived(None, None)) == [1, 2]


def test_one_without_a_time_keeps_its_place() -> None:
    assert order(arrived(9, None, 4, 6)) == [3, 2, 4, 1]


def test_what_was_read_is_counted_by_arrival() -> None:
    burst = Burst(tuple(arrived(9, 4, 6)))
    assert (burst.last_seq, burst.up_to(2).text, burst.after(2).text) == (3, "2\n1", "3")


@given(st.lists(st.none() | st.integers(0, 4), max_size=9))
def test_the_order_is_total_and_sorting_again_changes_nothing(sent: list[int | None]) -> None:
    events = arrived(*sent)
    ordered = list(as_sent(events))
    timed = [(event.sent_at, event.seq) for event in ordered if event.sent_at is not None]
    assert sorted(event.seq or 0 for event in ordered) == [event.seq for event in events]
    assert timed == sorted(timed)
    assert all(event is events[place] for place, event in enumerate(ordered) if event.sent_at is None)
    assert list(as_sent(ordered)) == ordered
