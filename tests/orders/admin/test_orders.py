"""Orders: found by day, read whole, moved on step by step."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from aitools.models import Step
from orders import transitions
from orders.models import DayStock, Order, OrderState
from tests.aitools.admin import rows as talk
from tests.orders.admin import rows

LIST = "admin:orders_order_changelist"


def sheet(browser: Client, order: Order) -> str:
    return browser.get(reverse("admin:orders_order_change", args=[order.pk])).content.decode()


def move(browser: Client, order: Order, state: str, version: int = 1, **data: Any) -> str:
    url = reverse("admin:orders_order_do", args=[order.pk, "move"])
    return browser.post(url, {"state": state, "version": version} | data, follow=True).content.decode()


def state_of(order: Order) -> str:
    order.refresh_from_db()
    return order.state


def test_the_sheet_tells_what_the_models_cost_since_the_order_before_it(browser: Client) -> None:
    first = talk.worked(talk.conversation())
    second = talk.worked(first.turn.conversation)
    other = talk.worked(talk.conversation())
    for call, cost in ((first, "1"), (second, "0.25"), (other, "4")):
        call.turn.steps.update(cost=cost)
    Step.objects.create(turn=second.turn, index=2, provider="x", stop="end", cost="0.5")
    orders = [rows.order(tool_call=call) for call in (first, second)]
    assert "Models: US$ 1.0000" in sheet(browser, orders[0])
    assert "Models: US$ 0.7500" in sheet(browser, orders[1])
    assert "Models:" not in sheet(browser, rows.order())


class TestSheet:
    def test_lines_total_note_and_history_are_on_it(self, browser: Client) -> None:
        order = rows.order(rows.product("Croissant", 3500), quantity=3, note="Sin azúcar")
        html = sheet(browser, order)
        for expected in ("3 ×", "Croissant", "$10.500", "Sin azúcar", "placed", "customer", "+573000000001"):
            assert expected in html

    def test_markup_from_customers_is_text(self, browser: Client) -> None:
        order = rows.order(name="<img src=x>", note="<script>alert(1)</script>")
        html = sheet(browser, order) + browser.get(reverse(LIST)).content.decode()
        assert "<img src=x>" not in html
        assert "<script>alert(1)" not in html

    def test_its_page_costs_the_same_for_any_number_of_lines(self, browser: Client) -> None:
        order = rows.order()
        sheet(browser, order)
        with CaptureQueriesContext(connection) as few:
            sheet(browser, order)
        line = order.lines.get()
        for position in range(2, 12):
            line.pk, line.position = None, position
            line.save()
        with CaptureQueriesContext(connection) as many:
            sheet(browser, order)
        assert len(many) == len(few)


class TestSteps:
    def test_each_step_is_an_event_with_who_did_it(self, browser: Client) -> None:
        order = rows.order()
        move(browser, order, "preparing")
        assert state_of(order) == "preparing"
        assert order.version == 2
        event = order.events.last()
        assert event is not None
        assert event.user is not None
        assert (event.what, event.user.username, event.actor) == ("state", "olga", "staff")
        assert event.before is not None
        assert event.after is not None
        assert (event.before["state"], event.after["state"]) == ("accepted", "preparing")

    def test_the_second_of_two_people_is_told_who_was_first(self, browser: Client) -> None:
        order = rows.order()
        colleague = Client()
        colleague.force_login(User.objects.create_superuser("luis"))
        move(colleague, order, "ready", version=1)
        html = move(browser, order, "cancelled", version=1, reason="mistake")
        assert f"luis has changed {order.number} while you had it open (now “ready”). Nothing was saved." in html
        assert state_of(order) == "ready"

    @pytest.mark.parametrize("state", [*OrderState.values, "eaten", ""])
    def test_a_cancelled_order_stays_cancelled(self, state: str, browser: Client) -> None:
        order = rows.order(state="cancelled")
        move(browser, order, state)
        assert state_of(order) == "cancelled"

    def test_every_allowed_step_leads_somewhere_known(self) -> None:
        assert set(transitions.NEXT) == set(OrderState)
        assert all(after in OrderState for steps in transitions.NEXT.values() for after in steps)

    def test_a_wrong_version_is_no_step(self, browser: Client) -> None:
        order = rows.order()
        move(browser, order, "ready", version="x")  # type: ignore[arg-type]
        assert state_of(order) == "accepted"

    def test_cancelling_keeps_the_reason_and_frees_the_stock(self, browser: Client) -> None:
        product = rows.product("Torta", 50000, daily_stock=5)
        order = rows.order(product, quantity=2)
        stock = DayStock.objects.create(branch=order.branch, product=product, date=order.business_date, taken=3)
        move(browser, order, "cancelled", reason="Horno dañado")
        stock.refresh_from_db()
        assert (state_of(order), order.cancel_reason, stock.taken) == ("cancelled", "Horno dañado", 1)

    def test_several_orders_move_together_and_misfits_are_named(self, browser: Client) -> None:
        fits, misfit = rows.order(), rows.order(state="picked_up")
        chosen = {"_selected_action": [fits.pk, misfit.pk], "action": "mark_preparing"}
        html = browser.post(reverse(LIST), chosen, follow=True).content.decode()
        assert "1 order moved on." in html
        assert f"{misfit.number} is “picked up”; that step is not possible now." in html
        assert (state_of(fits), state_of(misfit)) == ("preparing", "picked_up")

    def test_a_link_is_not_enough(self, browser: Client) -> None:
        order = rows.order()
        assert browser.get(reverse("admin:orders_order_do", args=[order.pk, "move"])).status_code == 405


class TestList:
    def test_the_options_of_a_line_tell_it_from_the_next(self, browser: Client) -> None:
        rows.chosen(rows.order().lines.get(), "Sin calentar")
        assert "2 × Croissant (Sin calentar)" in browser.get(reverse(LIST)).content.decode()

    def test_it_costs_the_same_for_any_number_of_orders_and_counts_nothing(self, browser: Client) -> None:
        rows.order()
        rows.chosen(rows.order().lines.get(), "Caliente")
        browser.get(reverse(LIST))
        with CaptureQueriesContext(connection) as few:
            browser.get(reverse(LIST))
        for _ in range(10):
            rows.chosen(rows.order().lines.get(), "Caliente")
        with CaptureQueriesContext(connection) as many:
            browser.get(reverse(LIST))
        assert len(many) == len(few)
        assert not [query for query in many if "COUNT(" in query["sql"] and '"orders_order"' in query["sql"]]

    def test_days_are_the_branchs(self, browser: Client) -> None:
        evening = rows.order(due=datetime(2026, 3, 11, 2, 30, tzinfo=UTC))
        url = reverse(LIST)
        on_the_tenth = browser.get(url, {"business_date_from": "2026-03-10", "business_date_to": "2026-03-10"})
        assert evening.code in on_the_tenth.content.decode()
        assert "10/03 21:30" in on_the_tenth.content.decode()
        assert evening.code not in browser.get(url, {"business_date_from": "2026-03-11"}).content.decode()

    def test_a_customers_page_leads_to_their_orders(self, browser: Client) -> None:
        mine, other = rows.order(), rows.order()
        customer = browser.get(reverse("admin:orders_customer_change", args=[mine.customer_id])).content.decode()
        link = f"{reverse(LIST)}?customer__id__exact={mine.customer_id}"
        assert link in customer
        html = browser.get(link).content.decode()
        assert mine.code in html
        assert other.code not in html

    def test_orders_are_neither_added_nor_edited_as_forms(self, browser: Client) -> None:
        order = rows.order()
        assert browser.get(reverse("admin:orders_order_add")).status_code == 403
        assert browser.post(reverse("admin:orders_order_change", args=[order.pk]), {"total": "1"}).status_code == 403
        assert browser.post(reverse("admin:orders_order_delete", args=[order.pk]), {"post": "yes"}).status_code == 403
