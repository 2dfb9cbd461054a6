"""The shop, its branches and when they are open."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import time
from typing import Any

from babel import Locale, UnknownLocaleError
from babel.numbers import list_currencies
from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.forms.models import BaseInlineFormSet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.admin import TabularInline
from unfold.contrib.filters.admin import RelatedDropdownFilter
from unfold.decorators import display

from aitools.admin.conflicts import GuardedAdmin, GuardedFields, GuardedForm
from aitools.admin.filters import DayRangeFilter
from orders.admin.keeping import KeepsHistory
from orders.admin.searching import PlainSearch
from orders.models import Branch, OpeningWindow, Shop, SpecialDay


class ShopForm(GuardedForm):
    """Checks what every amount of money depends on."""

    class Meta:
        model = Shop
        fields = "__all__"

    def clean_locale(self) -> str:
        name: str = self.cleaned_data["locale"]
        try:
            Locale.parse(name, sep="-")
        except (UnknownLocaleError, ValueError):
            raise forms.ValidationError(_("Write a language and country such as es-CO.")) from None
        return name

    def clean_currency(self) -> str:
        code: str = self.cleaned_data["currency"].upper()
        if code not in list_currencies():
            raise forms.ValidationError(_("Write the currency's three letters, such as COP."))
        return code


@admin.register(Shop)
class ShopAdmin(GuardedAdmin):
    """The one row; its list leads straight to it."""

    form = ShopForm
    # Cash rounding, deposits and orders per slot are loaded from a menu file but do nothing yet: not shown.
    fieldsets = (
        (None, {"fields": ("name", ("country", "timezone"), "payment_methods")}),
        (
            gettext_lazy("Money"),
            {
                "fields": (
                    ("locale", "currency"),
                    ("minor_digits", "prices_include_tax"),
                )
            },
        ),
        (
            gettext_lazy("Orders"),
            {
                "fields": (
                    ("change_cutoff_minutes", "cancel_cutoff_minutes"),
                    ("max_days_ahead", "draft_minutes"),
                )
            },
        ),
    )

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        shop = Shop.objects.first()
        if shop is None:
            return super().changelist_view(request, extra_context)
        return HttpResponseRedirect(reverse("admin:orders_shop_change", args=[shop.pk]))

    def has_add_permission(self, request: HttpRequest) -> bool:
        return super().has_add_permission(request) and not Shop.objects.exists()

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class HoursFormSet(BaseInlineFormSet[Any, Any, Any]):
    """Refuses hours that overlap: nobody could say which of them counts."""

    def clean(self) -> None:
        super().clean()
        taken: dict[tuple[int, str], list[tuple[time, time]]] = {}
        for form in self.forms:
            hours = getattr(form, "cleaned_data", {})
            if hours.get("DELETE") or not all(hours.get(name) is not None for name in ("weekday", "opens", "closes")):
                continue
            opens, closes = hours["opens"], hours["closes"]
            day = taken.setdefault((hours["weekday"], hours["kind"]), [])
            if any(opens < _end(other[1]) and other[0] < _end(closes) for other in day):
                form.add_error("opens", _("These hours overlap others of that day."))
            day.append((opens, closes))


class HoursInline(GuardedFields, TabularInline):
    model = OpeningWindow
    form = GuardedForm
    formset = HoursFormSet
    fields = ("weekday", "opens", "closes", "kind")
    extra = 0


class SpecialDayInline(GuardedFields, TabularInline):
    model = SpecialDay
    form = GuardedForm
    fields = ("date", "opens", "closes", "note")
    extra = 0


@admin.register(Branch)
class BranchAdmin(KeepsHistory, PlainSearch, GuardedAdmin):
    list_display = ("name", "letter", "address", "hours", "paused_until", "active")
    search_fields = ("name", "key", "address")
    search_lists = ("aliases",)
    inlines = (HoursInline, SpecialDayInline)
    history = ("orders",)
    fieldsets = (
        (
            None,
            {
                "fields": (
                    ("name", "key"),
                    ("letter", "timezone"),
                    "address",
                    ("latitude", "longitude"),
                    "aliases",
                    ("active", "position"),
                    "paused_until",
                )
            },
        ),
        (
            gettext_lazy("Pick-up"),
            {"fields": (("pickup_lead_minutes", "slot_minutes"),)},
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Branch]:
        return super().get_queryset(request).prefetch_related("windows")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return ("key",) if obj else ()

    def get_prepopulated_fields(self, request: HttpRequest, obj: Any = None) -> dict[str, Sequence[str]]:
        return {} if obj else {"key": ("name",)}

    @display(description=gettext_lazy("opening hours"))
    def hours(self, row: Branch) -> str:
        """The days it opens, as a count: the page has the times."""
        days = {window.weekday for window in row.windows.all()}
        return _("%(count)d days a week") % {"count": len(days)}


@admin.register(SpecialDay)
class SpecialDayAdmin(GuardedAdmin):
    list_display = ("date", "at", "opens", "closes", "note")
    list_filter = (("branch", RelatedDropdownFilter), ("date", DayRangeFilter))
    list_filter_submit = True
    list_select_related = ("branch",)
    autocomplete_fields = ("branch",)
    fields = ("date", "branch", ("opens", "closes"), "note")
    ordering = ("-date", "opens")

    @display(description=gettext_lazy("branch"))
    def at(self, row: SpecialDay) -> str:
        return str(row.branch) if row.branch else _("All branches")


def _end(closes: time) -> time:
    """Midnight as a closing time is the end of the day."""
    return time.max if closes == time.min else closes
