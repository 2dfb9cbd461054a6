"""Turns, replayed step by step: how an answer came about."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils.text import Truncator
from django.utils.translation import gettext_lazy
from unfold.contrib.filters.admin import ChoicesDropdownFilter
from unfold.decorators import display

from aitools.admin import deadletters
from aitools.admin.columns import LanguageColumn, Tones
from aitools.admin.comparisons import ComparisonPages, choices
from aitools.admin.filters import DayRangeFilter, UnansweredFilter
from aitools.admin.links import linked
from aitools.admin.listing import GrowingList, ReadOnly
from aitools.admin.replays import page_of
from aitools.admin.trials import may_try
from aitools.models import Turn, TurnState
from aitools.replay import replay

TURN_TONES = Tones(
    {
        TurnState.RUNNING.value: "info",
        TurnState.WAITING.value: "warning",
        TurnState.DONE.value: "success",
        TurnState.FAILED.value: "danger",
    }
)


@admin.register(Turn)
class TurnAdmin(LanguageColumn, ComparisonPages, ReadOnly, GrowingList):
    """Read-only: a turn is what happened. Its page needs the permission to view turns, and shows all of it."""

    list_display = ("started_at", "customer", "asked", "answered", "outcome", "failures", "failure")
    list_filter = (UnansweredFilter, ("state", ChoicesDropdownFilter), ("started_at", DayRangeFilter))
    list_select_related = ("conversation",)
    fields = (
        ("customer", "state"),
        ("started_at", "finished_at"),
        ("in_language", "failures"),
        "failure",
    )
    readonly_fields = ("customer", "in_language")
    change_form_outer_after_template = "admin/aitools/turn/replay.html"

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        row = self.get_object(request, object_id)
        context = dict(extra_context or {})
        if row is not None and self.has_view_permission(request, row):
            context["replay"] = page_of(replay(row))
            context["unanswered"] = deadletters.of(row)
            if may_try(request):
                context |= choices()
            context["may_act"] = request.user.has_perm("aitools.change_conversation")
        return super().change_view(request, object_id, form_url, context)

    @display(description=gettext_lazy("customer"))
    def customer(self, row: Turn) -> str:
        return linked(row.conversation)

    @display(description=gettext_lazy("asked"))
    def asked(self, row: Turn) -> str:
        return Truncator(row.text).chars(60)

    @display(description=gettext_lazy("answered"))
    def answered(self, row: Turn) -> str:
        return Truncator(row.reply).chars(60)

    @display(description=gettext_lazy("state"), label=TURN_TONES)
    def outcome(self, row: Turn) -> tuple[str, str]:
        return row.state, row.get_state_display()
