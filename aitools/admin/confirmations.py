"""Questions put to customers, and what became of them."""

from __future__ import annotations

from django.contrib import admin
from django.utils.text import Truncator
from django.utils.translation import gettext_lazy
from unfold.contrib.filters.admin import ChoicesDropdownFilter
from unfold.decorators import display

from aitools.admin.columns import CallColumns, LanguageColumn, Tones
from aitools.admin.filters import DayRangeFilter, QuestionToolFilter
from aitools.admin.links import linked
from aitools.admin.listing import GrowingList, ReadOnly
from aitools.models import PendingConfirmation

State = PendingConfirmation.State
TONES = Tones(
    {
        State.PENDING.value: "warning",
        State.APPROVED.value: "success",
        State.DECLINED.value: "danger",
        State.REPLIED.value: "info",
    }
)


@admin.register(PendingConfirmation)
class PendingConfirmationAdmin(CallColumns, LanguageColumn, ReadOnly, GrowingList):
    """Read-only: only the customer can answer."""

    list_display = ("created_at", "customer", "asked", "tool", "outcome", "expires_at", "settled_at")
    list_filter = (("state", ChoicesDropdownFilter), QuestionToolFilter, ("created_at", DayRangeFilter))
    list_select_related = ("conversation", "call", "message")
    fields = (
        "customer",
        "in_turn",
        "tool",
        "state",
        "question",
        "arguments",
        "fingerprint",
        "in_language",
        "created_at",
        "asked_at",
        "expires_at",
        "settled_at",
        "answer",
    )
    readonly_fields = ("customer", "in_turn", "tool", "question", "arguments", "in_language", "answer")

    @display(description=gettext_lazy("customer"))
    def customer(self, row: PendingConfirmation) -> str:
        return linked(row.conversation)

    @display(description=gettext_lazy("turn"))
    def in_turn(self, row: PendingConfirmation) -> str:
        return linked(row.call.turn)

    @display(description=gettext_lazy("answer"))
    def answer(self, row: PendingConfirmation) -> str:
        return row.answered_by.text if row.answered_by else ""

    @display(description=gettext_lazy("question"))
    def question(self, row: PendingConfirmation) -> str:
        return row.question

    @display(description=gettext_lazy("question"))
    def asked(self, row: PendingConfirmation) -> str:
        return Truncator(row.question).chars(80)

    @display(description=gettext_lazy("state"), label=TONES)
    def outcome(self, row: PendingConfirmation) -> tuple[str, str]:
        return row.state, row.get_state_display()
