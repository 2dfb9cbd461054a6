"""Field shapes used by several models."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from django.contrib.postgres.fields import ArrayField
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise

    Money = models.DecimalField[Decimal | int, Decimal]
    Degrees = models.DecimalField[Decimal | int | str | None, Decimal | None]
    OptionalMoney = models.DecimalField[Decimal | int | None, Decimal | None]
    Words = ArrayField[list[str], list[str]]

#: Keys are what models and files use; people see names.
KEY = RegexValidator(
    r"^[a-z0-9]+(?:[-_][a-z0-9]+)*$",
    _("Use lower-case letters, digits and hyphens."),
)
#: Amounts of money are columns of this width; percentages are narrower.
MONEY_DIGITS = 14
NOT_NEGATIVE = MinValueValidator(Decimal(0))


def key_field(**options: Any) -> models.CharField[str, str]:
    """A short stable name: what models, files and links use."""
    return models.CharField(_("key"), max_length=80, validators=[KEY], **options)


def money_field(label: _StrOrPromise, **options: Any) -> Money:
    """An amount in whole units of the shop's currency, with up to 2 decimals."""
    return models.DecimalField(label, max_digits=MONEY_DIGITS, decimal_places=2, **options)


def price_field(label: _StrOrPromise, **options: Any) -> Money:
    """An amount that can't be negative."""
    return money_field(label, validators=[NOT_NEGATIVE], **options)


def optional_price_field(label: _StrOrPromise, **options: Any) -> OptionalMoney:
    """An amount that can't be negative, or none."""
    return models.DecimalField(
        label, max_digits=MONEY_DIGITS, decimal_places=2, validators=[NOT_NEGATIVE], null=True, blank=True, **options
    )


def percent_field(label: _StrOrPromise, **options: Any) -> Money:
    """From 0 to 100 with two decimals."""
    return models.DecimalField(label, max_digits=5, decimal_places=2, **options)


def degrees_field(label: _StrOrPromise, most: int) -> Degrees:
    """Degrees from ``-most`` to ``most``, or none; six decimals are a hand's breadth."""
    within = [MinValueValidator(Decimal(-most)), MaxValueValidator(Decimal(most))]
    return models.DecimalField(label, max_digits=9, decimal_places=6, validators=within, null=True, blank=True)


def words_field(label: _StrOrPromise, **options: Any) -> Words:
    """A list of words or short phrases."""
    word: models.CharField[str, str] = models.CharField(max_length=120)
    return ArrayField(word, verbose_name=label, default=list, blank=True, **options)
