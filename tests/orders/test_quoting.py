"""Pricing a list, keeping it as the draft, and what tools refuse to take."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from aitools.models import Conversation
from aitools.tools import registry
from orders import prompts
from tests.orders import factories as make

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("english")]

TWO_AND_ONE = [{"product": "croissant", "quantity": 2}, {"product": "cafe", "quantity": 1}]


def draft(ctx: Any) -> Any:
    return prompts.build(ctx).facts["draft"]


class TestQuote:
    def test_words_become_lines_with_amounts_and_the_draft(self) -> None:
        make.load_sample()
        ctx = make.context(name="Ana")
        items = [{"product": "cruasanes", "quantity": 2}, {"product": "un cafecito", "quantity": 1}]
        quoted = make.run("quote_order", {"items": items}, ctx)
        assert quoted["say"] == "2 × Croissant — $7.000\n1 × Café — $2.500\nTotal: $9.500"
        assert (quoted["total"], quoted["missing"]) == ("9500", [])
        assert [line["product"] for line in draft(ctx)["lines"]] == ["croissant", "cafe"]

    def test_what_is_not_found_is_listed_with_the_nearest(self) -> None:
        make.load_sample()
        items = [{"product": "croissant", "quantity": 1}, {"product": "pizza hawaiana", "quantity": 3}]
        quoted = make.run("quote_order", {"items": items}, make.context(name="Ana"))
        assert quoted["not_found"][0]["words"] == "pizza hawaiana"
        assert "“pizza hawaiana”" in quoted["say"]
        assert quoted["total"] == "3500"

    def test_words_that_fit_several_products_are_asked_about(self) -> None:
        make.load_menu(make.menu())
        quoted = make.run("quote_order", {"items": [{"product": "bollos", "quantity": 1}]}, make.context())
        assert [one["key"] for one in quoted["ambiguous"][0]["candidates"]] == ["bollo", "bollo-sal"]
        assert quoted["lines"] == []

    def test_a_size_and_an_option_still_to_choose_are_asked_for(self) -> None:
        make.load_menu(make.menu())
        ctx = make.context()
        quoted = make.run("quote_order", {"items": [{"product": "torta", "quantity": 1}]}, ctx)
        assert [need["reason"] for need in quoted["needs"]] == ["which_variant", "missing_option"]
        assert "Chica $40.000, Grande $70.000" in quoted["say"]
        assert draft(ctx)["lines"][0]["unit_price"] is None

    def test_a_new_list_replaces_the_draft_but_keeps_the_name(self) -> None:
        make.load_sample()
        ctx = make.context()
        make.run("quote_order", {"items": TWO_AND_ONE, "name": "Ana"}, ctx)
        make.run("quote_order", {"items": TWO_AND_ONE[:1]}, ctx)
        assert [line["quantity"] for line in draft(ctx)["lines"]] == [2]
        assert draft(ctx)["name"] == "Ana"

    def test_a_reset_makes_the_draft_void(self) -> None:
        make.load_sample()
        ctx = make.context()
        make.run("quote_order", {"items": TWO_AND_ONE}, ctx)
        Conversation.objects.filter(address=ctx.address).update(epoch=1)
        assert draft(make.context()) is None

    def test_a_draft_is_forgotten_after_its_time(self) -> None:
        make.load_sample()
        make.run("quote_order", {"items": TWO_AND_ONE}, make.context())
        assert draft(make.context(now=make.NOW + timedelta(hours=5))) is None


class TestQuantities:
    @pytest.mark.parametrize("quantity", [0, -2, 2.5, 10**9, "dos mil", "2", True, None])
    def test_what_is_no_sane_number_is_refused_before_anybody_is_asked(self, quantity: object) -> None:
        make.load_sample()
        with pytest.raises(ValueError, match=r"items\[0\].quantity: .*was not asked"):
            make.arguments("create_order", {"items": [{"product": "croissant", "quantity": quantity}]})

    def test_an_unknown_key_names_the_nearest(self) -> None:
        make.load_sample()
        with pytest.raises(ValueError, match=r"'croisant' is not one of products; nearest: croissant"):
            make.arguments("create_order", {"items": [{"product": "croisant", "quantity": 1}]})

    def test_extra_keys_are_refused(self) -> None:
        make.load_sample()
        with pytest.raises(ValueError, match=r"items\[0\].precio"):
            make.arguments("create_order", {"items": [{"product": "croissant", "quantity": 1, "precio": 1}]})

    def test_no_tool_takes_money(self) -> None:
        make.load_sample()
        names = {name for tool in registry.all() for name in getattr(tool.schema, "model_fields", {})}
        assert not names & {"price", "total", "amount", "discount", "precio"}
