"""What models cost today, and what follows when that is too much.

The day is the shop's own.  Each process sums it at most twice a minute, by an
index, and adds what it spends itself in between; where no budget is set, nothing
is asked.  So a hard budget may be overspent by what is being asked when it is
reached, and by what other processes spent within the last half minute.
"""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from decimal import Decimal
from enum import StrEnum
from time import monotonic
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db.models import Sum
from django.utils.module_loading import import_string

from aitools import behaviour, caps
from aitools.behaviour import Behaviour
from aitools.models import BotProfile, Step
from aitools.providers.base import EndpointConfig

log = logging.getLogger(__name__)

KNOWN_SECONDS = 30.0
#: What the event says for whom the budget kept from being asked.
OVER = "budget: spent for today"


class Stage(StrEnum):
    """How far the day's budget is used up."""

    FREE = "free"
    WARN = "warn"
    STOP = "stop"


@dataclass
class _Known:
    """The sum of one local day, as of ``read_at`` on ``time.monotonic``'s scale."""

    begins: datetime
    ends: datetime
    total: Decimal
    read_at: float

    def holds(self, now: datetime) -> bool:
        return self.begins <= now < self.ends

    @property
    def is_fresh(self) -> bool:
        return monotonic() - self.read_at < KNOWN_SECONDS


_known: _Known | None = None
_lock = threading.Lock()
#: What this process has told: (the day's beginning, stage).
_told: set[tuple[datetime, Stage]] = set()


def chain(in_force: Behaviour, now: datetime) -> tuple[list[EndpointConfig], tuple[str, ...]]:
    """The models to ask now, and why others may not be: over the hard budget, our order taker alone.

    ``now`` is the database's. At most one query in 30 s, none without a budget.
    """
    reached = stage(in_force.profile, now)
    if reached is not Stage.FREE:
        _tell(in_force.profile, reached)
    if reached is Stage.STOP:
        return [behaviour.offline()], (OVER,)
    return in_force.endpoints(), ()


def stage(profile: BotProfile, now: datetime) -> Stage:
    """Whether staff are to be warned, or models may cost nothing more today."""
    soft, hard = profile.daily_budget_soft, profile.daily_budget_hard
    if soft is None and hard is None:
        return Stage.FREE
    spent = today(now)
    if hard is not None and spent >= hard:
        return Stage.STOP
    return Stage.WARN if soft is not None and spent >= soft else Stage.FREE


def today(now: datetime) -> Decimal:
    """US dollars since the shop's midnight, at most 30 s old."""
    global _known  # noqa: PLW0603 - one value per process
    with _lock:
        if _known is None or not _known.holds(now):
            begins, ends = local_day(now)
            _known = _Known(begins, ends, total_of(begins, ends), monotonic())
        elif not _known.is_fresh:
            _known.total = total_of(_known.begins, _known.ends)
            _known.read_at = monotonic()
        return _known.total


def spent(cost: Decimal | None) -> None:
    """This process has just spent so much; counts before it is stored."""
    with _lock:
        if cost and _known is not None:
            _known.total += cost


def forget() -> None:
    """Read the sum anew with the next question, and tell again."""
    global _known  # noqa: PLW0603 - one value per process
    with _lock:
        _known = None
    _told.clear()


def local_day(now: datetime) -> tuple[datetime, datetime]:
    """The shop's day that holds this moment, from midnight to midnight: 23 to 25 hours."""
    zone: ZoneInfo = import_string(settings.AITOOLS_TIME_ZONE)()
    date = now.astimezone(zone).date()
    return datetime.combine(date, time.min, zone), datetime.combine(date + timedelta(days=1), time.min, zone)


def total_of(begins: datetime, ends: datetime) -> Decimal:
    """US dollars of all replies within this time. One query, by the index of costs."""
    steps = Step.objects.filter(cost__isnull=False, created_at__gte=begins, created_at__lt=ends)
    return steps.aggregate(total=Sum("cost"))["total"] or Decimal(0)


def _tell(profile: BotProfile, reached: Stage) -> None:
    """Once a day, all workers together; the admin's first page shows it as long as it is so."""
    if _known is None or (_known.begins, reached) in _told:
        return
    _told.add((_known.begins, reached))
    seconds = int((_known.ends - _known.begins).total_seconds())
    if not caps.stop("told", seconds, "budget", f"{_known.begins:%Y-%m-%d}", reached):
        return
    if reached is Stage.STOP:
        text = "Models have cost US$ %s today, the budget is US$ %s: the order taker answers until midnight."
        log.error(text, _known.total, profile.daily_budget_hard)
    else:
        text = "Models have cost US$ %s today, the budget to warn from is US$ %s."
        log.warning(text, _known.total, profile.daily_budget_soft)
