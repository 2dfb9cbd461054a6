"""The menu as immutable values, read once per menu version.

Everything that looks at the menu many times (matching, pricing, opening hours,
closed sets) works on these values and not on rows.
"""

from orders.catalogue.loading import current
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

__all__ = [
    "Branch",
    "Catalogue",
    "Category",
    "Option",
    "OptionRule",
    "Point",
    "Product",
    "SeasonRule",
    "ShopTerms",
    "SpecialHours",
    "Variant",
    "Window",
    "current",
]
