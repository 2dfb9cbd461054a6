"""What stands around the items: the note, the name, the branch, delivery."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from orders.offline.menu import Menu, Place
from orders.offline.normalise import Kind, Token
from orders.offline.tables import word_set

_STOP_NOTE = (
    r"(?=\s*(?:,|\n|;|$|\bpara (?:el|la|las|hoy|mañana|manana|este|recoger)\b"
    r"|\bfor (?:the|today|tomorrow|mon|tue|wed|thu|fri|sat|sun|next|this)\w*\b|\bpor favor\b|\bplease\b))"
)
_NOTES = (
    re.compile(
        r"\b(?:que|q) (?:diga|ponga|lleve escrito)\s*:?\s*[«“\"'‘]?(?P<note>[^\n,;]+?)[»”\"'’]?" + _STOP_NOTE,
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:con (?:el )?(?:texto|mensaje|letrero de|dedicatoria)|dedicatoria)\s*:?\s*"
        r"[«“\"'‘]?(?P<note>[^\n,;]+?)[»”\"'’]?" + _STOP_NOTE,
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:that says|saying|which says|says|with the message|to say|written)\s*:?\s*"
        r"[«“\"'‘]?(?P<note>[^\n;]+?)[»”\"'’]?" + _STOP_NOTE,
        re.IGNORECASE,
    ),
    re.compile(r"(?:^|(?<=[\s,(]))[«“\"'‘](?P<note>[^»”\"'’\n]{2,120}?)[»”\"'’](?=$|[\s,.!?)])"),
)
_NAME = (
    r"(?P<name>[^\W\d_]+(?:[ '-][^\W\d_]+){0,3}?)(?=\s*(?:$|[,.\n;!?]|\b(?:y|and|para|por|pero|a|at|please|gracias)\b))"
)
_NAMES = (
    re.compile(r"\b(?:a nombre de|al nombre de|mi nombre es|me llamo)\s+" + _NAME, re.IGNORECASE),
    re.compile(
        r"\b(?:my name is|my name's|the name is|name's|under the name(?: of)?|name is)\s+" + _NAME, re.IGNORECASE
    ),
    re.compile(r"\b(?:[Ss]oy|[Ii]t's for|[Uu]nder)\s+(?P<name>[A-ZÁÉÍÓÚÑ][^\W\d_]+(?: [A-ZÁÉÍÓÚÑ][^\W\d_]+){0,2})"),
)
_DELIVERY = re.compile(
    r"\b(?:que )?(?:me |nos )?(?:lo |la |los |las )?"
    r"(?:(?:manden?|mandan?|envien?|envian?|lleven?|llevan?|traigan?|traen)\s+(?:a|al|hasta)(?: la| el| mi)?"
    r"|a domicilio|domicilio|delivery|deliver(?:ed)?(?: it)?(?: to)?)\b[^,.\n]*",
    re.IGNORECASE,
)
_PLACE_LEADS = word_set("en la el del de al a lo sucursal tienda local sede from at in the on")
_PICK_UP = re.compile(r"\bpick(?:ing)?[ -]?up\b|\bpara llevar\b|\bto go\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Frames:
    """What was cut out of a text, and the text with spaces in its place."""

    text: str
    note: str | None = None
    name: str | None = None
    delivery: bool = False


def cut_frames(text: str) -> Frames:
    """Take note, name and delivery wishes out, keeping all other positions."""
    note, text = _cut(text, _NOTES, "note")
    name, text = _cut(text, _NAMES, "name")
    delivery = _DELIVERY.search(text)
    if delivery is not None:
        text = _blank(text, *delivery.span())
    text = _PICK_UP.sub(lambda found: "," + " " * (len(found.group()) - 1), text)
    return Frames(text, note, name, delivery is not None)


def _cut(text: str, patterns: Sequence[re.Pattern[str]], group: str) -> tuple[str | None, str]:
    for pattern in patterns:
        found = pattern.search(text)
        if found is not None:
            value = found.group(group).strip(" \t.:«»“”\"'‘’")
            if value:
                return value, _blank(text, *found.span())
    return None, text


def _blank(text: str, start: int, end: int) -> str:
    """Spaces, with a pause at their end so that the neighbours do not join."""
    return text[:start] + " " * (end - start - 1) + "," + text[end:]


def find_branch(tokens: Sequence[Token], menu: Menu) -> tuple[Place | None, set[int]]:
    """The branch named, and the positions that name it with their lead words.

    The name must stand alone: after "en", "la del" and the like, or in a clause
    of its own, since "centro" may be part of anything.
    """
    for place in menu.branches:
        for name in sorted(place.names, key=len, reverse=True):
            span = _span(tokens, name, menu)
            if span is not None:
                start = span[0]
                leads = set[int]()
                while start > 0 and tokens[start - 1].text in _PLACE_LEADS | {"1"} and _is_glue(tokens[start - 1]):
                    start -= 1
                    leads.add(start)
                return place, set(range(span[0], span[1])) | leads
    return None, set()


def _is_glue(token: Token) -> bool:
    return not token.is_number or token.weak


def _span(tokens: Sequence[Token], name: Sequence[str], menu: Menu) -> tuple[int, int] | None:
    """Where all words of ``name`` stand in a row, skipping glue between them."""
    for start in range(len(tokens)):
        at, found = start, 0
        while found < len(name) and at < len(tokens):
            if _is(tokens[at], name[found], menu):
                found += 1
            elif not found or tokens[at].text not in _PLACE_LEADS:
                break
            at += 1
        if found == len(name):
            return start, at
    return None


def _is(token: Token, word: str, menu: Menu) -> bool:
    if token.kind is not Kind.WORD:
        return token.text == word
    return menu.lexicon.similar(token.text).get(word, 0.0) >= 0.84
