"""What every page's headers promise the browser."""

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.test import Client, RequestFactory

from bakery.api import StaffSession, api


def policy(client: Client, path: str) -> dict[str, str]:
    header = client.get(path).headers["Content-Security-Policy"]
    return dict(part.split(" ", 1) for part in header.split("; "))


def test_customers_pages_run_no_inline_script(client: Client) -> None:
    shown = policy(client, "/health/live")
    assert shown["default-src"] == "'self'"
    assert "script-src" not in shown
    assert shown["frame-ancestors"] == "'none'"


@pytest.mark.django_db
def test_the_admin_may_do_what_its_library_needs(client: Client) -> None:
    assert "'unsafe-eval'" in policy(client, "/admin/login/")["script-src"]


@pytest.mark.django_db
def test_the_api_is_described_to_staff_only(client: Client, admin_client: Client) -> None:
    assert client.get("/api/docs").status_code == 302
    assert admin_client.get("/api/docs").status_code == 200
    assert client.get("/api/openapi.json").status_code == 302


@pytest.mark.django_db
def test_the_api_page_loads_nothing_from_elsewhere(admin_client: Client) -> None:
    assert "https://" not in admin_client.get("/api/docs").content.decode()


@pytest.mark.parametrize(
    ("user", "allowed"),
    [
        (AnonymousUser(), False),
        (User(username="customer"), False),
        (User(username="left", is_staff=True, is_active=False), False),
        (User(username="staff", is_staff=True), True),
    ],
    ids=str,
)
def test_the_api_is_for_active_staff(rf: RequestFactory, user: User | AnonymousUser, allowed: bool) -> None:
    request = rf.get("/api/anything")
    request.user = user
    assert bool(StaffSession(csrf=False)(request)) is allowed


def test_a_route_is_closed_unless_it_says_otherwise() -> None:
    assert isinstance(api.auth, list)
    assert any(isinstance(check, StaffSession) for check in api.auth)


@pytest.mark.django_db
def test_a_customer_account_is_no_staff(client: Client) -> None:
    client.force_login(User.objects.create_user("visitor"))
    assert client.get("/api/docs").status_code == 302
