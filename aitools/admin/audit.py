"""What tools were asked to do and did; for reading only."""

from __future__ import annotations

from django.contrib import admin
from django.utils.text import Truncator
from django.utils.translation import gettext_lazy
from unfold.contrib.filters.admin import BooleanRadioFilter, ChoicesDropdownFilter
from unfold.decorators import display

from aitools.admin.columns import CallColumns
from aitools.admin.filters import CallToolFilter, DayRangeFilter, EventToolFilter, KindFilter
from aitools.admin.links import linked
from aitools.admin.listing import GrowingList, ReadOnly
from aitools.admin.replays import CALL_TONES
from aitools.models import AuditEvent, ToolCall


@admin.register(ToolCall)
class ToolCallAdmin(ReadOnly, GrowingList):
    list_display = ("created_at", "name", "customer", "outcome", "says", "duration_ms")
    list_filter = (
        CallToolFilter,
        ("state", ChoicesDropdownFilter),
        ("is_error", BooleanRadioFilter),
        ("created_at", DayRangeFilter),
    )
    list_select_related = ("turn__conversation",)
    fields = (
        "name",
        "customer",
        "in_turn",
        "state",
        "arguments",
        "result",
        "value",
        "is_error",
        "attempt",
        "duration_ms",
        "created_at",
        "finished_at",
        "call_id",
        "vendor_id",
    )
    readonly_fields = ("customer", "in_turn", "call_id")

    @display(description=gettext_lazy("customer"))
    def customer(self, row: ToolCall) -> str:
        return linked(row.turn.conversation)

    @display(description=gettext_lazy("turn"))
    def in_turn(self, row: ToolCall) -> str:
        return linked(row.turn)

    @display(description=gettext_lazy("state"), label=CALL_TONES)
    def outcome(self, row: ToolCall) -> tuple[str, str]:
        return row.state, row.get_state_display()

    @display(description=gettext_lazy("result"))
    def says(self, row: ToolCall) -> str:
        return Truncator(row.result).chars(80)


@admin.register(AuditEvent)
class AuditEventAdmin(CallColumns, ReadOnly, GrowingList):
    list_display = ("at", "kind", "tool", "customer", "step", "duration_ms", "error")
    list_filter = (KindFilter, EventToolFilter, ("at", DayRangeFilter))
    list_select_related = ("turn__conversation", "tool_call")
    fields = (
        "at",
        "kind",
        "tool",
        "customer",
        "in_turn",
        "step",
        "call_id",
        "arguments",
        "duration_ms",
        "error",
    )
    readonly_fields = ("customer", "in_turn", "tool", "call_id", "arguments")

    @display(description=gettext_lazy("customer"))
    def customer(self, row: AuditEvent) -> str:
        return linked(row.conversation)

    @display(description=gettext_lazy("turn"))
    def in_turn(self, row: AuditEvent) -> str:
        return linked(row.turn)
