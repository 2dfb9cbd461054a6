"""What a customer wants of one product, and what is still wrong or open with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum

from orders.offline.menu import MenuItem, OptionChoice, OptionList, Size
from orders.offline.normalise import Kind, Token
from orders.offline.tables import word_set

#: More than a tool takes.
MOST = 500
#: From here on a quantity is asked about, or left to a person.
LARGE = 200
PIECES_IN_DOZEN = 12

_CONTAINERS = word_set(
    """bolsa bolsas caja cajas paquete paquetes bandeja bandejas charola charolas cubeta cubetas
    panal panales docena docenas dozen dozens bag bags box boxes pack packs tray trays tarro
    canasta cubetica carton cartones"""
)


class Open(StrEnum):
    """Why a wish is no item yet."""

    WHICH_PRODUCT = "which_product"
    NOT_FOUND = "not_found"
    WHICH_SIZE = "which_size"
    WHICH_OPTION = "which_option"
    NO_SUCH_OPTION = "no_such_option"
    TOO_MANY_OPTIONS = "too_many_options"
    OPTION_SOLD_OUT = "option_sold_out"
    QUANTITY = "quantity"
    LARGE = "large_quantity"
    TOO_MANY = "too_many"
    BELOW_MIN = "below_min"
    ABOVE_MAX = "above_max"
    STEP = "step"
    PACK = "pack"
    AMOUNT = "amount"
    NOTE_LONG = "note_too_long"
    NO_NOTE = "no_note"
    SOLD_OUT = "sold_out"
    TOO_SOON = "too_soon"
    NOT_THEN = "not_then"


@dataclass(frozen=True, slots=True)
class Issue:
    """One open point. ``limit`` is a number the text names, ``choices`` what to pick from."""

    why: Open
    words: str = ""
    options: OptionList | None = None
    choices: tuple[OptionChoice, ...] = ()
    limit: int = 0


@dataclass(frozen=True, slots=True)
class Wish:
    """One thing wanted. ``item`` is None until it is clear which product.

    ``quantity`` counts what is sold (packs, not pieces); None while unclear.
    ``more`` of it came on top of a line of the draft, which stays until that is clear.
    """

    words: str
    item: MenuItem | None = None
    candidates: tuple[MenuItem, ...] = ()
    number: Token | None = None
    size: Size | None = None
    options: tuple[OptionChoice, ...] = ()
    surplus: tuple[OptionChoice, ...] = ()
    vague: tuple[tuple[OptionChoice, ...], ...] = ()
    left: str = ""
    note: str | None = None
    by_pack: bool = False
    more: int = 0
    quantity: int | None = None
    issues: tuple[Issue, ...] = ()

    @property
    def clear(self) -> bool:
        return self.item is not None and not self.issues

    def chosen(self, options: OptionList) -> tuple[OptionChoice, ...]:
        return tuple(option for option in self.options if option.list_key == options.key)


def by_pack(tokens: Sequence[Token]) -> bool:
    """Whether the words count packs: "2 bolsas de magdalenas"."""
    return any(token.text in _CONTAINERS for token in tokens)


def settled(wish: Wish) -> Wish:
    """The wish with its size, quantity and open points worked out anew."""
    item = wish.item
    if item is None:
        why = Open.WHICH_PRODUCT if wish.candidates else Open.NOT_FOUND
        return replace(wish, quantity=None, issues=(Issue(why, wish.words),))
    if wish.left:
        return replace(wish, quantity=None, issues=(Issue(Open.NO_SUCH_OPTION, wish.left),))
    wish = replace(wish, size=wish.size or _only_size(item))
    quantity, size, issue = _count(wish, item)
    wish = replace(wish, quantity=quantity, size=size)
    issues = [
        *([issue] if issue is not None else []),
        *_size_issues(wish, item),
        *_option_issues(wish, item),
        *_limit_issues(wish, item),
        *_note_issues(wish, item),
    ]
    return replace(wish, issues=tuple(issues))


def _only_size(item: MenuItem) -> Size | None:
    return item.sizes[0] if len(item.sizes) == 1 else None


def _count(wish: Wish, item: MenuItem) -> tuple[int | None, Size | None, Issue | None]:
    number = wish.number
    if number is not None and number.kind is Kind.MONEY:
        return _for_money(wish, item, number)
    value = number.value if number is not None and number.value is not None else Decimal(1)
    if value != value.to_integral() or value <= 0:
        return None, wish.size, Issue(Open.QUANTITY, number.text if number else "")
    count = int(value)
    if wish.size is None and not wish.by_pack and any(size.pieces or size.sized for size in item.sizes):
        return _in_packs(item, count, number)
    pieces = wish.size.pieces if wish.size is not None else item.pieces
    said_dozens = number is not None and number.dozens is not None
    if not pieces or pieces == 1 or (wish.size is not None and not said_dozens):
        return count, wish.size, None
    if count % pieces == 0:
        return count // pieces, wish.size, None
    if count == 1 or (wish.by_pack and not said_dozens):
        return count, wish.size, None
    return None, wish.size, Issue(Open.PACK, str(count), limit=pieces)


def _in_packs(item: MenuItem, count: int, number: Token | None) -> tuple[int | None, Size | None, Issue | None]:
    """Choose the size by the number of pieces: 6 donuts are one half dozen."""
    dozens = number.dozens if number is not None else None
    if dozens is not None:
        unit = PIECES_IN_DOZEN if dozens == dozens.to_integral() else PIECES_IN_DOZEN // 2
        size = _size_of(item, unit)
        if size is not None:
            return count // unit, size, None
    exact = _size_of(item, count)
    if exact is not None:
        return 1, exact, None
    single = _size_of(item, 1)
    packs = sorted((size for size in item.sizes if (size.pieces or 1) > 1), key=lambda s: -(s.pieces or 0))
    largest = packs[0] if packs else None
    if largest is not None and largest.pieces and count % largest.pieces == 0:
        return count // largest.pieces, largest, None
    if single is not None and (not packs or count < (packs[-1].pieces or 0)):
        return count, single, None
    if not packs:
        return count, None, None
    return None, None, Issue(Open.PACK, str(count), limit=packs[-1].pieces or 0)


def _size_of(item: MenuItem, pieces: int) -> Size | None:
    named = (size for size in item.sizes if str(pieces) in size.sized)
    return next(named, None) or next((size for size in item.sizes if size.pieces == pieces), None)


def _for_money(wish: Wish, item: MenuItem, number: Token) -> tuple[int | None, Size | None, Issue | None]:
    price = wish.size.price if wish.size is not None else item.price
    if price is None:
        return 1, None, None
    if not price or number.value is None:
        return None, wish.size, Issue(Open.QUANTITY, number.text)
    count, rest = divmod(number.value, price)
    if rest or not count:
        return None, wish.size, Issue(Open.AMOUNT, number.text, limit=int(count))
    return int(count), wish.size, None


def _size_issues(wish: Wish, item: MenuItem) -> list[Issue]:
    return [Issue(Open.WHICH_SIZE)] if item.sizes and wish.size is None and wish.quantity is not None else []


def _option_issues(wish: Wish, item: MenuItem) -> list[Issue]:
    issues = [Issue(Open.WHICH_OPTION, choices=choices) for choices in wish.vague]
    for options in item.lists:
        chosen = wish.chosen(options)
        surplus = [option for option in wish.surplus if option.list_key == options.key]
        if surplus:
            issues.append(Issue(Open.TOO_MANY_OPTIONS, options=options, limit=options.max))
        elif len(chosen) < options.min:
            issues.append(Issue(Open.WHICH_OPTION, options=options, choices=options.options))
        issues += [Issue(Open.OPTION_SOLD_OUT, option.label, options=options) for option in chosen if option.sold_out]
    return issues


def _limit_issues(wish: Wish, item: MenuItem) -> list[Issue]:
    count = wish.quantity
    if count is None:
        return []
    least, most = int(item.data.get("min_qty") or 1), item.data.get("max_qty")
    step = int(item.data.get("step") or 1)
    if most is not None and count > int(most):
        return [Issue(Open.ABOVE_MAX, limit=int(most))]
    if count < least:
        return [Issue(Open.BELOW_MIN, limit=least)]
    if count % step:
        return [Issue(Open.STEP, limit=step)]
    if count > MOST:
        return [Issue(Open.TOO_MANY, limit=MOST)]
    return [Issue(Open.LARGE, str(count), limit=MOST)] if count > LARGE else []


def _note_issues(wish: Wish, item: MenuItem) -> list[Issue]:
    longest = item.data.get("note_max")
    if not wish.note:
        return []
    if not longest:
        return [Issue(Open.NO_NOTE, wish.note)]
    return [Issue(Open.NOTE_LONG, wish.note, limit=int(longest))] if len(wish.note) > int(longest) else []
