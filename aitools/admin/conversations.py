"""Conversations: who waits, what was said, and the buttons with which staff step in."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib import admin
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.dateparse import parse_datetime
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.contrib.filters.admin import BooleanRadioFilter, ChoicesDropdownFilter
from unfold.decorators import display

from aitools import clock, staffing
from aitools import deadletters as given_up
from aitools.admin import deadletters, talk
from aitools.admin.columns import ChannelColumn, LanguageColumn
from aitools.admin.enclosed import title_of
from aitools.admin.files import FilePages
from aitools.admin.filters import ChannelFilter, DayRangeFilter
from aitools.admin.listing import GrowingList, ReadOnly
from aitools.admin.posting import PostActions, Refused
from aitools.channels.base import EventKind
from aitools.models import Conversation, InboundEvent, Mode, OutboundMessage
from aitools.outbox import is_closed_question

#: As long as the strictest channel lets a message be before it is split.
REPLY_LENGTH = 1600


@admin.register(Conversation)
class ConversationAdmin(ChannelColumn, LanguageColumn, PostActions, FilePages, ReadOnly, GrowingList):
    """Readable as a chat. Nothing is edited as a form: each button is one service."""

    list_display = ("who", "by_channel", "said", "answers", "in_language", "waits", "last_inbound_at")
    list_filter = (
        ("needs_staff", BooleanRadioFilter),
        ("mode", ChoicesDropdownFilter),
        ChannelFilter,
        ("last_inbound_at", DayRangeFilter),
    )
    search_fields = ("profile_name", "address", "phone")
    search_help_text = gettext_lazy("Name, number or address")
    fields = (
        ("profile_name", "phone"),
        ("by_channel", "account"),
        ("address", "created_at"),
        ("in_language", "opted_out_at"),
    )
    readonly_fields = ("by_channel", "in_language")
    change_form_outer_before_template = "admin/aitools/conversation/panel.html"
    post_actions = {
        "take-over": "change",
        "hand-back": "change",
        "reply": "change",
        "language": "change",
        "seen": "change",
        "retry": "change",
        "try-again": "change",
    }

    def get_queryset(self, request: HttpRequest) -> QuerySet[Conversation]:
        newest = InboundEvent.objects.filter(
            conversation=OuterRef("pk"), kind__in=[EventKind.MESSAGE, EventKind.PRESS]
        ).order_by("-id")
        rows: QuerySet[Conversation] = super().get_queryset(request)
        return rows.annotate(
            last_text=Subquery(newest.values("text")[:1]), last_kind=Subquery(newest.values("message_kind")[:1])
        )

    @display(description=gettext_lazy("customer"), header=True)
    def who(self, row: Conversation) -> list[str]:
        return [str(row), row.address if row.profile_name else ""]

    @display(description=gettext_lazy("what they wrote last"))
    def said(self, row: Any) -> str:
        """The words, or what came instead of words."""
        instead = "" if row.last_kind in (None, "text") else title_of(row.last_kind)
        return Truncator(row.last_text or instead).chars(60)

    @display(description=gettext_lazy("answers"), label={Mode.BOT.value: "info", Mode.HUMAN.value: "warning"})
    def answers(self, row: Conversation) -> tuple[str, str]:
        return row.mode, row.get_mode_display()

    @display(description=gettext_lazy("waits for staff"), label={"yes": "danger"})
    def waits(self, row: Conversation) -> tuple[str, str] | str:
        return ("yes", _("Waits")) if row.needs_staff else ""

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.talk_view)
        return [path("<int:pk>/talk/", view, name="aitools_conversation_talk"), *super().get_urls()]

    def talk_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """The bubbles alone, for the page that refreshes itself."""
        row = self.get_object(request, str(pk))
        if row is None or not self.has_view_permission(request, row):
            raise Http404
        return TemplateResponse(request, "admin/aitools/conversation/talk.html", self._talk(request, pk))

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        row = self.get_object(request, object_id)
        context = dict(extra_context or {})
        if row is not None:
            context |= self._talk(request, row.pk) | {
                "with_person": row.is_with_person(clock.now()),
                "unanswered": deadletters.of(given_up.newest(row.pk)),
                "languages": settings.LANGUAGES,
                "reply_length": REPLY_LENGTH,
            }
        return super().change_view(request, object_id, form_url, context)

    def _talk(self, request: HttpRequest, pk: int) -> dict[str, Any]:
        before = _time(request.GET.get("before", ""))
        return {
            "talk": talk.page(pk, before),
            "before": before,
            "conversation_id": pk,
            "may_act": self.may(request, "reply"),
        }

    def do_take_over(self, request: HttpRequest, row: Conversation) -> str:
        staffing.take_over(row.pk)
        return _("You answer now. The bot is silent here.")

    def do_hand_back(self, request: HttpRequest, row: Conversation) -> str:
        staffing.hand_back(row.pk)
        return _("The bot answers again.")

    def do_reply(self, request: HttpRequest, row: Conversation) -> str:
        text = request.POST.get("text", "").strip()
        if not text:
            raise Refused(_("Write something first."))
        if len(text) > REPLY_LENGTH:
            raise Refused(_("The longest message is %(count)d characters.") % {"count": REPLY_LENGTH})
        if row.opted_out_at:
            raise Refused(_("This customer wants no messages from us."))
        staffing.write_as_staff(row.pk, text)
        return _("Your message is on its way.")

    def do_language(self, request: HttpRequest, row: Conversation) -> str:
        language = request.POST.get("language", "")
        if language not in dict(settings.LANGUAGES):
            raise Refused(_("That language is not known."))
        staffing.set_language(row.pk, language)
        return _("The language is set.")

    def do_seen(self, request: HttpRequest, row: Conversation) -> str:
        staffing.mark_seen(row.pk)
        return _("Marked as dealt with.")

    def do_retry(self, request: HttpRequest, row: Conversation) -> str:
        number = _number(request.POST.get("message"))
        message = OutboundMessage.objects.filter(pk=number, conversation=row, state__in=talk.RETRIABLE).first()
        if message is None:
            raise Refused(_("That message needs no second try."))
        if is_closed_question(message):
            raise Refused(_("That question is closed: nothing waits for its answer any more."))
        if not staffing.retry_send(number, anyway=request.POST.get("anyway") == "1"):
            raise Refused(
                _("It may have arrived already. Ask the customer, or tick that it is to be sent all the same.")
            )
        return _("It will be sent again.")

    def do_try_again(self, request: HttpRequest, row: Conversation) -> str:
        return deadletters.try_again(_number(request.POST.get("turn")), row.pk)


def _time(value: str) -> datetime | None:
    try:
        moment = parse_datetime(value)
    except ValueError:
        return None
    return moment if moment and moment.tzinfo else None


def _number(value: str | None) -> int:
    return int(value) if value and value.isdecimal() and len(value) < 19 else 0
