"""From what is asked for to items of the menu, or to what must be asked back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from orders.catalogue import Catalogue, Option, OptionRule, Product, Variant
from orders.pricing import Item
from orders.search import Resolution, resolve


@dataclass(frozen=True, slots=True)
class Wish:
    """One thing asked for. ``product`` is a key or words; ``options`` are ``"list:option"`` codes."""

    product: str
    quantity: int
    variant: str | None = None
    options: tuple[str, ...] = ()
    note: str = ""


class Lack(StrEnum):
    """What keeps a wish from being an item."""

    NOT_FOUND = "not_found"
    WHICH_PRODUCT = "which_product"
    WHICH_VARIANT = "which_variant"
    NO_VARIANT = "variant_not_available"
    MISSING_OPTION = "missing_option"
    TOO_MANY_OPTIONS = "too_many_options"
    NO_OPTION = "option_not_available"
    BELOW_MIN = "below_min"
    OVER_LIMIT = "over_limit"
    STEP = "pack_size"
    NOTE_TOO_LONG = "note_too_long"


@dataclass(frozen=True, slots=True)
class Fault:
    """One lack; ``products``, ``variants`` or ``rule`` say what can be chosen instead."""

    lack: Lack
    wish: Wish
    product: Product | None = None
    products: tuple[Product, ...] = ()
    variants: tuple[Variant, ...] = ()
    rule: OptionRule | None = None


@dataclass(frozen=True, slots=True)
class Considered:
    """A wish held against the menu. ``item`` is None until it has a price."""

    wish: Wish
    product: Product | None
    item: Item | None
    faults: tuple[Fault, ...] = ()


def consider(catalogue: Catalogue, wish: Wish) -> Considered:
    """Resolve one wish. Faults may remain beside an item: it then has a price but no right to be ordered."""
    known = catalogue.by_key.get(wish.product)
    meant = Resolution(known) if known is not None else resolve(catalogue, wish.product)
    product = meant.product
    if product is None:
        lack = Lack.WHICH_PRODUCT if meant.ambiguous else Lack.NOT_FOUND
        return Considered(wish, None, None, (Fault(lack, wish, products=meant.candidates),))
    variant, faults = _variant(product, wish)
    options, option_faults = _options(product, wish)
    faults += option_faults + _limits(product, wish)
    priced = variant is not None or not product.variants
    item = Item(product, wish.quantity, variant, options, wish.note) if priced else None
    return Considered(wish, product, item, tuple(faults))


def merged(items: Iterable[Item]) -> tuple[Item, ...]:
    """Equal items become one line, in the order of their first mention."""
    lines: dict[tuple[object, ...], Item] = {}
    for item in items:
        key = (
            item.product.id,
            item.variant.id if item.variant is not None else None,
            frozenset(option.id for option in item.options),
            item.note,
        )
        known = lines.get(key)
        quantity = item.quantity + (known.quantity if known is not None else 0)
        lines[key] = Item(item.product, quantity, item.variant, item.options, item.note)
    return tuple(lines.values())


def limit_faults(item: Item) -> list[Fault]:
    """What the product's limits say against a merged line."""
    return _limits(item.product, Wish(item.product.key, item.quantity, note=item.note))


def _variant(product: Product, wish: Wish) -> tuple[Variant | None, list[Fault]]:
    if wish.variant is None:
        if len(product.variants) == 1:
            return product.variants[0], []
        lack = [Fault(Lack.WHICH_VARIANT, wish, product, variants=product.variants)]
        return None, lack if product.variants else []
    chosen = product.variant(wish.variant)
    if chosen is None:
        return None, [Fault(Lack.NO_VARIANT, wish, product, variants=product.variants)]
    return chosen, []


def _options(product: Product, wish: Wish) -> tuple[tuple[Option, ...], list[Fault]]:
    codes = tuple(dict.fromkeys(wish.options))
    faults = [Fault(Lack.NO_OPTION, wish, product) for code in codes if product.option(code) is None]
    chosen: list[Option] = []
    for rule in product.option_rules:
        of_rule = [option for option in rule.options if option.code in codes]
        if len(of_rule) < rule.min:
            faults.append(Fault(Lack.MISSING_OPTION, wish, product, rule=rule))
        if len(of_rule) > rule.max:
            faults.append(Fault(Lack.TOO_MANY_OPTIONS, wish, product, rule=rule))
        chosen += of_rule
    return tuple(chosen), faults


def _limits(product: Product, wish: Wish) -> list[Fault]:
    lacks = []
    if wish.quantity < product.min_quantity:
        lacks.append(Lack.BELOW_MIN)
    if product.max_quantity is not None and wish.quantity > product.max_quantity:
        lacks.append(Lack.OVER_LIMIT)
    if wish.quantity % product.step:
        lacks.append(Lack.STEP)
    if product.note_max is not None and len(wish.note) > product.note_max:
        lacks.append(Lack.NOTE_TOO_LONG)
    return [Fault(lack, wish, product) for lack in lacks]
