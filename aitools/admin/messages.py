"""The outbox as a list: what could not be sent, and another try for it."""

from __future__ import annotations

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from unfold.contrib.filters.admin import ChoicesDropdownFilter
from unfold.decorators import display

from aitools import staffing
from aitools.admin.columns import Tones
from aitools.admin.filters import DayRangeFilter
from aitools.admin.links import linked
from aitools.admin.listing import GrowingList, ReadOnly
from aitools.admin.talk import RETRIABLE
from aitools.channels.advice import advice
from aitools.models import OutboundMessage, OutboundState

TONES = Tones(
    {
        OutboundState.QUEUED.value: "info",
        OutboundState.SENDING.value: "info",
        OutboundState.SENT.value: "success",
        OutboundState.UNCERTAIN.value: "warning",
        OutboundState.FAILED.value: "danger",
    }
)


@admin.register(OutboundMessage)
class OutboundMessageAdmin(ReadOnly, GrowingList):
    """Read-only, but for sending again."""

    list_display = ("created_at", "to", "says", "kind", "outcome", "problem", "attempts")
    list_filter = (("state", ChoicesDropdownFilter), ("kind", ChoicesDropdownFilter), ("created_at", DayRangeFilter))
    list_select_related = ("conversation",)
    ordering = ("-id",)
    actions = ("send_again",)
    fields = (
        "to",
        "kind",
        "text",
        "state",
        "status",
        "error_code",
        "error",
        "to_do",
        "attempts",
        "attempted_at",
        "created_at",
        "sent_at",
        "possibly_repeated",
        "provider_id",
    )
    readonly_fields = ("to", "to_do")

    @display(description=gettext_lazy("to"))
    def to(self, row: OutboundMessage) -> str:
        return linked(row.conversation)

    @display(description=gettext_lazy("text"))
    def says(self, row: OutboundMessage) -> str:
        return Truncator(row.text).chars(70)

    @display(description=gettext_lazy("state"), label=TONES)
    def outcome(self, row: OutboundMessage) -> tuple[str, str]:
        return row.state, row.get_state_display()

    @display(description=gettext_lazy("problem"))
    def problem(self, row: OutboundMessage) -> str:
        return f"{row.error_code} {row.error}".strip()

    @display(description=gettext_lazy("what to do"))
    def to_do(self, row: OutboundMessage) -> str:
        """Our advice beside the vendor's code."""
        return advice(row.conversation.channel, row.error_code) or "-"

    @admin.action(description=gettext_lazy("Send again"), permissions=["resend"])
    def send_again(self, request: HttpRequest, queryset: QuerySet[OutboundMessage]) -> None:
        """Those that surely did not arrive; the others need a look at their conversation first."""
        tried = [staffing.retry_send(row.pk) for row in queryset.filter(state__in=RETRIABLE)]
        sent, left = sum(tried), len(tried) - sum(tried)
        if sent:
            text = ngettext("%(count)d message is sent again.", "%(count)d messages are sent again.", sent)
            messages.success(request, text % {"count": sent})
        if left:
            text = ngettext(
                "%(count)d may have arrived, or is a question that is closed: look at its conversation.",
                "%(count)d may have arrived, or are questions that are closed: look at their conversations.",
                left,
            )
            messages.warning(request, text % {"count": left})
        if not tried:
            messages.warning(request, _("None of these failed; nothing was sent."))

    def has_resend_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("aitools.change_conversation")
