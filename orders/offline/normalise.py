"""Text to tokens: case, accents and punctuation no longer matter."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache

#: Longer messages are cut: nobody orders in more, and work must stay bounded.
TEXT_LIMIT = 2000

_PIECES = re.compile(r"\d{1,2}:\d{2}|\d+/\d+|\d+(?:[.,]\d+)*|[½¼¾]|[^\W\d_]+(?:['’][^\W\d_]+)*|\n|[^\w\s]")
_BREAKS = frozenset(",;.\n?!¡¿()")
_WORDS_FOR_SIGNS = {"+": "y", "&": "y"}


class Kind(StrEnum):
    """What a token is: a word, a number, an amount of money, a clock time, a pause."""

    WORD = "word"
    NUMBER = "number"
    MONEY = "money"
    CLOCK = "clock"
    BREAK = "break"
    SIGN = "sign"


@dataclass(frozen=True, slots=True)
class Token:
    """One word or number of a text, with its place in it.

    ``text`` is folded.  A ``weak`` number is an article ("un", "a").
    ``dozens`` counts the dozens a number was said in ("media docena" = 0.5).
    An ``anchored`` number follows "de", "para" and the like, so it is a size
    and no quantity.  A ``soft`` token may go unexplained.
    """

    text: str
    start: int
    end: int
    kind: Kind = Kind.WORD
    value: Decimal | None = None
    weak: bool = False
    dozens: Decimal | None = None
    anchored: bool = False
    soft: bool = False
    raw: str = field(default="", compare=False)

    @property
    def said(self) -> str:
        """The word in the customer's own spelling."""
        return self.raw or self.text

    @property
    def is_number(self) -> bool:
        return self.kind is Kind.NUMBER

    @property
    def is_break(self) -> bool:
        return self.kind is Kind.BREAK


@lru_cache(maxsize=16384)
def fold(text: str) -> str:
    """Lower case without accents; ñ becomes n."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


def clean(text: str) -> str:
    """Text that is safe to cut and to send back: no NUL, no lone surrogates."""
    whole = text.encode("utf-8", "ignore").decode("utf-8").replace("\x00", "")
    return whole.replace("’", "'").replace("\u00a0", " ")[:TEXT_LIMIT]


def tokenise(text: str) -> list[Token]:
    """The tokens of ``text``, in order; numbers are still plain words here."""
    return [_token(found) for found in _PIECES.finditer(text)]


def _token(found: re.Match[str]) -> Token:
    raw = found.group()
    kind = Kind.WORD
    if raw in _BREAKS:
        kind = Kind.BREAK
    elif ":" in raw and len(raw) > 1:
        kind = Kind.CLOCK
    elif not raw[0].isalnum() and raw not in "½¼¾" and raw not in _WORDS_FOR_SIGNS:
        kind = Kind.SIGN
    folded = _WORDS_FOR_SIGNS.get(raw, raw if raw in "½¼¾" else fold(raw))
    if kind is Kind.WORD:
        folded = folded.replace("'", "")
    return Token(folded, found.start(), found.end(), kind, raw=raw)
