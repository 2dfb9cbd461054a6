"""Which words of the menu a customer's word may be.

Similarity runs from 1 (the same word) down: plural, sound ("rebuelta"),
gender and diminutive ("cafecito"), meaning in the other language, and last a
typing error.  A lower kind is tried only when no higher one found anything.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache

from rapidfuzz.distance import OSA

from orders.offline.vocabulary import FILLER, OTHER_WORDS, SAME, STOP

SAME_WORD = 1.0
PLURAL = 0.98
SOUND = 0.95
FORM = 0.92
MEANING = 0.9
TYPO = 0.85

_DIMINUTIVE = re.compile(r"(.{2,}?)(?:c?it|c?ic|ill)[oa]s?")
_SOUNDS = (
    (re.compile(r"ch"), "C"), (re.compile(r"h"), ""), (re.compile(r"v"), "b"),
    (re.compile(r"c(?=[ei])"), "s"), (re.compile(r"z"), "s"), (re.compile(r"qu(?=[ei])"), "k"),
    (re.compile(r"c"), "k"), (re.compile(r"q"), "k"), (re.compile(r"ll"), "y"),
    (re.compile(r"gu(?=[ei])"), "G"), (re.compile(r"g(?=[ei])"), "j"), (re.compile(r"x"), "s"),
    (re.compile(r"w"), "u"), (re.compile(r"mb"), "nb"), (re.compile(r"(.)\1"), r"\1"),
)  # fmt: skip


@lru_cache(maxsize=16384)
def forms(word: str) -> frozenset[str]:
    """The word and what its singular may be."""
    found = {word}
    if len(word) > 3 and word.endswith("s"):
        found.add(word[:-1])
        if word.endswith("es"):
            found.add(word[:-2])
        if word.endswith("ces"):
            found.add(f"{word[:-3]}z")
        if word.endswith("ies"):
            found.add(f"{word[:-3]}y")
    return frozenset(found)


@lru_cache(maxsize=16384)
def stems(word: str) -> frozenset[str]:
    """Forms without the vowel of gender; words too short have none."""
    return frozenset(form[:-1] if form[-1] in "aoe" else form for form in forms(word) if len(form) >= 5)


@lru_cache(maxsize=16384)
def sound(word: str) -> str:
    """How the word is heard, for spelling by ear."""
    heard = min(forms(word), key=len) if len(word) > 4 else word
    for pattern, letter in _SOUNDS:
        heard = pattern.sub(letter, heard)
    return heard


@lru_cache(maxsize=16384)
def bases(word: str) -> frozenset[str]:
    """What a diminutive is the diminutive of, without its last vowel."""
    found = _DIMINUTIVE.fullmatch(word)
    return frozenset({found.group(1)}) if found else frozenset()


@lru_cache(maxsize=16384)
def meanings(word: str) -> frozenset[str]:
    """Words of the other language or region for it, in whatever gender it is written."""
    masculine = f"{word[:-1]}o" if word.endswith("a") else word
    return SAME.get(word) or SAME.get(masculine, frozenset())


class Lexicon:
    """The words of one menu, indexed by every kind of likeness."""

    def __init__(self, vocabulary: Iterable[str]) -> None:
        self.words = frozenset(vocabulary)
        self._by_form: dict[str, set[str]] = defaultdict(set)
        self._by_sound: dict[str, set[str]] = defaultdict(set)
        self._by_stem: dict[str, set[str]] = defaultdict(set)
        self._by_base: dict[str, set[str]] = defaultdict(set)
        for word in self.words:
            self._index(word)
        self._long = [word for word in self.words if len(word) >= 5 and word.isalpha()]
        self._known: dict[str, dict[str, float]] = {}

    def _index(self, word: str) -> None:
        for form in forms(word):
            self._by_form[form].add(word)
            self._by_base[form].add(word)
            self._by_base[form[:-1] if form[-1] in "aoe" else form].add(word)
        self._by_sound[sound(word)].add(word)
        for stem in stems(word):
            self._by_stem[stem].add(word)

    def similar(self, word: str) -> dict[str, float]:
        """Words of the menu that ``word`` may be → how surely."""
        known = self._known.get(word)
        if known is None:
            known = self._known[word] = self._find(word)
        return known

    def _find(self, word: str) -> dict[str, float]:
        found: dict[str, float] = {word: SAME_WORD} if word in self.words else {}
        if not word.isalpha():
            return found
        self._collect(found, forms(word), self._by_form, PLURAL)
        if found and word in STOP:
            return found
        self._collect(found, (sound(word),) if len(word) > 3 else (), self._by_sound, SOUND)
        self._collect(found, stems(word), self._by_stem, FORM)
        if not found:
            self._collect(found, bases(word), self._by_base, FORM)
        for form in forms(word):
            self._collect(found, meanings(form), self._by_form, MEANING)
        if not found and word not in OTHER_WORDS and word not in FILLER and word not in STOP:
            found.update(self._typos(word))
        return found

    @staticmethod
    def _collect(found: dict[str, float], keys: Iterable[str], index: dict[str, set[str]], likeness: float) -> None:
        for key in keys:
            for word in index.get(key, ()):
                found.setdefault(word, likeness)

    def _typos(self, word: str) -> dict[str, float]:
        """Words one slip away (two in long words), with the same first letter or sound."""
        if len(word) < 5:
            return {}
        allowed = 1 if len(word) < 8 else 2
        near: dict[str, float] = {}
        for other in self._long:
            if abs(len(other) - len(word)) > allowed or sound(other)[:1] != sound(word)[:1]:
                continue
            distance = OSA.distance(word, other, score_cutoff=allowed)
            if distance <= allowed:
                near[other] = TYPO - 0.05 * (distance - 1)
        return near
