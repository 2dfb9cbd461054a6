"""Caps and stops that all workers share, kept in Redis and counted by its clock.

They protect, they decide nothing: without Redis everything goes on uncapped,
with a line in the log.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

from django.conf import settings
from redis import Redis
from redis.exceptions import RedisError

from aitools.wallclock import within

log = logging.getLogger(__name__)

Result = TypeVar("Result")

#: A worker never waits longer than this for Redis, and then does without for a while.
ANSWER_SECONDS = 1.0
WITHOUT_SECONDS = 10.0
_without_until = 0.0


@dataclass(frozen=True, slots=True)
class Cap:
    """At most so many of what has this name in so many seconds, which begin with the first."""

    name: tuple[str, ...]
    most: int
    seconds: int

    @property
    def key(self) -> str:
        return ":".join([f"{settings.REDIS_PREFIX}cap", str(self.seconds), *self.name])


def wait_for(*caps: Cap) -> float:
    """Count one more under each cap; the longest wait in seconds until all have room again, 0 when they have."""
    return asked(lambda: max(_waits(caps), default=0.0), 0.0)


def stop(why: str, seconds: int, *name: str) -> bool:
    """Stop what has this name for some seconds; ``why`` is given to whoever asks. False if it was stopped already."""
    return asked(lambda: bool(client_of(settings.REDIS_URL).set(_stop_key(*name), why, ex=seconds, nx=True)), True)


def go_on(*name: str) -> None:
    """End a stop before its time."""
    asked(lambda: client_of(settings.REDIS_URL).delete(_stop_key(*name)), 0)


def stopped(*name: str) -> tuple[str, float]:
    """Why it is stopped and for how many more seconds; ("", 0) when it is not."""
    key = _stop_key(*name)

    def ask() -> tuple[str, float]:
        with client_of(settings.REDIS_URL).pipeline() as both:
            both.get(key)
            both.pttl(key)
            why, left = both.execute()
        return (why.decode(), max(left, 0) / 1000) if why else ("", 0.0)

    return asked(ask, ("", 0.0))


def _waits(caps: tuple[Cap, ...]) -> list[float]:
    """How long each cap makes wait. One round trip, in one piece."""
    with client_of(settings.REDIS_URL).pipeline() as together:
        for cap in caps:
            together.set(cap.key, 0, ex=cap.seconds, nx=True)
            together.incr(cap.key)
            together.pttl(cap.key)
        found = together.execute()
    counts, left = found[1::3], found[2::3]
    return [max(ms, 100) / 1000 for cap, count, ms in zip(caps, counts, left, strict=True) if count > cap.most]


def _stop_key(*name: str) -> str:
    return ":".join([f"{settings.REDIS_PREFIX}stop", *name])


@cache
def client_of(url: str) -> Redis:
    """This process's connections to Redis."""
    return Redis.from_url(url, socket_connect_timeout=ANSWER_SECONDS, socket_timeout=ANSWER_SECONDS)


def asked(ask: Callable[[], Result], otherwise: Result) -> Result:
    """Redis' answer if it comes whole and in time, else ``otherwise``.

    Its client counts the time for each read anew.
    """
    global _without_until  # noqa: PLW0603 - one value per process
    if time.monotonic() < _without_until:
        return otherwise
    try:
        return within(ANSWER_SECONDS, ask)
    except (RedisError, TimeoutError) as error:
        _without_until = time.monotonic() + WITHOUT_SECONDS
        log.warning("Redis does not answer (%s): nothing is capped.", type(error).__name__)
        return otherwise
