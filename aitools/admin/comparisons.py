"""A stored turn asked anew of another model, side by side."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST
from unfold.admin import ModelAdmin

from aitools import comparison, trials
from aitools.admin import trials as shown
from aitools.admin.faults import explained
from aitools.comparison import Comparison, Incomparable
from aitools.models import Turn


class ComparisonPages(ModelAdmin):
    """Adds ``<pk>/compare/``: by POST, for who may view turns and try models out."""

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(require_POST(self.compare_view))
        return [path("<int:pk>/compare/", view, name="aitools_turn_compare"), *super().get_urls()]

    def compare_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Ask the chosen model, and show what it says beside what happened."""
        row = self.get_object(request, str(pk))
        if row is None or not self.has_view_permission(request, row):
            raise Http404
        if not shown.may_try(request):
            raise PermissionDenied
        choice = request.POST.get("endpoint", "")
        values, status = _compared(row, choice)
        page = {"title": _("Turn %(number)d, asked anew") % {"number": row.pk}, "row": row, "opts": self.opts}
        context = self.admin_site.each_context(request) | page | values | choices(choice)
        return TemplateResponse(request, "admin/aitools/trial/comparison.html", context, status=status)


def choices(chosen: str = "") -> dict[str, Any]:
    """What the form needs."""
    return {"compare_with": shown.choices(), "compared_with": chosen}


def _compared(row: Turn, choice: str) -> tuple[dict[str, Any], int]:
    try:
        with trials.one_of_few():
            return _values(comparison.compare(row, choice or "-")), 200
    except trials.Busy:
        return {"problem": shown.BUSY}, 503
    except LookupError:
        return {"problem": _("That model is gone. Choose another one.")}, 400
    except Incomparable:
        return {
            "problem": _("There is nothing to ask anew: no model was asked in this turn, or its words are gone.")
        }, 400


def _values(found: Comparison) -> dict[str, Any]:
    then_only = comparison.difference(found.then, found.now)
    now_only = comparison.difference(found.now, found.then)
    return {
        "compared": True,
        "then": {
            "title": _("Then"),
            "cards": shown.cards(found.then, then_only),
            "sums": shown.sums(found.then),
            "said": found.said_then,
        },
        "now": {
            "title": _("Asked anew"),
            "cards": shown.cards(found.now, now_only),
            "sums": shown.sums(found.now),
            "said": found.says_now,
            "fault": explained(found.fault.kind, str(found.fault)) if found.fault else None,
        },
        "same_calls": not then_only and not now_only,
        "same_words": found.said_then.strip() == found.says_now.strip(),
        "facts_restored": found.facts_restored,
    }
