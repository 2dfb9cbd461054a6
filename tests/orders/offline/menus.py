"""Small menus as closed sets, without a database."""

from __future__ import annotations

from typing import Any

from aitools.choices import Choice
from orders.offline.menu import Menu, build

FLAVOURS = {
    "key": "sabor",
    "name": "Sabor",
    "min": 1,
    "max": 1,
    "options": [{"key": "uva", "name": "Uva"}, {"key": "manzana", "name": "Manzana", "aliases": ["roja"]}],
}
FILLINGS = {
    "key": "relleno",
    "name": "Relleno",
    "min": 1,
    "max": 2,
    "options": [{"key": "mora", "name": "Mora"}, {"key": "nuez", "name": "Nuez"}, {"key": "coco", "name": "Coco"}],
}


def product(key: str, name: str, *aliases: str, price: str | None = "1000", **data: Any) -> Choice:
    return Choice(key, name, aliases, {"price": price, "category": "todo", **data})


def size(key: str, name: str, *aliases: str, price: str = "1000", pack_size: int | None = None) -> dict[str, Any]:
    return {"key": key, "name": name, "aliases": list(aliases), "price": price, "pack_size": pack_size}


PRODUCTS = (
    product("bollo", "Bollo dulce", "bollo", price="1500"),
    product("empanada-carne", "Empanada de carne", price="2800"),
    product("empanada-pollo", "Empanada de pollo", price="2800"),
    product("frijol-queso", "Pupusa de frijol con queso", "frijol con queso", price="0.75"),
    product("queso", "Pupusa de queso", "de queso", price="0.75"),
    product("refresco", "Refresco", "soda", option_lists=[FLAVOURS]),
    product("magdalenas", "Magdalenas (bolsa de 6)", "magdalena"),
    product("tres-leches", "Rebanada de tres leches"),
    product(
        "torta",
        "Torta alta",
        "torta",
        price=None,
        note_max=20,
        max_qty=3,
        variants=[
            size("chica", "Chica (10 personas)", "10 personas", "para 10"),
            size("grande", "Grande (20 personas)", "20 personas", "de 20"),
        ],
        option_lists=[FILLINGS],
    ),
    product(
        "rosquilla",
        "Rosquillas",
        price=None,
        variants=[
            size("una", "Una", "1"),
            size("media", "Media docena", pack_size=6),
            size("docena", "Docena", "12", pack_size=12),
        ],
    ),
)
BRANCHES = (Choice("norte", "Norte", ("la del norte",)), Choice("metro", "Metrocentro", ("metro centro",)))


def menu() -> Menu:
    return build(PRODUCTS, BRANCHES)
