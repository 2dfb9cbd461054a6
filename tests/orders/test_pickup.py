"""When something can be picked up, and how much of it there is."""

from __future__ import annotations

from datetime import datetime

import pytest

from aitools.errors import ToolRetry
from orders.models import Option, Order, Product
from tests.orders import factories as make

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("english")]


class TestTimes:
    def test_a_closed_shop_says_when_it_opens(self) -> None:
        make.load_menu(make.menu())
        night = datetime(2026, 11, 24, 22, 0, tzinfo=make.BOGOTA)
        with pytest.raises(ToolRetry) as refused:
            make.order(make.context(now=night), ("bollo", 1), branch="norte")
        assert refused.value.say.splitlines() == [
            "Norte is closed at that time.",
            "The earliest is tomorrow at 07:00. Shall I put it for then?",
        ]

    def test_a_cake_needs_its_day(self) -> None:
        make.load_menu(make.menu())
        cake = {"product": "torta", "quantity": 1, "variant": "chica", "options": ["relleno:mora"]}
        with pytest.raises(ToolRetry) as refused:
            make.run("create_order", {"items": [cake], "name": "Ana", "branch": "sur"}, make.context())
        assert refused.value.say.splitlines() == [
            "Torta alta is made to order: it needs 1 day.",
            "The earliest is tomorrow at 10:00. Shall I put it for then?",
        ]

    def test_a_stated_time_is_moved_to_the_next_slot_and_shown(self) -> None:
        make.load_menu(make.menu())
        given = {"items": [{"product": "bollo", "quantity": 1}], "name": "Ana", "branch": "norte"}
        lines, _ = make.ask("create_order", {**given, "pickup_at": "2026-11-25T08:07"}, make.context())
        assert "Pick-up at Norte: tomorrow at 08:15" in lines

    @pytest.mark.parametrize(
        ("product", "at", "said"),
        [
            ("bollo", "2026-11-24T08:00", "That time is already past."),
            ("bollo", "2026-12-20T08:00", "We take orders for the next 10 days."),
            ("bollo", "2026-11-29T08:00", "Norte is closed at that time."),
            ("pan-fin", "2026-11-25T08:00", "Hogaza is not available at that time."),
            ("sopa", "2026-11-24T15:00", "Sopa mañanera is not available at that time."),
        ],
    )
    def test_times_that_will_not_do(self, product: str, at: str, said: str) -> None:
        make.load_menu(make.menu())
        with pytest.raises(ToolRetry) as refused:
            make.order(make.context(), (product, 1), branch="norte", pickup_at=at)
        assert refused.value.say.splitlines()[0] == said

    def test_sold_out_today_is_not_sold_out_tomorrow(self) -> None:
        make.load_menu(make.menu())
        Product.objects.filter(key="bollo").update(sold_out_on="2026-11-24")
        with pytest.raises(ToolRetry) as refused:
            make.order(make.context(), ("bollo", 1), branch="sur")
        assert refused.value.say.splitlines()[0] == "Bollo dulce is sold out for that day."
        assert make.order(make.context(), ("bollo", 1), branch="sur", pickup_at="2026-11-25T09:00")["order"] == "S-1"

    def test_an_option_can_be_sold_out_too(self) -> None:
        make.load_menu(make.menu())
        Option.objects.filter(key="coco").update(sold_out_on="2026-11-26")
        cake = {"product": "torta", "quantity": 1, "variant": "chica", "options": ["relleno:coco"]}
        given = {"items": [cake], "name": "Ana", "branch": "sur", "pickup_at": "2026-11-26T09:00"}
        with pytest.raises(ToolRetry, match="sold out"):
            make.run("create_order", given, make.context())

    def test_the_business_date_is_the_branchs_own(self) -> None:
        make.load_menu(make.menu())
        evening = datetime(2026, 11, 24, 19, 0, tzinfo=make.BOGOTA)
        make.order(make.context(now=evening), ("bollo", 1), branch="sur")
        assert str(Order.objects.get().business_date) == "2026-11-24"


class TestStock:
    def test_no_more_is_sold_than_the_day_has(self) -> None:
        make.load_menu(make.menu())
        make.order(make.context(), ("rosca", 4), branch="sur")
        with pytest.raises(ToolRetry) as refused:
            make.order(make.context(), ("rosca", 2), branch="sur")
        assert refused.value.say == "There are only 1 of Rosca fina left for that day."
        make.order(make.context(), ("rosca", 1), branch="sur")
        with pytest.raises(ToolRetry, match="sold out"):
            make.order(make.context(), ("rosca", 1), branch="sur")

    def test_each_branch_and_day_has_its_own(self) -> None:
        make.load_menu(make.menu())
        make.order(make.context(), ("rosca", 5), branch="sur")
        make.order(make.context(), ("rosca", 5), branch="norte")
        make.order(make.context(), ("rosca", 5), branch="sur", pickup_at="2026-11-25T09:00")

    def test_cancelling_gives_back(self) -> None:
        make.load_menu(make.menu())
        placed = make.order(make.context(), ("rosca", 5), branch="sur")
        make.run("cancel_order", {"order": placed["order"]}, make.context())
        assert make.order(make.context(), ("rosca", 5), branch="sur")["total"] == "12500"
