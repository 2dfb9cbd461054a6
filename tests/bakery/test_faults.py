"""What a person reads when their request meets a database that is away."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import connection
from django.test import Client
from pytest_django import DjangoDbBlocker, Settings

from bakery import localtime

ENGLISH = {"Accept-Language": "en"}
PAGE = ENGLISH | {"Accept": "text/html,*/*;q=0.8"}
TOLD = "The desk's database does not answer. Try again in a moment."


@pytest.fixture
def stranger(client: Client, settings: Settings) -> Client:
    """A browser that is told of faults, as a browser is."""
    settings.DEMO = True
    client.raise_request_exception = False
    client.cookies[settings.SESSION_COOKIE_NAME] = "a" * 32
    return client


@pytest.fixture
def away(django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """A port at which no database answers; the tests need no other."""
    with django_db_blocker.unblock(), pytest.MonkeyPatch.context() as patch:
        connection.close()
        patch.setitem(connection.settings_dict, "PORT", 1)
        yield
        connection.close()


@pytest.mark.usefixtures("away")
class TestADatabaseThatIsAway:
    @pytest.mark.parametrize("path", ["/chat/", "/admin/", "/admin/login/"])
    def test_is_a_page_that_says_so(self, stranger: Client, path: str) -> None:
        answer = stranger.get(path, headers=PAGE)
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
        assert '<html lang="en">' in answer.content.decode()
        assert TOLD.replace("'", "&#x27;") in answer.content.decode()
        assert "default-src" in answer.headers["Content-Security-Policy"]

    def test_is_told_to_a_script_as_json(self, stranger: Client) -> None:
        answer = stranger.get("/chat/messages", headers=ENGLISH)
        assert (answer.status_code, answer.json()) == (503, {"error": TOLD})

    def test_is_told_in_the_readers_language(self, stranger: Client) -> None:
        assert b'<html lang="es">' in stranger.get("/chat/", headers=PAGE | {"Accept-Language": "es"}).content


def test_another_fault_is_a_bare_500(stranger: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise ValueError

    monkeypatch.setattr(localtime, "shop_zone", broken)
    answer = stranger.get("/admin/", headers=PAGE)
    assert (answer.status_code, TOLD in answer.content.decode()) == (500, False)
