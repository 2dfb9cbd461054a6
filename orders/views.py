"""The order report inside the admin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from urllib.parse import urlencode

from django.contrib import admin
from django.contrib.auth.decorators import permission_required
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from aitools import clock
from orders.catalogue import ShopTerms, current
from orders.models import Shop
from orders.pricing import show
from orders.reports import By, Report, ReportRow, headings, report, titled, to_csv

#: The longest range of a page; a year and the days around it.
MOST_DAYS = 400


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked for. ``problem`` says why it is not quite what was typed, "" otherwise."""

    first: date
    last: date
    by: By
    problem: str = ""

    @property
    def query(self) -> str:
        return urlencode({"from": self.first.isoformat(), "to": self.last.isoformat(), "by": str(self.by)})


@permission_required("orders.see_money", raise_exception=True)
def order_report(request: HttpRequest) -> HttpResponse:
    """Orders and money for a range of days, as a page or (``format=csv``) as a file."""
    if not Shop.objects.exists():
        return _page(request, {"problem": _("There is no shop yet.")})
    terms = current().shop
    today = clock.now().astimezone(terms.timezone).date()
    wanted = read(request.GET, today)
    made = report(wanted.first, wanted.last, wanted.by)
    if request.GET.get("format") == "csv":
        return _file(made, terms)
    return _page(request, _shown(wanted, made, terms) | {"ranges": _ranges(today, wanted)})


def read(query: Mapping[str, str], today: date) -> Wanted:
    """The range and grouping asked for; whatever of it can't be had is replaced, and ``problem`` says so."""
    problems: list[str] = []
    by = _grouping(query.get("by", ""), problems)
    first, last = _days(query, today, problems)
    return Wanted(first, last, by, " ".join(problems))


def _grouping(asked: str, problems: list[str]) -> By:
    if asked and asked not in list(By):
        problems.append(_("There is no such grouping; shown are days."))
    return By(asked) if asked in list(By) else By.DAY


def _days(query: Mapping[str, str], today: date, problems: list[str]) -> tuple[date, date]:
    usual = today - timedelta(days=6), today
    try:
        first = date.fromisoformat(query.get("from") or usual[0].isoformat())
        last = date.fromisoformat(query.get("to") or usual[1].isoformat())
    except ValueError:
        problems.append(_("That is not a date; shown are the last 7 days."))
        return usual
    if last < first:
        problems.append(_("The first day was after the last; they are exchanged."))
        first, last = last, first
    if (last - first).days < MOST_DAYS:
        return first, last
    problems.append(_("That range is longer than %(count)d days; shown is a part of it.") % {"count": MOST_DAYS})
    # Orders are for some days ahead at most: years to come would push the past out of the range.
    last = max(first, min(last, today + timedelta(days=MOST_DAYS // 2)))
    return max(first, last - timedelta(days=MOST_DAYS - 1)), last


def _ranges(today: date, wanted: Wanted) -> list[tuple[str, str]]:
    """The ranges people ask for most, with their addresses."""
    yesterday, month = today - timedelta(days=1), today.replace(day=1)
    last_month = month - timedelta(days=1)
    days = [
        (_("Today"), today, today),
        (_("Yesterday"), yesterday, yesterday),
        (_("7 days"), today - timedelta(days=6), today),
        (_("This month"), month, today),
        (_("Last month"), last_month.replace(day=1), last_month),
    ]
    return [(title, f"?{Wanted(first, last, wanted.by).query}") for title, first, last in days]


def _shown(wanted: Wanted, made: Report, terms: ShopTerms) -> dict[str, object]:
    labels = dict(zip(By, (_("Day"), _("Product"), _("Branch"), _("Channel")), strict=True))
    return {
        "wanted": wanted,
        "problem": wanted.problem,
        "groupings": [(str(by), labels[by]) for by in By],
        "headings": headings(made.by),
        "rows": [[_label(row, made.by), *_cells(row, terms)] for row in made.rows],
        "total": [made.total.label, *_cells(made.total, terms)],
        "csv_url": f"?{wanted.query}&format=csv",
    }


def _label(row: ReportRow, by: By) -> str:
    """Days as people write them; a file keeps the form that sorts."""
    if by == By.DAY:
        return date_format(date.fromisoformat(row.label), "DATE_FORMAT")
    return titled(row, by)


def _cells(row: ReportRow, terms: ShopTerms) -> list[str]:
    lost = show(row.cancelled_money, terms) if row.cancelled else ""
    return [str(row.orders), str(row.quantity), show(row.money, terms), str(row.cancelled or ""), lost]


def _page(request: HttpRequest, context: dict[str, object]) -> HttpResponse:
    title = {"title": _("Order report")}
    return TemplateResponse(request, "admin/desk/report.html", admin.site.each_context(request) | title | context)


def _file(made: Report, terms: ShopTerms) -> HttpResponse:
    name = f"orders-{made.first.isoformat()}-{made.last.isoformat()}-{made.by}.csv"
    return HttpResponse(
        to_csv(made, terms),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )
