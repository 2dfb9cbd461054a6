"""Menu files: whole or not at all, and the shop is then that file."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError
from django.db.models import ProtectedError

from orders import catalogue, menu_files, models
from orders.menu_files import MenuFileError
from tests.orders import factories as make

CASE_MENUS = ("co-panaderia", "es-panaderia", "large-3000", "mx-pasteleria", "sv-pupuseria", "us-bakery")


def faults(**changes: Any) -> list[str]:
    with pytest.raises(MenuFileError) as refused:
        menu_files.parse(make.menu(**changes))
    return refused.value.problems


def product(**changes: Any) -> dict[str, Any]:
    return {"key": "uno", "category": "pan", "name": "Uno", "price": "100", **changes}


class TestFaults:
    @pytest.mark.parametrize(
        ("wrong", "told"),
        [
            (product(price=12.5), 'products[0].price: must be a decimal string such as "2500" or "2.50"'),
            (product(price="-1"), "products[0].price: Input should be greater than or equal to 0"),
            (product(price="10.5"), "products[0].price: 10.5 has more than 0 decimals"),
            (product(price="NaN"), "products[0].price: Input should be a finite number"),
            (product(price=None), "products[0].price: needed, as there are no variants"),
            (product(category="otra"), "products[0].category: there is no category 'otra'"),
            (product(tax="iva"), "products[0].tax: there is no tax rate 'iva'"),
            (
                product(option_lists=[{"list": "x"}]),
                "products[0].option_lists[0].list: there is no option list 'x'",
            ),
            (
                product(option_lists=[{"list": "relleno", "min": 3, "max": 3}]),
                "products[0].option_lists[0].min: the list has only 2 options",
            ),
            (
                product(available={"branches": ["oeste"]}),
                "products[0].available.branches[0]: there is no branch 'oeste'",
            ),
            (product(available={"days": ["lun"]}), "products[0].available.days[0]: "),
            (product(colour="rojo"), "products[0].colour: Extra inputs are not permitted"),
            (product(key="Mal Key"), "products[0].key: "),
            (product(min_qty=5, max_qty=2), "products[0].max_qty: must not be below min_qty"),
            (
                product(variants=[{"key": "a", "name": "A", "price": "1"}]),
                "products[0].price: must be null, its variants have the prices",
            ),
        ],
    )
    def test_a_wrong_product_is_named_by_its_place(self, wrong: dict[str, Any], told: str) -> None:
        assert faults(products=[wrong])[0].startswith(told)

    @pytest.mark.parametrize(
        ("place", "told"),
        [
            ({"latitude": 4.6}, "branches[0]: needs both latitude and longitude, or neither"),
            ({"latitude": 90.5, "longitude": 0}, "branches[0].latitude: Input should be less than or equal to 90"),
            ({"latitude": 0, "longitude": "-181"}, "branches[0].longitude: Input should be greater than or equal to"),
            ({"latitude": float("nan"), "longitude": 0}, "branches[0].latitude: Input should be a finite number"),
            ({"latitude": "1e999", "longitude": 0}, "branches[0].latitude: "),
            ({"latitude": "acá", "longitude": 0}, "branches[0].latitude: "),
        ],
    )
    def test_a_branch_is_somewhere_on_earth_or_nowhere(self, place: dict[str, Any], told: str) -> None:
        assert faults(branches=[{"key": "a", "name": "A", **place}])[0].startswith(told)

    def test_duplicates_name_both_places(self) -> None:
        twins = [product(aliases=["uno solo"]), product(), product(key="otro", name="Otro", aliases=["Uno  sólo"])]
        assert faults(products=twins) == [
            "products[1].key: 'uno' is already products[0]",
            "products[1].name: 'uno' is already products[0]",
            "products[2].aliases[0]: 'Uno  sólo' also belongs to products[0]",
        ]

    def test_hours_that_overlap_or_end_before_they_begin(self) -> None:
        hours = [
            {"days": ["mon", "tue"], "open": "08:00", "close": "12:00"},
            {"days": ["tue"], "open": "11:00", "close": "15:00"},
            {"days": ["sun"], "open": "18:00", "close": "02:00"},
        ]
        assert faults(branches=[{"key": "a", "name": "A", "hours": hours}]) == [
            "branches[0].hours[1]: overlaps branches[0].hours[0] on tue",
            "branches[0].hours[2].close: must be after open; hours past midnight are two windows",
        ]

    def test_all_faults_are_told_at_once(self) -> None:
        assert len(faults(timezone="Mars/Base", currency="pesos", locale="xx-YY-zz")) == 3

    def test_a_file_that_is_no_json(self, tmp_path: Path) -> None:
        path = tmp_path / "menu.json"
        path.write_text('{"schema": "menu/1",')
        with pytest.raises(MenuFileError, match="line 1, column"):
            menu_files.read(path)

    def test_a_key_that_an_object_has_twice_is_told_with_its_place(self, tmp_path: Path) -> None:
        path = tmp_path / "menu.json"
        text = json.dumps(make.menu(products=[product()]))
        path.write_text(text.replace('"price": "100"', '"price": "100", "price": "1"'))
        with pytest.raises(MenuFileError) as refused:
            menu_files.read(path)
        assert refused.value.problems == ["products[0].price: is there twice"]

    @pytest.mark.parametrize("character", ["\x00", "\ud800"])
    def test_a_character_that_can_not_be_stored_is_told_with_its_place(self, character: str) -> None:
        unfit = [product(), product(key="dos", name=f"Do{character}s")]
        assert faults(products=unfit) == ["products[1].name: has a character that can't be stored, such as NUL"]

    @pytest.mark.parametrize("opening", ["[", '{"a":'])
    def test_a_file_nested_without_end(self, opening: str, tmp_path: Path) -> None:
        path = tmp_path / "menu.json"
        path.write_text(opening * 100_000)
        with pytest.raises(MenuFileError, match="nested too deeply"):
            menu_files.read(path)

    def test_a_currency_that_does_not_exist(self) -> None:
        assert faults(currency="ZZZ") == ["currency: is not a currency such as COP"]

    def test_a_menu_of_nothing_would_switch_off_everything(self) -> None:
        assert faults(products=[])[0].startswith("products: ")

    @pytest.mark.django_db
    def test_the_file_of_another_shop_needs_a_word_more(self, tmp_path: Path) -> None:
        make.load_menu(make.menu())
        path = tmp_path / "menu.json"
        path.write_text(json.dumps(make.menu(key="otra", name="Otra")))
        with pytest.raises(CommandError, match="--replace-shop"):
            call_command("load_menu", str(path))
        assert models.Shop.objects.get().name == "Horno de Prueba"
        call_command("load_menu", str(path), "--replace-shop")
        assert models.Shop.objects.get().name == "Otra"

    @pytest.mark.django_db
    def test_the_command_tells_the_place_and_loads_nothing(self, tmp_path: Path) -> None:
        path = tmp_path / "menu.json"
        path.write_text(json.dumps(make.menu(products=[product(), product(key="dos", name="Dos", price=[])])))
        with pytest.raises(CommandError, match=r"products\[1\].price"):
            call_command("load_menu", str(path))
        assert not models.Product.objects.exists()
        assert not models.Shop.objects.exists()


@pytest.mark.django_db
class TestLoading:
    def test_the_same_file_again_changes_nothing(self) -> None:
        make.load_menu(make.menu())
        again = menu_files.load(menu_files.parse(make.menu()))
        assert {(counts.created, counts.updated, counts.gone) for counts in again.values()} == {(0, 0, 0)}

    def test_what_the_file_lacks_is_deactivated_and_comes_back(self) -> None:
        make.load_menu(make.menu())
        fewer = [one for one in make.menu()["products"] if one["key"] != "torta"]
        counts = menu_files.load(menu_files.parse(make.menu(products=fewer)))
        assert counts["products"].gone == 1
        assert not models.Product.objects.get(key="torta").active
        assert menu_files.load(menu_files.parse(make.menu()))["products"].updated == 1
        assert models.Product.objects.get(key="torta").active

    def test_two_products_may_exchange_their_names(self) -> None:
        make.load_menu(make.menu(products=[product(), product(key="dos", name="Dos")]))
        make.load_menu(make.menu(products=[product(name="Dos"), product(key="dos", name="Uno")]))
        assert models.Product.objects.get(key="dos").name == "Uno"

    def test_what_staff_marked_for_today_stays(self) -> None:
        make.load_menu(make.menu())
        models.Product.objects.update(sold_out_on="2026-11-24")
        make.load_menu(make.menu(name="Otro nombre"))
        assert models.Product.objects.filter(sold_out_on__isnull=False).exists()

    def test_a_product_once_sold_cannot_be_deleted(self) -> None:
        make.load_sample()
        make.order(make.context(), ("cafe", 1))
        with pytest.raises(ProtectedError):
            models.Product.objects.get(key="cafe").delete()

    def test_an_order_keeps_its_names_and_prices(self) -> None:
        make.load_sample()
        make.order(make.context(), ("cafe", 2))
        make.load_menu(make.menu(products=[product(key="cafe", name="Otra cosa", price="9")]))
        assert models.OrderLine.objects.get().name == "Café"
        assert models.Order.objects.get().total == 5000

    def test_branches_get_letters_of_their_own(self) -> None:
        branches = [{"key": key, "name": "Sur"} for key in ("a", "b", "c", "d")]
        make.load_menu(make.menu(branches=branches))
        letters = list(models.Branch.objects.values_list("letter", flat=True))
        assert (len(set(letters)), letters[:3]) == (4, ["S", "U", "R"])

    def test_a_branch_stays_where_staff_put_it_until_the_file_says_otherwise(self) -> None:
        def place(**told: Any) -> tuple[Decimal | None, Decimal | None]:
            make.load_menu(make.menu(branches=[{"key": "a", "name": "A", **told}]))
            return models.Branch.objects.values_list("latitude", "longitude").get(key="a")

        assert place() == (None, None)
        assert place(latitude=4.59805649, longitude="-74.1") == (Decimal("4.598056"), Decimal("-74.1"))
        models.Branch.objects.update(latitude=5)
        assert place() == (Decimal(5), Decimal("-74.1"))
        assert place(latitude=None, longitude=None) == (None, None)

    @pytest.mark.parametrize("place", [{"latitude": 5}, {"longitude": 5}, {"latitude": 91, "longitude": 0}])
    def test_no_row_holds_half_a_place(self, place: dict[str, int]) -> None:
        make.load_menu(make.menu())
        with pytest.raises(IntegrityError):
            models.Branch.objects.update(**place)

    def test_the_sample_is_a_bakery_with_one_branch(self) -> None:
        make.load_sample()
        menu = catalogue.current()
        assert 25 <= len(menu.products) <= 40
        assert menu.sole_branch is not None
        assert menu.sole_branch.letter == "C"


@pytest.mark.django_db
class TestVersion:
    @pytest.mark.parametrize(
        "write",
        [
            lambda: models.Product.objects.filter(key="bollo").update(price=1),
            lambda: models.Option.objects.filter(key="coco").update(active=False),
            lambda: models.SpecialDay.objects.create(date="2026-11-24"),
            lambda: models.OpeningWindow.objects.filter(branch__key="sur").delete(),
            lambda: models.Shop.objects.update(name="Otro"),
        ],
    )
    def test_every_write_to_the_menu_is_seen_at_once(self, write: Callable[[], object]) -> None:
        make.load_menu(make.menu())
        before = catalogue.current()
        assert catalogue.current() is before
        write()
        assert catalogue.current() != before


@pytest.mark.skipif(not make.CASES.is_dir(), reason="the shared case menus are not here")
@pytest.mark.django_db
class TestCaseMenus:
    @pytest.mark.parametrize("name", CASE_MENUS)
    def test_loads_whole_and_again_without_a_change(self, name: str) -> None:
        menu = menu_files.read(make.CASES / f"{name}.json")
        menu_files.load(menu)
        assert len(catalogue.current().products) == len(menu.products)
        assert all(not counts.created + counts.updated + counts.gone for counts in menu_files.load(menu).values())

    def test_pupusas_and_horchata_cost_the_same_in_quote_question_and_order(self) -> None:
        menu_files.load(menu_files.read(make.CASES / "sv-pupuseria.json"))
        ctx = make.context(name="Ana")
        items = [{"product": "loroco con queso", "quantity": 4}, {"product": "horchatas", "quantity": 2}]
        quoted = make.run("quote_order", {"items": items}, ctx)
        assert (quoted["total"], quoted["missing"]) == ("5.60", ["branch"])
        lines, agreed = make.ask("create_order", {"branch": "centro"}, ctx)
        assert "Total: $5.60" in lines
        done = make.run("create_order", {"branch": "centro"}, ctx, agreed=agreed)
        assert done["total"] == "5.60"
        assert str(models.Order.objects.get().total) == "5.60"

    def test_tax_is_added_where_prices_are_before_tax(self) -> None:
        menu_files.load(menu_files.read(make.CASES / "us-bakery.json"))
        item = {
            "product": "bagel-cc",
            "quantity": 2,
            "options": ["bagel-flavor:plain", "spread:" + _first_option("spread")],
        }
        quoted = make.run("quote_order", {"items": [item]}, make.context(name="Ana"))
        assert (quoted["subtotal"], quoted["tax"], quoted["total"]) == ("8.50", "0.70", "9.20")


def _first_option(of_list: str) -> str:
    return models.Option.objects.filter(list__key=of_list, active=True, price_delta=0).values_list("key", flat=True)[0]
