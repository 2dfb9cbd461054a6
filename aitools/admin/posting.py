"""Buttons on a row's page that do something: by POST, checked, and logged.

Unfold's own detail actions are links. A link that changes something can be
followed by a preloading browser or by another site's page, so ours are forms.
"""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.utils.http import url_has_allowed_host_and_scheme
from unfold.admin import ModelAdmin


class Refused(Exception):
    """An action that can't be done now; the text is shown to the person who asked."""


class PostActions(ModelAdmin):
    """Adds ``<pk>/do/<action>/``, which calls ``do_<action>(request, row)``.

    The method returns the line that confirms it, raises ``Refused`` with the
    line that says why not, and owns its transactions. ``post_actions`` maps each
    action to the permission it needs, such as ``"change"`` or ``"app.codename"``.
    """

    post_actions: ClassVar[dict[str, str]] = {}

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.post_action)
        return [path("<int:pk>/do/<slug:action>/", view, name=self.post_url_name), *super().get_urls()]

    @property
    def post_url_name(self) -> str:
        return f"{self.opts.app_label}_{self.opts.model_name}_do"

    def may(self, request: HttpRequest, action: str) -> bool:
        """Whether this person may do it at all."""
        permission = self.post_actions[action]
        if "." not in permission:
            permission = f"{self.opts.app_label}.{permission}_{self.opts.model_name}"
        return request.user.has_perm(permission)

    def post_action(self, request: HttpRequest, pk: int, action: str) -> HttpResponse:
        """Do it, say what came of it, and go back to the row or to ``next``."""
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        if action not in self.post_actions:
            raise Http404
        if not self.may(request, action):
            raise PermissionDenied
        row = self.get_object(request, str(pk))
        if row is None:
            raise Http404
        self._run(request, row, action)
        return HttpResponseRedirect(self._next(request, pk))

    def _run(self, request: HttpRequest, row: Model, action: str) -> None:
        handler: Any = getattr(self, f"do_{action.replace('-', '_')}")
        try:
            done = handler(request, row)
        except Refused as refusal:
            messages.error(request, str(refusal))
            return
        self.log_change(request, row, done)
        messages.success(request, done)

    def _next(self, request: HttpRequest, pk: int) -> str:
        wanted = request.POST.get("next", "")
        if url_has_allowed_host_and_scheme(wanted, {request.get_host()}, require_https=request.is_secure()):
            return wanted
        return reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_change", args=[pk])
