"""Shop, branches and hours: what money and time depend on is checked before it is stored."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from orders.models import Branch, OpeningWindow, Shop, SpecialDay
from tests.forms import filled
from tests.orders.admin import rows


def shop_page() -> str:
    return reverse("admin:orders_shop_change", args=[1])


def test_the_list_of_shops_leads_to_the_one(browser: Client) -> None:
    assert browser.get(reverse("admin:orders_shop_changelist"))["Location"] == shop_page()
    assert browser.get(reverse("admin:orders_shop_add")).status_code == 403


@pytest.mark.parametrize(
    ("field", "value"), [("locale", "xx-nowhere"), ("locale", "../etc"), ("currency", "QQQ"), ("timezone", "Mars/Base")]
)
def test_what_money_and_time_depend_on_is_checked(field: str, value: str, browser: Client) -> None:
    data = filled(browser.get(shop_page()).content.decode(), "shop_form")
    assert browser.post(shop_page(), data | {field: [value]}).status_code == 200
    assert Shop.objects.filter(locale="es-CO", currency="COP", timezone="America/Bogota").exists()


class TestHours:
    @pytest.fixture
    def branch(self) -> Branch:
        return rows.branch()

    def save(self, browser: Client, branch: Branch, *hours: tuple[str, str]) -> str:
        url = reverse("admin:orders_branch_change", args=[branch.pk])
        data = filled(browser.get(url).content.decode(), "branch_form")
        data["windows-TOTAL_FORMS"] = [str(len(hours))]
        for index, (opens, closes) in enumerate(hours):
            data |= {f"windows-{index}-weekday": ["0"], f"windows-{index}-kind": ["shop"]}
            data |= {f"windows-{index}-opens": [opens], f"windows-{index}-closes": [closes]}
            data |= {f"windows-{index}-branch": [str(branch.pk)]}
        return browser.post(url, data, follow=True).content.decode()

    def test_a_day_may_have_a_pause(self, browser: Client, branch: Branch) -> None:
        self.save(browser, branch, ("07:00", "12:00"), ("12:00", "19:00"))
        assert OpeningWindow.objects.count() == 2

    @pytest.mark.parametrize("second", [("11:00", "15:00"), ("06:00", "00:00"), ("08:00", "09:00")])
    def test_hours_that_overlap_are_refused(self, second: tuple[str, str], browser: Client, branch: Branch) -> None:
        html = self.save(browser, branch, ("07:00", "12:00"), second)
        assert "These hours overlap others of that day." in html
        assert not OpeningWindow.objects.exists()

    def test_a_branch_with_orders_stays(self, browser: Client, branch: Branch) -> None:
        rows.order(at=branch)
        browser.post(reverse("admin:orders_branch_delete", args=[branch.pk]), {"post": "yes"})
        assert Branch.objects.filter(pk=branch.pk).exists()

    def test_half_a_place_is_refused_in_words(self, browser: Client, branch: Branch) -> None:
        url = reverse("admin:orders_branch_change", args=[branch.pk])
        data = filled(browser.get(url).content.decode(), "branch_form") | {"latitude": ["4.6"]}
        assert "Give both latitude and longitude, or neither." in browser.post(url, data).content.decode()
        browser.post(url, data | {"longitude": ["-74.1"]})
        assert Branch.objects.filter(longitude="-74.1").exists()

    def test_a_special_day_says_for_which_branches(self, browser: Client, branch: Branch) -> None:
        SpecialDay.objects.create(date="2026-12-25", note="Navidad")
        html = browser.get(reverse("admin:orders_specialday_changelist")).content.decode()
        assert "All branches" in html
