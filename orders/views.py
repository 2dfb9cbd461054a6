"""The order report inside the admin."""

from __future__ import annotations

from django.contrib import admin
from django.contrib.auth.decorators import permission_required
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse


@permission_required("orders.see_money", raise_exception=True)
def order_report(request: HttpRequest) -> HttpResponse:
    """Orders and money for a range of days, as a page or as CSV."""
    return TemplateResponse(request, "admin/desk/report.html", admin.site.each_context(request))
