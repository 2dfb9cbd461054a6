"""Looking at the menu."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from itertools import islice

from django.utils.translation import gettext as _

from aitools.tools import ToolContext, tool
from orders import sources
from orders.catalogue import Catalogue, Category, Product, current
from orders.search import resolve, search
from orders.texts import lines
from orders.tools.args import SearchProducts, ViewMenu
from orders.tools.views import product_view

#: A menu up to this size is shown whole; a larger one by category.
WHOLE_MENU = 40
PER_CATEGORY = 40
FOUND = 8


@tool(schema=ViewMenu, choices=(sources.categories,))
def view_menu(args: ViewMenu, ctx: ToolContext) -> dict[str, object]:
    """Shows the menu, or one category of it, with prices. Use it when the customer asks what there is."""
    catalogue = current()
    if args.category is None and len(catalogue.products) > WHOLE_MENU:
        return _categories(catalogue)
    chosen = [one for one in catalogue.categories if args.category in (None, one.key)]
    shown = [(one, list(islice(catalogue.of_category(one.key), PER_CATEGORY))) for one in chosen]
    return {
        "say": "\n\n".join(_section(one, products, catalogue) for one, products in shown if products)
        or _("There is nothing on the menu right now."),
        "products": [product_view(product) for _category, products in shown for product in products],
    }


@tool(schema=SearchProducts, choices=(sources.products,))
def search_products(args: SearchProducts, ctx: ToolContext) -> dict[str, object]:
    """Finds products by the customer's words, with keys, prices, sizes, options, allergens.

    Use it before ordering anything whose key you do not know, and for questions
    about one product. allergens null means not declared: never say it is safe.
    """
    catalogue = current()
    meant = resolve(catalogue, args.query)
    found = (meant.product,) if meant.product is not None else search(catalogue, args.query, FOUND)
    today = ctx.now.astimezone(catalogue.shop.timezone).date()
    if not found:
        say = _("I did not find “%(words)s” on our menu.") % {"words": args.query}
    else:
        say = "\n".join(_line(product, today, catalogue) for product in found)
    return {"say": say, "products": [product_view(product) for product in found]}


def _categories(catalogue: Catalogue) -> dict[str, object]:
    counted = [(one, sum(1 for _product in catalogue.of_category(one.key))) for one in catalogue.categories]
    named = [(one, count) for one, count in counted if count]
    listed = "\n".join(f"• {one.name} ({count})" for one, count in named)
    return {
        "say": _("We have:\n%(categories)s\nWhich would you like to see?") % {"categories": listed},
        "categories": [{"key": one.key, "name": one.name, "products": count} for one, count in named],
    }


def _section(category: Category, products: Iterable[Product], catalogue: Catalogue) -> str:
    return "\n".join([f"*{category.name}*", *(lines.menu_line(product, catalogue.shop) for product in products)])


def _line(product: Product, today: date, catalogue: Catalogue) -> str:
    """A product with its price, and whether it can't be had today."""
    line = lines.menu_line(product, catalogue.shop)
    if product.is_sold_out(today):
        return _("%(product)s (sold out today)") % {"product": line}
    sold_somewhere = any(
        season.allows_day(branch.id, today) for season in product.seasons for branch in catalogue.branches
    )
    if product.seasons and not sold_somewhere:
        return _("%(product)s (not available today)") % {"product": line}
    return line
