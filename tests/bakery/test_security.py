"""What every page's headers promise the browser."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from bakery.api import api


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


def test_no_api_route_is_open() -> None:
    for _prefix, router in api._routers:
        for view in router.path_operations.values():
            for operation in view.operations:
                assert operation.auth_callbacks, operation.view_func


@pytest.mark.django_db
def test_a_customer_account_is_no_staff(client: Client) -> None:
    client.force_login(User.objects.create_user("visitor"))
    assert client.get("/api/docs").status_code == 302
