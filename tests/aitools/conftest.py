"""Fixtures of the engine's tests; the desk itself is in ``desk``."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import connection

from aitools import caps, clock, queue
from aitools.models import BotProfile, ModelEndpoint
from aitools.tools import registry
from tests.aitools import desk as parts


@pytest.fixture
def profile(transactional_db: None) -> BotProfile:
    """A profile without a settle time, on a scripted model."""
    endpoint = ModelEndpoint.objects.create(name="script", kind="scripted")
    return BotProfile.objects.create(name="test", endpoint=endpoint, settle_seconds=0)


@pytest.fixture
def desk(profile: BotProfile, monkeypatch: pytest.MonkeyPatch, settings: object) -> Iterator[parts.Desk]:
    """One customer at a desk with three tools; time and prices are put back after."""
    settings.AITOOLS_PROMPT_BUILDER = "tests.aitools.desk.prompt"  # type: ignore[attr-defined]
    channels = {"plain": "tests.aitools.desk.PlainChannel", "web": "aitools.channels.web.WebChannel"}
    settings.AITOOLS_CHANNELS = channels  # type: ignore[attr-defined]
    monkeypatch.setattr(registry, "_tools", {tool.name: tool for tool in (parts.LOOK, parts.MAKE, parts.UNDO)})
    made = parts.Desk()
    monkeypatch.setattr(queue, "publish", made.publish)
    parts.PRICES["each"] = 5
    parts.LOOKED.clear()
    yield made
    if connection.connection is not None:
        clock.shift(0)


@pytest.fixture
def without_redis(settings: object) -> Iterator[None]:
    """Nobody listens where Redis should be."""
    settings.REDIS_URL = "redis://127.0.0.1:1/0"  # type: ignore[attr-defined]
    yield
    caps._without_until = 0.0
