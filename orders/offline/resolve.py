"""Chunks to wishes, each in the light of the ones before it.

"3 empanadas de carne y 2 de pollo": the second chunk borrows the noun of the
first.  "una gaseosa", then "manzana": the second completes the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from orders.offline import vocabulary as words
from orders.offline.explain import Reading, explain, explain_as_choice, likenesses
from orders.offline.match import best
from orders.offline.menu import Menu, MenuItem
from orders.offline.normalise import Kind, Token
from orders.offline.quantities import NO_NUMBER, ONE_MORE_HALF
from orders.offline.segment import Chunk
from orders.offline.wishes import Wish, by_pack, settled

#: Trailing words without a number that may still be a wish ("... y cerveza").
SHORT_TALK = 2


def resolve(chunks: Sequence[Chunk], menu: Menu, open_before: Sequence[Wish] = ()) -> list[Wish]:
    """The wishes in order; ``open_before`` are unfinished ones of earlier turns, completed in place."""
    wishes = list(open_before)
    at = 0
    while at < len(chunks):
        parts = _breakdown(chunks, at, menu, wishes)
        if parts:
            wishes += parts
            at += 1 + len(parts)
            continue
        if _spoils(wishes, chunks[at]):
            at += 1
            continue
        if not _completes(wishes, chunks[at], menu, len(open_before)) and not _extends(wishes, chunks[at], menu):
            made = _wish(chunks[at], menu, wishes)
            if made is not None and not _is_lead(chunks[at], made, chunks[at + 1 :]):
                wishes.append(_doubled(made, chunks[:at], chunks[at]))
        at += 1
    return [wish for wish in wishes if not _is_talk(wish, wishes)]


def _spoils(wishes: list[Wish], chunk: Chunk) -> bool:
    """As in "dos y medio" and "18 menos 3": the count before it is not the one meant."""
    count = chunk.number
    if chunk.hard or not wishes or count is None or count.value is None or count.weak:
        return False
    last = wishes[-1]
    if last.item is None or last.number is None or (count.text != ONE_MORE_HALF and count.value > 0):
        return False
    wishes[-1] = settled(replace(last, number=replace(count, value=-abs(count.value))))
    return True


def _doubled(wish: Wish, before: Sequence[Chunk], chunk: Chunk) -> Wish:
    """As in "2 3 croissants": two counts side by side are none."""
    last = before[-1] if before else None
    if last is None or last.hard or chunk.apart or last.number is None or wish.number is None:
        return wish
    first, second = last.number, wish.number
    beside = first.raw.isdigit() and second.raw.isdigit() and 0 <= second.start - first.end <= 1
    none: Token = replace(second, value=NO_NUMBER)
    return settled(replace(wish, number=none)) if beside else wish


def _breakdown(chunks: Sequence[Chunk], at: int, menu: Menu, before: Sequence[Wish]) -> list[Wish]:
    """As in "tres empanadas: dos de carne y una de pollo" wants three, not six: the parts, if they are."""
    total = _count(chunks[at]) or 0
    whole = _wish(chunks[at], menu, before) if total > 1 else None
    if whole is None:
        return []
    parts: list[Wish] = []
    for chunk in chunks[at + 1 :]:
        count = _count(chunk)
        part = _wish(chunk, menu, [*before, whole]) if count is not None else None
        if count is None or part is None or not _is_part(part, whole):
            return []
        parts.append(part)
        total -= count
        if total <= 0:
            break
    return parts if total == 0 and len(parts) > 1 else []


def _count(chunk: Chunk) -> int | None:
    number = chunk.number
    return int(number.value) if number is not None and number.value is not None and number.is_number else None


def _is_part(part: Wish, whole: Wish) -> bool:
    if part.item is None:
        return False
    return part.item is whole.item or part.item in whole.candidates


def _is_lead(chunk: Chunk, wish: Wish, rest: Sequence[Chunk]) -> bool:
    """Unknown words that lead up to something counted, as in "oiga mi linda pongame 2 panes".

    A noun right before the count ("quiero tamales 3 panes") is wanted, not talk.
    """
    if chunk.tokens[-1] in chunk.hard and any(token.soft for token in chunk.tokens):
        return False
    unknown = wish.item is None and not wish.candidates and wish.number is None
    return unknown and bool(rest) and not rest[0].apart and rest[0].number is not None


def _is_talk(wish: Wish, wishes: Sequence[Wish]) -> bool:
    """Unknown words without a number, beside things we know: talk and no wish."""
    return (
        wish.item is None
        and not wish.candidates
        and wish.number is None
        and len(wish.words.split()) > SHORT_TALK
        and any(other.item is not None for other in wishes)
    )


def _completes(wishes: list[Wish], chunk: Chunk, menu: Menu, asked: int) -> bool:
    """Use the chunk to finish an unfinished wish; the first ``asked`` are of earlier turns."""
    open_at = [at for at, wish in enumerate(wishes) if not wish.clear]
    for at in reversed(open_at):
        finished = _finish(wishes[at], chunk, menu, at < asked)
        if finished is not None:
            wishes[at] = finished
            return True
    return False


def _finish(wish: Wish, chunk: Chunk, menu: Menu, asked: bool) -> Wish | None:
    counted = _is_new_count(chunk) and not _is_same_count(wish, chunk)
    if counted and wish.item is not None and wish.quantity is not None:
        return None
    if wish.item is None:
        return _choose(wish, chunk, menu)
    if not chunk.hard and chunk.number is not None and not chunk.number.weak and wish.quantity is None:
        return settled(replace(wish, number=chunk.number))
    named = best(chunk.readings)
    elsewhere = named and named[0].whole and named[0].item is not wish.item and not chunk.of
    tokens = chunk.tokens
    if _is_same_count(wish, chunk):
        tokens = tuple(token for token in tokens if token is not chunk.number)
    reading = explain_as_choice(_all_anchored(tokens), menu, wish.item)
    if elsewhere and not (asked and not counted and _answers(wish, reading, named[0])):
        return None
    own = explain(chunk.tokens, likenesses(chunk.tokens, menu), wish.item)
    if own is not None and (reading is None or len(own.left) < len(reading.left)):
        reading = own
    if reading is None or reading.left:
        return None
    return settled(_with_choices(wish, reading))


def _is_same_count(wish: Wish, chunk: Chunk) -> bool:
    """As in "mango los dos" of two juices."""
    return wish.quantity is not None and chunk.number is not None and chunk.number.value == wish.quantity


def _answers(wish: Wish, choice: Reading | None, product: Reading) -> bool:
    """Whether a word that also is a product is the option we asked for ("chocolate")."""
    if choice is None or choice.left or not choice.options or len(product.name_at) > len(choice.options):
        return False
    lacking = {rule.key for rule in wish.item.lists if len(wish.chosen(rule)) < rule.min} if wish.item else set()
    return all(option.list_key in lacking for option in choice.options)


def _extends(wishes: list[Wish], chunk: Chunk, menu: Menu) -> bool:
    """As in "una torta de mora, nuez y coco": more options of the item before, perhaps too many."""
    last = wishes[-1] if wishes else None
    if last is None or last.item is None or chunk.number is not None or not chunk.hard:
        return False
    named = best(chunk.readings)
    if named and named[0].whole and not named[0].left:
        return False
    reading = explain_as_choice(chunk.tokens, menu, last.item)
    if reading is None or reading.left or reading.vague or not reading.options:
        return False
    options = list(last.options)
    surplus = list(last.surplus)
    for option in reading.options:
        rule = next(rule for rule in last.item.lists if rule.key == option.list_key)
        full = sum(1 for other in options if other.list_key == rule.key) >= rule.max
        (surplus if full else options).append(option)
    wishes[-1] = settled(replace(last, options=tuple(options), surplus=tuple(surplus)))
    return True


def _is_new_count(chunk: Chunk) -> bool:
    return chunk.number is not None and not chunk.number.weak and bool(chunk.hard)


def _all_anchored(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """In an answer every number may be a size ("12")."""
    return tuple(
        replace(token, anchored=True) if token.kind is Kind.NUMBER and not token.weak else token for token in tokens
    )


def _choose(wish: Wish, chunk: Chunk, menu: Menu) -> Wish | None:
    """Which of the candidates the chunk names; only without a count of its own."""
    if not wish.candidates or _is_new_count(chunk):
        return None
    chosen = _among(wish.candidates, chunk, menu)
    if chosen is None:
        return None
    return settled(_with_choices(replace(wish, item=chosen.item, candidates=()), chosen))


def _among(items: Sequence[MenuItem], chunk: Chunk, menu: Menu) -> Reading | None:
    """The one of the items that the chunk names, None when none or several."""
    likeness = likenesses(chunk.tokens, menu)
    found = [
        reading for item in items if (reading := explain(chunk.tokens, likeness, item)) is not None and not reading.left
    ]
    chosen = best(sorted(found, key=lambda reading: -reading.score))
    return chosen[0] if len(chosen) == 1 else None


def _with_choices(wish: Wish, reading: Reading) -> Wish:
    """The wish with the reading's size and options; a list chosen anew replaces the old choice."""
    renewed = {option.list_key for option in reading.options}
    kept = tuple(option for option in wish.options if option.list_key not in renewed)
    open_lists = {choice.list_key for choices in reading.vague for choice in choices}
    return replace(
        wish,
        size=reading.size or wish.size,
        options=(*kept, *reading.options),
        surplus=reading.surplus,
        vague=tuple(v for v in reading.vague if open_lists),
        left="",
    )


def _wish(chunk: Chunk, menu: Menu, before: Sequence[Wish]) -> Wish | None:
    borrowed = _borrow(chunk, menu, before)
    found = [borrowed] if borrowed is not None else best(chunk.readings)
    if not found or found[0].score <= 0:
        return _unknown(chunk)
    text = _said(chunk.tokens)
    if len(found) > 1:
        first = found[0]
        if first.left:
            return _unknown(chunk)
        items = tuple(reading.item for reading in found)
        return settled(Wish(text, candidates=items, number=first.quantity, by_pack=by_pack(chunk.tokens)))
    return settled(of_reading(found[0], chunk.tokens))


def of_reading(reading: Reading, tokens: Sequence[Token]) -> Wish:
    """The wish a clear reading makes; settle it before use."""
    left = " ".join(tokens[at].said for at in reading.left)
    return Wish(
        words=_said(tokens),
        item=reading.item,
        number=reading.quantity,
        size=reading.size,
        options=reading.options,
        surplus=reading.surplus,
        vague=reading.vague,
        left=left,
        by_pack=by_pack(tokens),
    )


def _unknown(chunk: Chunk) -> Wish | None:
    if not chunk.hard:
        return None
    return settled(Wish(_said(chunk.tokens), number=chunk.number))


def _said(tokens: Sequence[Token]) -> str:
    """The telling words of a chunk, as the customer would recognise them."""
    return " ".join(token.said for token in tokens if token.kind is Kind.WORD and not token.soft)


def _borrow(chunk: Chunk, menu: Menu, before: Sequence[Wish]) -> Reading | None:
    """Read an elliptical chunk by the item before: its options, or its noun."""
    if not before or not chunk.hard:
        return None
    if before[-1].candidates:
        return _among(before[-1].candidates, chunk, menu)
    last = next((wish.item for wish in reversed(before) if wish.item is not None), None)
    if last is None:
        return None
    own = best(chunk.readings)
    clear = bool(own) and own[0].whole and not own[0].left and len(own) == 1
    if clear and not chunk.of:
        return None
    choice = explain_as_choice(chunk.tokens, menu, last)
    if choice is not None and not choice.left and not choice.vague and choice.options:
        return choice
    return _with_noun(chunk, menu, last, clear)


def _with_noun(chunk: Chunk, menu: Menu, last: MenuItem, clear: bool) -> Reading | None:
    """As in "2 de pollo" after empanadas: the one product that "empanada de pollo" names wholly."""
    for noun in dict.fromkeys((last.head, *(name[-1] for name in last.names[:1]))):
        if not noun.isalpha() or noun in words.STOP:
            continue
        tokens = (*chunk.tokens, Token(noun, 0, 0))
        likeness = likenesses(tokens, menu)
        found = [
            reading
            for item in menu.items_named(noun)
            if (reading := explain(tokens, likeness, item)) is not None
            and reading.whole
            and not reading.left
            and len(tokens) - 1 in reading.name_at
        ]
        named = best(sorted(found, key=lambda reading: -reading.score))
        if len(named) == 1 and not (clear and len(named[0].name_at) < 2):
            return named[0]
    return None
