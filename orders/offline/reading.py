"""A customer's turn as clauses: what is added, set, removed, and what stands around it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum

from orders.offline import vocabulary as words
from orders.offline import words_en, words_es
from orders.offline.frames import Frames, cut_frames, find_branch
from orders.offline.match import best, readings
from orders.offline.menu import Menu, MenuItem, Place
from orders.offline.moments import When, find_when
from orders.offline.normalise import Kind, Token, clean, fold, tokenise
from orders.offline.quantities import HALF, with_numbers
from orders.offline.segment import Chunk, prepared, segment
from orders.offline.tables import word_set

_CLEAR = re.compile(
    r"\b(?:(?:borr|quit|elimin|cancel|sac)\w* todo|empe\w+ (?:de nuevo|otra vez|de cero)|de cero"
    r"|start over|start again|clear (?:it|everything|my order|the order)|scratch (?:that|everything)"
    r"|(?:remove|delete|cancel) everything)\b"
)
_CORRECTION = word_set("no perdon digo mejor sorry wait mean i espera")
_PRONOUN = re.compile(r"(\w{2,})(?:me|te|le|les|nos|lo|la|los|las)")
_SWAP = re.compile(r"\b(?:en (?:vez|lugar) de|instead of)\b")


class Op(StrEnum):
    """What a clause does to the draft."""

    ADD = "add"
    SET = "set"
    REMOVE = "remove"


@dataclass(frozen=True, slots=True)
class Clause:
    """Chunks with one effect. ``said`` = a verb said so; ``to`` follows "por", "a", "for"."""

    op: Op
    chunks: tuple[Chunk, ...]
    said: bool = False
    to: tuple[Chunk, ...] = ()


@dataclass(frozen=True, slots=True)
class Turn:
    """Everything read in one turn's text."""

    text: str
    folded: str
    clauses: tuple[Clause, ...]
    when: When
    branch: Place | None
    note: str | None
    name: str | None
    delivery: bool
    clear: bool

    @property
    def chunks(self) -> tuple[Chunk, ...]:
        return tuple(chunk for clause in self.clauses for chunk in (*clause.chunks, *clause.to))

    @property
    def names_product(self) -> bool:
        """Whether some words of it are surely or perhaps a product."""
        return any(chunk.readings and chunk.readings[0].score > 0 for chunk in self.chunks)


def read(text: str, menu: Menu, today: date, among: Sequence[MenuItem] = ()) -> Turn:
    """Read a turn. ``among`` are the draft's items: what is set or removed is looked for there first."""
    text = clean(text)
    frames = cut_frames(text)
    tokens = _tokens(frames)
    when, used = find_when(tokens, today, _is_english(tokens))
    tokens = _without(tokens, used)
    branch, used = find_branch(tokens, menu)
    tokens = _without(tokens, used)
    folded = fold(text)
    return Turn(
        text=text,
        folded=folded,
        clauses=tuple(_clauses(_halves(_corrected(tokens), menu), menu, among)),
        when=when,
        branch=branch,
        note=frames.note,
        name=frames.name,
        delivery=frames.delivery,
        clear=_CLEAR.search(folded) is not None,
    )


def _tokens(frames: Frames) -> list[Token]:
    plain = tokenise(_SWAP.sub(lambda found: "quita".ljust(len(found.group())), frames.text))
    if _is_english(plain):
        return with_numbers(plain)
    return with_numbers([replace(token, kind=Kind.SIGN) if token.text == "a" else token for token in plain])


def _is_english(tokens: Sequence[Token]) -> bool:
    """Whether the text's small words are English rather than Spanish ("a" is both)."""
    english = words_en.STOP | words_en.FILLER | words_en.AND | {"a", "an", "dozen", "half"}
    spanish = words_es.STOP | words_es.FILLER | words_es.AND | words_es.ARTICLES
    votes = [(token.text in english) - (token.text in spanish) for token in tokens]
    return sum(votes) > 0


def _without(tokens: Sequence[Token], used: set[int]) -> list[Token]:
    """The tokens without those positions; a run of them leaves a pause."""
    kept: list[Token] = []
    for at, token in enumerate(tokens):
        if at not in used:
            kept.append(token)
        elif kept and not kept[-1].is_break:
            kept.append(Token(",", token.start, token.start, Kind.BREAK))
    return kept


def _corrected(tokens: Sequence[Token]) -> list[Token]:
    """As in "two no three croissants" is three."""
    kept: list[Token] = []
    for token in tokens:
        if token.is_number and not token.weak:
            back = len(kept)
            while back and (kept[back - 1].text in _CORRECTION or kept[back - 1].is_break):
                back -= 1
            said_no = any(each.text in _CORRECTION for each in kept[back:])
            if said_no and back and kept[back - 1].is_number:
                kept = kept[: back - 1]
        kept.append(token)
    return kept


def _halves(tokens: Sequence[Token], menu: Menu) -> list[Token]:
    """As in "12 donas mitad chocolate mitad azúcar": one mixed item if the menu has it, else two items."""
    at = [i for i, token in enumerate(tokens) if token.value == HALF and token.is_number]
    if len(at) != 2:
        return list(tokens)
    start = max((i for i in range(at[0]) if tokens[i].is_number and not tokens[i].weak), default=None)
    whole = tokens[start].value if start is not None else None
    if start is None or whole is None or whole % 2:
        return list(tokens)
    end = next((i for i in range(at[1] + 1, len(tokens)) if tokens[i].is_break or tokens[i].is_number), len(tokens))
    head = [token for token in tokens[start + 1 : at[0]] if not token.is_break]
    first = [token for token in tokens[at[0] + 1 : at[1]] if not token.is_break and token.text not in words.AND]
    second = list(tokens[at[1] + 1 : end])
    mixed = [tokens[start], *head, *first, *second]
    if _is_mixed(mixed, menu):
        return [*tokens[:start], *mixed, *tokens[end:]]
    half = replace(tokens[start], value=whole / 2, text=str(int(whole / 2)), dozens=None)
    pause = Token(",", tokens[at[1]].start, tokens[at[1]].end, Kind.BREAK)
    return [*tokens[:start], half, *head, *first, pause, half, *head, *second, *tokens[end:]]


def _is_mixed(tokens: Sequence[Token], menu: Menu) -> bool:
    kept = [t for t in prepared(tokens, menu) if t.text not in words.STOP and t.kind is not Kind.BREAK]
    found = best(readings(kept, menu))
    return len(found) == 1 and found[0].whole and not found[0].left and len(found[0].options) > 1


def _clauses(tokens: Sequence[Token], menu: Menu, among: Sequence[MenuItem]) -> list[Clause]:
    found: list[Clause] = []
    op, said, start = Op.ADD, False, 0
    for at in [i for i, token in enumerate(tokens) if _verb(token) is not None] + [len(tokens)]:
        part = tokens[start:at]
        if part or said:
            found += _clause(op, said, part, menu, among)
        if at < len(tokens):
            op, said, start = _verb(tokens[at]) or Op.ADD, True, at + 1
    return found


def _verb(token: Token) -> Op | None:
    verb = _bare(token.text) if token.kind is Kind.WORD else ""
    if verb in words.REMOVES:
        return Op.REMOVE
    if verb in words.SETS:
        return Op.SET
    return Op.ADD if verb in words.ADDS else None


def _bare(word: str) -> str:
    """The verb without its pronouns: "cambialo", "quitamelos"."""
    known = words.REMOVES | words.SETS | words.ADDS
    while word not in known and (found := _PRONOUN.fullmatch(word)) is not None:
        word = found.group(1)
    return word


def _clause(op: Op, said: bool, tokens: Sequence[Token], menu: Menu, among: Sequence[MenuItem]) -> list[Clause]:
    known = among if among and op is not Op.ADD else None
    at = next((i for i, t in enumerate(tokens) if t.text in ("por", "for", "to") and i), None) if op is Op.SET else None
    if at is not None and _counts_or_names(tokens[at + 1 :], menu):
        left = _chunks(tokens[:at], menu, known)
        return [Clause(op, left, said, _chunks(tokens[at + 1 :], menu, None))]
    return [Clause(op, _chunks(tokens, menu, known), said)]


def _counts_or_names(tokens: Sequence[Token], menu: Menu) -> bool:
    return any(chunk.number is not None or chunk.readings for chunk in segment(tokens, menu))


def _chunks(tokens: Sequence[Token], menu: Menu, among: Sequence[MenuItem] | None) -> tuple[Chunk, ...]:
    """Chunks among the draft's items; what is not there is looked for in the whole menu."""
    if among:
        near = segment(tokens, menu, among)
        if all(chunk.readings and not chunk.readings[0].left for chunk in near if chunk.hard):
            return tuple(near)
    return tuple(segment(tokens, menu))
