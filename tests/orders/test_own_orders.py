"""Seeing, changing and cancelling one's own orders."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal

import pytest

from aitools.errors import AgreementChanged, ToolFailed, ToolRetry
from orders.models import Order
from tests.orders import factories as make

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("english")]


class TestOwnOrders:
    def test_a_customer_reaches_only_their_own(self) -> None:
        make.load_sample()
        make.order(make.context(address="+573000000002"), ("cafe", 1))
        mine = make.context()
        make.order(mine, ("agua", 1))
        code = Order.objects.get(day_no=1).code
        for number in ("C-1", "1", code, "C-99"):
            for name in ("order_status", "cancel_order"):
                with pytest.raises(ToolFailed) as refused:
                    make.run(name, {"order": number}, mine)
                assert refused.value.say == f"I can't find order {number} among yours."
        assert [one["order"] for one in make.run("my_orders", {}, mine)["orders"]] == ["C-2"]

    @pytest.mark.parametrize("written", ["C-1", "c-1", "C 1", "c1", "#C-1", "1"])
    def test_a_number_may_be_written_in_many_ways(self, written: str) -> None:
        make.load_sample()
        make.order(make.context(), ("cafe", 1))
        assert make.run("order_status", {"order": written}, make.context())["order"] == "C-1"

    def test_no_orders_is_said_plainly(self) -> None:
        make.load_sample()
        assert make.run("my_orders", {}, make.context())["say"] == "You have no orders with us yet."

    def test_a_change_is_asked_with_new_lines_and_keeps_the_number(self) -> None:
        make.load_sample()
        ctx = make.context()
        make.order(ctx, ("croissant", 2))
        given = {"order": "C-1", "items": [{"product": "croissant", "quantity": 3}]}
        lines, agreed = make.ask("update_order", given, ctx)
        assert lines[:3] == ["C-1", "3 × Croissant — $10.500", "Total: $10.500"]
        changed = make.run("update_order", given, ctx, agreed=agreed)
        order = Order.objects.get()
        assert changed["order"] == order.number == "C-1"
        assert (order.total, order.version) == (Decimal(10500), 2)
        assert [event.what for event in order.events.all()] == ["placed", "changed"]
        assert order.events.filter(what="changed", before__total="7000.00").exists()

    def test_staff_who_touch_the_order_meanwhile_make_it_ask_again(self) -> None:
        make.load_sample()
        ctx = make.context()
        make.order(ctx, ("croissant", 2))
        given = {"order": "C-1", "items": [{"product": "croissant", "quantity": 3}]}
        _, agreed = make.ask("update_order", given, ctx)
        Order.objects.update(version=2)
        with pytest.raises(AgreementChanged):
            make.run("update_order", given, ctx, agreed=agreed)

    def test_moving_to_another_day_gives_a_number_of_that_day(self) -> None:
        make.load_menu(make.menu())
        ctx = make.context()
        make.order(ctx, ("bollo", 1), branch="sur", pickup_at="2026-11-25T09:00")
        make.order(ctx, ("bollo", 1), branch="sur")
        items = [{"product": "bollo", "quantity": 1}]
        make.run("update_order", {"order": "S-1", "items": items, "pickup_at": "2026-11-25T10:00"}, ctx)
        assert sorted(Order.objects.values_list("business_date__day", "day_no")) == [(25, 1), (25, 2)]

    def test_cancelling_is_asked_and_told(self) -> None:
        make.load_sample()
        ctx = make.context()
        make.order(ctx, ("cafe", 1))
        lines, agreed = make.ask("cancel_order", {"order": "C-1"}, ctx)
        assert lines[0] == "Order C-1: accepted"
        done = make.run("cancel_order", {"order": "C-1", "reason": "ya no"}, ctx, agreed=agreed)
        assert done["say"] == "Done: order C-1 is cancelled."
        assert (Order.objects.get().state, Order.objects.get().cancel_reason) == ("cancelled", "ya no")
        with pytest.raises(ToolRetry) as refused:
            make.ask("cancel_order", {"order": "C-1"}, ctx)
        assert refused.value.say == "Order C-1 is already cancelled."

    def test_after_the_cut_off_a_person_must_decide(self) -> None:
        make.load_menu(make.menu())
        make.order(make.context(), ("bollo", 1), branch="sur", pickup_at="2026-11-25T09:00")
        late = make.context(now=datetime(2026, 11, 25, 8, 1, tzinfo=make.BOGOTA))
        with pytest.raises(ToolFailed) as refused:
            make.ask("cancel_order", {"order": "S-1"}, late)
        assert refused.value.say == "It is too late to cancel order S-1 here. Shall I pass you to a person of the shop?"

    def test_a_change_of_mind_right_after_ordering_is_free(self) -> None:
        make.load_menu(make.menu())
        make.order(make.context(), ("bollo", 1), branch="sur")
        make.ask("cancel_order", {"order": "S-1"}, make.context(now=make.NOW + timedelta(minutes=9)))

    def test_what_is_being_prepared_is_not_changed(self) -> None:
        make.load_sample()
        make.order(make.context(), ("cafe", 1))
        Order.objects.update(state="preparing")
        with pytest.raises(ToolFailed):
            make.ask("cancel_order", {"order": "C-1"}, make.context())
