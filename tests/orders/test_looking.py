"""Menu, hours, a person, and what a model is told."""

from __future__ import annotations

import pytest

from aitools.models import Conversation
from orders import prompts
from orders.models import Branch
from tests.orders import factories as make

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("english")]

TWO_AND_ONE = [{"product": "croissant", "quantity": 2}, {"product": "cafe", "quantity": 1}]


class TestLooking:
    def test_a_small_menu_is_shown_whole(self) -> None:
        make.load_menu(make.menu())
        shown = make.run("view_menu", {}, make.context())
        assert shown["say"].splitlines()[:2] == ["*Pan*", "Bollo dulce — $1.200"]
        assert "Torta alta: Chica $40.000, Grande $70.000" in shown["say"]

    def test_one_category(self) -> None:
        make.load_menu(make.menu())
        assert [one["key"] for one in make.run("view_menu", {"category": "torta"}, make.context())["products"]] == [
            "torta"
        ]

    def test_search_tells_price_and_allergens(self) -> None:
        make.load_sample()
        found = make.run("search_products", {"query": "CAFÉS"}, make.context())
        assert (found["say"], found["products"][0]["allergens"]) == ("Café — $2.500", [])

    def test_what_is_not_on_the_menu_is_said(self) -> None:
        make.load_sample()
        assert "xyzzy" in make.run("search_products", {"query": "xyzzy"}, make.context())["say"]

    def test_hours_of_a_day_with_two_windows(self) -> None:
        make.load_menu(make.menu())
        told = make.run("check_hours", {"branch": "norte"}, make.context())
        assert told["say"] == "Norte, today: 07:00–12:00, 14:00–19:00."
        assert told["branches"][0]["open_now"] is True

    def test_a_closed_day_tells_the_next_opening(self) -> None:
        make.load_menu(make.menu())
        told = make.run("check_hours", {"branch": "norte", "date": "2026-12-25"}, make.context())
        assert told["say"] == "Norte, Friday, December 25: closed. Next opening: Saturday, December 26 at 07:00."

    def test_a_person_is_called(self) -> None:
        make.load_sample()
        ctx = make.context()
        make.run("talk_to_person", {"reason": "factura"}, ctx)
        assert Conversation.objects.get(address=ctx.address).needs_staff


class TestPrompt:
    def test_facts_hold_draft_and_open_orders(self) -> None:
        make.load_sample()
        ctx = make.context()
        make.order(ctx, ("cafe", 2))
        make.run("quote_order", {"items": TWO_AND_ONE}, ctx)
        facts = prompts.build(ctx).facts
        assert facts["customer"] == {"name": "Ana"}
        assert facts["shop"]["now"] == "2026-11-24T10:00"
        assert facts["branches"] == [{"key": "centro", "name": "Centro"}]
        assert facts["draft"]["total"] == "9500"
        assert [(order["order"], order["total"]) for order in facts["open_orders"]] == [("C-1", "5000")]

    def test_the_prompt_does_not_grow_with_the_menu(self) -> None:
        make.load_sample()
        before = len(prompts.build(make.context()).now)
        many = [
            {"key": f"p-{number}", "category": "pan", "name": f"Producto {number}", "price": "100"}
            for number in range(1000)
        ]
        make.load_menu(make.menu(products=many, branches=make.SMALL["branches"][:1]))
        assert abs(len(prompts.build(make.context()).now) - before) < 100

    def test_branches_inactive_are_not_offered(self) -> None:
        make.load_menu(make.menu())
        Branch.objects.filter(key="sur").update(active=False)
        assert [branch["key"] for branch in prompts.build(make.context()).facts["branches"]] == ["norte"]
