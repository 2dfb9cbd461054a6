"""Owners manage people, and nobody makes themselves more than they are."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from django.urls import reverse

from bakery import roles
from tests.forms import filled

pytestmark = pytest.mark.django_db
OPERATOR = "operator"
NEW = "a-new-one-4711"


@pytest.fixture
def owner() -> User:
    roles.sync()
    user = User.objects.create_user("olga", is_staff=True)
    user.groups.add(Group.objects.get(name="owner"))
    return user


@pytest.fixture
def browser(owner: User) -> Client:
    client = Client(headers={"accept-language": "en"})
    client.force_login(owner)
    return client


def page(user: User) -> str:
    return reverse("admin:auth_user_change", args=[user.pk])


def test_an_owner_gives_a_colleague_a_role(browser: Client) -> None:
    ana = User.objects.create_user("ana")
    data = filled(browser.get(page(ana)).content.decode(), "user_form")
    counter = Group.objects.get(name="counter")
    assert browser.post(page(ana), data | {"is_staff": ["on"], "groups": [str(counter.pk)]}).status_code == 302
    ana.refresh_from_db()
    assert (ana.is_staff, list(ana.groups.all())) == (True, [counter])


def test_an_owner_becomes_no_superuser(browser: Client, owner: User) -> None:
    data = filled(browser.get(page(owner)).content.decode(), "user_form")
    browser.post(page(owner), data | {"is_superuser": ["on"]})
    owner.refresh_from_db()
    assert not owner.is_superuser


@pytest.mark.parametrize("name", ["auth_user_change", "auth_user_password_change", "auth_user_delete"])
def test_an_owner_does_not_take_over_a_superuser(name: str, browser: Client) -> None:
    operator = User.objects.create_superuser(OPERATOR)
    url = reverse(f"admin:{name}", args=[operator.pk])
    answer = browser.post(url, {"username": "mine", "post": "yes", "password1": NEW, "password2": NEW})
    assert answer.status_code in {302, 403, 404}
    operator.refresh_from_db()
    assert (operator.username, operator.check_password(NEW)) == (OPERATOR, False)


def test_the_list_deletes_no_superuser_for_an_owner(browser: Client) -> None:
    operator = User.objects.create_superuser(OPERATOR)
    data = {"action": "delete_selected", "_selected_action": [str(operator.pk)], "post": "yes"}
    browser.post(reverse("admin:auth_user_changelist"), data)
    assert User.objects.filter(pk=operator.pk).exists()


def test_a_superuser_manages_superusers(browser: Client) -> None:
    operator = User.objects.create_superuser(OPERATOR)
    browser.force_login(operator)
    data = filled(browser.get(page(operator)).content.decode(), "user_form")
    assert browser.post(page(operator), data | {"first_name": ["Olga"]}).status_code == 302
    operator.refresh_from_db()
    assert (operator.first_name, operator.is_superuser) == ("Olga", True)


def test_roles_are_shown_in_the_readers_language(browser: Client, owner: User) -> None:
    browser.cookies["django_language"] = "es"
    for name in ("user", "group"):
        assert "dueño" in browser.get(reverse(f"admin:auth_{name}_changelist")).content.decode().split("result_list")[1]
    assert "cocina</option>" in browser.get(page(owner)).content.decode()


def test_a_group_of_the_shops_own_keeps_its_name(browser: Client) -> None:
    Group.objects.create(name="Yes")
    assert "Yes" in browser.get(reverse("admin:auth_group_changelist")).content.decode()
