"""The menu: edited in the list, searched without accents, and never a part of history deleted."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from orders.models import Category, OptionList, Product, Shop, Variant
from tests.forms import filled
from tests.orders.admin import rows

LIST = "admin:orders_product_changelist"


def listed(browser: Client, **query: str) -> str:
    return browser.get(reverse(LIST), query).content.decode()


def opened(browser: Client, row: Product) -> dict[str, list[str]]:
    return filled(browser.get(page(row)).content.decode(), "product_form")


def page(row: Any) -> str:
    return reverse(f"admin:orders_{row._meta.model_name}_change", args=[row.pk])


def save_list(browser: Client, data: dict[str, list[str]]) -> str:
    return browser.post(reverse(LIST), data | {"_save": ["Save"]}, follow=True).content.decode()


class TestList:
    def test_prices_are_shown_as_people_write_them(self, browser: Client) -> None:
        rows.product("Croissant", 3500)
        assert 'value="3500"' in listed(browser)

    def test_price_and_availability_are_edited_in_place(self, browser: Client) -> None:
        row = rows.product("Croissant", 3500)
        data = filled(listed(browser), "changelist-form") | {"form-0-price": ["4000"], "form-0-sold_out": ["on"]}
        save_list(browser, data)
        row.refresh_from_db()
        assert (row.price, row.sold_out, row.active) == (Decimal(4000), True, True)

    @pytest.mark.parametrize(("typed", "why"), [("6300.55", "has no decimals"), ("1e3", "Enter a number")])
    def test_a_price_the_currency_does_not_have_is_refused(self, typed: str, why: str, browser: Client) -> None:
        row = rows.product("Croissant", 3500)
        answer = save_list(browser, filled(listed(browser), "changelist-form") | {"form-0-price": [typed]})
        row.refresh_from_db()
        assert why in answer
        assert row.price == 3500

    def test_cents_are_for_a_currency_that_has_them(self, browser: Client) -> None:
        Shop.objects.update(minor_digits=2, currency="EUR", locale="es-ES")
        row = rows.product("Croissant", 3)
        save_list(browser, filled(listed(browser), "changelist-form") | {"form-0-price": ["3.55"]})
        row.refresh_from_db()
        assert row.price == Decimal("3.55")

    def test_a_price_of_nothing_is_kept_and_told(self, browser: Client) -> None:
        row = rows.product("Croissant", 3500)
        answer = save_list(browser, filled(listed(browser), "changelist-form") | {"form-0-price": ["0"]})
        row.refresh_from_db()
        assert row.price == 0
        assert "Croissant costs nothing now." in answer

    def test_the_counter_sells_out_but_sets_no_price(self, signed_in: Callable[[str], Client]) -> None:
        row, counter = rows.product("Croissant", 3500), signed_in("counter")
        data = filled(listed(counter), "changelist-form")
        assert "form-0-price" not in data
        save_list(counter, data | {"form-0-price": ["1"], "form-0-sold_out": ["on"]})
        counter.post(page(row), opened(counter, row) | {"price": ["1"]})
        row.refresh_from_db()
        assert (row.price, row.sold_out) == (Decimal(3500), True)

    def test_an_old_page_does_not_put_back_what_a_colleague_changed(self, browser: Client) -> None:
        bread, cake = rows.product("Pan", 2000), rows.product("Torta", 50000)
        open_page = filled(listed(browser), "changelist-form")
        Product.objects.filter(pk=bread.pk).update(price=2500)
        save_list(browser, open_page | {"form-1-price": ["52000"]})
        bread.refresh_from_db()
        cake.refresh_from_db()
        assert (bread.price, cake.price) == (Decimal(2500), Decimal(52000))

    def test_two_prices_for_one_product_are_a_conflict(self, browser: Client) -> None:
        row = rows.product("Pan", 2000)
        colleague = Client()
        colleague.force_login(User.objects.create_superuser("luis"))
        open_page = filled(listed(browser), "changelist-form")
        save_list(colleague, filled(listed(colleague), "changelist-form") | {"form-0-price": ["2500"]})
        answer = save_list(browser, open_page | {"form-0-price": ["3000"]})
        assert "luis has changed this to “2500” while you had it open." in answer
        row.refresh_from_db()
        assert row.price == 2500

    def test_a_name_that_is_taken_is_refused_in_the_list_too(self, browser: Client) -> None:
        rows.product("Pan", active=True)
        rows.product("PAN", key="pan-2", active=False)
        data = filled(listed(browser), "changelist-form") | {"form-1-active": ["on"]}
        assert "Another active product has this name." in save_list(browser, data)
        assert Product.objects.filter(active=True).count() == 1

    @pytest.mark.parametrize("words", ["cafe", "CAFÉ", "tinto", "leche cafe", "  café  "])
    def test_search_ignores_accents_and_case_and_knows_aliases(self, words: str, browser: Client) -> None:
        rows.product("Café con leche", aliases=["tinto doble"])
        rows.product("Pan")
        html = listed(browser, q=words)
        assert "Café con leche" in html
        assert ">Pan<" not in html.split('id="result_list"')[1].replace("field-category", "").split("Pan</td>")[0]

    def test_search_takes_what_it_is_given(self, browser: Client) -> None:
        rows.product("Pan")
        for words in ("%", "_", "'; drop table x", "nul\0nul"):
            assert browser.get(reverse(LIST), {"q": words}).status_code == 200

    def test_more_products_make_no_more_queries(self, browser: Client) -> None:
        for number in range(2):
            rows.product(f"Pan {number}")
        listed(browser)
        with CaptureQueriesContext(connection) as few:
            listed(browser)
        for number in range(2, 20):
            rows.product(f"Pan {number}")
        with CaptureQueriesContext(connection) as many:
            listed(browser)
        assert len(many) == len(few)

    def test_sold_out_today_and_available_again(self, browser: Client) -> None:
        row = rows.product("Pan")
        chosen = {"_selected_action": [str(row.pk)], "action": "sold_out_today"}
        browser.post(reverse(LIST), chosen)
        assert "Sold out" in listed(browser)
        browser.post(reverse(LIST), chosen | {"action": "available_again"})
        row.refresh_from_db()
        assert row.sold_out_on is None


class TestProduct:
    def test_two_editors_keep_both_their_changes(self, browser: Client) -> None:
        row = rows.product("Pan", 3500)
        open_page = opened(browser, row)
        Product.objects.filter(pk=row.pk).update(price=4000)
        assert browser.post(page(row), open_page | {"description": ["Crujiente"]}).status_code == 302
        row.refresh_from_db()
        assert (row.price, row.description) == (Decimal(4000), "Crujiente")

    def test_not_declared_stays_apart_from_declared_free(self, browser: Client) -> None:
        row = rows.product("Pan", allergens=None)
        browser.post(page(row), opened(browser, row) | {"description": ["Rico"]})
        row.refresh_from_db()
        assert row.allergens is None
        browser.post(page(row), opened(browser, row) | {"allergens_declared": ["on"]})
        row.refresh_from_db()
        assert row.allergens == []
        browser.post(page(row), opened(browser, row) | {"allergens": ["gluten,leche"]})
        row.refresh_from_db()
        assert row.allergens == ["gluten", "leche"]

    def test_allergens_are_words_on_the_page_and_keys_in_the_row(self, browser: Client) -> None:
        row = rows.product("Pan", allergens=["gluten", "milk", "apio"])
        browser.cookies["django_language"] = "es"
        open_page = opened(browser, row)
        assert open_page["allergens"] == ["gluten,leche,apio"]
        browser.post(page(row), open_page | {"description": ["Rico"], "allergens": ["gluten, Leche, apio, huevo"]})
        row.refresh_from_db()
        assert (row.allergens, row.description) == (["gluten", "milk", "apio", "eggs"], "Rico")

    def test_allergens_listed_but_not_declared_are_refused(self, browser: Client) -> None:
        row = rows.product("Pan", allergens=None)
        answer = browser.post(page(row), opened(browser, row) | {"allergens": ["gluten"]}).content.decode()
        assert "Allergens are listed: switch this on." in answer

    def test_a_new_size_gets_its_key_from_its_name(self, browser: Client) -> None:
        row = rows.product("Torta", None)
        size = {"variants-TOTAL_FORMS": ["1"], "variants-0-name": ["Media libra"], "variants-0-price": ["45000"]}
        size |= {"variants-0-active": ["on"], "variants-0-position": ["0"], "variants-0-product": [str(row.pk)]}
        browser.post(page(row), opened(browser, row) | size)
        assert Variant.objects.get(product=row).key == "media-libra"

    def test_two_new_sizes_of_one_name_are_refused(self, browser: Client) -> None:
        row = rows.product("Torta", None)
        data = opened(browser, row) | {"variants-TOTAL_FORMS": ["2"]}
        for index in ("0", "1"):
            data |= {f"variants-{index}-name": ["Grande"], f"variants-{index}-price": ["1"]}
            data |= {f"variants-{index}-position": ["0"], f"variants-{index}-product": [str(row.pk)]}
        assert "This name is there already." in browser.post(page(row), data).content.decode()
        assert not Variant.objects.exists()

    def test_what_was_sold_is_not_deleted_but_switched_off(self, browser: Client) -> None:
        row = rows.product("Pan")
        rows.order(row)
        url = reverse("admin:orders_product_delete", args=[row.pk])
        html = browser.get(url).content.decode()
        assert "Pan is part of orders and stays. Switch off “active” to take it off the menu." in html
        browser.post(url, {"post": "yes"})
        chosen = {"_selected_action": [str(row.pk)], "action": "delete_selected", "post": "yes"}
        browser.post(reverse(LIST), chosen)
        assert Product.objects.filter(pk=row.pk).exists()

    def test_what_was_never_sold_is_deleted(self, browser: Client) -> None:
        row = rows.product("Pan")
        browser.post(reverse("admin:orders_product_delete", args=[row.pk]), {"post": "yes"})
        assert not Product.objects.exists()

    def test_old_orders_keep_the_name_that_was_sold(self, browser: Client) -> None:
        row = rows.product("Pan")
        order = rows.order(row)
        browser.post(page(row), opened(browser, row) | {"name": ["Pan de yema"]})
        row.refresh_from_db()
        assert row.name == "Pan de yema"
        assert order.lines.get().name == "Pan"

    def test_the_key_never_changes(self, browser: Client) -> None:
        row = rows.product("Pan")
        browser.post(page(row), opened(browser, row) | {"key": ["other"], "name": ["Pan nuevo"]})
        row.refresh_from_db()
        assert (row.key, row.name) == ("pan", "Pan nuevo")


@pytest.mark.parametrize("model", [Product, Category, OptionList])
def test_empty_forms_open(model: type, browser: Client) -> None:
    name = model._meta.model_name  # type: ignore[attr-defined]
    assert browser.get(reverse(f"admin:orders_{name}_add")).status_code == 200
    assert browser.get(reverse(f"admin:orders_{name}_changelist")).status_code == 200
