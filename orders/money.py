"""Amounts: one rounding rule, one formatter."""

from __future__ import annotations

from copy import copy
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache

from babel import Locale
from babel.numbers import NumberPattern, get_decimal_symbol


def round_to(amount: Decimal, digits: int) -> Decimal:
    """Round half up to the currency's number of decimals."""
    return amount.quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP)


def format_money(amount: Decimal, *, locale: str, currency: str, digits: int) -> str:
    """The amount as people of the locale write it: ``$25.500``, ``4,30 €``.

    Spaces are ordinary ones: no-break spaces make an SMS twice as dear and
    break the comparison of texts.
    """
    text: str = _pattern(locale, digits).apply(
        round_to(amount, digits), _locale(locale), currency=currency, currency_digits=False
    )
    return " ".join(text.replace("\u00a0", " ").replace("\u202f", " ").split())


def decimal_comma(locale: str) -> bool:
    """Whether the locale writes decimals after a comma."""
    return get_decimal_symbol(_locale(locale)) == ","


@lru_cache
def _locale(name: str) -> Locale:
    return Locale.parse(name, sep="-")


@lru_cache
def _pattern(locale: str, digits: int) -> NumberPattern:
    pattern: NumberPattern = copy(_locale(locale).currency_formats["standard"])
    pattern.frac_prec = (digits, digits)
    return pattern
