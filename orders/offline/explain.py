"""Explain a few words by one product: name, size, options, count, and what is left over.

The best explanation of a chunk accounts for most of its words and leaves least.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from orders.offline.account import Account, is_list_name, match_all
from orders.offline.menu import Menu, MenuItem, Name, OptionChoice, OptionList, Size
from orders.offline.normalise import Kind, Token
from orders.offline.options import LIST_NAME, take_options

#: What words are worth: one each, as surely as they are meant, and then
LEFT_OVER = 0.6
MISSING = 0.25
WHOLE_NAME = 0.3
#: a longer name explains better than a short one with an option.
NAME_WORD = 0.2
EXTRA = 0.3
#: A second count makes it rather two items, as does a count inside a name.
SURPLUS_NUMBER = 1.0
SURPLUS_ARTICLE = 1.1
SPLIT_NAME = 0.6


@dataclass(frozen=True, slots=True)
class Reading:
    """One product's account of a chunk.

    ``whole`` = one of its names is there completely.  ``left`` are positions of
    words it cannot explain.  ``surplus`` are options beyond a list's maximum.
    """

    item: MenuItem
    score: float
    whole: bool
    quantity: Token | None
    size: Size | None
    options: tuple[OptionChoice, ...]
    left: tuple[int, ...]
    surplus: tuple[OptionChoice, ...] = ()
    vague: tuple[tuple[OptionChoice, ...], ...] = ()
    name_at: tuple[int, ...] = ()

    def chosen(self, options: OptionList) -> tuple[OptionChoice, ...]:
        return tuple(option for option in self.options if option.list_key == options.key)


def likenesses(tokens: Sequence[Token], menu: Menu) -> list[dict[str, float]]:
    """For each token, the menu words it may be; numbers only equal themselves."""
    return [_likeness(token, menu) for token in tokens]


def _likeness(token: Token, menu: Menu) -> dict[str, float]:
    if token.weak:
        return {}
    return menu.lexicon.similar(token.text) if token.kind is Kind.WORD else {token.text: 1.0}


def explain(
    tokens: Sequence[Token],
    likeness: Sequence[dict[str, float]],
    item: MenuItem,
    name: Name | None = None,
) -> Reading | None:
    """How ``item`` accounts for the tokens; by its best fitting name unless one is given."""
    accounts = []
    for each in (name,) if name is not None else item.names:
        account = Account(tokens, likeness, item)
        if _take_name(account, each):
            accounts.append(_finish(account))
    return max(accounts, key=lambda reading: reading.score, default=None)


def explain_as_choice(tokens: Sequence[Token], menu: Menu, item: MenuItem) -> Reading | None:
    """Read the tokens as size and options of an item named before; None when nothing fits."""
    account = Account(tokens, likenesses(tokens, menu), item)
    reading = _finish(account)
    return reading if reading.options or reading.size is not None or reading.vague else None


def _take_name(account: Account, name: Name) -> bool:
    """Match a product's name; False when not one of its words is there."""
    taken: dict[int, float] = {}
    for word in name:
        free = [at for at in range(len(account.tokens)) if at not in taken]
        hit = account.find(word, free)
        if hit is None:
            account.missing += 1
        else:
            taken[hit[0]] = hit[1]
    if not any(account.tokens[at].kind is Kind.WORD for at in taken):
        return False
    account.used.update(taken)
    account.name_at = tuple(sorted(taken))
    return True


def _finish(account: Account) -> Reading:
    whole = account.missing == 0 and bool(account.name_at)
    _take_size(account)
    take_options(account)
    explained = sum(account.used.values())
    explained += _take_extras(account)
    quantity, surplus = _quantity(account)
    left = tuple(at for at in account.free() if account.tokens[at].kind is Kind.WORD and not account.tokens[at].soft)
    left += tuple(at for at in account.free() if account.tokens[at].anchored)
    score = explained + (WHOLE_NAME if whole else 0) - MISSING * account.missing
    score += NAME_WORD * max(0, len(account.name_at) - 1)
    score -= LEFT_OVER * (len(left) + len(account.surplus)) + surplus
    score -= SPLIT_NAME * _splits_name(account)
    return Reading(
        item=account.item,
        score=score,
        whole=whole,
        quantity=quantity,
        size=account.size,
        options=tuple(account.options),
        left=tuple(sorted(left)),
        surplus=tuple(account.surplus),
        vague=tuple(account.vague),
        name_at=account.name_at,
    )


def _splits_name(account: Account) -> bool:
    """Whether a count stands inside the name: "croissants, one almond" is rather two items."""
    if len(account.name_at) < 2:
        return False
    inside = range(account.name_at[0] + 1, account.name_at[-1])
    return any(account.tokens[at].is_number and at not in account.used for at in inside)


def _take_size(account: Account) -> None:
    """The size whose name is there; by number when said as "de 12"."""
    hits: list[tuple[int, float, Size, dict[int, float]]] = []
    for size in account.item.sizes:
        for name in size.names:
            taken = match_all(account, name)
            if taken is not None:
                hits.append((len(name), sum(taken.values()), size, taken))
        for at in account.free():
            token = account.tokens[at]
            if token.anchored and token.text in size.sized:
                hits.append((1, 1.0, size, {at: 1.0}))
    if not hits:
        return
    _, _, account.size, taken = max(hits, key=lambda hit: (hit[0], hit[1]))
    account.used.update({at: value for at, value in taken.items() if at not in account.used})
    _take_article(account, min(taken))


def _take_article(account: Account, first: int) -> None:
    """The "una" of "una libra" is no second quantity."""
    before = first - 1
    if before > 0 and account.tokens[before].weak:
        account.used.setdefault(before, 0.0)


def _take_extras(account: Account) -> float:
    found = 0.0
    for at in account.free():
        token = account.tokens[at]
        if token.kind is Kind.WORD and any(word in account.item.extras for word in account.likeness[at]):
            account.used[at] = EXTRA
            found += EXTRA
    for rule in account.item.lists:
        for at in account.free():
            if is_list_name(account, rule, at):
                account.used[at] = LIST_NAME
                found += LIST_NAME
    return found


def _quantity(account: Account) -> tuple[Token | None, float]:
    """The one number that is no part of a name, and what the others cost."""
    numbers = [
        account.tokens[at]
        for at in account.free()
        if account.tokens[at].value is not None and not account.tokens[at].anchored
    ]
    strong = [token for token in numbers if not token.weak]
    articles = len(numbers) - len(strong)
    if strong:
        return strong[0], SURPLUS_NUMBER * (len(strong) - 1) + SURPLUS_ARTICLE * articles
    return (numbers[0] if numbers else None), SURPLUS_ARTICLE * max(0, articles - 1)
