"""Apply a turn to the draft: add, change, remove, "one more"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from orders.offline.explain import Reading, explain_as_choice
from orders.offline.facts import Line
from orders.offline.match import best
from orders.offline.menu import Menu
from orders.offline.reading import Clause, Op, Turn
from orders.offline.removing import remove, without
from orders.offline.resolve import resolve
from orders.offline.segment import Chunk
from orders.offline.wishes import Wish, settled
from orders.offline.work import Doubt, Work, find, line_of, wish_of, words_of

_MORE = frozenset({"mas", "more", "igual", "iguales", "adicional", "adicionales"})


@dataclass(frozen=True, slots=True)
class Outcome:
    """The draft after the turn, what is open, and whether anything was meant for it.

    ``wishes`` are only the open ones; ``doubts`` pair a doubt with the words.
    """

    lines: tuple[Line, ...]
    wishes: tuple[Wish, ...] = ()
    doubts: tuple[tuple[Doubt, str], ...] = ()
    touched: bool = False


def apply(turn: Turn, menu: Menu, draft: Sequence[Line], open_before: Sequence[Wish] = ()) -> Outcome:
    """The draft's lines after the turn. ``open_before`` are unfinished wishes of earlier turns."""
    if turn.clear:
        return Outcome((), touched=True)
    work = Work(menu, list(draft), list(open_before), [])
    for clause in turn.clauses:
        if clause.op is Op.REMOVE:
            remove(work, clause)
        elif clause.op is Op.WITHOUT:
            without(work, clause)
        elif clause.op is Op.SET and (work.lines or _replaces(clause)):
            _set(work, clause)
        else:
            _add(work, clause, turn.note)
    if turn.note is not None and not work.touched:
        _renote(work, turn.note)
    return Outcome(tuple(work.lines), tuple(work.open), tuple(work.doubts), work.touched)


def _renote(work: Work, note: str) -> None:
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


def _replaces(clause: Clause) -> bool:
    """Whether it names one thing to have in place of another."""
    return any(chunk.hard for chunk in clause.chunks) and any(chunk.hard for chunk in clause.to)


def _add(work: Work, clause: Clause, note: str | None) -> None:
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
            more = clause.more or (clause.said and clause.op is Op.ADD)
            work.put(line_of(wish), more=more, counted=wish.number is not None)
    work.touched = work.touched or tuple(wishes) != before


def _noted(wishes: Sequence[Wish], note: str | None) -> list[Wish]:
    """The note goes to the one wish whose product takes it, else to the last one."""
    if note is None:
        return list(wishes)
    takers = [at for at, wish in enumerate(wishes) if wish.item is not None and wish.item.data.get("note_max")]
    at = takers[-1] if takers else len(wishes) - 1
    return [settled(replace(wish, note=note)) if i == at and wish.item else wish for i, wish in enumerate(wishes)]


def _one_more(work: Work, chunks: Sequence[Chunk]) -> bool:
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


def _set(work: Work, clause: Clause) -> None:
    if clause.to and _swap(work, clause):
        return
    if _changes_choice(work, [*clause.chunks, *clause.to]):
        return
    if _replaces(clause) and find(work, clause.chunks[0]) is None:
        work.doubt(Doubt.NOT_IN_DRAFT, words_of(clause.chunks[0]))
        return
    for chunk in [*clause.chunks, *clause.to]:
        _set_one(work, chunk)


def _set_one(work: Work, chunk: Chunk) -> None:
    at = find(work, chunk)
    count = chunk.number
    if at is None and not chunk.hard and count is not None:
        at = _counted_line(work.lines)
        if at is None:
            work.doubt(Doubt.WHICH_LINE, count.text)
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


def _recount(work: Work, at: int, chunk: Chunk) -> None:
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


def _swap(work: Work, clause: Clause) -> bool:
    """As in "cambia la palmera por 2 ensaimadas"."""
    if len(clause.chunks) != 1 or not clause.to[0].hard:
        return False
    at = find(work, clause.chunks[0])
    wishes = resolve(clause.to, work.menu)
    if at is None or not wishes or not all(wish.item for wish in wishes):
        return False
    old = work.drop(at)
    for wish in wishes:
        if wish.clear:
            line = line_of(wish)
            work.put(line if wish.number is not None else replace(line, quantity=old.quantity), more=True)
        else:
            work.open.append(wish)
    return True


def _changes_choice(work: Work, chunks: Sequence[Chunk]) -> bool:
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
