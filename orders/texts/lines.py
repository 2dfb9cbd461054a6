"""Products, items and totals as customers read them."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import gettext as _

from orders.catalogue import Option, Product, ShopTerms, Variant
from orders.models import Order, OrderLine
from orders.pricing import Item, Line, Quote, show


def item_name(item: Item) -> str:
    """``Torta (Grande, Vainilla, Arequipe)``."""
    return _named(item.product.name, item.variant, item.options, item.note)


def quote_lines(quote: Quote) -> list[str]:
    """``2 × Croissant — $7.000``, one a line, then tax if it is added, then the total."""
    return [*(quote_line(line, quote) for line in quote.lines), *total_lines(quote)]


def quote_line(line: Line, quote: Quote) -> str:
    return f"{line.item.quantity} × {item_name(line.item)} — {quote.show(line.total)}"


def total_lines(quote: Quote) -> list[str]:
    total = _("Total: %(amount)s") % {"amount": quote.show(quote.total)}
    if quote.terms.prices_include_tax or not quote.tax:
        return [total]
    return [_("Tax: %(amount)s") % {"amount": quote.show(quote.tax)}, total]


def order_lines(order: Order, terms: ShopTerms) -> list[str]:
    """A stored order's lines and totals, as they were agreed. Queries its lines."""
    lines = [stored_line(line, terms) for line in order.lines.prefetch_related("options")]
    if not order.prices_include_tax and order.tax:
        lines.append(_("Tax: %(amount)s") % {"amount": show(order.tax, terms)})
    return [*lines, _("Total: %(amount)s") % {"amount": show(order.total, terms)}]


def stored_line(line: OrderLine, terms: ShopTerms) -> str:
    return f"{line.quantity} × {stored_name(line)} — {show(line.line_total, terms)}"


def stored_name(line: OrderLine) -> str:
    """The name as sold, with its choices. Reads the line's options."""
    chosen = [line.variant_name] if line.variant_name else []
    return _with_choices(line.name, [*chosen, *(option.name for option in line.options.all())], line.note)


def menu_line(product: Product, terms: ShopTerms) -> str:
    """A product with its price or its variants' prices."""
    if product.price is not None:
        return f"{product.name} — {show(product.price, terms)}"
    return f"{product.name}: {variant_choices(product.variants, terms)}"


def variant_choices(variants: Iterable[Variant], terms: ShopTerms) -> str:
    return ", ".join(f"{variant.name} {show(variant.price, terms)}" for variant in variants)


def product_choices(products: Iterable[Product], terms: ShopTerms) -> str:
    return ", ".join(f"{product.name} ({price_from(product, terms)})" for product in products)


def price_from(product: Product, terms: ShopTerms) -> str:
    """Its price, or "from" the lowest of its variants."""
    price = show(product.lowest_price, terms)
    return price if product.price is not None else _("from %(amount)s") % {"amount": price}


def option_choices(options: Iterable[Option], terms: ShopTerms) -> str:
    return ", ".join(
        f"{option.name} (+{show(option.price_delta, terms)})" if option.price_delta > 0 else option.name
        for option in options
    )


def _named(name: str, variant: Variant | None, options: Iterable[Option], note: str) -> str:
    chosen = [variant.name] if variant is not None else []
    return _with_choices(name, [*chosen, *(option.name for option in options)], note)


def _with_choices(name: str, chosen: list[str], note: str) -> str:
    text = f"{name} ({', '.join(chosen)})" if chosen else name
    return f"{text} “{note}”" if note else text
