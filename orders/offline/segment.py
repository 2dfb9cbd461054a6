"""Cut a clause into items: one chunk of words for each thing wanted.

"frijol con queso y dos de ayote" has three places where it could be cut; the
cut whose chunks the menu explains best wins (dynamic programming over cuts).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from orders.offline import vocabulary as words
from orders.offline.explain import Reading
from orders.offline.match import readings
from orders.offline.menu import Menu, MenuItem
from orders.offline.normalise import Kind, Token

CHUNK_COST = 0.6
WITH_QUANTITY = 0.1
WITHOUT_QUANTITY = -0.1
QUANTITY_AFTER = -0.05
#: A number nothing is counted by.
LONELY_NUMBER = -0.8
#: Something counted that the menu does not have, and words that mean nothing to us.
UNKNOWN_COUNTED = -0.5
UNKNOWN_WORD = -0.5
#: A chunk is at most so many pieces between possible cuts.
PIECES = 8
#: Longer chunks are not looked at as a whole.
CHUNK_WORDS = 16


@dataclass(frozen=True, slots=True)
class Chunk:
    """The words of one item and how the menu explains them, best reading first.

    ``of`` = elliptical ("y 2 de pollo"); ``apart`` = a pause or "y" stands before it.
    """

    tokens: tuple[Token, ...]
    readings: tuple[Reading, ...]
    of: bool = False
    apart: bool = False

    @property
    def number(self) -> Token | None:
        """The number it was counted with, whatever explains the rest."""
        numbers = [t for t in self.tokens if t.value is not None and not t.anchored]
        return next((t for t in numbers if not t.weak), numbers[0] if numbers else None)

    @property
    def hard(self) -> tuple[Token, ...]:
        """The words that must mean something."""
        return tuple(t for t in self.tokens if t.kind is Kind.WORD and not t.soft)


@dataclass(frozen=True, slots=True)
class _Piece:
    tokens: tuple[Token, ...]
    of: bool
    apart: bool


def segment(tokens: Sequence[Token], menu: Menu, among: Sequence[MenuItem] | None = None) -> list[Chunk]:
    """The chunks of a clause, in order. ``among`` limits the products looked at."""
    pieces = _pieces(prepared(tokens, menu))
    count = len(pieces)
    score = [0.0] + [float("-inf")] * count
    came: list[tuple[int, Chunk] | None] = [None] * (count + 1)
    for end in range(1, count + 1):
        for start in range(max(0, end - PIECES), end):
            joined = tuple(token for piece in pieces[start:end] for token in piece.tokens)
            if len(joined) > CHUNK_WORDS and end - start > 1:
                continue
            chunk, value = _weigh(joined, pieces[start], menu, among)
            if score[start] + value > score[end]:
                score[end] = score[start] + value
                came[end] = (start, chunk)
    return _walk_back(came, count)


def prepared(tokens: Sequence[Token], menu: Menu) -> list[Token]:
    """Mark sizes said after "de" or "para", talk after "porque", and words that may be nothing."""
    found: list[Token] = []
    aside = False
    lead = ""
    for token in tokens:
        if token.is_break or (token.is_number and not token.weak):
            aside = False
        aside = aside or (token.kind is Kind.WORD and token.text in words.ASIDES)
        sized = token.kind is Kind.NUMBER and lead in words.SIZE_LEADS
        soft = token.kind is Kind.WORD and (aside or token.text == "no" or token.text in words.FILLER)
        found.append(replace(token, anchored=sized or token.anchored, soft=soft))
        lead = token.text
    return found


def _pieces(tokens: Sequence[Token]) -> list[_Piece]:
    """Split where an item could begin; glue words go."""
    found: list[_Piece] = []
    now: list[Token] = []
    of, apart = False, False

    def close() -> None:
        nonlocal now, of, apart
        if now:
            found.append(_Piece(tuple(now), of, apart))
        now, of, apart = [], False, False

    for at, token in enumerate(tokens):
        if token.is_break or token.text in words.AND:
            close()
            apart = True
            continue
        if _starts_item(token) or _ends_item(tokens, at):
            close()
        if token.text in ("de", "of") and all(each.value is not None for each in now):
            of = True
        if token.kind in (Kind.WORD, Kind.NUMBER, Kind.MONEY) and token.text not in words.STOP:
            now.append(token)
    close()
    return found


def _starts_item(token: Token) -> bool:
    """A number begins an item, except the size after "de" and the article of "una libra"."""
    if token.kind is Kind.MONEY:
        return True
    return token.kind is Kind.NUMBER and not token.anchored


def _ends_item(tokens: Sequence[Token], at: int) -> bool:
    """After "REVUELTA 4" an item may end."""
    if at < 2 or tokens[at - 1].kind is not Kind.NUMBER or tokens[at - 1].weak:
        return False
    if tokens[at].text in ("de", "of"):
        return False
    return tokens[at - 2].kind is Kind.WORD


def _weigh(
    tokens: tuple[Token, ...], piece: _Piece, menu: Menu, among: Sequence[MenuItem] | None
) -> tuple[Chunk, float]:
    found = readings(tokens, menu, among)
    chunk = Chunk(tokens, tuple(found), piece.of, piece.apart)
    hard = len(chunk.hard)
    counted = chunk.number
    if not hard and (not found or found[0].score < 1):
        return replace(chunk, readings=()), LONELY_NUMBER if counted is not None else 0.0
    if not found or found[0].score <= 0:
        if counted is None:
            return chunk, UNKNOWN_WORD * hard
        elliptic = all(menu.is_choice(token.text) for token in chunk.hard)
        return chunk, 0.0 if elliptic else UNKNOWN_COUNTED
    value = found[0].score - CHUNK_COST
    if found[0].quantity is None:
        return chunk, value + WITHOUT_QUANTITY
    after = bool(found[0].name_at) and found[0].quantity.start > tokens[found[0].name_at[0]].start
    return chunk, value + WITH_QUANTITY + (QUANTITY_AFTER if after else 0.0)


def _walk_back(came: Sequence[tuple[int, Chunk] | None], end: int) -> list[Chunk]:
    chunks: list[Chunk] = []
    while end > 0:
        step = came[end]
        if step is None:
            break
        end, chunk = step
        chunks.append(chunk)
    return [chunk for chunk in reversed(chunks) if chunk.tokens]
