"""Caps and stops that all workers share, kept in Redis and counted by its clock.

They protect, they decide nothing: without Redis everything goes on uncapped,
with a line in the log.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from functools import cache
from typing import TypeVar

from django.conf import settings
from limits import RateLimitItemPerSecond
from limits.storage import RedisStorage
from limits.strategies import FixedWindowRateLimiter
from redis import Redis
from redis.exceptions import RedisError

log = logging.getLogger(__name__)

Result = TypeVar("Result")

#: A worker never waits longer than this for Redis, and then does without for a while.
ANSWER_SECONDS = 1.0
WITHOUT_SECONDS = 10.0
_without_until = 0.0


def wait_for(most: int, seconds: int, *name: str) -> float:
    """Count one of at most ``most`` in ``seconds``; the seconds to wait when that many were, 0 when it counts."""
    item = RateLimitItemPerSecond(most, seconds)
    key = (settings.REDIS_PREFIX, *name)

    def ask() -> float:
        limiter = _limiter(settings.REDIS_URL)
        if limiter.hit(item, *key):
            return 0.0
        return max(limiter.get_window_stats(item, *key).reset_time - time.time(), 0.1)

    return _asked(ask, 0.0)


def stop(why: str, seconds: int, *name: str) -> None:
    """Stop what has this name for some seconds; ``why`` is given to whoever asks."""
    _asked(lambda: _client(settings.REDIS_URL).set(_stop_key(*name), why, ex=seconds), None)


def stopped(*name: str) -> tuple[str, float]:
    """Why it is stopped and for how many more seconds; ("", 0) when it is not."""
    key = _stop_key(*name)

    def ask() -> tuple[str, float]:
        with _client(settings.REDIS_URL).pipeline(transaction=False) as both:
            both.get(key)
            both.pttl(key)
            why, left = both.execute()
        return (why.decode(), max(left, 0) / 1000) if why else ("", 0.0)

    return _asked(ask, ("", 0.0))


def _stop_key(*name: str) -> str:
    return ":".join([f"{settings.REDIS_PREFIX}stop", *name])


@cache
def _client(url: str) -> Redis:
    return Redis.from_url(url, socket_connect_timeout=ANSWER_SECONDS, socket_timeout=ANSWER_SECONDS)


@cache
def _limiter(url: str) -> FixedWindowRateLimiter:
    """Counts by keys that expire at Redis: the clocks of workers don't matter."""
    return FixedWindowRateLimiter(RedisStorage(url, connection_pool=_client(url).connection_pool, key_prefix="caps"))


def _asked(ask: Callable[[], Result], otherwise: Result) -> Result:
    global _without_until  # noqa: PLW0603 - one value per process
    if time.monotonic() < _without_until:
        return otherwise
    try:
        return ask()
    except RedisError as error:
        _without_until = time.monotonic() + WITHOUT_SECONDS
        log.warning("Redis does not answer (%s): sending goes on without caps.", type(error).__name__)
        return otherwise
