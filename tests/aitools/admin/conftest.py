"""A signed-in owner and a queue that only remembers."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from aitools import queue


@pytest.fixture
def owner(db: None) -> User:
    return User.objects.create_superuser("olga")


@pytest.fixture
def browser(owner: User) -> Client:
    client = Client(headers={"accept-language": "en"})
    client.force_login(owner)
    return client


@pytest.fixture
def published(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What was asked of the workers."""
    asked: list[Any] = []
    monkeypatch.setattr(queue, "publish", lambda *given: asked.append(given))
    return asked
