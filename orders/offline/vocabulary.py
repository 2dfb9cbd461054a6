"""The word tables of both languages as one vocabulary."""

from __future__ import annotations

from typing import Final

from orders.offline import words_en, words_es
from orders.offline.words_both import SAME_MEANING

NUMBERS: Final = {**words_en.NUMBERS, **words_es.NUMBERS}
ARTICLES: Final = words_es.ARTICLES | words_en.ARTICLES
OTHERS: Final = words_es.OTHERS | words_en.OTHERS
HALVES: Final = words_es.HALVES | words_en.HALVES
QUARTERS: Final = words_es.QUARTERS | words_en.QUARTERS
THOUSAND: Final = words_es.THOUSAND | words_en.THOUSAND
HUNDRED: Final = words_es.HUNDRED | words_en.HUNDRED
DOZENS: Final = words_es.DOZENS | words_en.DOZENS
PAIRS: Final = words_es.PAIRS | words_en.PAIRS
AND: Final = words_es.AND | words_en.AND
SIZE_LEADS: Final = words_es.SIZE_LEADS | words_en.SIZE_LEADS
MONEY: Final = {**words_en.MONEY, **words_es.MONEY}
STOP: Final = words_es.STOP | words_en.STOP
FILLER: Final = words_es.FILLER | words_en.FILLER
ASIDES: Final = words_es.ASIDES | words_en.ASIDES
OTHER_WORDS: Final = words_es.OTHER_WORDS | words_en.OTHER_WORDS
WEEKDAYS: Final = {**words_en.WEEKDAYS, **words_es.WEEKDAYS}
MONTHS: Final = {**words_en.MONTHS, **words_es.MONTHS}
DAYS_AHEAD: Final = {**words_en.DAYS_AHEAD, **words_es.DAYS_AHEAD}
ADDS: Final = words_es.ADDS | words_en.ADDS
REMOVES: Final = words_es.REMOVES | words_en.REMOVES
WITHOUT: Final = words_es.WITHOUT | words_en.WITHOUT
SETS: Final = words_es.SETS | words_en.SETS


def _meanings() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for line in SAME_MEANING.splitlines():
        words = frozenset(line.split())
        for word in words:
            found[word] = found.get(word, frozenset()) | (words - {word})
    return found


#: A singular word → the words that mean the same.
SAME: Final = _meanings()
