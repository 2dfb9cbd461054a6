"""Reading a yes or a no. Code does it, never a model.

The whole answer counts: every word must be a yes word (or all no words) or a
courtesy around it.  Anything else is OTHER, which neither runs nor loses it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache

from aitools.regions import REGIONS, UNCLEAR


class Answer(StrEnum):
    YES = "yes"
    NO = "no"
    OTHER = "other"


#: Read like punctuation ("sí 😊"). Any other picture adds something: "sí 🥐" is no plain yes.
COURTESY_SIGNS = frozenset(
    "😀😃😄😁😆😅😂🤣😊😇🙂😉😌😍🥰😘😗😙😚😋😛😜🤗🤩🥳😎😺🥹☺🙏🙌👏🤝💪🫶❤🧡💛💚💙💜🤎🖤🤍♥💕💖💗💞✨🎉🌟🌸🌹🌷😢😭😔😞🥺😪🫡"
)
SIGNS = frozenset("👍👌✅👎❌")
#: The marks that Spanish, English and their neighbours write over a letter; others strike it out or make another one.
ACCENTS = frozenset("\u0300\u0301\u0302\u0303\u0308\u0327")
#: Phones put these around words. Within one they may hide anything, and it is no word any more.
INVISIBLE = "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u00ad"
#: They choose how the sign before is drawn: in colour, in a box.
DRAWN = frozenset("\ufe0e\ufe0f\u20e3")
#: A letter written three times or more, or at least twice at the end of a word.
#: Twice inside makes other words: "valle" is no "vale".
STRETCHED = re.compile(r"(\w)\1(?:\1+|\b)")
QUESTIONS = ("QUESTION MARK", "INTERROBANG")


def _tokens(text: str) -> list[str]:
    """Words without case and accents, and pictures; what can't be read stays, as a word no list has."""
    plain = "".join(map(_read_char, unicodedata.normalize("NFD", text.casefold())))
    return [word for token in plain.split() if (word := token.strip(INVISIBLE))]


@lru_cache(4096)
def _read_char(char: str) -> str:
    if char in ACCENTS or char in DRAWN:
        return ""
    kind = unicodedata.category(char)
    if char.isalnum() or char.isspace() or kind[0] in "MC":
        return char
    if kind[0] in "PZ" or kind == "Sk" or char in COURTESY_SIGNS:
        return " "
    return f" {char} "


def _phrases(text: str) -> frozenset[str]:
    """Phrases by commas, as they are compared."""
    return frozenset(" ".join(_tokens(phrase)) for phrase in text.split(",")) - {""}


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


@dataclass(frozen=True, slots=True)
class Words:
    """The lists in force. ``unclear`` phrases are made of their words and say neither."""

    yes: frozenset[str] = YES_PHRASES
    no: frozenset[str] = NO_PHRASES
    courtesies: frozenset[str] = COURTESIES
    unclear: frozenset[str] = frozenset()

    @classmethod
    def of(cls, regions: Iterable[str] = (), yes: str = "", no: str = "", *, replace: bool = False) -> Words:
        """The defaults, the words of ``regions`` (codes; unknown ones are ignored) and own ones, one a line.

        With ``replace`` own words stand alone; a list left without any is then
        the built-in one with its regions, so that a question can always be
        answered.  An own word that the other list has too, or that can't be one
        (see ``fault_of``), counts for neither.
        """
        built_in = _of_regions(frozenset(regions))
        own_yes, own_no = _own(yes), _own(no)
        base_yes = frozenset() if replace and own_yes else built_in.yes
        base_no = frozenset() if replace and own_no else built_in.no
        return cls(
            yes=base_yes | (own_yes - base_no - own_no),
            no=base_no | (own_no - base_yes - own_yes),
            courtesies=built_in.courtesies,
            unclear=built_in.unclear,
        )

    @property
    def longest(self) -> int:
        """Words of the longest phrase."""
        return _longest(self.yes | self.no | self.courtesies | self.unclear)


@cache
def _of_regions(codes: frozenset[str]) -> Words:
    chosen = [REGIONS[code] for code in codes if code in REGIONS]
    return Words(
        yes=YES_PHRASES.union(*(_phrases(region.yes) for region in chosen)),
        no=NO_PHRASES.union(*(_phrases(region.no) for region in chosen)),
        courtesies=COURTESIES.union(*(_phrases(region.courtesies) for region in chosen)),
        unclear=_phrases(UNCLEAR),
    )


DEFAULT_WORDS = Words()


class WordFault(StrEnum):
    """Why a word can't be taken as a yes or a no."""

    QUESTION = "question"
    DIGIT = "digit"
    UNREADABLE = "unreadable"
    COURTESY = "courtesy"


def fault_of(phrase: str) -> WordFault | None:
    """What speaks against a phrase of staff's own; None for a good one."""
    tokens = _tokens(phrase)
    if _asks(phrase):
        return WordFault.QUESTION
    if any(char.isnumeric() for char in phrase):
        return WordFault.DIGIT
    if not tokens or not all(token.isalpha() or token in SIGNS for token in tokens):
        return WordFault.UNREADABLE
    return WordFault.COURTESY if " ".join(tokens) in COURTESIES else None


def own_phrases(text: str) -> dict[str, str]:
    """As it is compared → as it is written, for each line that has something to compare."""
    return {" ".join(_tokens(line)): line.strip() for line in text.splitlines() if _tokens(line)}


def _own(text: str) -> frozenset[str]:
    return frozenset(phrase for phrase, written in own_phrases(text).items() if fault_of(written) is None)


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
        if length == 1 and _is_letter(phrase[0]) and _beside_words(tokens):
            return 0, None
        for kind, known in (
            (Answer.OTHER, words.unclear),
            (Answer.NO, words.no),
            (Answer.YES, words.yes),
            (None, words.courtesies),
        ):
            if _matches(" ".join(phrase), known):
                return length, kind
    return 0, None


def _beside_words(tokens: tuple[str, ...]) -> bool:
    """Single letters count only where nothing else is: "y" may be an "and"."""
    return not all(_is_letter(token) for token in tokens)


def _is_letter(token: str) -> bool:
    return len(_squeezed(token)) == 1 and token not in SIGNS


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
