"""The shop's closed sets, as of the current menu version."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from aitools.choices import Choice, ChoiceSource, shared
from orders.catalogue import Branch, Catalogue, Option, OptionRule, Product, Variant, current


def _cached(name: str, make: Callable[[Catalogue], Sequence[Choice]]) -> Callable[[], Sequence[Choice]]:
    """Made once per catalogue and kept with it."""

    def load() -> Sequence[Choice]:
        catalogue = shared(current)
        if name not in catalogue.derived:
            catalogue.derived[name] = tuple(make(catalogue))
        return cast("Sequence[Choice]", catalogue.derived[name])

    return load


def _products(catalogue: Catalogue) -> list[Choice]:
    return [
        Choice(product.key, product.name, product.aliases, _product_data(product)) for product in catalogue.products
    ]


def _product_data(product: Product) -> dict[str, Any]:
    return {
        "price": None if product.price is None else str(product.price),
        "category": product.category,
        "unit": product.unit,
        "pack_size": product.pack_size,
        "min_qty": product.min_quantity,
        "max_qty": product.max_quantity,
        "step": product.step,
        "lead_minutes": product.lead,
        "note_label": product.note_label,
        "note_max": product.note_max,
        "allergens": None if product.allergens is None else list(product.allergens),
        "available": not product.sold_out,
        "sold_out_on": None if product.sold_out_on is None else product.sold_out_on.isoformat(),
        "variants": [_variant_data(variant) for variant in product.variants],
        "option_lists": [_rule_data(rule) for rule in product.option_rules],
    }


def _variant_data(variant: Variant) -> dict[str, Any]:
    return {
        "key": variant.key,
        "name": variant.name,
        "aliases": list(variant.aliases),
        "price": str(variant.price),
        "pack_size": variant.pack_size,
    }


def _rule_data(rule: OptionRule) -> dict[str, Any]:
    return {
        "key": rule.key,
        "name": rule.name,
        "min": rule.min,
        "max": rule.max,
        "options": [
            {
                "key": option.key,
                "name": option.name,
                "aliases": list(option.aliases),
                "price_delta": str(option.price_delta),
                "sold_out": None if option.sold_out_on is None else option.sold_out_on.isoformat(),
            }
            for option in rule.options
        ],
    }


def _categories(catalogue: Catalogue) -> list[Choice]:
    return [Choice(category.key, category.name) for category in catalogue.categories]


def _branches(catalogue: Catalogue) -> list[Choice]:
    return [Choice(branch.key, branch.name, branch.aliases, _branch_data(branch)) for branch in catalogue.branches]


def _branch_data(branch: Branch) -> dict[str, Any]:
    return {"address": branch.address, "letter": branch.letter}


def _options(catalogue: Catalogue) -> list[Choice]:
    offered = {
        option.code: _option_choice(option, rule)
        for product in catalogue.products
        for rule in product.option_rules
        for option in rule.options
    }
    return list(offered.values())


def _option_choice(option: Option, rule: OptionRule) -> Choice:
    data = {"list": rule.key, "list_name": rule.name, "price_delta": str(option.price_delta)}
    return Choice(option.code, option.name, option.aliases, data)


products = ChoiceSource("products", _cached("products", _products), search_tool="search_products")
categories = ChoiceSource("categories", _cached("categories", _categories), search_tool="view_menu")
branches = ChoiceSource("branches", _cached("branches", _branches), search_tool="check_hours")
options = ChoiceSource("options", _cached("options", _options), search_tool="search_products")
