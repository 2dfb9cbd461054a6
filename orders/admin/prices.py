"""Prices in forms as a person would type them, and for who may set them."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import DecimalField, Field
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from orders.admin.amounts import Amounts
from orders.models.fields import MONEY_DIGITS


class PriceField(forms.DecimalField):
    """Shows 3500 and not 3500.00; 5.60 stays 5.60. With ``digits`` it takes no more decimals than that."""

    def __init__(self, *, digits: int | None = None, **options: Any) -> None:
        super().__init__(**options | ({} if digits is None else {"decimal_places": digits}))
        self.digits = digits

    def prepare_value(self, value: Any) -> Any:
        return _shortest(value) if isinstance(value, Decimal) else value

    def to_python(self, value: Any) -> Any:
        """The amount. 1e3 is how a machine writes it: at a counter it is a slip of the finger."""
        if isinstance(value, str) and "e" in value.lower():
            raise forms.ValidationError(self.error_messages["invalid"], code="invalid")
        amount = super().to_python(value)
        return amount if amount is None else _shortest(amount)

    def run_validators(self, value: Any) -> None:
        if self.digits is not None and value is not None and -value.as_tuple().exponent > self.digits:
            raise forms.ValidationError(_decimals(self.digits), code="decimals")
        super().run_validators(value)


class PlainPrices:
    """For admins and inlines: their money columns are such fields, in the shop's currency."""

    def formfield_for_dbfield(self, db_field: Field[Any, Any], request: HttpRequest, **kwargs: Any) -> Any:
        if isinstance(db_field, DecimalField):
            kwargs["form_class"] = PriceField
            if db_field.max_digits == MONEY_DIGITS:
                kwargs["digits"] = Amounts.current().digits
        return super().formfield_for_dbfield(db_field, request, **kwargs)  # type: ignore[misc]


def may_set_prices(request: HttpRequest) -> bool:
    """Whoever keeps the sizes, which have prices too. The counter only tells what is sold out."""
    return request.user.has_perm("orders.change_variant")


def tell_gifts(request: HttpRequest, saved: Iterable[Any]) -> None:
    """Warn of each of the saved forms that has just set a price of nothing."""
    for form in saved:
        if "price" in form.changed_data and form.instance.price == 0:
            messages.warning(request, _("%(name)s costs nothing now.") % {"name": form.instance})


def _shortest(amount: Decimal) -> Decimal:
    whole = amount.is_finite() and amount == amount.to_integral_value()
    return amount.quantize(Decimal(1)) if whole else amount


def _decimals(digits: int) -> str:
    if not digits:
        return _("The shop's currency has no decimals.")
    text = ngettext("The shop's currency has %(count)d decimal.", "The shop's currency has %(count)d decimals.", digits)
    return text % {"count": digits}
