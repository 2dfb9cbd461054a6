"""Prices in forms as a person would type them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django import forms
from django.db.models import DecimalField, Field
from django.http import HttpRequest


class PriceField(forms.DecimalField):
    """Shows 3500 and not 3500.00; 5.60 stays 5.60."""

    def prepare_value(self, value: Any) -> Any:
        if isinstance(value, Decimal) and value == value.to_integral_value():
            return value.quantize(Decimal(1))
        return value


class PlainPrices:
    """For admins and inlines: their money columns are such fields."""

    def formfield_for_dbfield(self, db_field: Field[Any, Any], request: HttpRequest, **kwargs: Any) -> Any:
        if isinstance(db_field, DecimalField):
            kwargs["form_class"] = PriceField
        return super().formfield_for_dbfield(db_field, request, **kwargs)  # type: ignore[misc]
