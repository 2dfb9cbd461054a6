"""People with different roles at the admin of a small shop."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from bakery import roles
from orders.models import Shop
from tests.orders.admin import rows


@pytest.fixture(autouse=True)
def shop(db: None) -> Shop:
    return rows.shop()


@pytest.fixture
def browser() -> Client:
    """The owner's, in English."""
    client = Client(headers={"accept-language": "en"})
    client.force_login(User.objects.create_superuser("olga"))
    return client


@pytest.fixture
def signed_in() -> Callable[[str], Client]:
    """A browser of somebody in a role."""
    roles.sync()

    def sign_in(role: str) -> Client:
        user = User.objects.create_user(f"{role}-1", is_staff=True)
        user.groups.add(Group.objects.get(name=role))
        client = Client(headers={"accept-language": "en"})
        client.force_login(user)
        return client

    return sign_in
