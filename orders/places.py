"""Which branches are near a place, in words that may be told as they are."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal

from babel.numbers import format_decimal
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, override

from aitools import clock
from orders import availability
from orders.catalogue import Branch, Catalogue, Point, current
from orders.texts import times

#: The mean radius of the earth.
EARTH_KM = 6371.0088
#: So many branches are told at most.
MOST_NEAR, MOST_ELSEWHERE = 3, 10
#: The first line told, as msgids: the first when distances are known.
CLOSEST = gettext_noop("The closest is %(branch)s (%(distance)s km): %(facts)s.")
NO_DISTANCES = gettext_noop("I can't tell how far it is, but these are our branches:")


@dataclass(frozen=True, slots=True)
class Near:
    """A branch and how far it is as the crow flies, to a tenth of a kilometre."""

    branch: Branch
    km: Decimal


def described(latitude: float, longitude: float, language: str) -> str:
    """The branches near a place on earth, the nearest first, with distance, opening and address; one a line.

    Branches that nobody has put on the map are told without a distance.  "" when
    there are no branches at all.  Two small queries.
    """
    catalogue, now = current(), clock.now()
    with override(language):
        return "\n".join(_lines(catalogue, near(catalogue, Point(latitude, longitude)), now, language))


def near(catalogue: Catalogue, place: Point) -> Sequence[Near]:
    """The active branches with a known place, the nearest first; of equally near ones, in menu order."""
    known = [(kilometres(place, branch.point), branch) for branch in catalogue.branches if branch.point is not None]
    return [Near(branch, _tenths(km)) for km, branch in sorted(known, key=lambda one: one[0])]


def kilometres(one: Point, other: Point) -> float:
    """The way over the surface, by the haversine formula: also across the antimeridian and at the poles."""
    north, to_north = math.radians(one.latitude), math.radians(other.latitude)
    east = math.radians(other.longitude) - math.radians(one.longitude)
    half = math.sin((to_north - north) / 2) ** 2 + math.cos(north) * math.cos(to_north) * math.sin(east / 2) ** 2
    # Rounding may carry opposite ends of the earth a hair above 1.
    return 2 * EARTH_KM * math.asin(math.sqrt(min(half, 1.0)))


def _tenths(km: float) -> Decimal:
    """Never zero: nobody writes from inside the oven."""
    return max(Decimal(km).quantize(Decimal("0.1"), ROUND_HALF_UP), Decimal("0.1"))


def _lines(catalogue: Catalogue, found: Sequence[Near], now: datetime, language: str) -> Iterator[str]:
    placed = {one.branch.key for one in found}
    others = [branch for branch in catalogue.branches if branch.key not in placed][:MOST_ELSEWHERE]
    if found:
        yield _(CLOSEST) % _shown(found[0], catalogue, now, language)
    elif others:
        yield _(NO_DISTANCES)
    for one in found[1:MOST_NEAR]:
        yield "• {branch} ({distance} km): {facts}".format(**_shown(one, catalogue, now, language))
    for branch in others:
        yield f"• {branch.name}: {_facts(branch, now)}"


def _shown(one: Near, catalogue: Catalogue, now: datetime, language: str) -> dict[str, str]:
    distance = format_decimal(one.km, "#,##0.0", locale=_locale(catalogue.shop.locale, language))
    return {"branch": one.branch.name, "distance": distance, "facts": _facts(one.branch, now)}


def _locale(shops: str, language: str) -> str:
    """The shop's country writes decimals its own way; in another language, that one's way."""
    same = shops.partition("-")[0] == language.partition("-")[0]
    return (shops if same else language).replace("-", "_")


def _facts(branch: Branch, now: datetime) -> str:
    return ", ".join(filter(None, [_opening(branch, now), branch.address]))


def _opening(branch: Branch, now: datetime) -> str:
    """Whether it is open, and till when or from when."""
    if branch.paused_until is not None and branch.paused_until > now:
        back = branch.paused_until.astimezone(branch.zone)
        return _("takes no orders until %(when)s") % {"when": times.moment(back, now)}
    window = availability.window_at(branch, now)
    if window is not None and window.opens == window.closes:
        return _("open all day")
    if window is not None:
        return _("open until %(time)s") % {"time": f"{window.closes:%H:%M}"}
    opening = availability.next_opening(branch, now)
    return _("closed, opens %(when)s") % {"when": times.moment(opening, now)} if opening is not None else _("closed")
