"""Explain a few words by the menu: which product, size and options they name.

A reading says how one product accounts for all words of a chunk.  What it
cannot account for is left over; the best reading explains most and leaves least.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from orders.offline.menu import Menu, MenuItem, Name, OptionChoice, OptionList, Size
from orders.offline.normalise import Kind, Token

LEFT_OVER = 0.6
MISSING = 0.25
WHOLE_NAME = 0.3
#: A longer name explains better than a short one with an option.
NAME_WORD = 0.2
LIST_NAME = 0.2
EXTRA = 0.3
SURPLUS_NUMBER = 1.0
SURPLUS_ARTICLE = 1.1
SPLIT_NAME = 0.6
#: Readings this near to the best one are as good as it.
MARGIN = 0.15
#: How many products are looked at closely.
SHORTLIST = 24
#: A word in more names than this is common.
COMMON = 120
#: Unmatched words that may stand inside a name or option of several words.
GAP = 0


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


@dataclass(slots=True)
class _Account:
    """A reading in the making."""

    tokens: Sequence[Token]
    likeness: Sequence[dict[str, float]]
    item: MenuItem
    used: dict[int, float] = field(default_factory=dict)
    options: list[OptionChoice] = field(default_factory=list)
    surplus: list[OptionChoice] = field(default_factory=list)
    vague: list[tuple[OptionChoice, ...]] = field(default_factory=list)
    size: Size | None = None
    name_at: tuple[int, ...] = ()
    missing: int = 0

    def find(self, word: str, free: Iterable[int]) -> tuple[int, float] | None:
        """The free position most like ``word``."""
        best: tuple[int, float] | None = None
        for at in free:
            likeness = self.likeness[at].get(word, 0.0)
            if likeness and (best is None or likeness > best[1]):
                best = (at, likeness)
        return best

    def free(self) -> list[int]:
        return [at for at in range(len(self.tokens)) if at not in self.used]


def likenesses(tokens: Sequence[Token], menu: Menu) -> list[dict[str, float]]:
    """For each token, the menu words it may be; numbers only equal themselves."""
    return [_likeness(token, menu) for token in tokens]


def _likeness(token: Token, menu: Menu) -> dict[str, float]:
    if token.weak:
        return {}
    return menu.lexicon.similar(token.text) if token.kind is Kind.WORD else {token.text: 1.0}


def readings(tokens: Sequence[Token], menu: Menu, among: Sequence[MenuItem] | None = None) -> list[Reading]:
    """Readings of the chunk, best first, one a product; none when no name fits at all."""
    likeness = likenesses(tokens, menu)
    shortlist = _shortlist(likeness, menu) if among is None else [(item, None) for item in among]
    found = [reading for item, name in shortlist if (reading := explain(tokens, likeness, item, name)) is not None]
    return sorted(found, key=lambda reading: -reading.score)


def best(found: Sequence[Reading]) -> list[Reading]:
    """The readings as good as the first; one when it is clear."""
    if not found:
        return []
    first = found[0]
    near = [reading for reading in found if reading.score >= first.score - MARGIN]
    exact = [reading for reading in near if reading.whole]
    return exact if first.whole else near


def explain(
    tokens: Sequence[Token],
    likeness: Sequence[dict[str, float]],
    item: MenuItem,
    name: Name | None = None,
) -> Reading | None:
    """How ``item`` accounts for the tokens; by its best fitting name unless one is given."""
    accounts = []
    for each in (name,) if name is not None else item.names:
        account = _Account(tokens, likeness, item)
        if _take_name(account, each):
            accounts.append(_finish(account))
    return max(accounts, key=lambda reading: reading.score, default=None)


def explain_as_choice(tokens: Sequence[Token], menu: Menu, item: MenuItem) -> Reading | None:
    """Read the tokens as size and options of an item named before; None when nothing fits."""
    account = _Account(tokens, likenesses(tokens, menu), item)
    reading = _finish(account)
    return reading if reading.options or reading.size is not None or reading.vague else None


def _shortlist(likeness: Sequence[dict[str, float]], menu: Menu) -> list[tuple[MenuItem, Name | None]]:
    """The products whose names share most with the words, by inverted index."""
    best_name: dict[int, tuple[float, Name]] = {}
    words = [each for each in likeness if any(word.isalpha() for word in each)]
    numbers = {word for each in likeness for word in each if not word.isalpha()}
    for place, found in _hits(words, menu).items():
        value = found + len(numbers.intersection(menu.owners[place][1]))
        at, name = menu.owners[place]
        score = value - MISSING * (len(name) - value) + (WHOLE_NAME if value > len(name) - 0.5 else 0)
        if at not in best_name or score > best_name[at][0]:
            best_name[at] = (score, name)
    ranked = heapq.nsmallest(SHORTLIST, best_name.items(), key=lambda pair: (-pair[1][0], pair[0]))
    few = len(ranked) <= SHORTLIST // 2
    return [(menu.items[at], None if few else name) for at, (_, name) in ranked]


def _hits(likeness: Sequence[dict[str, float]], menu: Menu) -> dict[int, float]:
    """Names that share words with the chunk → how much.

    Rare words first: a common one ("pan" in a large menu) then only counts for
    names that a rarer one has found, which bounds the work.
    """
    found: dict[int, float] = {}
    lists = [[(menu.postings.get(word, frozenset()), value) for word, value in each.items()] for each in likeness]
    for postings in sorted(lists, key=lambda each: sum(len(places) for places, _ in each)):
        common = found and sum(len(places) for places, _ in postings) > COMMON
        seen: dict[int, float] = {}
        for places, value in postings:
            for place in places & found.keys() if common else places:
                seen[place] = max(value, seen.get(place, 0.0))
        for place, value in seen.items():
            found[place] = found.get(place, 0.0) + value
    return found


def _take_name(account: _Account, name: Name) -> bool:
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


def _finish(account: _Account) -> Reading:
    whole = account.missing == 0 and bool(account.name_at)
    _take_size(account)
    _take_options(account)
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


def _splits_name(account: _Account) -> bool:
    """Whether a count stands inside the name: "croissants, one almond" is rather two items."""
    if len(account.name_at) < 2:
        return False
    inside = range(account.name_at[0] + 1, account.name_at[-1])
    return any(account.tokens[at].is_number and at not in account.used for at in inside)


def _take_size(account: _Account) -> None:
    """The size whose name is there; by number when said as "de 12"."""
    hits: list[tuple[int, float, Size, dict[int, float]]] = []
    for size in account.item.sizes:
        for name in size.names:
            taken = _match_all(account, name)
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


def _take_article(account: _Account, first: int) -> None:
    """The "una" of "una libra" is no second quantity."""
    before = first - 1
    if before > 0 and account.tokens[before].weak:
        account.used.setdefault(before, 0.0)


def _match_all(account: _Account, name: Name) -> dict[int, float] | None:
    """Positions of all words of ``name``, near each other and at least one of them free."""
    width = len(name) + GAP
    for start in range(max(1, len(account.tokens) - len(name) + 1)):
        window = range(start, min(start + width, len(account.tokens)))
        taken = _match_in(account, name, window)
        if taken is not None and any(at not in account.used for at in taken):
            return taken
    return None


def _match_in(account: _Account, name: Name, window: range) -> dict[int, float] | None:
    taken: dict[int, float] = {}
    for word in name:
        hit = account.find(word, [at for at in window if at not in taken])
        if hit is None:
            return None
        taken[hit[0]] = hit[1]
    return taken


def _take_options(account: _Account) -> None:
    while (hit := _next_option(account)) is not None:
        option, rule, taken = hit
        chosen = sum(1 for other in account.options if other.list_key == rule.key)
        fits = chosen < rule.max or option in account.options
        account.used.update({at: value * fits for at, value in taken.items() if at not in account.used})
        if option in account.options:
            continue
        (account.options if fits else account.surplus).append(option)
        _take_list_name(account, rule, min(taken))
    named = {at for rule in account.item.lists for at in account.free() if _is_list_name(account, rule, at)}
    _take_partial_options(account, named)
    _options_in_name(account)


def _next_option(
    account: _Account,
) -> tuple[OptionChoice, OptionList, dict[int, float]] | None:
    """The most telling option still in the words: longest name, announced by its list, needed."""
    hits = [
        (_rank(account, rule, taken), option, rule, taken)
        for rule in account.item.lists
        for option in rule.options
        for taken in _option_hits(account, option)
    ]
    if not hits:
        return None
    _, option, rule, taken = max(hits, key=lambda hit: hit[0])
    return option, rule, taken


def _option_hits(account: _Account, option: OptionChoice) -> Iterator[dict[int, float]]:
    for name in option.names:
        taken = _match_all(account, name)
        if taken is not None:
            yield taken
    for at in account.free():
        if account.tokens[at].anchored and account.tokens[at].text in option.sized:
            yield {at: 1.0}


def _rank(account: _Account, rule: OptionList, taken: dict[int, float]) -> tuple[float, ...]:
    first = min(taken)
    chosen = sum(1 for option in account.options if option.list_key == rule.key)
    return (
        float(_announced(account, rule, first)),
        float(len(taken)) + sum(taken.values()) / 100,
        float(chosen < rule.min),
        float(chosen < rule.max),
        -float(first),
    )


def _announced(account: _Account, rule: OptionList, first: int) -> bool:
    """Whether the list's own name stands right before ("relleno de cajeta")."""
    return first > 0 and _is_list_name(account, rule, first - 1)


def _is_list_name(account: _Account, rule: OptionList, at: int) -> bool:
    return any(account.likeness[at].get(word, 0.0) > 0 for word in rule.name_words)


def _take_list_name(account: _Account, rule: OptionList, first: int) -> None:
    if _announced(account, rule, first):
        account.used.setdefault(first - 1, LIST_NAME)


def _take_partial_options(account: _Account, list_names: set[int]) -> None:
    """A word that is part of an option's name: the option, or a question when of several."""
    for at in account.free():
        if at in list_names or account.tokens[at].kind is not Kind.WORD or account.tokens[at].soft:
            continue
        near = [
            (option, rule)
            for rule in account.item.lists
            for option in rule.options
            if any(account.likeness[at].get(word, 0.0) > 0 for name in option.names for word in name)
        ]
        if len(near) == 1 and near[0][0] not in account.options:
            account.options.append(near[0][0])
            account.used[at] = 0.7
        elif near:
            account.vague.append(tuple(option for option, _ in near))
            account.used[at] = 0.5


def _options_in_name(account: _Account) -> None:
    """ "tinto con buñuelo" is a name of the combo and says which bun."""
    for rule in account.item.lists:
        if rule.min and not any(option.list_key == rule.key for option in account.options):
            named = [
                option
                for option in rule.options
                if any(all(account.find(word, account.name_at) is not None for word in name) for name in option.names)
            ]
            if len(named) == 1:
                account.options.append(named[0])


def _take_extras(account: _Account) -> float:
    found = 0.0
    for at in account.free():
        token = account.tokens[at]
        if token.kind is Kind.WORD and any(word in account.item.extras for word in account.likeness[at]):
            account.used[at] = EXTRA
            found += EXTRA
    for rule in account.item.lists:
        for at in account.free():
            if _is_list_name(account, rule, at):
                account.used[at] = LIST_NAME
                found += LIST_NAME
    return found


def _quantity(account: _Account) -> tuple[Token | None, float]:
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
