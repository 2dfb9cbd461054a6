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
    r"\b(?:(?:borr|quit|elimin|cancel|sac)\w* todo"
    r"|cancel\w* (?:el|mi|este|the|my|this) (?:pedido|encargo|orden|order)"
    r"|empe\w+ (?:de nuevo|otra vez|de cero)|de cero"
    r"|start over|start again|clear (?:it|everything|my order|the order)|scratch (?:that|everything)"
    r"|(?:remove|delete|cancel) everything)\b"
)
_CORRECTION = word_set("no perdon digo mejor sorry wait mean i espera")
_PRONOUN = re.compile(r"(\w{2,})(?:me|te|le|les|nos|lo|la|los|las)")
#: A word of our own in place of these: what follows goes, and something else comes.
_SWAP = re.compile(r"\b(?:en (?:vez|lugar) de|instead of)\b", re.IGNORECASE)
_SWAPS = "enlugar"
_UNWANTED = re.compile(
    r"\b(?:(?:ya )?no (?:quiero|queremos|me (?:pongas?|des|dé|agregues?|incluyas?))"
    r"|(?:i )?(?:do not|don't|dont) want(?: the| any)?|(?:pero|but) no(?= [^\W\d_]))\b"
    r"(?! (?:que|nada|más|mas|m[aá]s|more|anything|nothing|to)\b)",
    re.IGNORECASE,
)
_MORE = word_set("mas more otra otras otro otros another adicional adicionales tambien also extra")


class Op(StrEnum):
    """What a clause does to the draft."""

    ADD = "add"
    SET = "set"
    REMOVE = "remove"
    WITHOUT = "without"
    SWAP = "swap"


@dataclass(frozen=True, slots=True)
class Clause:
    """Chunks with one effect.

    ``said`` = a verb said so, or for WITHOUT that nothing is ordered before it;
    ``to`` follows "por", "a", "for"; ``more`` = on top of what there is.
    """

    op: Op
    chunks: tuple[Chunk, ...]
    said: bool = False
    to: tuple[Chunk, ...] = ()
    more: bool = False


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
    def sets(self) -> bool:
        """Whether a verb says that something there is shall be otherwise ("cámbialo a 4")."""
        return any(clause.op is Op.SET and clause.said for clause in self.clauses)

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
    text = _SWAP.sub(lambda found: _SWAPS.ljust(len(found.group())), frames.text)
    plain = tokenise(_UNWANTED.sub(lambda found: "quita".ljust(len(found.group())), text))
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


@dataclass(frozen=True, slots=True)
class _Part:
    op: Op
    said: bool
    tokens: tuple[Token, ...]


def _clauses(tokens: Sequence[Token], menu: Menu, among: Sequence[MenuItem]) -> list[Clause]:
    found: list[Clause] = []
    for part in _parts(tokens, menu):
        if part.op is Op.SWAP:
            found = _swapped(found, _chunks(part.tokens, menu, among))
        elif part.op is Op.WITHOUT:
            alone = not any(chunk.hard for clause in found for chunk in clause.chunks)
            found.append(Clause(Op.WITHOUT, _chunks(part.tokens, menu, among), alone))
        else:
            found += _clause(part.op, part.said, part.tokens, menu, among)
    return found


def _parts(tokens: Sequence[Token], menu: Menu) -> list[_Part]:
    """The tokens at the verbs; "sin" reaches only as far as the words right behind it."""
    found: list[_Part] = []
    op, said, now = Op.ADD, False, list[Token]()
    before = (op, said)

    def close(new: Op, verb: bool) -> None:
        nonlocal op, said, now
        if now or said:
            found.append(_Part(op, said, tuple(now)))
        op, said, now = new, verb, []

    for at, token in enumerate(tokens):
        verb = Op.WITHOUT if _refuses(tokens, at, menu) else _verb(token)
        if verb is Op.WITHOUT and op is Op.REMOVE and token.text == "ni":
            verb = Op.REMOVE
        if verb is not None:
            before = before if op is Op.WITHOUT else (op, False)
            close(verb, True)
            continue
        ends = token.is_break or token.text in words.AND or (token.is_number and not token.weak)
        if op is Op.WITHOUT and ends and now:
            close(before[0], before[1])
        now.append(token)
    close(Op.ADD, False)
    return found


def _refuses(tokens: Sequence[Token], at: int, menu: Menu) -> bool:
    """Whether "sin" or "no" stands here before a thing, and not in a name of the menu ("Sin calentar")."""
    text, behind = tokens[at].text, [token.text for token in tokens[at + 1 : at + 5]]
    if text not in words.WITHOUT | {"no"} or menu.is_without([word for word in behind if word not in words.STOP]):
        return False
    plain = bool(behind) and behind[0].isalpha() and behind[0] not in words.FILLER | words.STOP | words.AND
    known = plain and tokens[at + 1].kind is Kind.WORD and bool(menu.lexicon.similar(behind[0]))
    return text != "no" or known


def _swapped(before: list[Clause], chunks: tuple[Chunk, ...]) -> list[Clause]:
    """As in "en vez de agua un jugo", and as in "un jugo en vez de agua"."""
    if len(chunks) > 1 and chunks[0].hard:
        return [*before, Clause(Op.SET, chunks[:1], True, chunks[1:])]
    last = before[-1] if before else None
    if last is None or not last.chunks or last.op in (Op.REMOVE, Op.WITHOUT):
        return [*before, Clause(Op.REMOVE, chunks, True)]
    if not any(chunk.hard for chunk in chunks):
        return [*before[:-1], replace(last, op=Op.SET, said=True)]
    kept = [replace(last, chunks=last.chunks[:-1])] if len(last.chunks) > 1 else []
    return [*before[:-1], *kept, Clause(Op.SET, chunks, True, last.chunks[-1:])]


def _verb(token: Token) -> Op | None:
    if token.text == _SWAPS:
        return Op.SWAP
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
    more = any(token.raw and fold(token.raw) in _MORE for token in tokens)
    return [Clause(op, _chunks(tokens, menu, known), said, more=more)]


def _counts_or_names(tokens: Sequence[Token], menu: Menu) -> bool:
    return any(chunk.number is not None or chunk.readings for chunk in segment(tokens, menu))


def _chunks(tokens: Sequence[Token], menu: Menu, among: Sequence[MenuItem] | None) -> tuple[Chunk, ...]:
    """Chunks among the draft's items; what is not there is looked for in the whole menu."""
    if among:
        near = segment(tokens, menu, among)
        if all(chunk.readings and not chunk.readings[0].left for chunk in near if chunk.hard):
            return tuple(near)
    return tuple(segment(tokens, menu))
