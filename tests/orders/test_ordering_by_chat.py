"""Whole orders over the engine's rows with the offline order taker and the shop's own tools."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest
from django.test import Client

from aitools.models import ToolCall
from orders import menu_files
from orders.models import Order
from tests.aitools.desk import Desk
from tests.orders.factories import CASES, load_sample


def case_menu(name: str) -> None:
    path = CASES / name
    if not path.exists():
        pytest.skip(f"{name} is not beside this checkout")
    menu_files.load(menu_files.read(path))


def test_the_pupuserias_order_costs_the_same_everywhere(desk: Desk, admin_client: Client) -> None:
    case_menu("sv-pupuseria.json")
    asked = desk.write("4 de loroco con queso y 2 horchatas en la Roosevelt", profile_name="Ana")
    assert "$5.60" in asked[-1]
    assert "4 × Pupusa de loroco con queso" in asked[-1]
    assert "Roosevelt" in asked[-1]
    told = desk.write("sí")
    assert "$5.60" in told[-1]
    order = Order.objects.get()
    assert (order.total, order.currency) == (Decimal("5.60"), "USD")
    assert sum(line.line_total for line in order.lines.all()) == order.total
    page = admin_client.get(f"/admin/orders/order/{order.pk}/change/").content.decode()
    assert "$5.60" in page


def test_a_quote_and_the_question_show_the_same_total(desk: Desk) -> None:
    case_menu("sv-pupuseria.json")
    desk.write("4 de loroco con queso y 2 horchatas", profile_name="Ana")
    quote = ToolCall.objects.get(name="quote_order")
    assert quote.value is not None
    assert Decimal(quote.value["total"]) == Decimal("5.60")
    assert "$5.60" in desk.write("en la roosevelt")[-1]


def test_colombian_amounts_have_dots_and_no_decimals(desk: Desk) -> None:
    case_menu("co-panaderia.json")
    said = "\n".join(desk.write("¿qué tortas tienen y cuánto cuestan?", profile_name="Ana"))
    path: Path = CASES / "co-panaderia.json"
    prices = {
        Decimal(variant["price"])
        for product in json.loads(path.read_text())["products"]
        for variant in product.get("variants", [])
    }
    shown = {f"${price:,.0f}".replace(",", ".") for price in prices}
    assert any(amount in said for amount in shown), said


def test_the_sample_bakery_takes_an_order_in_two_messages(desk: Desk) -> None:
    load_sample()
    (question,) = desk.write("quiero 2 croissants y un café", profile_name="Ana")
    assert "2 × Croissant — $7.000" in question
    assert "Total: $9.500" in question
    (reply,) = desk.write("sí")
    assert "C-1" in reply
    assert Order.objects.get().total == Decimal(9500)


def test_one_is_never_told_of_anothers_order(desk: Desk) -> None:
    load_sample()
    desk.write("quiero 2 croissants", profile_name="Ana")
    desk.write("sí")
    other = Desk(address="visitor-2", published=desk.published)
    (missing,) = other.write("¿cómo va el pedido C-9?", profile_name="Luis")
    (foreign,) = other.write("¿cómo va el pedido C-1?", profile_name="Luis")
    assert foreign == missing.replace("C-9", "C-1")
    assert "roissant" not in foreign


def test_ordering_changing_and_cancelling(desk: Desk) -> None:
    load_sample()
    desk.write("quiero 2 croissants", profile_name="Ana")
    desk.write("sí")
    (change,) = desk.write("cambia mi pedido C-1 a 3 croissants")
    assert "3 × Croissant" in change
    desk.write("sí")
    assert Order.objects.get().total == Decimal(10500)
    (cancel,) = desk.write("cancela el pedido C-1")
    assert cancel.endswith("¿Confirmas?")
    assert Order.objects.get().state == "accepted"
    desk.write("sí")
    assert Order.objects.get().state == "cancelled"
