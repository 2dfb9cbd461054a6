"""Numbers as people write them, in digits or words, Spanish and English."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

#: An amount in digits: "25.500", "1,234.50", "8,80", "12".
DIGITS = r"\d{1,3}(?:[.,]\d{3})+(?:[.,]\d{1,2})?(?!\d)|\d+(?:[.,]\d{1,2})?(?!\d)"
_UNITS = [
    "cero",
    "un",
    "dos",
    "tres",
    "cuatro",
    "cinco",
    "seis",
    "siete",
    "ocho",
    "nueve",
    "diez",
    "once",
    "doce",
    "trece",
    "catorce",
    "quince",
    "dieciseis",
    "diecisiete",
    "dieciocho",
    "diecinueve",
    "veinte",
    "veintiun",
    "veintidos",
    "veintitres",
    "veinticuatro",
    "veinticinco",
    "veintiseis",
    "veintisiete",
    "veintiocho",
    "veintinueve",
]
_ENGLISH_UNITS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
]
_TENS = dict(
    zip(
        ["treinta", "cuarenta", "cincuenta", "sesenta", "setenta", "ochenta", "noventa"],
        range(30, 100, 10),
        strict=True,
    )
)
_ENGLISH_TENS = dict(
    zip(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], range(20, 100, 10), strict=True)
)
_HUNDREDS = {
    "cien": 100, "ciento": 100, "doscientos": 200, "trescientos": 300, "cuatrocientos": 400, "quinientos": 500,
    "seiscientos": 600, "setecientos": 700, "ochocientos": 800, "novecientos": 900,
}  # fmt: skip
_WORDS = {
    **{word: value for value, word in enumerate(_UNITS)},
    **{word: value for value, word in enumerate(_ENGLISH_UNITS)},
    **_TENS,
    **_ENGLISH_TENS,
    **_HUNDREDS,
    **{word[:-2] + "as": value for word, value in _HUNDREDS.items() if word.endswith("os")},
    "uno": 1, "una": 1, "veintiuno": 21, "veintiuna": 21,
}  # fmt: skip
_TIMES = {"hundred": 100, "mil": 1000, "thousand": 1000, "millon": 1_000_000, "millones": 1_000_000}
_ANY = "|".join(sorted((*_WORDS, *_TIMES), key=len, reverse=True))
_RUN = re.compile(rf"(?<!\d )\b(?:{_ANY})(?:(?: y | and |-| )(?:{_ANY}))*\b")
#: "un", "una", "one" alone are articles.
_ARTICLES = frozenset({"un", "una", "uno", "one"})


def value_of(digits: str) -> Decimal:
    """The number in digits. A last group of exactly three is thousands: "25.500" is 25500, "8,80" is 8.80."""
    last = max(digits.rfind("."), digits.rfind(","))
    if last < 0:
        return Decimal(digits)
    whole, rest = re.sub(r"[.,]", "", digits[:last]), digits[last + 1 :]
    if len(rest) == 3 and whole != "0":
        return Decimal(whole + rest)
    return Decimal(f"{whole}.{rest}")


def in_digits(folded: str) -> str:
    """The text with number words as digits: "doce mil pesos" → "12000 pesos"."""
    return _RUN.sub(lambda match: _spelled(match[0]), folded)


def _spelled(run: str) -> str:
    if run in _ARTICLES:
        return run
    words = re.split(r" y | and |-| ", run)
    value = _added(words)
    return run if value is None else str(value)


def _added(words: Sequence[str]) -> int | None:
    """The value of number words; None when they follow each other as no number does ("dos tres")."""
    total, part, last = 0, 0, 10_000_000
    for word in words:
        if word in _TIMES:
            part = max(part, 1) * _TIMES[word]
            if _TIMES[word] >= 1000:
                total, part = total + part, 0
            last = 10_000_000 if _TIMES[word] >= 1000 else 100
            continue
        value = _WORDS[word]
        if value >= last or (part and value >= 10 > part % 100 > 0):
            return None
        part, last = part + value, 10 if value < 100 and value % 10 == 0 and value > 10 else value
    return total + part
