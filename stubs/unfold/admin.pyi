"""What we use of Unfold's admin classes; the package itself ships no types."""

from typing import Any

from django.contrib import admin

class ModelAdmin(admin.ModelAdmin[Any]):
    change_form_outer_before_template: str | None
    change_form_before_template: str | None
    compressed_fields: bool
    list_before_template: str | None
    list_after_template: str | None
    list_disable_select_all: bool
    list_filter_submit: bool
    list_filter_sheet: bool
    list_fullwidth: bool
    warn_unsaved_form: bool

class _Inline:
    collapsible: bool
    hide_title: bool
    ordering_field: str | None
    hide_ordering_field: bool
    per_page: int | None
    show_count: bool
    tab: bool

class TabularInline(_Inline, admin.TabularInline[Any, Any]): ...
class StackedInline(_Inline, admin.StackedInline[Any, Any]): ...
