"""Which options the words of a chunk choose."""

from __future__ import annotations

from collections.abc import Iterator

from orders.offline.account import Account, is_list_name, match_all
from orders.offline.menu import OptionChoice, OptionList
from orders.offline.normalise import Kind
from orders.offline.vocabulary import WITHOUT

LIST_NAME = 0.2
PART_OF_A_NAME = 0.7
PART_OF_SEVERAL = 0.5


def take_options(account: Account) -> None:
    while (hit := _next_option(account)) is not None:
        option, rule, taken = hit
        chosen = sum(1 for other in account.options if other.list_key == rule.key)
        fits = chosen < rule.max or option in account.options
        account.used.update({at: value * fits for at, value in taken.items() if at not in account.used})
        if option in account.options:
            continue
        (account.options if fits else account.surplus).append(option)
        _take_list_name(account, rule, min(taken))
    named = {at for rule in account.item.lists for at in account.free() if is_list_name(account, rule, at)}
    _take_partial_options(account, named)
    _options_in_name(account)


def _next_option(
    account: Account,
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


def _option_hits(account: Account, option: OptionChoice) -> Iterator[dict[int, float]]:
    for name in option.names:
        taken = match_all(account, name)
        if taken is not None:
            yield taken
    for at in account.free():
        if account.tokens[at].anchored and account.tokens[at].text in option.sized:
            yield {at: 1.0}


def _rank(account: Account, rule: OptionList, taken: dict[int, float]) -> tuple[float, ...]:
    first = min(taken)
    chosen = sum(1 for option in account.options if option.list_key == rule.key)
    return (
        float(_announced(account, rule, first)),
        float(len(taken)) + sum(taken.values()) / 100,
        float(chosen < rule.min),
        float(chosen < rule.max),
        -float(first),
    )


def _announced(account: Account, rule: OptionList, first: int) -> bool:
    """Whether the list's own name stands right before ("relleno de cajeta")."""
    return first > 0 and is_list_name(account, rule, first - 1)


def _take_list_name(account: Account, rule: OptionList, first: int) -> None:
    if _announced(account, rule, first):
        account.used.setdefault(first - 1, LIST_NAME)


def _take_partial_options(account: Account, list_names: set[int]) -> None:
    """A word that is part of an option's name: the option, or a question when of several."""
    for at in account.free():
        token = account.tokens[at]
        if at in list_names or token.kind is not Kind.WORD or token.soft or token.text in WITHOUT:
            continue
        near = [
            (option, rule)
            for rule in account.item.lists
            for option in rule.options
            if any(account.likeness[at].get(word, 0.0) > 0 for name in option.names for word in name)
        ]
        if len(near) == 1 and near[0][0] not in account.options:
            account.options.append(near[0][0])
            account.used[at] = PART_OF_A_NAME
        elif near:
            account.vague.append(tuple(option for option, _ in near))
            account.used[at] = PART_OF_SEVERAL


def _options_in_name(account: Account) -> None:
    """As in "tinto con buñuelo" is a name of the combo and says which bun."""
    for rule in account.item.lists:
        if rule.min and not any(option.list_key == rule.key for option in account.options):
            named = [
                option
                for option in rule.options
                if any(all(account.find(word, account.name_at) is not None for word in name) for name in option.names)
            ]
            if len(named) == 1:
                account.options.append(named[0])
