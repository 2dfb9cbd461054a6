"""`/health/live` and `/health/ready`, as a load balancer sees them."""

from datetime import timedelta

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from pytest_django import Settings

from aitools.clock import now
from aitools.models import Conversation
from bakery import health
from tests.wire.dripping import dripping


@pytest.fixture(autouse=True)
def fresh_broker() -> None:
    health._broker.cache_clear()


@pytest.mark.django_db
def test_ready_when_database_migrations_and_broker_are(client: Client) -> None:
    response = client.get("/health/ready")
    assert response.status_code == 200
    assert response.json() == {"status": "ok", "reasons": [], "oldest_unread_seconds": 0.0}


@pytest.mark.django_db
def test_the_age_of_the_oldest_unread_message_is_told(client: Client) -> None:
    for address, minutes in (("a", 5), ("b", 2)):
        Conversation.objects.create(
            channel="web", address=address, inbox_seq=1, first_unread_at=now() - timedelta(minutes=minutes)
        )
    Conversation.objects.create(channel="web", address="read", first_unread_at=now() - timedelta(days=1))
    assert 300 <= client.get("/health/ready").json()["oldest_unread_seconds"] < 330


@pytest.mark.django_db
def test_not_ready_while_a_migration_is_missing(client: Client) -> None:
    MigrationRecorder(connection).migration_qs.filter(app="aitools").delete()
    response = client.get("/health/ready")
    assert response.status_code == 503
    assert response.json()["reasons"][0].startswith("Migration aitools.0001_")


@pytest.mark.django_db
def test_not_ready_without_the_broker(client: Client, settings: Settings) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    response = client.get("/health/ready")
    assert response.status_code == 503
    assert response.json() == {"status": "unavailable", "reasons": ["The broker does not answer."]}
    health._broker.cache_clear()


@pytest.mark.django_db
def test_not_ready_while_the_brokers_answer_drips(
    client: Client, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "_BROKER_SECONDS", 0.3)
    with dripping() as server:
        settings.REDIS_URL = f"redis://127.0.0.1:{server.port}/0"
        response = client.get("/health/ready")
        assert not server.exhausted.is_set()
    assert response.json()["reasons"] == ["The broker does not answer."]
    health._broker.cache_clear()


@pytest.mark.django_db(transaction=True)
def test_not_ready_without_the_database(client: Client) -> None:
    connection.close()
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(connection.settings_dict, "PORT", 1)
        response = client.get("/health/ready")
        connection.close()
    assert response.status_code == 503
    assert "The database does not answer." in response.json()["reasons"]


def test_live_asks_nobody(client: Client) -> None:
    """Without the django_db mark a query would fail the test."""
    assert client.get("/health/live").json() == {"status": "ok"}


@pytest.mark.parametrize("path", ["/health/live", "/health/ready"])
def test_health_is_for_reading(client: Client, path: str) -> None:
    assert client.post(path).status_code == 405
