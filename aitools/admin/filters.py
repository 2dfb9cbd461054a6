"""Filters that ask the database only what an index answers."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from typing import Any

from django.conf import settings
from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db.models import DateTimeField, Model, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.dateparse import parse_date
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import DropdownFilter

from aitools import deadletters, events
from aitools.channels.names import channel_title
from aitools.tools import registry


class DayRangeFilter(admin.FieldListFilter):
    """From a day to a day, both included, as days of the current time zone.

    Takes ISO dates only: what a browser's date field sends in every language.
    """

    template = "admin/aitools/day_range.html"

    def __init__(
        self, field: Any, request: HttpRequest, params: Any, model: type[Model], model_admin: Any, field_path: str
    ) -> None:
        self.names = (f"{field_path}_from", f"{field_path}_to")
        super().__init__(field, request, params, model, model_admin, field_path)
        self.days = tuple(_day(self.used_parameters.get(name)) for name in self.names)

    def expected_parameters(self) -> list[str | None]:
        return list(self.names)

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        first, last = self.days
        if first:
            queryset = queryset.filter(**{f"{self.field_path}__gte": self._bound(first)})
        if last and last < date.max:
            queryset = queryset.filter(**{f"{self.field_path}__lt": self._bound(last + timedelta(days=1))})
        return queryset

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        for name, label, day in zip(self.names, (_("From"), _("To")), self.days, strict=True):
            yield {"name": name, "label": label, "value": day.isoformat() if day else ""}

    def _bound(self, day: date) -> date | datetime:
        if not isinstance(self.field, DateTimeField):
            return day
        return datetime.combine(day, time.min, tzinfo=timezone.get_current_timezone())


class ChannelFilter(DropdownFilter):
    """By channel, among those that are set up."""

    title = _("channel")
    parameter_name = "channel"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(name, channel_title(name)) for name in settings.AITOOLS_CHANNELS]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        name = self.value()
        return queryset.filter(channel=name) if name else queryset


class CallToolFilter(DropdownFilter):
    """Calls by tool. The names come from the registry: asking the table would read all of it."""

    title = _("tool")
    parameter_name = "tool"
    field = "name"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(tool.name, tool.name) for tool in registry.all()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        name = self.value()
        return queryset.filter(**{self.field: name}) if name else queryset


class EventToolFilter(CallToolFilter):
    """The same for audit events."""

    field = "tool_call__name"


class QuestionToolFilter(CallToolFilter):
    """The same for questions."""

    field = "call__name"


class KindFilter(DropdownFilter):
    """By kind of audit event."""

    title = _("event")
    parameter_name = "kind"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(kind, kind) for kind in events.KINDS]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        kind = self.value()
        return queryset.filter(kind=kind) if kind else queryset


class UnansweredFilter(DropdownFilter):
    """Turns that were given up and still wait for staff: found by their events, not by reading the table."""

    title = _("given up")
    parameter_name = "unanswered"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("waiting", _("waiting for staff"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(pk__in=deadletters.waiting().values("pk")) if self.value() else queryset


def _day(values: Any) -> date | None:
    value = values[-1] if isinstance(values, list) else values
    try:
        return parse_date(value or "")
    except ValueError:
        return None
