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
    Actor,
    DayCounter,
    DayStock,
    EventKind,
    Order,
    OrderEvent,
    OrderLine,
    OrderLineOption,
    OrderState,
)
from orders.models.shop import Branch, DeliveryZone, OpeningWindow, Shop, SpecialDay, Weekday, WindowKind

__all__ = [
    "Actor",
    "Availability",
    "Branch",
    "Category",
    "Customer",
    "CustomerContact",
    "DayCounter",
    "DayStock",
    "DeliveryZone",
    "Draft",
    "EventKind",
    "MenuVersion",
    "OpeningWindow",
    "Option",
    "OptionList",
    "Order",
    "OrderEvent",
    "OrderLine",
    "OrderLineOption",
    "OrderState",
    "Product",
    "ProductOptions",
    "Shop",
    "SpecialDay",
    "Variant",
    "Weekday",
    "WindowKind",
]
