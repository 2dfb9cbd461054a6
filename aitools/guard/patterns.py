"""How claims of an action are worded. The patterns are built once, from the verbs and from the list of others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain

from aitools.guard import verbs
from aitools.guard.sentences import Clause, fold
from aitools.guard.wordings import OTHERS
from aitools.guard.words import (
    ADVERBIOS,
    ADVERBS,
    ENGLISH_SUBJECT,
    I_DID,
    LEAD,
    OBJECT,
    PERSON,
    REF,
    SPANISH_MINE,
    SPANISH_SUBJECT,
    any_of,
)

_TELLING = ("told", "asked", "let", "made", "passed", "handed", "reached", "spoke", "left", "connected")


@dataclass(frozen=True, slots=True)
class Claim:
    """A wording found in a clause.

    ``by_us``: "I placed"; ``present``: "queda", "I cancel", which an "if" makes
    an offer; ``stands``: told of how it stands ("está confirmado").
    """

    kind: str
    words: str
    start: int
    end: int
    by_us: bool = False
    present: bool = False
    stands: bool = False


@dataclass(frozen=True, slots=True)
class _Wording:
    kind: str
    pattern: re.Pattern[str]
    how: str = ""
    accented: bool = False


@dataclass(frozen=True, slots=True)
class _Family:
    """Wordings that can only be there where ``hint`` is: looking for roots first is much faster."""

    hint: re.Pattern[str]
    wordings: tuple[_Wording, ...]


def claims_in(clause: Clause) -> Iterator[Claim]:
    """All claims worded in a clause, whether meant or not."""
    fitting = (family.wordings for family in _families() if family.hint.search(clause.folded))
    for wording in chain.from_iterable(fitting):
        text = clause.accented if wording.accented else clause.folded
        for match in wording.pattern.finditer(text):
            words = clause.text[match.start() : match.end()].strip()
            how = wording.how
            yield Claim(
                _kind_of(wording.kind, words),
                words,
                match.start(),
                match.end(),
                "us" in how,
                "present" in how,
                "stands" in how,
            )


def _kind_of(kind: str, words: str) -> str:
    """What is done to a change or a cancellation is that: "cambio hecho", "your cancellation is complete"."""
    if kind == "create" and re.search(r"\bcambios?\b|\bchanges?\b", words.lower()):
        return "change"
    return "cancel" if kind == "create" and re.search(r"cancela?ci|cancellation", words.lower()) else kind


@cache
def _families() -> tuple[_Family, ...]:
    spanish = [_spanish(kind, words.split()) for kind, words in verbs.SPANISH.items()]
    english = [_english(kind, words.split()) for kind, words in verbs.ENGLISH.items()]
    others = [_Wording(kind, re.compile(pattern), how, "accented" in how) for kind, how, pattern in OTHERS]
    return (*spanish, *english, _Family(re.compile(""), tuple(others)))


def _spanish(kind: str, infinitives: Sequence[str]) -> _Family:
    forms = [verbs.spanish_forms(infinitive) for infinitive in infinitives]
    done = f"{any_of(fold(form.done) for form in forms)}(?:isim)?[oa]s?"
    wordings = (*_we_did(kind, forms, done), *_it_was(kind, forms, done), *_we_are_doing(kind, forms))
    roots = {fold(root) for form in forms for root in form.roots}
    return _Family(re.compile(any_of(roots)), wordings)


def _we_did(kind: str, forms: Sequence[verbs.Forms], done: str) -> Iterator[_Wording]:
    """ "registré", "ya registre" (typed without accent), "lo registramos", "he registrado", "acabo de registrar"."""
    did = any_of(form.did for form in forms)
    we = any_of(fold(form.we_did) for form in forms)
    to_do = any_of(fold(form.infinitive) for form in forms)
    yield _Wording(kind, re.compile(rf"(?<!que )\b{did}\b"), "us", accented=True)
    yield _Wording(kind, re.compile(rf"\bya (?:(?:te|se|le|les|lo|la|los|las) )*{fold(did)}\b"), "us")
    lately = r"(?:\bya |\b(?:te|le|les|lo|la|los|las) )(?:(?:te|le|lo|la|los|las) )?"
    yield _Wording(kind, re.compile(rf"{lately}{we}\b|^\W*{we} (?:tu|su)\b"), "us")
    yield _Wording(kind, re.compile(rf"\b(?:he|hemos) (?:ya )?{done}\b"), "us")
    managed = (
        r"(?:acabo de|acabamos de|termine de|procedi a|procedimos a|he procedido a|hemos procedido a|pude|pudimos|"
        r"logre|logramos|consegui|he podido|he logrado)"
    )
    yield _Wording(kind, re.compile(rf"\b{managed} (?:\w+ )?{to_do}(?:te|se|le|lo|la|los|las)*\b"), "us")


def _it_was(kind: str, forms: Sequence[verbs.Forms], done: str) -> Iterator[_Wording]:
    """ "quedó registrado", "se registró", "está registrado", "pedido registrado"."""
    past = r"(?:quedo|quedaron|quedaste|fue|fueron|ha sido|han sido|ha quedado|han quedado|deje|dejamos|dejado)"
    yield _Wording(kind, re.compile(rf"\b{past}(?: \w+){{0,3}}?{ADVERBIOS} {done}\b"))
    third = any_of(fold(form.was_done) for form in forms)
    yield _Wording(kind, re.compile(rf"\bse (?:te |le )?(?:ha |han )?(?:{third}|{done})\b"))
    yield _Wording(kind, re.compile(rf"\bya {done}\b"))
    kept = r"\b(?:(?:te|le|lo|la|los|las) )+(?:dejo|tengo|tienes|tiene)(?: ya)?"
    yield _Wording(kind, re.compile(rf"{kept} {done}\b|\b(?:quedas|estas) (?:ya )?{done}\b"), "present")
    headline = rf"{SPANISH_MINE}?{OBJECT} {REF}(?:ya )?{done}\b(?! (?:por|a las|antes))"
    yield _Wording(kind, re.compile(rf"{LEAD}(?:{headline}|(?:ya |todo )?{done}\W*$)"))
    if kind != "draft":
        state = r"(?:esta|estan|queda|quedan|sigue|dejo|tengo|tienes|tiene)"
        standing = rf"{SPANISH_SUBJECT}(?:ya |te |le )*{state}{ADVERBIOS} {done}\b(?! (?:con|de|en casa|a mano)\b)"
        yield _Wording(kind, re.compile(standing), "present stands")


def _we_are_doing(kind: str, forms: Sequence[verbs.Forms]) -> Iterator[_Wording]:
    """ "registro tu pedido", "ya lo cancelo", "estoy registrando", "procedo a registrar"."""
    does = any_of(fold(form.does) for form in forms)
    at_once = r"(?:ya |de una |enseguida |ahora |ahora mismo )?"
    now = rf"\b{does} {at_once}{SPANISH_MINE}{OBJECT}\b(?! ?:)|\bya (?:te |se )?(?:lo|la|los|las) {does}\b"
    yield _Wording(kind, re.compile(now), "us present")
    doing, to_do = any_of(fold(form.doing) for form in forms), any_of(fold(form.infinitive) for form in forms)
    busy = rf"\b(?:estoy|estamos) (?:ya )?{doing}|\b(?:procedo|procedemos) a {to_do}"
    yield _Wording(kind, re.compile(busy), "us present")


def _english(kind: str, words: Sequence[str]) -> _Family:
    roots = {word.split("_")[0] for word in words} | {one.rstrip("e") for one in verbs.ENGLISH_DO[kind].split()}
    if kind == "handover":
        roots |= set(_TELLING)
    return _Family(re.compile(any_of(roots)), tuple(_english_wordings(kind, words)))


def _english_wordings(kind: str, words: Sequence[str]) -> Iterator[_Wording]:
    done = any_of(word.replace("_", " ") for word in words)
    apart = any_of(" [\\w' ]{1,25} ".join(word.split("_")) for word in words if "_" in word)
    yield _Wording(kind, re.compile(rf"{I_DID} {done}\b"), "us")
    if any("_" in word for word in words):
        yield _Wording(kind, re.compile(rf"{I_DID} {apart}\b"), "us")
    yield _Wording(
        kind, re.compile(rf"{I_DID}\b[^.;]{{0,60}}\band(?: also)? {done} (?:it|this|that|your|the|one|you)\b"), "us"
    )
    yield _Wording(
        kind, re.compile(rf"{ENGLISH_SUBJECT}(?:'s been| (?:has|have|was|were|got)(?: been)?){ADVERBS} {done}\b")
    )
    standing = rf"(?:{ENGLISH_SUBJECT} (?:is|are)|\b(?:it|that|everything)'s|\byou(?:'re| are)){ADVERBS} {done}\b"
    yield _Wording(kind, re.compile(rf"{standing}(?! with| about)"), "present stands")
    headline = rf"(?:all )?(?:your |the |new )?(?:{OBJECT} {REF}(?:now |successfully |is )?)?{done}\W*$"
    yield _Wording(kind, re.compile(rf"{LEAD}{headline}|\bconsider it {done}"))
    yield from _english_doing(kind)


def _english_doing(kind: str) -> Iterator[_Wording]:
    """ "I was able to cancel", "I'm placing your order", "I've told the owner"."""
    to_do = verbs.ENGLISH_DO[kind].split()
    yield _Wording(
        kind, re.compile(rf"\b(?:was|were|am|been) able to {any_of(to_do)}\b|\bmanaged to {any_of(to_do)}\b"), "us"
    )
    doing = any_of(verbs.english_doing(one) for one in to_do)
    busy = rf"(?:\b(?:i'm|i am|we're|we are)(?: now| just)?|{LEAD}) ?\b{doing} (?:your|you|it|this|that|the)\b"
    yield _Wording(kind, re.compile(busy), "us present")
    if kind == "handover":
        told = rf"{I_DID} (?:let|told|passed|handed|asked|made|connected)\b[\w' ]{{1,40}}?\b(?:know|aware|{PERSON})\b"
        reached = rf"{I_DID} (?:told|asked|let|reached out to|spoken? (?:to|with)|left a message for) {PERSON}"
        yield _Wording(kind, re.compile(f"{told}|{reached}"), "us")
