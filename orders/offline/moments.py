"""Days and times of day in what customers write, branch-local."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta

from orders.offline import vocabulary as words
from orders.offline.normalise import Kind, Token
from orders.offline.tables import word_set

_EVENING = frozenset({"pm", "tarde", "noche", "afternoon", "evening", "night"})
_MORNING = frozenset({"am", "manana", "madrugada", "morning"})
_HOUR_WORDS = frozenset({"h", "hs", "hrs", "hr", "horas", "hora", "oclock"})
_NOON = frozenset({"mediodia", "noon"})
_LEADS = word_set(
    """para pa por a las la el los on at for by the de del dia este proximo siguiente next this
    tipo como hasta desde antes about around"""
)
_TIME_LEADS = frozenset(
    {"a", "para", "pa", "tipo", "como", "sobre", "at", "by", "around", "about", "for", "desde", "hasta", "antes"}
)
_DAY_MONTH = re.compile(r"(\d{1,2})/(\d{1,2})")
_TERSE_TIME = re.compile(r"([01]?\d|2[0-3])([0-5]\d)")
#: From this hour on a bare number means what it says; below, the afternoon.
FIRST_MORNING_HOUR = 7
#: And after it "at ten" is no evening.
LAST_EVENING_HOUR = 9


@dataclass(frozen=True, slots=True)
class When:
    """What was said of the moment: a day, a time, both or neither.

    ``half`` = 1 for the afternoon and evening, 0 for the morning, None unsaid.
    ``doubtful`` = two days were said, or one or an hour that does not exist.
    """

    day: date | None = None
    at: time | None = None
    half: int | None = None
    doubtful: bool = False

    def __bool__(self) -> bool:
        return self.day is not None or self.at is not None or self.doubtful

    def over(self, before: When) -> When:
        """This one, completed by an earlier one."""
        return replace(self, day=self.day or before.day, at=self.at or before.at)

    def instead_of(self, agreed: datetime) -> When:
        """This time on the day agreed, and in the half of it where it was, as far as shops are open."""
        half = self.half
        if half is None and self.at is not None and FIRST_MORNING_HOUR <= self.at.hour < 12:
            half = int(agreed.hour >= 12 and self.at.hour <= LAST_EVENING_HOUR)
        return replace(self, day=agreed.date(), half=half)

    def moment(self, now: datetime) -> datetime | None:
        """The minute meant, from ``now`` on (naive, branch-local); None without a time."""
        if self.at is None:
            return None
        day = self.day or now.date()
        meant = datetime.combine(day, self.at)
        if self.half == 1 and self.at.hour < 12:
            return meant + timedelta(hours=12)
        early = self.at.hour < FIRST_MORNING_HOUR or (day == now.date() and meant <= now)
        if self.half is None and self.at.hour < 12 and early:
            meant += timedelta(hours=12)
        if self.day is None and meant <= now:
            meant += timedelta(days=1)
        return meant


@dataclass(frozen=True, slots=True)
class _Hit:
    length: int
    when: When


def find_when(tokens: Sequence[Token], today: date, english: bool = False) -> tuple[When, set[int]]:
    """What the tokens say of day and time, and the positions that say it."""
    when, used = When(), set[int]()
    at = 0
    while at < len(tokens):
        hit = _hit(tokens, at, today, english)
        if hit is None:
            at += 1
            continue
        when = _joined(hit.when, when)
        used |= set(range(at, at + hit.length)) | _leads(tokens, at, used)
        at += hit.length
    return when, used


def _joined(new: When, old: When) -> When:
    two_days = new.day is not None and old.day is not None and new.day != old.day
    return When(new.day or old.day, new.at or old.at, _half(new, old), new.doubtful or old.doubtful or two_days)


def _half(new: When, old: When) -> int | None:
    return new.half if new.half is not None else old.half


def _leads(tokens: Sequence[Token], at: int, used: set[int]) -> set[int]:
    found = set[int]()
    at -= 1
    while at >= 0 and at not in used and tokens[at].text in _LEADS | words.ARTICLES and not _is_count(tokens[at]):
        found.add(at)
        at -= 1
    return found


def _is_count(token: Token) -> bool:
    return token.is_number and token.text != "1"


def _hit(tokens: Sequence[Token], at: int, today: date, english: bool) -> _Hit | None:
    finders: tuple[Callable[[Sequence[Token], int, date, bool], _Hit | None], ...] = (
        _relative_day, _weekday, _month_day, _slash_day, _day_number, _period, _clock,
    )  # fmt: skip
    for finder in finders:
        hit = finder(tokens, at, today, english)
        if hit is not None:
            return hit
    return None


def _text(tokens: Sequence[Token], at: int) -> str:
    return tokens[at].text if 0 <= at < len(tokens) else ""


def _number(tokens: Sequence[Token], at: int) -> int | None:
    if not 0 <= at < len(tokens):
        return None
    value = tokens[at].value
    if value is None or value != value.to_integral() or tokens[at].kind is not Kind.NUMBER:
        return None
    return int(value)


def _relative_day(tokens: Sequence[Token], at: int, today: date, english: bool) -> _Hit | None:
    text = _text(tokens, at)
    if text == "pasado" and _text(tokens, at + 1) == "manana":
        return _Hit(2, When(day=today + timedelta(days=2)))
    if text == "manana" and _text(tokens, at - 1) == "la":
        return None
    if text in words.DAYS_AHEAD and tokens[at].kind is Kind.WORD:
        return _Hit(1, When(day=today + timedelta(days=words.DAYS_AHEAD[text])))
    return None


def _weekday(tokens: Sequence[Token], at: int, today: date, english: bool) -> _Hit | None:
    text = _text(tokens, at)
    if text not in words.WEEKDAYS or (len(text) == 3 and not english):
        return None
    ahead = (words.WEEKDAYS[text] - today.weekday()) % 7
    if ahead == 0 and _text(tokens, at - 1) in ("proximo", "next"):
        ahead = 7
    day = today + timedelta(days=ahead)
    number = _number(tokens, at + 1)
    exact = number is not None and number == day.day and _text(tokens, at + 2) not in ("de", *words.STOP)
    return _Hit(2 if exact else 1, When(day=day))


def _month_day(tokens: Sequence[Token], at: int, today: date, english: bool) -> _Hit | None:
    """As in "el 24 de diciembre", "december 24th", "24 dec"."""
    day, month, length = _number(tokens, at), 0, 0
    if day is not None:
        skip = 1 if _text(tokens, at + 1) in ("de", "of", "th", "st", "nd", "rd") else 0
        month = words.MONTHS.get(_text(tokens, at + 1 + skip), 0)
        length = 2 + skip
    elif _text(tokens, at) in words.MONTHS and (day := _number(tokens, at + 1)) is not None:
        month = words.MONTHS[_text(tokens, at)]
        length = 3 if _text(tokens, at + 2) in ("th", "st", "nd", "rd") else 2
    if not month or day is None:
        return None
    found = _next_date(today, month, day)
    return _Hit(length, When(day=found, doubtful=found is None))


def _slash_day(tokens: Sequence[Token], at: int, today: date, english: bool) -> _Hit | None:
    source = tokens[at]
    found = _DAY_MONTH.fullmatch(source.text) if source.kind is Kind.WORD else None
    if found is None:
        return None
    first, second = int(found.group(1)), int(found.group(2))
    day, month = (second, first) if english else (first, second)
    meant = _next_date(today, month, day)
    return None if meant is None else _Hit(1, When(day=meant))


def _day_number(tokens: Sequence[Token], at: int, today: date, english: bool) -> _Hit | None:
    """As in "el día 5", "the 5th", "el 24" when nothing countable follows."""
    number = _number(tokens, at)
    if number is None or not 1 <= number <= 31:
        return None
    before, after = _text(tokens, at - 1), _text(tokens, at + 1)
    ordinal = after in ("th", "st", "nd", "rd")
    ends = at + 1 >= len(tokens) or tokens[at + 1].is_break or after in ("por", "en", "a", "at", "in")
    if not (before == "dia" or ordinal or (before == "el" and ends)):
        return None
    for offset in range(62):
        day = today + timedelta(days=offset)
        if day.day == number:
            return _Hit(2 if ordinal else 1, When(day=day))
    return None


def _period(tokens: Sequence[Token], at: int, today: date, english: bool) -> _Hit | None:
    """As in "por la tarde", "in the morning": no time, but which half of the day."""
    lead = _text(tokens, at) in ("por", "en", "de", "in") and _text(tokens, at + 1) in ("la", "las", "the")
    if not lead:
        return None
    half = _half_named(_text(tokens, at + 2))
    return None if half is None else _Hit(3, When(half=half))


def _half_named(text: str) -> int | None:
    return 1 if text in _EVENING else 0 if text in _MORNING else None


def _clock(tokens: Sequence[Token], at: int, today: date, english: bool) -> _Hit | None:
    token = tokens[at]
    if token.text in _NOON:
        return _Hit(1, When(at=time(12)))
    if token.kind is Kind.CLOCK:
        hour, minute = (int(part) for part in token.text.split(":"))
        return _with_half(tokens, at, 1, hour, minute)
    hour_said = _number(tokens, at)
    if hour_said is None:
        return _terse(tokens, at)
    if not 0 < hour_said <= 24:
        beyond = 24 < hour_said < 100 and _is_time_place(tokens, at, 1) and _text(tokens, at - 1) == "las"
        return _Hit(1, When(doubtful=True)) if beyond else _terse(tokens, at)
    length, minute = 1, 0
    if _text(tokens, at + 1) == "y½":
        length, minute = 2, 30
    elif _text(tokens, at + 1) in words.AND and _text(tokens, at + 2) in ("0.25", "15", "30"):
        length, minute = 3, {"0.25": 15, "15": 15, "30": 30}[_text(tokens, at + 2)]
    hit = _with_half(tokens, at, length, hour_said, minute)
    marked = hit is not None and (hit.length > length or hit.when.half is not None)
    return hit if marked or _is_time_place(tokens, at, length) else None


def _with_half(tokens: Sequence[Token], at: int, length: int, hour: int, minute: int) -> _Hit | None:
    half: int | None = None
    after = _text(tokens, at + length)
    if after in _HOUR_WORDS:
        length += 1
        half = 0 if hour >= 12 else None
    elif after in ("am", "pm") or (after in ("a", "p") and _text(tokens, at + length + 1) == "m"):
        half = int(after[0] == "p")
        length += 1 if len(after) == 2 else 2
    elif after in ("de", "in") and (named := _half_named(_text(tokens, at + length + 2))) is not None:
        half, length = named, length + 3
    if hour > 23 or minute > 59:
        return _Hit(length, When(doubtful=True))
    if half == 0 and hour == 12 and after == "am":
        hour = 0
    return _Hit(length, When(at=time(hour, minute), half=half))


def _is_time_place(tokens: Sequence[Token], at: int, length: int) -> bool:
    """A bare number is a time after "a las", or "at" with nothing to count behind."""
    before, two_before = _text(tokens, at - 1), _text(tokens, at - 2)
    end = at + length
    closed = end >= len(tokens) or tokens[end].kind is not Kind.WORD or tokens[end].text in words.STOP | words.FILLER
    if before in ("las", "la") and two_before in _TIME_LEADS:
        return closed or two_before == "a"
    return before in ("at", "by", "around") and closed


def _terse(tokens: Sequence[Token], at: int) -> _Hit | None:
    """As in "CENTRO 1230": four digits at the end of a clause."""
    token = tokens[at]
    found = _TERSE_TIME.fullmatch(token.text) if token.kind is Kind.NUMBER else None
    last = at + 1 >= len(tokens) or tokens[at + 1].is_break
    if found is None or not last or at == 0 or tokens[at - 1].is_number or len(token.text) != 4:
        return None
    return _Hit(1, When(at=time(int(found.group(1)), int(found.group(2)))))


def _next_date(today: date, month: int, day: int) -> date | None:
    for year in (today.year, today.year + 1):
        try:
            found = date(year, month, day)
        except ValueError:
            continue
        if found >= today:
            return found
    return None
