"""The demo's second start finds the bakery as it was left."""

from decimal import Decimal

import pytest
from django.core.management import CommandError, call_command

from bakery.management.commands.prepare_demo import load_sample
from orders.models import Product, Shop
from tests.orders import factories as make

pytestmark = pytest.mark.django_db


def test_the_first_start_has_something_to_sell() -> None:
    load_sample()
    assert Product.objects.filter(active=True).exists()


def test_a_price_that_staff_changed_stays() -> None:
    load_sample()
    Product.objects.filter(key="croissant").update(price=4200)
    load_sample()
    assert Product.objects.get(key="croissant").price == Decimal(4200)


def test_ones_own_menu_stays() -> None:
    load_sample()
    make.load_menu(make.menu())
    load_sample()
    assert Shop.objects.get().name == "Horno de Prueba"


def test_outside_the_demo_it_refuses(settings: object) -> None:
    settings.DEMO = False  # type: ignore[attr-defined]
    with pytest.raises(CommandError, match="not a demo"):
        call_command("prepare_demo")
