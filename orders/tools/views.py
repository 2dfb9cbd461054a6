"""How results look as JSON: plain values, money as decimal strings."""

from __future__ import annotations

from orders.catalogue import Product, ShopTerms
from orders.models import Order
from orders.money import round_to
from orders.pricing import Line, Quote
from orders.texts.lines import item_name, stored_name


def quote_view(quote: Quote) -> dict[str, object]:
    digits = quote.terms.digits
    return {
        "lines": [line_view(line, digits) for line in quote.lines],
        "subtotal": str(round_to(quote.subtotal, digits)),
        "tax": str(round_to(quote.tax, digits)),
        "total": str(round_to(quote.total, digits)),
        "currency": quote.terms.currency,
    }


def line_view(line: Line, digits: int) -> dict[str, object]:
    item = line.item
    return {
        "product": item.product.key,
        "name": item_name(item),
        "quantity": item.quantity,
        "variant": item.variant.key if item.variant is not None else None,
        "options": [option.code for option in item.options],
        "note": item.note or None,
        "unit_price": str(round_to(line.unit_price, digits)),
        "line_total": str(round_to(line.total, digits)),
    }


def order_view(order: Order, terms: ShopTerms) -> dict[str, object]:
    """A stored order. Queries its lines; needs its branch."""
    return {
        "order": order.number,
        "code": order.code,
        "state": order.state,
        "lines": [
            {
                "product": line.product.key,
                "name": stored_name(line),
                "quantity": line.quantity,
                "variant": line.variant.key if line.variant is not None else None,
                "options": [f"{chosen.option.list.key}:{chosen.option.key}" for chosen in line.options.all()],
                "note": line.note or None,
                "unit_price": str(round_to(line.unit_price, terms.digits)),
                "line_total": str(round_to(line.line_total, terms.digits)),
            }
            for line in order.lines.select_related("product", "variant").prefetch_related("options__option__list")
        ],
        "total": str(round_to(order.total, terms.digits)),
        "currency": order.currency,
        "branch": order.branch.key,
        "due": order.due_at.astimezone(order.branch.zone).strftime("%Y-%m-%dT%H:%M"),
        "name": order.name,
    }


def product_view(product: Product) -> dict[str, object]:
    """What a model must know to order a product."""
    return {
        "key": product.key,
        "name": product.name,
        "price": None if product.price is None else str(product.price),
        "variants": [{"key": v.key, "name": v.name, "price": str(v.price)} for v in product.variants],
        "option_lists": [
            {
                "name": rule.name,
                "min": rule.min,
                "max": rule.max,
                "options": [
                    {"key": option.code, "name": option.name, "price_delta": str(option.price_delta)}
                    for option in rule.options
                ],
            }
            for rule in product.option_rules
        ],
        "lead_minutes": product.lead,
        "allergens": None if product.allergens is None else list(product.allergens),
        "sold_out": product.sold_out,
    }
