"""Apply a turn to the draft: add, change, remove, "one more"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum

from orders.offline import vocabulary as words
from orders.offline.explain import Reading, explain_as_choice
from orders.offline.facts import Line
from orders.offline.match import best
from orders.offline.menu import Menu
from orders.offline.normalise import Kind, Token
from orders.offline.reading import Clause, Op, Turn
from orders.offline.resolve import resolve
from orders.offline.segment import Chunk
from orders.offline.wishes import Wish, settled

_MORE = frozenset({"mas", "more", "igual", "iguales", "adicional", "adicionales"})


class Doubt(StrEnum):
    """What a change leaves to ask."""

    WHICH_LINE = "which_line"
    NOT_IN_DRAFT = "not_in_draft"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The draft after the turn, what is open, and whether anything was meant for it.

    ``wishes`` are only the open ones; ``doubts`` pair a doubt with the words.
    """

    lines: tuple[Line, ...]
    wishes: tuple[Wish, ...] = ()
    doubts: tuple[tuple[Doubt, str], ...] = ()
    touched: bool = False


@dataclass(slots=True)
class _Work:
    menu: Menu
    lines: list[Line]
    open: list[Wish]
    doubts: list[tuple[Doubt, str]]
    touched: bool = False


def apply(turn: Turn, menu: Menu, draft: Sequence[Line], open_before: Sequence[Wish] = ()) -> Outcome:
    """The draft's lines after the turn. ``open_before`` are unfinished wishes of earlier turns."""
    if turn.clear:
        return Outcome((), touched=True)
    work = _Work(menu, list(draft), list(open_before), [])
    for clause in turn.clauses:
        if clause.op is Op.REMOVE and work.lines:
            _remove(work, clause)
        elif clause.op is Op.SET and work.lines:
            _set(work, clause)
        else:
            _add(work, clause, turn.note)
    if turn.note is not None and not work.touched:
        _renote(work, turn.note)
    return Outcome(tuple(work.lines), tuple(work.open), tuple(work.doubts), work.touched)


def _renote(work: _Work, note: str) -> None:
    """As in "que diga …" alone is the text of the line that takes one."""
    for at in reversed(range(len(work.lines))):
        wish = wish_of(work.lines[at], work.menu)
        if wish is None or wish.item is None or not wish.item.data.get("note_max"):
            continue
        noted = settled(replace(wish, note=note))
        if noted.clear:
            work.lines[at] = replace(work.lines[at], note=note)
        else:
            work.open.append(noted)
        work.touched = True
        return


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


def _add(work: _Work, clause: Clause, note: str | None) -> None:
    chunks = list(clause.chunks)
    if _one_more(work, chunks):
        return
    uncounted = not work.open and not any(chunk.number for chunk in chunks)
    if (clause.said or uncounted) and _changes_choice(work, chunks):
        return
    before = tuple(work.open)
    wishes = _noted(resolve(chunks, work.menu, before), note)
    work.open = [wish for wish in wishes if not wish.clear]
    for wish in wishes:
        if wish.clear:
            _put(work, line_of(wish))
    work.touched = work.touched or tuple(wishes) != before


def _noted(wishes: Sequence[Wish], note: str | None) -> list[Wish]:
    """The note goes to the one wish whose product takes it, else to the last one."""
    if note is None:
        return list(wishes)
    takers = [at for at, wish in enumerate(wishes) if wish.item is not None and wish.item.data.get("note_max")]
    at = takers[-1] if takers else len(wishes) - 1
    return [settled(replace(wish, note=note)) if i == at and wish.item else wish for i, wish in enumerate(wishes)]


def _put(work: _Work, line: Line) -> None:
    for at, known in enumerate(work.lines):
        if known.same_thing(line):
            work.lines[at] = replace(known, quantity=known.quantity + line.quantity)
            return
    work.lines.append(line)


def _one_more(work: _Work, chunks: Sequence[Chunk]) -> bool:
    """As in "una más", "otra igual": the last line grows."""
    if len(chunks) != 1 or chunks[0].hard or not work.lines or chunks[0].number is None:
        return False
    number = chunks[0].number
    another = number.value == 1 and not number.weak
    if not another and not {token.text for token in chunks[0].tokens} & _MORE:
        return False
    last = work.lines[-1]
    work.lines[-1] = replace(last, quantity=last.quantity + int(number.value or 1))
    work.touched = True
    return True


def _remove(work: _Work, clause: Clause) -> None:
    work.touched = True
    for chunk in clause.chunks:
        at = _find(work, chunk)
        count = chunk.number
        if at is None and not chunk.hard and count is not None and len(work.lines) == 1:
            at = 0
        if at is None:
            if chunk.hard or count is not None:
                doubt = Doubt.NOT_IN_DRAFT if chunk.hard else Doubt.WHICH_LINE
                work.doubts.append((doubt, _words(chunk)))
            continue
        line = work.lines[at]
        less = int(count.value or 0) if count is not None else line.quantity
        if less >= line.quantity:
            del work.lines[at]
        else:
            work.lines[at] = replace(line, quantity=line.quantity - less)


def _set(work: _Work, clause: Clause) -> None:
    if clause.to and _swap(work, clause):
        return
    if _changes_choice(work, [*clause.chunks, *clause.to]):
        return
    for chunk in [*clause.chunks, *clause.to]:
        _set_one(work, chunk)


def _set_one(work: _Work, chunk: Chunk) -> None:
    at = _find(work, chunk)
    count = chunk.number
    if at is None and not chunk.hard and count is not None:
        at = _counted_line(work.lines)
        if at is None:
            work.doubts.append((Doubt.WHICH_LINE, count.text))
            work.touched = True
            return
    if at is None:
        _add(work, Clause(Op.ADD, (chunk,)), None)
        return
    work.touched = True
    if count is not None and count.value is not None:
        _recount(work, at, chunk)


def _counted_line(lines: Sequence[Line]) -> int | None:
    """The line that "que sean 3" is about: the only one, or the only one that was counted."""
    counted = [at for at, line in enumerate(lines) if line.quantity > 1] if len(lines) > 1 else [0]
    return counted[0] if len(counted) == 1 else None


def _recount(work: _Work, at: int, chunk: Chunk) -> None:
    """The line with the chunk's quantity, by the same rules as a new wish."""
    line = work.lines[at]
    wish = wish_of(line, work.menu)
    if wish is None:
        return
    wish = settled(replace(wish, number=chunk.number))
    if wish.clear and wish.quantity is not None:
        work.lines[at] = replace(line, quantity=wish.quantity)
    else:
        work.open.append(wish)


def wish_of(line: Line, menu: Menu) -> Wish | None:
    """A draft line as a wish again; None when its product left the menu."""
    item = menu.by_key.get(line.product)
    if item is None:
        return None
    options = tuple(o for rule in item.lists for o in rule.options if o.code in line.options)
    count = Token(str(line.quantity), 0, 0, Kind.NUMBER, Decimal(line.quantity))
    return Wish(item.label, item, (), count, item.size(line.variant), options, note=line.note, by_pack=True)


def _swap(work: _Work, clause: Clause) -> bool:
    """As in "cambia la palmera por 2 ensaimadas"."""
    if len(clause.chunks) != 1 or not clause.to[0].hard:
        return False
    at = _find(work, clause.chunks[0])
    wishes = resolve(clause.to, work.menu)
    if at is None or not wishes or not all(wish.item for wish in wishes):
        return False
    old = work.lines.pop(at)
    work.touched = True
    for wish in wishes:
        if wish.clear:
            line = line_of(wish)
            _put(work, line if wish.number is not None else replace(line, quantity=old.quantity))
        else:
            work.open.append(wish)
    return True


def _changes_choice(work: _Work, chunks: Sequence[Chunk]) -> bool:
    """As in "cámbiale el relleno a nuez": another option or size of a line."""
    tokens = tuple(token for chunk in chunks for token in chunk.tokens if not (token.is_number and token.weak))
    if not work.lines or not any(not token.soft for token in tokens):
        return False
    named = best(chunks[0].readings) if len(chunks) == 1 else []
    if named and named[0].whole and not named[0].left:
        return False
    for at in reversed(range(len(work.lines))):
        wish = wish_of(work.lines[at], work.menu)
        reading = explain_as_choice(tokens, work.menu, wish.item) if wish and wish.item else None
        if wish is None or reading is None or reading.left or reading.vague:
            continue
        changed = _with_choice(wish, reading)
        if changed.clear:
            work.lines[at] = replace(line_of(changed), quantity=work.lines[at].quantity)
            work.touched = True
            return True
    return False


def _with_choice(wish: Wish, reading: Reading) -> Wish:
    renewed = {option.list_key for option in reading.options}
    kept = tuple(option for option in wish.options if option.list_key not in renewed)
    return settled(replace(wish, size=reading.size or wish.size, options=(*kept, *reading.options)))


def _find(work: _Work, chunk: Chunk) -> int | None:
    """The one line the chunk names; None when none or several."""
    if not chunk.hard:
        return None
    keys = {line.product for line in work.lines}
    found = [reading for reading in chunk.readings if reading.item.key in keys and not reading.left]
    named = best(found)
    if len(named) != 1:
        return None
    at = [i for i, line in enumerate(work.lines) if line.product == named[0].item.key]
    if len(at) > 1:
        wished = {option.code for option in named[0].options}
        at = [i for i in at if wished and wished <= set(work.lines[i].options)]
    return at[0] if len(at) == 1 else None


def _words(chunk: Chunk) -> str:
    return " ".join(token.text for token in chunk.tokens if token.text not in words.FILLER)
