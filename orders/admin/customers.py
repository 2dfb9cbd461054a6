"""Customers and how to reach them."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.admin import TabularInline
from unfold.contrib.filters.admin import BooleanRadioFilter
from unfold.decorators import display

from aitools.admin.columns import ChannelColumn
from aitools.admin.conflicts import GuardedAdmin
from aitools.admin.listing import GrowingList
from orders.admin.searching import PlainSearch
from orders.models import Customer, CustomerContact


class ContactInline(ChannelColumn, TabularInline):
    """Where they write from; channels make these, nobody types them."""

    model = CustomerContact
    fields = ("by_channel", "address")
    readonly_fields = ("by_channel",)
    hide_title = True
    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


@admin.register(Customer)
class CustomerAdmin(PlainSearch, GuardedAdmin, GrowingList):
    list_display = ("__str__", "phone", "blocked", "created_at")
    list_filter = (("blocked", BooleanRadioFilter),)
    search_fields = ("name", "phone")
    fields = (("name", "phone"), "blocked", "staff_note", "their_orders", "created_at")
    readonly_fields = ("their_orders", "created_at")
    inlines = (ContactInline,)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Orders belong to them; erasing personal data is another, deliberate step."""
        return False

    @display(description=gettext_lazy("orders"))
    def their_orders(self, row: Customer) -> str:
        url = reverse("admin:orders_order_changelist")
        return format_html('<a class="desk-link" href="{}?customer__id__exact={}">{}</a>', url, row.pk, _("Show"))
