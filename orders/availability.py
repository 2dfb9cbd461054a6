"""When something can be picked up: hours, lead times, seasons, slots.

Pure functions over the catalogue.  Days and times here are the branch's own;
moments that come in or go out as ``datetime`` are aware.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum

from orders.catalogue import Branch, Product, Window
from orders.pricing import Item

#: How far to look for the next opening, in days.
HORIZON_DAYS = 60


class Hindrance(StrEnum):
    """Why a pick-up is not possible."""

    CLOSED = "closed"
    PAUSED = "paused"
    TOO_SOON = "lead_time"
    TOO_FAR = "too_far_ahead"
    PAST = "past"
    SOLD_OUT = "sold_out"
    NOT_THEN = "not_available"


@dataclass(frozen=True, slots=True)
class Refusal:
    """One hindrance; ``product`` is None when it is not about one. ``lead`` in minutes."""

    why: Hindrance
    product: Product | None = None
    lead: int = 0


def hours_on(branch: Branch, day: date) -> tuple[Window, ...]:
    """The day's windows in order; none when closed."""
    for special in branch.special:
        if special.date == day:
            return special.windows
    return branch.weekly[day.weekday()]


def bounds(branch: Branch, day: date, window: Window) -> tuple[datetime, datetime]:
    """A window's two ends as aware branch-local moments."""
    midnight = window.closes == time(0)
    closing_day = day + timedelta(days=1) if midnight else day
    return (
        datetime.combine(day, window.opens, branch.zone),
        datetime.combine(closing_day, window.closes, branch.zone),
    )


def window_at(branch: Branch, at: datetime) -> Window | None:
    """The window that is open at ``at`` (closing time excluded)."""
    local = at.astimezone(branch.zone)
    for window in hours_on(branch, local.date()):
        opens, closes = bounds(branch, local.date(), window)
        if opens <= local < closes:
            return window
    return None


def next_opening(branch: Branch, after: datetime) -> datetime | None:
    """The first moment from ``after`` on at which a window opens, branch-local."""
    local = after.astimezone(branch.zone)
    for day in _days(local.date(), HORIZON_DAYS):
        for window in hours_on(branch, day):
            opens, _ = bounds(branch, day, window)
            if opens >= local:
                return opens
    return None


def slots_on(branch: Branch, day: date) -> Iterator[datetime]:
    """The day's pick-up times: from each opening on the grid, the last one a lead before closing.

    Steps are of real time, so days on which clocks change have neither doubled
    nor missing slots.
    """
    for window in hours_on(branch, day):
        opens, closes = (moment.astimezone(UTC) for moment in bounds(branch, day, window))
        slot = opens
        while slot <= closes - timedelta(minutes=branch.lead):
            yield slot.astimezone(branch.zone)
            slot += timedelta(minutes=branch.slot)


def slot_for(branch: Branch, wanted: datetime) -> datetime | None:
    """The first slot of the wanted day at or after ``wanted``; None when there is none."""
    local = wanted.astimezone(branch.zone)
    return next((slot for slot in slots_on(branch, local.date()) if slot >= local), None)


def earliest(branch: Branch, items: Sequence[Item], now: datetime, days_ahead: int) -> datetime | None:
    """The first slot at which all items can be picked up, branch-local; None within reach."""
    ready = ready_at(branch, items, now)
    for day in _days(ready.astimezone(branch.zone).date(), days_ahead + 1):
        if any(_refused_day(branch, item, day) for item in items):
            continue
        for slot in slots_on(branch, day):
            if slot >= ready and not any(_refused_time(branch, item.product, slot) for item in items):
                return slot
    return None


def ready_at(branch: Branch, items: Iterable[Item], now: datetime) -> datetime:
    """Now plus the longest lead (the branch's or an item's), not before a pause ends."""
    lead = max([branch.lead, *(item.lead for item in items)])
    start = max(now, branch.paused_until) if branch.paused_until is not None else now
    return start + timedelta(minutes=lead)


def refusals(branch: Branch, items: Sequence[Item], at: datetime, now: datetime, days_ahead: int) -> list[Refusal]:
    """Everything that speaks against picking the items up at ``at``; empty = possible."""
    local = at.astimezone(branch.zone)
    if at < now:
        return [Refusal(Hindrance.PAST)]
    if local.date() > now.astimezone(branch.zone).date() + timedelta(days=days_ahead):
        return [Refusal(Hindrance.TOO_FAR)]
    found: list[Refusal] = []
    if branch.paused_until is not None and at < branch.paused_until:
        found.append(Refusal(Hindrance.PAUSED))
    elif slot_for(branch, at) is None:
        found.append(Refusal(Hindrance.CLOSED))
    found += [refusal for item in items if (refusal := _refused(branch, item, local, now)) is not None]
    if not found and at < ready_at(branch, [], now):
        found.append(Refusal(Hindrance.TOO_SOON, lead=branch.lead))
    return found


def _refused(branch: Branch, item: Item, local: datetime, now: datetime) -> Refusal | None:
    product = item.product
    if _is_sold_out(item, local.date()):
        return Refusal(Hindrance.SOLD_OUT, product)
    if _refused_time(branch, product, local):
        return Refusal(Hindrance.NOT_THEN, product)
    if local < now + timedelta(minutes=item.lead):
        return Refusal(Hindrance.TOO_SOON, product, item.lead)
    return None


def _is_sold_out(item: Item, day: date) -> bool:
    return item.product.is_sold_out(day) or any(option.sold_out_on == day for option in item.options)


def _refused_day(branch: Branch, item: Item, day: date) -> bool:
    if _is_sold_out(item, day):
        return True
    seasons = item.product.seasons
    return bool(seasons) and not any(season.allows_day(branch.id, day) for season in seasons)


def _refused_time(branch: Branch, product: Product, local: datetime) -> bool:
    return bool(product.seasons) and not any(season.allows(branch.id, local) for season in product.seasons)


def _days(first: date, count: int) -> Iterator[date]:
    return (first + timedelta(days=offset) for offset in range(count))
