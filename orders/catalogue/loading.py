"""From rows to a catalogue, cached per process under the menu's version token."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from uuid import UUID
from zoneinfo import ZoneInfo

from orders import models
from orders.catalogue.values import (
    Branch,
    Catalogue,
    Category,
    Option,
    OptionRule,
    Point,
    Product,
    SeasonRule,
    ShopTerms,
    SpecialHours,
    Variant,
    Window,
)


class _Cache:
    """The last catalogue of this process; replaced whole, so threads need no lock."""

    catalogue: Catalogue | None = None


def current() -> Catalogue:
    """The catalogue as the database has it now. One small query when it is cached.

    The token is read before the rows: rows newer than their token are only
    read again, never kept too long.  Before any menu was loaded it is empty.
    """
    token = models.MenuVersion.objects.values_list("token", flat=True).first()
    cached = _Cache.catalogue
    if cached is None or token is None or cached.token != token:
        cached = _load(token)
        _Cache.catalogue = cached
    return cached


def _load(token: UUID | None) -> Catalogue:
    shop = models.Shop.objects.first() or models.Shop()
    return Catalogue(
        token=token,
        shop=_terms(shop),
        branches=_branches(),
        categories=tuple(
            Category(key=key, name=name)
            for key, name in models.Category.objects.filter(active=True).values_list("key", "name")
        ),
        products=_products(),
    )


def _terms(shop: models.Shop) -> ShopTerms:
    return ShopTerms(
        key=shop.key,
        name=shop.name,
        locale=shop.locale,
        currency=shop.currency,
        digits=shop.minor_digits,
        prices_include_tax=shop.prices_include_tax,
        timezone=ZoneInfo(shop.timezone),
        change_cutoff=shop.change_cutoff_minutes,
        cancel_cutoff=shop.cancel_cutoff_minutes,
        max_days_ahead=shop.max_days_ahead,
        draft_minutes=shop.draft_minutes,
        payment_methods=tuple(shop.payment_methods),
    )


def _branches() -> tuple[Branch, ...]:
    everywhere = list(models.SpecialDay.objects.filter(branch=None))
    rows = models.Branch.objects.filter(active=True).prefetch_related("windows", "special_days")
    return tuple(_branch(row, everywhere) for row in rows)


def _branch(row: models.Branch, everywhere: Iterable[models.SpecialDay]) -> Branch:
    weekly: list[list[Window]] = [[] for _ in range(7)]
    for window in row.windows.all():
        if window.kind == models.WindowKind.SHOP:
            weekly[window.weekday].append(Window(window.opens, window.closes))
    own = list(row.special_days.all())
    dates = {day.date for day in own}
    return Branch(
        id=row.pk,
        key=row.key,
        name=row.name,
        aliases=tuple(row.aliases),
        letter=row.letter,
        address=row.address,
        zone=row.zone,
        lead=row.pickup_lead_minutes,
        slot=row.slot_minutes,
        paused_until=row.paused_until,
        weekly=tuple(tuple(sorted(windows, key=lambda window: window.opens)) for windows in weekly),
        special=_special_hours([*own, *(day for day in everywhere if day.date not in dates)]),
        point=Point(row.latitude, row.longitude) if row.latitude is not None and row.longitude is not None else None,
    )


def _special_hours(days: Iterable[models.SpecialDay]) -> tuple[SpecialHours, ...]:
    by_date: dict[object, list[models.SpecialDay]] = defaultdict(list)
    for day in days:
        by_date[day.date].append(day)
    return tuple(
        SpecialHours(
            same[0].date,
            tuple(
                sorted(
                    (Window(day.opens, day.closes) for day in same if day.opens is not None and day.closes is not None),
                    key=lambda window: window.opens,
                )
            ),
        )
        for same in by_date.values()
    )


def _products() -> tuple[Product, ...]:
    rules = _option_rules()
    variants: dict[int, list[Variant]] = defaultdict(list)
    for row in models.Variant.objects.filter(active=True):
        variants[row.product_id].append(_variant(row))
    seasons: dict[int, list[SeasonRule]] = defaultdict(list)
    for season in models.Availability.objects.all():
        seasons[season.product_id].append(_season(season))
    rows = models.Product.objects.filter(active=True, category__active=True).select_related("category")
    return tuple(
        _product(row, tuple(variants[row.pk]), tuple(rules[row.pk]), tuple(seasons[row.pk]))
        for row in rows.order_by("category__position", "position", "id")
        if row.price is not None or variants[row.pk]
    )


def _option_rules() -> dict[int, list[OptionRule]]:
    options: dict[int, list[Option]] = defaultdict(list)
    for row in models.Option.objects.filter(active=True).select_related("list"):
        options[row.list_id].append(_option(row))
    rules: dict[int, list[OptionRule]] = defaultdict(list)
    for use in models.ProductOptions.objects.filter(list__active=True).select_related("list"):
        offered = tuple(options[use.list_id])
        rules[use.product_id].append(OptionRule(use.list.key, use.list.name, use.min, use.max, offered))
    return rules


def _option(row: models.Option) -> Option:
    return Option(
        id=row.pk,
        code=f"{row.list.key}:{row.key}",
        key=row.key,
        name=row.name,
        aliases=tuple(row.aliases),
        price_delta=row.price_delta,
        sold_out_on=row.sold_out_on,
    )


def _variant(row: models.Variant) -> Variant:
    return Variant(
        id=row.pk,
        key=row.key,
        name=row.name,
        aliases=tuple(row.aliases),
        price=row.price,
        pack_size=row.pack_size,
        lead=row.lead_minutes,
    )


def _season(row: models.Availability) -> SeasonRule:
    return SeasonRule(
        branch_id=row.branch_id,
        weekdays=frozenset(row.weekdays),
        from_time=row.from_time,
        to_time=row.to_time,
        from_date=row.from_date,
        to_date=row.to_date,
    )


def _product(
    row: models.Product,
    variants: tuple[Variant, ...],
    rules: tuple[OptionRule, ...],
    seasons: tuple[SeasonRule, ...],
) -> Product:
    return Product(
        id=row.pk,
        key=row.key,
        name=row.name,
        description=row.description,
        category=row.category.key,
        aliases=tuple(row.aliases),
        price=None if variants else row.price,
        tax_rate=row.tax_rate,
        unit=row.unit_label,
        pack_size=row.pack_size,
        min_quantity=row.min_quantity,
        max_quantity=row.max_quantity,
        step=row.quantity_step,
        lead=row.lead_minutes,
        note_label=row.note_label,
        note_max=row.note_max,
        allergens=None if row.allergens is None else tuple(row.allergens),
        daily_stock=row.daily_stock,
        sold_out=row.sold_out,
        sold_out_on=row.sold_out_on,
        variants=variants,
        option_rules=rules,
        seasons=seasons,
    )
