"""Reading a yes or a no. Code does it, never a model.

The whole answer counts: every word must be a yes word (or all no words) or a
courtesy around it.  Anything else is OTHER, which neither runs nor loses it.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from functools import cache


class Answer(StrEnum):
    YES = "yes"
    NO = "no"
    OTHER = "other"


def _phrases(text: str) -> frozenset[str]:
    return frozenset(phrase.strip() for phrase in text.split(","))


YES_PHRASES = _phrases(
    "si, s, yes, y, ok, okay, confirmo, confirmar, dale, claro, de acuerdo, acepto, 1, vale, "
    "listo, perfecto, adelante, hazlo, correcto, esta bien, sure, yeah, yep, 👍, 👌, ✅"
)
NO_PHRASES = _phrases(
    "no, n, nop, nope, nel, cancelar, cancela, cancelo, cancel, negativo, mejor no, para nada, "
    "tampoco, no gracias, 2, 0, 👎, ❌"
)
COURTESIES = _phrases(
    "por favor, gracias, muchas gracias, y gracias, please, thanks, thank you, porfa, porfis, "
    "porfavor, xfa, xfavor, plis, amor, senorita, senora, senor, muy amable, hola, buenas, "
    "buenos dias, buenas tardes, buenas noches, hello, hi"
)
#: One of these alone is a whole answer; beside other words it may be a quantity.
ALONE = frozenset({"1", "2", "0", "s", "y", "n"})
SIGNS = frozenset("👍👌✅👎❌")
SKIN_TONES = dict.fromkeys(range(0x1F3FB, 0x1F400))
#: A letter written three times or more, or at least twice at the end of a word.
#: Twice inside makes other words: "valle" is no "vale".
STRETCHED = re.compile(r"(\w)\1(?:\1+|\b)")
QUESTIONS = ("QUESTION MARK", "INTERROBANG")


@dataclass(frozen=True, slots=True)
class Words:
    """The lists in force: the frozen defaults and what a profile adds."""

    yes: frozenset[str] = YES_PHRASES
    no: frozenset[str] = NO_PHRASES

    @classmethod
    def extended(cls, yes: str = "", no: str = "") -> Words:
        """Defaults plus one phrase a line."""
        return cls(YES_PHRASES | _lines(yes), NO_PHRASES | _lines(no))

    @property
    def longest(self) -> int:
        """Words of the longest phrase."""
        return _longest(self.yes | self.no | COURTESIES)


DEFAULT_WORDS = Words()


def read(text: str, words: Words = DEFAULT_WORDS) -> Answer:
    """YES or NO when the whole of ``text`` says so, else OTHER."""
    if _asks(text):
        return Answer.OTHER
    tokens = tuple(_tokens(text))
    if len(tokens) > 1 and any(token in ALONE and token.isdigit() for token in tokens):
        return Answer.OTHER
    said = _parse(tokens, words)
    if said == {Answer.YES}:
        return Answer.YES
    return Answer.NO if said == {Answer.NO} else Answer.OTHER


def _asks(text: str) -> bool:
    """Whether there is any kind of question mark in it."""
    names = {unicodedata.name(char, "") for char in text + unicodedata.normalize("NFKC", text)}
    return any(mark in name for name in names for mark in QUESTIONS)


def _parse(tokens: tuple[str, ...], words: Words) -> set[Answer]:
    """The kinds of phrases the tokens are made of; OTHER if any is unknown."""
    said: set[Answer] = set()
    position = 0
    while position < len(tokens):
        length, kind = _phrase_at(tokens, position, words)
        if not length:
            return {Answer.OTHER}
        if kind is not None:
            said.add(kind)
        position += length
    return said


def _phrase_at(tokens: tuple[str, ...], position: int, words: Words) -> tuple[int, Answer | None]:
    """Length and kind of the longest phrase here; kind None is a courtesy."""
    for length in range(min(words.longest, len(tokens) - position), 0, -1):
        phrase = tokens[position : position + length]
        if length == 1 and phrase[0] in ALONE and _beside_words(tokens):
            return 0, None
        for kind, known in (
            (Answer.NO, words.no),
            (Answer.YES, words.yes),
            (None, COURTESIES),
        ):
            if _matches(" ".join(phrase), known):
                return length, kind
    return 0, None


def _beside_words(tokens: tuple[str, ...]) -> bool:
    """One-letter words count only alone or with courtesies ("s", "y gracias")."""
    return len([token for token in tokens if token in ALONE]) != len(tokens)


def _matches(phrase: str, known: frozenset[str]) -> bool:
    if phrase in known:
        return True
    stretched = STRETCHED.search(phrase)
    return bool(stretched) and not phrase.isdigit() and _squeezed(phrase) in _squeezed_set(known)


@cache
def _longest(phrases: frozenset[str]) -> int:
    return max(len(phrase.split()) for phrase in phrases)


def _squeezed(phrase: str) -> str:
    return STRETCHED.sub(r"\1", phrase)


@cache
def _squeezed_set(known: frozenset[str]) -> frozenset[str]:
    return frozenset(_squeezed(phrase) for phrase in known)


def _tokens(text: str) -> list[str]:
    plain = "".join(
        char
        for char in unicodedata.normalize("NFKD", text.casefold().translate(SKIN_TONES))
        if not unicodedata.combining(char)
    )
    spaced = "".join(f" {char} " if char in SIGNS else char for char in plain)
    return "".join(char if char.isalnum() or char in SIGNS else " " for char in spaced).split()


def _lines(text: str) -> frozenset[str]:
    return frozenset(" ".join(_tokens(line)) for line in text.splitlines() if line.strip())
