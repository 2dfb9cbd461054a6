"""The shop becomes the file: all of it, or nothing."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from string import ascii_uppercase
from typing import Any

from django.db import models as django_models
from django.db import transaction

from orders import models
from orders.menu_files.schema import DAYS, BranchPart, Hours, MenuFile, ProductPart
from orders.menu_files.syncing import Counts, Identity, replace, sync
from orders.text import normalise


def load(menu: MenuFile) -> dict[str, Counts]:
    """Make the shop this menu; what the menu lacks is deactivated, never deleted.

    Owns its transaction.  Loading the same file again changes nothing.
    Returns counts by kind of row.  Sold-out marks "only today", holidays for
    all branches and everything else a file doesn't know stay as staff set them.
    """
    with transaction.atomic():
        # First of all: its trigger makes other writers of the menu wait.
        _load_shop(menu)
        return {
            "branches": sync(models.Branch, ["key"], _branches(menu)),
            **_branch_parts(menu),
            "categories": sync(models.Category, ["key"], _categories(menu)),
            "option lists": sync(models.OptionList, ["key"], {(ol.key,): _named(ol.name) for ol in menu.option_lists}),
            "options": sync(models.Option, ["list_id", "key"], _options(menu)),
            "products": sync(models.Product, ["key"], _products(menu)),
            **_product_parts(menu),
        }


def _named(name: str) -> dict[str, Any]:
    return {"name": name, "active": True}


def _ids(model: type[django_models.Model]) -> dict[str, int]:
    return dict(model._default_manager.values_list("key", "pk"))


def _load_shop(menu: MenuFile) -> None:
    policies = menu.policies
    change_cutoff = policies.change_cutoff_minutes
    models.Shop.objects.update_or_create(
        pk=1,
        defaults={
            "key": menu.key,
            "name": menu.name,
            "country": menu.country,
            "locale": menu.locale,
            "currency": menu.currency,
            "minor_digits": menu.minor_digits,
            "prices_include_tax": menu.prices_include_tax,
            "cash_rounding": menu.cash_rounding,
            "timezone": menu.timezone,
            "deposit_percent": policies.deposit_percent,
            "change_cutoff_minutes": policies.cancel_cutoff_minutes if change_cutoff is None else change_cutoff,
            "cancel_cutoff_minutes": policies.cancel_cutoff_minutes,
            "max_days_ahead": policies.max_days_ahead,
            "payment_methods": list(policies.payment_methods),
        },
    )


def _branches(menu: MenuFile) -> dict[Identity, dict[str, Any]]:
    letters, places = _letters(menu), _places(menu)
    return {
        (branch.key,): {
            "name": branch.name,
            "aliases": list(branch.aliases),
            "letter": letters[branch.key],
            "timezone": branch.timezone or menu.timezone,
            "address": branch.address,
            "latitude": places[branch.key][0],
            "longitude": places[branch.key][1],
            "pickup_lead_minutes": branch.pickup.lead_minutes,
            "slot_minutes": branch.pickup.slot_minutes,
            "orders_per_slot": branch.pickup.orders_per_slot,
            **_delivery(branch),
            "active": True,
            "position": position,
        }
        for position, branch in enumerate(menu.branches)
    }


def _delivery(branch: BranchPart) -> dict[str, Any]:
    if branch.delivery is None:
        return {"delivers": False}
    return {
        "delivers": True,
        "delivery_lead_minutes": branch.delivery.lead_minutes,
        "delivery_min_order": branch.delivery.min_order,
    }


def _letters(menu: MenuFile) -> dict[str, str]:
    """A letter for each branch: the file's, else the one it has, else one of its name."""
    had = dict(models.Branch.objects.values_list("key", "letter"))
    given = {branch.key: branch.letter for branch in menu.branches if branch.letter}
    for branch in menu.branches:
        if branch.key not in given:
            wishes = [had.get(branch.key, ""), *normalise(branch.name).upper(), *ascii_uppercase]
            given[branch.key] = next(
                wish for wish in wishes if wish and wish in ascii_uppercase and wish not in given.values()
            )
    return given


def _places(menu: MenuFile) -> dict[str, tuple[Decimal | None, Decimal | None]]:
    """Where each branch is: as the file says (null: nowhere), else where it was."""
    had = {key: (north, east) for key, north, east in models.Branch.objects.values_list("key", "latitude", "longitude")}
    return {
        branch.key: (branch.latitude, branch.longitude)
        if "latitude" in branch.model_fields_set
        else had.get(branch.key, (None, None))
        for branch in menu.branches
    }


def _branch_parts(menu: MenuFile) -> dict[str, Counts]:
    ids = _ids(models.Branch)
    windows: list[Identity] = []
    special: list[Identity] = []
    zones: list[Identity] = []
    for branch in menu.branches:
        branch_id = ids[branch.key]
        windows += _windows(branch_id, models.WindowKind.SHOP, branch.hours)
        special += [(branch_id, day, None, None) for day in branch.closed_dates]
        special += [(branch_id, hours.date, hours.open, hours.close) for hours in branch.special_hours]
        if branch.delivery is not None:
            windows += _windows(branch_id, models.WindowKind.DELIVERY, branch.delivery.hours)
            zones += [
                (branch_id, zone.key, zone.name, list(zone.aliases), zone.fee, zone.min_order)
                for zone in branch.delivery.zones
            ]
    return {
        "opening hours": replace(models.OpeningWindow, ["branch_id", "kind", "weekday", "opens", "closes"], windows),
        "special days": replace(
            models.SpecialDay, ["branch_id", "date", "opens", "closes"], special, branch__isnull=False
        ),
        "delivery zones": replace(
            models.DeliveryZone, ["branch_id", "key", "name", "aliases", "fee", "min_order"], zones
        ),
    }


def _windows(branch_id: int, kind: str, hours: list[Hours]) -> Iterator[Identity]:
    for window in hours:
        for day in window.days:
            yield branch_id, kind, DAYS.index(day), window.open, window.close


def _categories(menu: MenuFile) -> dict[Identity, dict[str, Any]]:
    return {
        (category.key,): {**_named(category.name), "position": position}
        for position, category in enumerate(menu.categories)
    }


def _options(menu: MenuFile) -> dict[Identity, dict[str, Any]]:
    ids = _ids(models.OptionList)
    return {
        (ids[options.key], option.key): {
            **_named(option.name),
            "aliases": list(option.aliases),
            "price_delta": option.price_delta,
            "position": position,
        }
        for options in menu.option_lists
        for position, option in enumerate(options.options)
    }


def _products(menu: MenuFile) -> dict[Identity, dict[str, Any]]:
    categories = _ids(models.Category)
    return {
        (product.key,): {
            **_named(product.name),
            "category_id": categories[product.category],
            "position": position,
            "tax_rate": menu.tax_rates[product.tax] if product.tax is not None else Decimal(0),
            **_product(product),
        }
        for position, product in enumerate(menu.products)
    }


def _product(product: ProductPart) -> dict[str, Any]:
    return {
        "description": product.description,
        "price": product.price,
        "aliases": list(product.aliases),
        "unit_label": product.unit,
        "pack_size": product.pack_size,
        "min_quantity": product.min_qty,
        "max_quantity": product.max_qty,
        "quantity_step": product.step,
        "lead_minutes": product.lead_minutes,
        "deposit_percent": product.deposit_percent,
        "note_label": product.note.label if product.note is not None else "",
        "note_max": product.note.max_chars if product.note is not None else None,
        "allergens": None if product.allergens is None else list(product.allergens),
        "daily_stock": product.daily_stock,
        "sold_out": product.sold_out,
    }


def _product_parts(menu: MenuFile) -> dict[str, Counts]:
    products = _ids(models.Product)
    lists = _ids(models.OptionList)
    uses = [
        (products[product.key], lists[use.list], use.min, use.max, position)
        for product in menu.products
        for position, use in enumerate(product.option_lists)
    ]
    return {
        "variants": sync(models.Variant, ["product_id", "key"], _variants(menu, products)),
        "product options": replace(models.ProductOptions, ["product_id", "list_id", "min", "max", "position"], uses),
        "availabilities": replace(
            models.Availability,
            ["product_id", "branch_id", "weekdays", "from_time", "to_time", "from_date", "to_date"],
            list(_availabilities(menu, products)),
        ),
    }


def _variants(menu: MenuFile, products: dict[str, int]) -> dict[Identity, dict[str, Any]]:
    return {
        (products[product.key], variant.key): {
            **_named(variant.name),
            "price": variant.price,
            "aliases": list(variant.aliases),
            "pack_size": variant.pack_size,
            "lead_minutes": variant.lead_minutes,
            "position": position,
        }
        for product in menu.products
        for position, variant in enumerate(product.variants)
    }


def _availabilities(menu: MenuFile, products: dict[str, int]) -> Iterator[Identity]:
    branches = _ids(models.Branch)
    for product in menu.products:
        if product.available is not None:
            when = product.available
            days = sorted(DAYS.index(day) for day in when.days)
            first, last = when.season or (None, None)
            branch_ids: list[int | None] = [branches[key] for key in when.branches]
            for branch_id in branch_ids or [None]:
                yield products[product.key], branch_id, days, when.from_, when.to, first, last
