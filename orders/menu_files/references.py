"""Checks across a menu file: nothing twice, nothing that points nowhere, no impossible hours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import time
from decimal import Decimal

from orders.menu_files.schema import BranchPart, Hours, MenuFile, OptionPart, ProductPart, VariantPart
from orders.text import normalise

MIDNIGHT = time(0)


def problems_in(menu: MenuFile) -> list[str]:
    """All faults as ``path: what`` lines, in file order; empty when the file is sound."""
    return [
        *_branch_problems(menu),
        *_twice("categories", "key", (category.key for category in menu.categories)),
        *_option_problems(menu),
        *_twice("products", "key", (product.key for product in menu.products)),
        *_twice("products", "name", (product.name.lower() for product in menu.products)),
        *_shared_aliases(menu),
        *(
            problem
            for index, product in enumerate(menu.products)
            for problem in _product_problems(menu, index, product)
        ),
    ]


def _twice(where: str, field: str, values: Iterable[str]) -> Iterator[str]:
    first: dict[str, int] = {}
    for index, value in enumerate(values):
        if value in first:
            yield f"{where}[{index}].{field}: {value!r} is already {where}[{first[value]}]"
        first.setdefault(value, index)


def _branch_problems(menu: MenuFile) -> Iterator[str]:
    yield from _twice("branches", "key", (branch.key for branch in menu.branches))
    if len(menu.branches) > 26:
        yield "branches: at most 26, each has its own letter"
    letters: dict[str, int] = {}
    for index, branch in enumerate(menu.branches):
        where = f"branches[{index}]"
        if branch.letter is not None and branch.letter in letters:
            yield f"{where}.letter: {branch.letter!r} is already branches[{letters[branch.letter]}]"
        letters.setdefault(branch.letter or "", index)
        yield from _hours_problems(f"{where}.hours", branch.hours)
        yield from _special_problems(where, branch)
        if branch.delivery is not None:
            yield from _hours_problems(f"{where}.delivery.hours", branch.delivery.hours)
            yield from _twice(f"{where}.delivery.zones", "key", (zone.key for zone in branch.delivery.zones))
            for zone_index, zone in enumerate(branch.delivery.zones):
                yield from _digits(menu, f"{where}.delivery.zones[{zone_index}].fee", zone.fee)


def _hours_problems(where: str, hours: list[Hours]) -> Iterator[str]:
    taken: dict[str, list[tuple[time, time, int]]] = {}
    for index, window in enumerate(hours):
        if not _opens_first(window.open, window.close):
            yield f"{where}[{index}].close: must be after open; hours past midnight are two windows"
        for day in window.days:
            for opens, closes, other in taken.get(day, []):
                if window.open < _end(closes) and opens < _end(window.close):
                    yield f"{where}[{index}]: overlaps {where}[{other}] on {day}"
            taken.setdefault(day, []).append((window.open, window.close, index))


def _special_problems(where: str, branch: BranchPart) -> Iterator[str]:
    closed = set(branch.closed_dates)
    for index, special in enumerate(branch.special_hours):
        if special.date in closed:
            yield f"{where}.special_hours[{index}].date: {special.date} is also in closed_dates"
        if not _opens_first(special.open, special.close):
            yield f"{where}.special_hours[{index}].close: must be after open"
    openings = (f"{special.date} {special.open:%H:%M}" for special in branch.special_hours)
    yield from _twice(f"{where}.special_hours", "date", openings)


def _opens_first(opens: time, closes: time) -> bool:
    return opens < closes or closes == MIDNIGHT


def _end(closes: time) -> time:
    return time.max if closes == MIDNIGHT else closes


def _option_problems(menu: MenuFile) -> Iterator[str]:
    yield from _twice("option_lists", "key", (options.key for options in menu.option_lists))
    for index, options in enumerate(menu.option_lists):
        where = f"option_lists[{index}].options"
        yield from _twice(where, "key", (option.key for option in options.options))
        yield from _twice(where, "name", (option.name.lower() for option in options.options))
        for option_index, option in enumerate(options.options):
            yield from _digits(menu, f"{where}[{option_index}].price_delta", option.price_delta)


def _shared_aliases(menu: MenuFile) -> Iterator[str]:
    owner: dict[str, int] = {}
    for index, product in enumerate(menu.products):
        for alias_index, alias in enumerate(product.aliases):
            known = owner.setdefault(normalise(alias), index)
            if known != index:
                yield f"products[{index}].aliases[{alias_index}]: {alias!r} also belongs to products[{known}]"


def _product_problems(menu: MenuFile, index: int, product: ProductPart) -> Iterator[str]:
    where = f"products[{index}]"
    if product.category not in {category.key for category in menu.categories}:
        yield f"{where}.category: there is no category {product.category!r}"
    if product.tax is not None and product.tax not in menu.tax_rates:
        yield f"{where}.tax: there is no tax rate {product.tax!r}"
    yield from _price_problems(menu, where, product)
    if product.max_qty is not None and product.max_qty < product.min_qty:
        yield f"{where}.max_qty: must not be below min_qty"
    yield from _use_problems(menu, where, product)
    yield from _availability_problems(menu, where, product)


def _price_problems(menu: MenuFile, where: str, product: ProductPart) -> Iterator[str]:
    if product.price is None and not product.variants:
        yield f"{where}.price: needed, as there are no variants"
    if product.price is not None and product.variants:
        yield f"{where}.price: must be null, its variants have the prices"
    if product.price is not None:
        yield from _digits(menu, f"{where}.price", product.price)
    yield from _twice(f"{where}.variants", "key", (variant.key for variant in product.variants))
    for index, variant in enumerate(product.variants):
        yield from _digits(menu, f"{where}.variants[{index}].price", variant.price)
    if product.price is not None or product.variants:
        yield from _cheapest_problem(menu, where, product)


def _cheapest_problem(menu: MenuFile, where: str, product: ProductPart) -> Iterator[str]:
    """With its cheapest options nothing may cost less than nothing."""
    lists = {options.key: options.options for options in menu.option_lists}
    base = min([product.price, *_prices(product.variants)] if product.price is not None else _prices(product.variants))
    lowest = base + sum((_lowest(lists.get(use.list, []), use.max) for use in product.option_lists), Decimal(0))
    if lowest < 0:
        yield f"{where}.option_lists: the options could make the price negative"


def _prices(variants: list[VariantPart]) -> list[Decimal]:
    return [variant.price for variant in variants]


def _lowest(options: list[OptionPart], most: int) -> Decimal:
    reductions = sorted(option.price_delta for option in options if option.price_delta < 0)
    return sum(reductions[:most], Decimal(0))


def _use_problems(menu: MenuFile, where: str, product: ProductPart) -> Iterator[str]:
    lists = {options.key: options for options in menu.option_lists}
    yield from _twice(f"{where}.option_lists", "list", (use.list for use in product.option_lists))
    for index, use in enumerate(product.option_lists):
        place = f"{where}.option_lists[{index}]"
        if use.list not in lists:
            yield f"{place}.list: there is no option list {use.list!r}"
        elif use.min > len(lists[use.list].options):
            yield f"{place}.min: the list has only {len(lists[use.list].options)} options"
        if use.max < 1 or use.max < use.min:
            yield f"{place}.max: must be at least 1 and not below min"


def _availability_problems(menu: MenuFile, where: str, product: ProductPart) -> Iterator[str]:
    available = product.available
    if available is None:
        return
    keys = {branch.key for branch in menu.branches}
    for index, key in enumerate(available.branches):
        if key not in keys:
            yield f"{where}.available.branches[{index}]: there is no branch {key!r}"
    if available.season is not None and available.season[1] < available.season[0]:
        yield f"{where}.available.season: ends before it begins"
    if available.from_ is not None and available.to is not None and available.to <= available.from_:
        yield f"{where}.available.to: must be after from"


def _digits(menu: MenuFile, where: str, amount: Decimal) -> Iterator[str]:
    exponent = amount.normalize().as_tuple().exponent
    if not isinstance(exponent, int):
        yield f"{where}: is not an amount"
    elif -exponent > menu.minor_digits:
        yield f"{where}: {amount} has more than {menu.minor_digits} decimals"
