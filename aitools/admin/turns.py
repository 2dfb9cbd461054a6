"""Turns with their steps and calls: how an answer came about."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from django.utils.text import Truncator
from django.utils.translation import gettext_lazy
from unfold.admin import TabularInline
from unfold.contrib.filters.admin import ChoicesDropdownFilter
from unfold.decorators import display

from aitools.admin.columns import LanguageColumn
from aitools.admin.filters import DayRangeFilter
from aitools.admin.links import linked
from aitools.admin.listing import GrowingList, ReadOnly
from aitools.models import CallState, Step, ToolCall, Turn, TurnState

TURN_TONES = {
    TurnState.RUNNING.value: "info",
    TurnState.WAITING.value: "warning",
    TurnState.DONE.value: "success",
    TurnState.FAILED.value: "danger",
}
CALL_TONES = {
    CallState.WAITING.value: "warning",
    CallState.DONE.value: "success",
    CallState.FAILED.value: "danger",
    CallState.REFUSED.value: "danger",
    CallState.UNKNOWN.value: "danger",
}


class ReadOnlyInline(TabularInline):
    """Rows that belong to a turn, for reading."""

    extra = 0
    can_delete = False
    hide_title = True

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class StepInline(ReadOnlyInline):
    model = Step
    fields = ("index", "provider", "model", "text", "stop", "input_tokens", "output_tokens", "duration_ms")


class CallInline(ReadOnlyInline):
    model = ToolCall
    fields = ("call", "arguments", "outcome", "result", "duration_ms")
    readonly_fields = ("call", "outcome")
    ordering = ("id",)

    @display(description=gettext_lazy("tool"))
    def call(self, row: ToolCall) -> str:
        return linked(row, row.name)

    @display(description=gettext_lazy("state"))
    def outcome(self, row: ToolCall) -> str:
        return row.get_state_display()


@admin.register(Turn)
class TurnAdmin(LanguageColumn, ReadOnly, GrowingList):
    list_display = ("started_at", "customer", "asked", "answered", "outcome", "failures")
    list_filter = (("state", ChoicesDropdownFilter), ("started_at", DayRangeFilter))
    list_select_related = ("conversation",)
    fields = (
        ("customer", "state"),
        "text",
        "reply",
        ("started_at", "finished_at"),
        ("in_language", "failures"),
        "failure",
    )
    readonly_fields = ("customer", "in_language")
    inlines = (StepInline, CallInline)

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
