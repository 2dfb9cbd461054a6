"""Caps and stops protect, they decide nothing: no Redis, however it fails, holds anybody up."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator

import pytest
from pytest_django import Settings

from aitools import caps
from aitools.caps import Cap
from tests.wire.dripping import Dripping, dripping


@pytest.fixture
def slow_redis(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Dripping]:
    """Each byte comes in time, the answer never."""
    monkeypatch.setattr(caps, "ANSWER_SECONDS", 0.3)
    with dripping() as server:
        settings.REDIS_URL = f"redis://127.0.0.1:{server.port}/0"
        yield server
    caps._without_until = 0.0


@pytest.mark.parametrize(
    ("ask", "otherwise"),
    [
        (lambda: caps.wait_for(Cap(("a",), 1, 60)), 0.0),
        (lambda: caps.stopped("a"), ("", 0.0)),
        (lambda: caps.stop("20003", 60, "a"), True),
    ],
    ids=["wait_for", "stopped", "stop"],
)
def test_an_answer_that_drips_is_not_waited_for(
    ask: Callable[[], object], otherwise: object, slow_redis: Dripping, caplog: pytest.LogCaptureFixture
) -> None:
    assert ask() == otherwise
    assert not slow_redis.exhausted.is_set()
    assert "Redis does not answer" in caplog.text


def test_a_stop_tells_who_was_first() -> None:
    name = str(uuid.uuid4())
    assert [caps.stop(why, 60, name) for why in ("first", "second")] == [True, False]
    assert caps.stopped(name)[0] == "first"
