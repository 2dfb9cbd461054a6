"""When the branches are open."""

from __future__ import annotations

from datetime import date, datetime, time

from django.utils.translation import gettext as _

from aitools.tools import ToolContext, tool
from orders import availability, sources
from orders.catalogue import Branch, Window, current
from orders.texts import times
from orders.tools.args import CheckHours

#: More branches than this are not listed at once.
MOST_BRANCHES = 10


@tool(schema=CheckHours, choices=(sources.branches,))
def check_hours(args: CheckHours, ctx: ToolContext) -> dict[str, object]:
    """Tells opening hours and address of a branch or of all, for today or a date. Use it for any question on hours."""
    catalogue = current()
    branches = [branch for branch in catalogue.branches if args.branch in (None, branch.key)][:MOST_BRANCHES]
    shown = [_hours(branch, args, ctx) for branch in branches]
    return {"say": "\n".join(str(one["say"]) for one in shown), "branches": shown}


def _hours(branch: Branch, args: CheckHours, ctx: ToolContext) -> dict[str, object]:
    local = ctx.now.astimezone(branch.zone)
    day = date.fromisoformat(args.date) if args.date is not None else local.date()
    windows = availability.hours_on(branch, day)
    return {
        "say": " ".join([_hours_text(branch, day, local.date(), ctx), *_address(branch)]),
        "branch": branch.key,
        "date": day.isoformat(),
        "hours": [[f"{window.opens:%H:%M}", f"{window.closes:%H:%M}"] for window in windows],
        "open_now": availability.window_at(branch, ctx.now) is not None,
        "address": branch.address,
    }


def _hours_text(branch: Branch, day: date, today: date, ctx: ToolContext) -> str:
    windows = availability.hours_on(branch, day)
    shown = {"branch": branch.name, "day": times.day(day, today)}
    if windows:
        hours = ", ".join(_window_text(window) for window in windows)
        return _("%(branch)s, %(day)s: %(hours)s.") % {**shown, "hours": hours}
    closed = _("%(branch)s, %(day)s: closed.") % shown
    after = ctx.now if day <= today else datetime.combine(day, time.max, branch.zone)
    opening = availability.next_opening(branch, after)
    if opening is None:
        return closed
    opens = _("Next opening: %(when)s.") % {"when": times.moment(opening, ctx.now)}
    return f"{closed} {opens}"


def _window_text(window: Window) -> str:
    if window.opens == window.closes:
        return _("open all day")
    return f"{window.opens:%H:%M}–{window.closes:%H:%M}"


def _address(branch: Branch) -> list[str]:
    return [f"({branch.address})"] if branch.address else []
