"""Take things out of the draft: "quita el café", "no quiero café", "sin café"."""

from __future__ import annotations

from dataclasses import replace

from orders.offline.explain import explain_as_choice
from orders.offline.match import best
from orders.offline.reading import Clause
from orders.offline.segment import Chunk
from orders.offline.wishes import settled
from orders.offline.words_both import ALLERGEN_NAMES
from orders.offline.work import Doubt, Work, find, line_of, matching, wish_of, words_of


def remove(work: Work, clause: Clause) -> None:
    """Take out the lines named, or as many of them as were counted."""
    for chunk in clause.chunks:
        if (_is_product(chunk) or not _drop_option(work, chunk)) and not _drop_open(work, chunk):
            _remove_one(work, chunk)


def _remove_one(work: Work, chunk: Chunk) -> None:
    at = find(work, chunk)
    count = chunk.number
    if at is None and not chunk.hard and count is not None and len(work.lines) == 1:
        at = 0
    if at is None:
        _missed(work, chunk)
        return
    line = work.lines[at]
    less = int(count.value or 0) if count is not None else line.quantity
    if less >= line.quantity:
        work.drop(at)
    else:
        work.lines[at] = replace(line, quantity=line.quantity - less)
        work.touched = True


def _missed(work: Work, chunk: Chunk) -> None:
    """No line is surely meant: an option of one, else a question."""
    if not chunk.hard and chunk.number is None:
        return
    if not chunk.hard or len(matching(work, chunk)) > 1:
        work.doubt(Doubt.WHICH_LINE, words_of(chunk))
    elif not _drop_option(work, chunk):
        work.doubt(Doubt.NOT_IN_DRAFT, words_of(chunk))


def without(work: Work, clause: Clause) -> None:
    """As in "sin café": out with that line or option.

    Said of something just ordered, or of what is no product ("sin leche"), it is
    about how a thing is made.  That is never guessed: an allergy may depend on it.
    """
    for chunk in clause.chunks:
        if not chunk.hard or _drop_option(work, chunk):
            continue
        if (not clause.said and not _is_product(chunk)) or (not clause.said and work.touched):
            work.doubt(Doubt.AS_ON_MENU, words_of(chunk))
        elif not _drop_open(work, chunk):
            _remove_one(work, chunk)


def _is_left_out(work: Work, chunk: Chunk) -> bool:
    """As in "no filling": nothing was chosen from that list, and nothing has to be.

    Not where the list is called like an allergen: "sin leche" says more than "no other milk".
    """
    said = {token.text for token in chunk.hard}
    if said & ALLERGEN_NAMES:
        return False
    wishes = [*work.open, *(wish for line in work.lines if (wish := wish_of(line, work.menu)) is not None)]
    return any(
        rule.min == 0 and not wish.chosen(rule) and said <= set(rule.name_words)
        for wish in wishes
        if wish.item is not None
        for rule in wish.item.lists
    )


def _is_product(chunk: Chunk) -> bool:
    named = best(chunk.readings)
    return bool(named) and named[0].whole and not named[0].left


def _drop_option(work: Work, chunk: Chunk) -> bool:
    """Take an option off the newest line that has it, when the line can be without."""
    for at in reversed(range(len(work.lines))):
        wish = wish_of(work.lines[at], work.menu)
        reading = explain_as_choice(chunk.tokens, work.menu, wish.item) if wish and wish.item else None
        if wish is None or reading is None or reading.left or reading.vague or not reading.options:
            continue
        kept = tuple(option for option in wish.options if option not in reading.options)
        changed = settled(replace(wish, options=kept))
        if len(kept) < len(wish.options) and changed.clear:
            work.lines[at] = replace(line_of(changed), quantity=work.lines[at].quantity)
            work.touched = True
            return True
    return False


def _drop_open(work: Work, chunk: Chunk) -> bool:
    """Forget a question about it, as in "no quiero las empanadas" while we ask which."""
    if not chunk.hard or matching(work, chunk):
        return False
    items = {reading.item for reading in best(chunk.readings) if not reading.left}
    kept = [wish for wish in work.open if not items & {wish.item, *wish.candidates}]
    dropped = len(kept) < len(work.open)
    work.open = kept
    work.touched = work.touched or dropped
    return dropped
