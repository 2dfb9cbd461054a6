"""The draft while a turn is applied to it: its lines, and what is still open."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import StrEnum

from orders.offline import vocabulary as words
from orders.offline.facts import Line
from orders.offline.match import best
from orders.offline.menu import Menu
from orders.offline.normalise import Kind, Token
from orders.offline.segment import Chunk
from orders.offline.wishes import LARGE, Wish, settled


class Doubt(StrEnum):
    """What a change leaves to ask."""

    WHICH_LINE = "which_line"
    NOT_IN_DRAFT = "not_in_draft"
    AS_ON_MENU = "as_on_menu"


@dataclass(slots=True)
class Work:
    """``fresh`` are the positions of lines this turn has put there."""

    menu: Menu
    lines: list[Line]
    open: list[Wish]
    doubts: list[tuple[Doubt, str]]
    touched: bool = False
    fresh: set[int] = field(default_factory=set)

    def doubt(self, doubt: Doubt, about: str) -> None:
        self.doubts.append((doubt, about))
        self.touched = True

    def drop(self, at: int) -> Line:
        """Take the line out."""
        self.fresh = {other - (other > at) for other in self.fresh if other != at}
        self.touched = True
        return self.lines.pop(at)

    def put(self, line: Line, *, more: bool = False, counted: bool = True) -> None:
        """Add the line, or make it the quantity of the same line.

        What is said again is no second order: only ``more``, or being named
        twice in one turn, adds up.  Uncounted, a line stays as it is.
        """
        at = next((i for i, known in enumerate(self.lines) if known.same_thing(line)), None)
        if at is None:
            self.fresh.add(len(self.lines))
            self.lines.append(line)
            return
        known = self.lines[at].quantity
        if more or at in self.fresh:
            self._recount(at, known + line.quantity, line.quantity)
        elif counted:
            self.lines[at] = replace(self.lines[at], quantity=line.quantity)
        self.fresh.add(at)

    def _recount(self, at: int, quantity: int, more: int) -> None:
        """A line that grows is held to the same limits as a new one; else it stays and is asked about."""
        line = replace(self.lines[at], quantity=quantity)
        wish = wish_of(line, self.menu)
        grown = settled(wish) if wish is not None else None
        if grown is not None and not grown.clear and quantity > LARGE:
            self.open.append(replace(grown, more=more))
        else:
            self.lines[at] = line


def line_of(wish: Wish) -> Line:
    """The draft line of a clear wish."""
    if wish.item is None or wish.quantity is None:
        raise ValueError("an open wish is no line yet")
    return Line(
        product=wish.item.key,
        quantity=wish.quantity,
        variant=wish.size.key if wish.size is not None else None,
        options=tuple(option.code for option in wish.options),
        note=wish.note,
    )


def wish_of(line: Line, menu: Menu) -> Wish | None:
    """A draft line as a wish again; None when its product left the menu."""
    item = menu.by_key.get(line.product)
    if item is None:
        return None
    options = tuple(o for rule in item.lists for o in rule.options if o.code in line.options)
    count = Token(str(line.quantity), 0, 0, Kind.NUMBER, Decimal(line.quantity))
    return Wish(item.label, item, (), count, item.size(line.variant), options, note=line.note, by_pack=True)


def matching(work: Work, chunk: Chunk) -> list[int]:
    """The positions of the lines the chunk may name."""
    if not chunk.hard:
        return []
    keys = {line.product for line in work.lines}
    named = best([reading for reading in chunk.readings if reading.item.key in keys and not reading.left])
    products = {reading.item.key for reading in named}
    at = [i for i, line in enumerate(work.lines) if line.product in products]
    if len(at) > 1 and len(named) == 1:
        wished = {option.code for option in named[0].options}
        return [i for i in at if wished <= set(work.lines[i].options)]
    return at


def find(work: Work, chunk: Chunk) -> int | None:
    """The one line the chunk names; None when none or several."""
    at = matching(work, chunk)
    return at[0] if len(at) == 1 else None


def words_of(chunk: Chunk) -> str:
    return " ".join(token.said for token in chunk.tokens if token.text not in words.FILLER)
