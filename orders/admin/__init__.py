"""The shop in the admin: menu, hours, customers and orders.

Modules by noun; importing one registers its pages.
"""

from orders.admin import customers, menu, orders, shop

__all__ = ["customers", "menu", "orders", "shop"]
