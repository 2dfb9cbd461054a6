"""The button that tries a model out, and the page that says what came of it."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST
from unfold.admin import ModelAdmin

from aitools import behaviour, endpoint_test, trials
from aitools.admin import trials as shown
from aitools.admin.faults import Explained, explained
from aitools.endpoint_test import TestReport, Verdict
from aitools.models import ModelEndpoint

#: These run in this process: there is nothing to reach.
_OURS = (ModelEndpoint.Kind.OFFLINE, ModelEndpoint.Kind.SCRIPTED)


class EndpointTests(ModelAdmin):
    """Adds ``<pk>/test/``: by POST, for whoever may change the model."""

    change_form_outer_after_template = "admin/aitools/trial/test_button.html"

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(require_POST(self.test_view))
        return [path("<int:pk>/test/", view, name="aitools_modelendpoint_test"), *super().get_urls()]

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        row = self.get_object(request, object_id)
        may = row is not None and row.kind not in _OURS and self.has_change_permission(request, row)
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), "may_test": may})

    def test_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Try it and say what came. Two requests, each within the model's own time."""
        row = self.get_object(request, str(pk))
        if row is None or row.kind in _OURS:
            raise Http404
        if not self.has_change_permission(request, row):
            raise PermissionDenied
        page = {"title": _("Test of %(name)s") % {"name": row.name}, "row": row, "opts": self.opts}
        try:
            with trials.one_of_few():
                report = endpoint_test.try_out(behaviour.from_row(row))
        except trials.Busy:
            return self._page(request, page | {"busy": shown.BUSY}, 503)
        return self._page(request, page | _values(report, row))

    def _page(self, request: HttpRequest, values: dict[str, Any], status: int = 200) -> HttpResponse:
        context = self.admin_site.each_context(request) | values
        return TemplateResponse(request, "admin/aitools/trial/test.html", context, status=status)


def _values(report: TestReport, row: ModelEndpoint) -> dict[str, Any]:
    told = explained(report.fault.kind, str(report.fault)) if report.fault else _said(report)
    return {
        "well": report.verdict is Verdict.WELL,
        "told": told,
        "cards": shown.cards(report.steps),
        "sums": shown.sums(report.steps),
        "has_prices": row.input_price is not None,
    }


def _said(report: TestReport) -> Explained:
    choose = _("Choose another model, or “By a JSON plan” for its tool calls.")
    if report.verdict is Verdict.NO_CALL:
        return Explained(_("It answers, but did not call the tool."), choose)
    if report.verdict is Verdict.BAD_CALL:
        return Explained(_("It called a tool in a way that can't be run."), choose)
    if report.verdict is Verdict.NO_WORDS:
        return Explained(_("It called the tool, but said nothing about the result."), choose)
    planned = _("It refuses tools, so the desk asks it for a JSON plan instead. That works.")
    return Explained(_("It works: the tool was called and its result was told."), planned if report.by_plan else "")
