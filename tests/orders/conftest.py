"""Fixtures of the shop's tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import connection
from django.utils import translation

from aitools import clock, queue
from aitools.models import BotProfile
from tests.aitools.desk import Desk

MORNING = "2026-11-24 16:00:00+00"


@pytest.fixture
def english() -> Iterator[None]:
    """Texts as their English msgids, which are the specification here."""
    with translation.override("en"):
        yield


@pytest.fixture
def desk(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """A customer called Ana on the chat page, on a Tuesday morning, no settle time."""
    BotProfile.objects.create(name="test", settle_seconds=0)
    made = Desk()
    monkeypatch.setattr(queue, "publish", made.publish)
    with connection.cursor() as cursor:
        cursor.execute("SELECT extract(epoch FROM %s::timestamptz - clock_timestamp())", [MORNING])
        clock.shift(float(cursor.fetchone()[0]))
    yield made
    clock.shift(0)
