"""Text made comparable: no case, accents, punctuation or plural."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_NOT_WORDS = re.compile(r"[^0-9a-z]+")
_SHORTEST_STEM = 3


@lru_cache(maxsize=50_000)
def normalise(text: str) -> str:
    """Lower case, without accents; everything but letters and digits is one space."""
    folded = unicodedata.normalize("NFKD", text.casefold())
    return _NOT_WORDS.sub(" ", "".join(char for char in folded if not unicodedata.combining(char))).strip()


@lru_cache(maxsize=50_000)
def stem(text: str) -> str:
    """Normalised, every word without its plural ending, in Spanish and English alike.

    The result is for comparing only: ``leche`` and ``leches`` both give ``lech``,
    ``franceses`` and ``francés`` both ``franc``.
    """
    return " ".join(_stem_word(word) for word in normalise(text).split())


def _stem_word(word: str) -> str:
    if word.isdigit():
        return word
    return word[:_SHORTEST_STEM] + word[_SHORTEST_STEM:].rstrip("es")
