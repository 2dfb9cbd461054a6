"""A location that a customer shares: read with care, and told with what the shop knows of it.

The engine knows no places.  The callable that ``AITOOLS_PLACES`` names is given
latitude and longitude in degrees and the language, and says in lines that a
customer may read what is near; without one, only the place itself is told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.utils import translation
from django.utils.module_loading import import_string

from aitools.storable import one_line
from aitools.types import Json

KIND = "location"
#: Before every line that our code tells of a location.
MARK = "[location]"
_SHARED = f"{MARK} the customer shared a place"


@dataclass(frozen=True, slots=True)
class Location:
    """A place on earth in degrees, and what the customer's map calls it."""

    latitude: float
    longitude: float
    name: str = ""
    address: str = ""


def location_in(message_kind: str, extra: Mapping[str, Json] | None) -> Location | None:
    """The place that an event of this kind shares; None when it is none, or nowhere on earth."""
    shared = (extra or {}).get("location") if message_kind == KIND else None
    if not isinstance(shared, Mapping):
        return None
    latitude, longitude = _degrees(shared.get("latitude"), 90), _degrees(shared.get("longitude"), 180)
    if latitude is None or longitude is None:
        return None
    return Location(latitude, longitude, one_line(str(shared.get("name") or "")), _address(shared))


def told(location: Location) -> Sequence[str]:
    """Lines for the model, each with the mark: the place, then what the shop says of it in the active language.

    Where people are is nobody's business: when the shop says what is near, the model gets no degrees.
    """
    near = _described(location)
    at = "" if near else f"{location.latitude:.5f}, {location.longitude:.5f}"
    called = ", ".join(filter(None, [location.name, location.address, at]))
    return [f"{_SHARED}: {called}" if called else _SHARED, *(f"{MARK} {line}" for line in near)]


def told_in(text: str) -> Sequence[str]:
    """What the shop said of the last location in a turn's text, without the marks and the place itself."""
    said: list[str] = []
    for line in text.split("\n"):
        if line.startswith(_SHARED):
            said = []
        elif line.startswith(MARK):
            said.append(line.removeprefix(MARK).strip())
    return said


def without(text: str) -> str:
    """A turn's text without what our code told of locations."""
    return "\n".join(line for line in text.split("\n") if not line.startswith(MARK))


def _described(location: Location) -> Sequence[str]:
    path: str = getattr(settings, "AITOOLS_PLACES", "")
    if not path:
        return []
    language = translation.get_language() or settings.LANGUAGE_CODE
    said: str = import_string(path)(location.latitude, location.longitude, language)
    return said.splitlines()


def _degrees(value: Json, most: int) -> float | None:
    """Within ±``most``, which neither infinity nor NaN is."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) <= most else None


def _address(shared: Mapping[str, Json]) -> str:
    """Some maps repeat the name in it."""
    name, address = one_line(str(shared.get("name") or "")), one_line(str(shared.get("address") or ""))
    return "" if address == name else address
