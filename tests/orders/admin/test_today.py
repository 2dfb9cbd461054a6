"""The first screen: each branch's own today, and what needs a person."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from aitools import clock, spending
from aitools.models import BotProfile, InboundEvent, Step, Turn
from orders.admin import today
from tests.aitools.admin import rows as talk
from tests.orders.admin import rows

LATE_EVENING = datetime(2026, 3, 11, 2, 30, tzinfo=UTC)


def first_screen(browser: Client) -> str:
    return browser.get(reverse("admin:index")).content.decode()


def test_each_branch_has_the_day_of_its_own_clock() -> None:
    bogota = rows.branch("C")
    madrid = rows.branch("M", timezone="Europe/Madrid")
    rows.order(at=bogota, due=LATE_EVENING)
    rows.order(at=madrid, due=LATE_EVENING)
    days = {day.branch: day for day in today.days(LATE_EVENING, with_money=True)}
    assert (days[bogota.name].date.isoformat(), days[bogota.name].count) == ("2026-03-10", 1)
    assert (days[madrid.name].date.isoformat(), days[madrid.name].count) == ("2026-03-11", 1)
    assert f"{days[bogota.name].orders[0].due:%H:%M}" == "21:30"


def test_sums_leave_cancelled_orders_out() -> None:
    bread = rows.product("Pan", 2000)
    rows.order(bread, quantity=3, due=LATE_EVENING)
    rows.order(bread, quantity=1, due=LATE_EVENING, state="picked_up")
    rows.order(bread, quantity=9, due=LATE_EVENING, state="cancelled")
    [day] = today.days(LATE_EVENING, with_money=True)
    assert (day.count, day.open, day.cancelled, day.total) == (2, 1, 1, "$8.000")


def test_what_is_to_do_comes_first_by_the_time_it_is_due() -> None:
    last = rows.order(due=LATE_EVENING + timedelta(minutes=30))
    done = rows.order(due=LATE_EVENING - timedelta(hours=2), state="picked_up")
    first = rows.order(due=LATE_EVENING)
    [day] = today.days(LATE_EVENING, with_money=True)
    assert [order.number for order in day.orders] == [first.number, last.number, done.number]


def test_a_day_without_orders_says_so(browser: Client) -> None:
    rows.branch()
    html = first_screen(browser)
    assert "No orders for today yet." in html
    assert "Nobody waits, nothing failed." in html


def test_an_order_is_one_touch_away(browser: Client) -> None:
    order = rows.order(due=clock.now())
    html = first_screen(browser)
    assert order.number in html
    assert "2 × Croissant" in html
    assert "$7.000" in html
    assert reverse("admin:orders_order_change", args=[order.pk]) in html


def test_the_kitchen_reads_size_and_options_on_the_first_screen(browser: Client) -> None:
    line = rows.order(due=clock.now()).lines.get()
    line.variant_name = "Grande"
    line.save()
    rows.chosen(line, "Caliente", "Con mantequilla")
    assert "2 × Croissant (Grande, Caliente, Con mantequilla)" in first_screen(browser)


def test_who_waits_and_what_failed_is_on_top(browser: Client) -> None:
    waiting = talk.conversation(profile_name="Marta", needs_staff=True)
    talk.answered(talk.conversation(profile_name="Luis"), "Listo.", state="failed", error_code="21610")
    talk.answered(talk.conversation(profile_name="Pedro"), "Listo.", state="failed", minutes_ago=60 * 25)
    talk.said(talk.conversation(profile_name="Inés"), "hola", minutes_ago=4)
    html = first_screen(browser)
    assert reverse("admin:aitools_conversation_change", args=[waiting.pk]) in html
    assert "Marta" in html
    assert "(21610)" in html
    assert "Pedro" not in html
    assert "The oldest unread message is 4 minutes old." in html


def test_a_bot_that_is_off_is_told(browser: Client, signed_in: Callable[[str], Client]) -> None:
    BotProfile.objects.create(name="Desk", bot_on=False)
    profiles = reverse("admin:aitools_botprofile_changelist")
    notice = first_screen(browser).split('role="alert"')[1].split("</p>")[0]
    assert "The bot is off" in notice
    assert profiles in notice
    at_the_counter = first_screen(signed_in("counter"))
    assert "The bot is off" in at_the_counter
    assert profiles not in at_the_counter


@pytest.fixture
def spent() -> Iterator[None]:
    """Models have cost a dollar and a quarter today, and five dollars two days ago."""
    turn = Turn.objects.create(conversation=talk.conversation(), state="done")
    for index, (cost, days) in enumerate((("1.25", 0), ("5", 2)), start=1):
        at = clock.now() - timedelta(days=days)
        Step.objects.create(turn=turn, index=index, provider="x", stop="end", cost=cost, created_at=at)
    spending.forget()
    yield
    spending.forget()


@pytest.mark.parametrize(
    ("soft", "hard", "told"),
    [
        (None, None, ""),
        (Decimal(2), Decimal(3), ""),
        (Decimal(1), Decimal(2), "you wanted to know from US$ 1.0000 on"),
        (Decimal(1), Decimal("1.25"), "may cost US$ 1.2500: until midnight the offline order taker answers alone"),
    ],
)
def test_what_models_cost_today_is_told_and_when_it_is_too_much(
    browser: Client, spent: None, soft: Decimal | None, hard: Decimal | None, told: str
) -> None:
    BotProfile.objects.create(name="Desk", daily_budget_soft=soft, daily_budget_hard=hard)
    html = first_screen(browser)
    assert "Models have cost US$ 1.2500 today." in html
    assert ("Nobody waits, nothing failed." in html) is not bool(told)
    assert told in html


def test_a_profile_that_is_not_in_force_alarms_nobody(browser: Client) -> None:
    BotProfile.objects.create(name="Old", bot_on=False, active=False)
    assert "The bot is off" not in first_screen(browser)


def test_a_status_of_a_message_we_never_sent_is_no_unread_message(browser: Client) -> None:
    """Numbers are also used from the vendor's own console; what it says of those is kept, and is nobody's work."""
    told_at = clock.now() - timedelta(minutes=4)
    InboundEvent.objects.create(channel="twilio_sms", provider_id="SM1:sent", kind="status", received_at=told_at)
    assert "Nobody waits, nothing failed." in first_screen(browser)
    assert "unread message" not in first_screen(browser)


def test_a_busy_day_costs_no_more_queries(browser: Client) -> None:
    rows.chosen(rows.order(due=clock.now()).lines.get(), "Caliente")
    first_screen(browser)
    with CaptureQueriesContext(connection) as few:
        first_screen(browser)
    for _ in range(10):
        rows.chosen(rows.order(due=clock.now()).lines.get(), "Caliente")
    with CaptureQueriesContext(connection) as many:
        first_screen(browser)
    assert len(many) == len(few)


def test_it_opens_before_there_is_a_shop(browser: Client, shop: object) -> None:
    shop.delete()  # type: ignore[attr-defined]
    assert "There is no branch yet." in first_screen(browser)


def test_it_speaks_spanish_and_english() -> None:
    for language in ("es", "en"):
        client = Client(headers={"accept-language": language})
        assert f'<html lang="{language}"' in client.get(reverse("admin:login")).content.decode()


def test_the_kitchen_sees_work_but_neither_money_nor_talk(signed_in: Callable[[str], Client]) -> None:
    order = rows.order(due=clock.now())
    talk.conversation(profile_name="Marta", needs_staff=True)
    html = first_screen(signed_in("kitchen"))
    assert order.number in html
    assert "$7.000" not in html
    assert "Marta" not in html
