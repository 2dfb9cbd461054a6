"""The shop's rows: what it sells, where and when, to whom, and what was ordered.

Money is ``Decimal`` in the shop's one currency.  Times are aware UTC; what
people call a day is a stored date of the branch.  Things once sold are never
deleted, only made inactive, and orders keep names and prices as they were.
"""

from orders.models.customers import Customer, CustomerContact
from orders.models.drafts import Draft
from orders.models.menu import (
    Availability,
    Category,
    MenuVersion,
    Option,
    OptionList,
    Product,
    ProductOptions,
    Variant,
)
from orders.models.orders import (
    DayCounter,
    DayStock,
    Order,
    OrderEvent,
    OrderLine,
    OrderLineOption,
)
from orders.models.shop import Branch, DeliveryZone, OpeningWindow, Shop, SpecialDay

__all__ = [
    "Availability",
    "Branch",
    "Category",
    "Customer",
    "CustomerContact",
    "DayCounter",
    "DayStock",
    "DeliveryZone",
    "Draft",
    "MenuVersion",
    "OpeningWindow",
    "Option",
    "OptionList",
    "Order",
    "OrderEvent",
    "OrderLine",
    "OrderLineOption",
    "Product",
    "ProductOptions",
    "Shop",
    "SpecialDay",
    "Variant",
]
