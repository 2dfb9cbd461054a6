"""What owner, manager, counter and kitchen may and may not do."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import Group
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from bakery import roles
from tests.orders.admin import rows


def opens(browser: Client, name: str) -> bool:
    return browser.get(reverse(f"admin:{name}_changelist"), follow=True).status_code == 200


@pytest.mark.parametrize(
    ("role", "may", "may_not"),
    [
        ("owner", "auth_user", "auth_permission"),
        ("manager", "orders_product", "auth_user"),
        ("counter", "aitools_conversation", "aitools_modelendpoint"),
        ("counter", "orders_customer", "aitools_toolcall"),
        ("kitchen", "orders_order", "orders_customer"),
        ("kitchen", "orders_order", "aitools_conversation"),
    ],
)
def test_each_role_opens_its_own_pages(role: str, may: str, may_not: str, signed_in: Callable[[str], Client]) -> None:
    browser = signed_in(role)
    assert opens(browser, may)
    if may_not != "auth_permission":
        assert not opens(browser, may_not)


def test_the_kitchen_makes_ready_but_sees_no_phone_and_no_amount(signed_in: Callable[[str], Client]) -> None:
    browser = signed_in("kitchen")
    order = rows.order(rows.product("Croissant", 3500))
    url = reverse("admin:orders_order_change", args=[order.pk])
    html = browser.get(url).content.decode() + browser.get(reverse("admin:orders_order_changelist")).content.decode()
    assert "2 × Croissant" in html
    assert "7.000" not in html
    assert "3.500" not in html
    assert "+573000000001" not in html
    step = reverse("admin:orders_order_do", args=[order.pk, "move"])
    browser.post(step, {"state": "cancelled", "version": 1})
    order.refresh_from_db()
    assert order.state == "accepted"
    browser.post(step, {"state": "ready", "version": 1})
    order.refresh_from_db()
    assert order.state == "ready"


@pytest.mark.parametrize(("role", "status"), [("owner", 200), ("manager", 200), ("kitchen", 403)])
def test_the_report_is_for_who_may_see_money(role: str, status: int, signed_in: Callable[[str], Client]) -> None:
    assert signed_in(role).get(reverse("order_report")).status_code == status


def test_a_second_run_repairs_and_adds_nothing() -> None:
    call_command("sync_roles", verbosity=0)
    kitchen = Group.objects.get(name="kitchen")
    before = set(kitchen.permissions.values_list("codename", flat=True))
    kitchen.permissions.clear()
    call_command("sync_roles", verbosity=0)
    assert set(kitchen.permissions.values_list("codename", flat=True)) == before
    assert Group.objects.count() == len(roles.ROLES)
