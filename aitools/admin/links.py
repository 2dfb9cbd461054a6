"""Links from one row's page to another's."""

from __future__ import annotations

from django.db.models import Model
from django.urls import reverse
from django.utils.html import format_html


def change_url(row: Model) -> str:
    """Where a row's page in the admin is."""
    return reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_change", args=[row.pk])


def linked(row: Model | None, text: str = "") -> str:
    """A safe link to a row's page, "" for no row."""
    if row is None:
        return ""
    return format_html('<a class="desk-link" href="{}">{}</a>', change_url(row), text or str(row))
