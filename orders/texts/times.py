"""Days and times as people say them."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from babel.dates import format_date, format_skeleton
from django.utils.translation import get_language
from django.utils.translation import gettext as _


def day(value: date, today: date) -> str:
    """``today``, ``tomorrow``, or the weekday and date."""
    if value == today:
        return _("today")
    if value == today + timedelta(days=1):
        return _("tomorrow")
    weekday = format_date(value, "EEEE", locale=_locale())
    month_day = format_skeleton("MMMMd", datetime.combine(value, datetime.min.time()), locale=_locale())
    return _("%(weekday)s, %(date)s") % {"weekday": weekday, "date": month_day}


def moment(at: datetime, now: datetime) -> str:
    """A branch-local moment: day and time."""
    local_today = now.astimezone(at.tzinfo).date()
    return _("%(day)s at %(time)s") % {"day": day(at.date(), local_today), "time": f"{at:%H:%M}"}


def duration(minutes: int) -> str:
    """Whole days, hours or minutes, whichever is exact and largest."""
    if minutes and minutes % 1440 == 0:
        days = minutes // 1440
        return _("1 day") if days == 1 else _("%(count)d days") % {"count": days}
    if minutes and minutes % 60 == 0:
        hours = minutes // 60
        return _("1 hour") if hours == 1 else _("%(count)d hours") % {"count": hours}
    return _("%(count)d minutes") % {"count": minutes}


def _locale() -> str:
    return (get_language() or "es").replace("-", "_")
