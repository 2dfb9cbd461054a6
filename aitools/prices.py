"""What a model's reply costs, in US dollars to six places."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from django.utils.formats import number_format

from aitools.types import Usage

#: What people are shown; most replies cost less than a cent.
_SHOWN_PLACES = 4
_MILLION = Decimal(1_000_000)
_PLACES = Decimal("0.000001")


@dataclass(frozen=True, slots=True)
class Prices:
    """US dollars for a million tokens. ``cached`` is for input that the vendor had cached."""

    input: Decimal
    cached: Decimal
    output: Decimal

    @classmethod
    def of(cls, given: Decimal | None, cached: Decimal | None, produced: Decimal | None) -> Prices | None:
        """From what staff entered; None unless those of input and output are known. Cached input may cost as any."""
        if given is None or produced is None:
            return None
        return cls(given, given if cached is None else cached, produced)

    def cost(self, usage: Usage) -> Decimal:
        """What a vendor asks for more than by tokens, such as for writing a cache, is not in it."""
        cached = min(usage.cached_input, usage.input)
        parts = (usage.input - cached) * self.input + cached * self.cached + usage.output * self.output
        return (parts / _MILLION).quantize(_PLACES, ROUND_HALF_UP)


def dollars(amount: Decimal) -> str:
    """As the reader's language writes it: US$ 0.0123."""
    return f"US$ {number_format(amount, _SHOWN_PLACES)}"
