"""What lists over tables that only grow have in common."""

from __future__ import annotations

from typing import Any

from django.contrib.admin import ShowFacets
from django.db.models import Model
from django.http import HttpRequest
from unfold.admin import ModelAdmin
from unfold.paginator import InfinitePaginator


class GrowingList(ModelAdmin):
    """A list that never counts its table nor sorts it by a column without an index.

    A count reads the whole table: seconds for a million messages. The next page
    is offered when this one is full.
    """

    paginator = InfinitePaginator
    show_full_result_count = False
    show_facets = ShowFacets.NEVER
    list_disable_select_all = True
    list_filter_submit = True
    list_per_page = 50
    sortable_by = ()


class ReadOnly(ModelAdmin):
    """A page on which nothing can be added, changed or deleted by anybody."""

    actions: Any = None

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False
