"""Circuit breakers: a model that keeps failing is left alone for a while, by all workers.

Five failures in a row within a minute open one, for 30 s, then twice as long
each time, 5 min at most.  After that a single request goes through as a probe:
a reply closes the breaker, a failure opens it again.  They live in Redis and
protect, they decide nothing: without Redis all are closed.

A model that the vendor refuses for good (``broken``) is probed by one request
in 15 minutes.
"""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass
from enum import IntEnum

from django.conf import settings
from redis import Redis
from redis.client import Pipeline

from aitools import caps
from aitools.providers.base import EndpointConfig

log = logging.getLogger(__name__)

FAILURES = 5
WITHIN_SECONDS = 60
OPEN_SECONDS = 30
LONGEST_OPEN_SECONDS = 300
BROKEN_SECONDS = 900
#: How long the number of openings in a row is remembered beyond the last one.
REMEMBERED_SECONDS = 600
#: Faults of the endpoint; any other answer shows that it works.
COUNTED = frozenset({"timeout", "connection", "server", "overloaded", "rate_limit", "quota", "unreadable"})
#: These run in this process: nothing can be away.
LOCAL = frozenset({"offline", "scripted"})


class State(IntEnum):
    """What a breaker lets through: all, one probe, nothing."""

    CLOSED = 0
    HALF_OPEN = 1
    OPEN = 2


@dataclass(frozen=True, slots=True)
class Leave:
    """Whether an endpoint may be asked. ``why_not`` is "" when it may.

    ``is_probe``: this one request decides whether others may.  ``clean``: nothing
    has failed lately, so a reply needs not be told.
    """

    why_not: str = ""
    is_probe: bool = False
    clean: bool = True


def guards(endpoint: EndpointConfig) -> bool:
    """Whether there is a breaker before this endpoint at all."""
    return endpoint.kind not in LOCAL


def leave_for(endpoint: EndpointConfig) -> Leave:
    """Whether it may be asked now. One round trip to Redis, two for a probe."""
    if not guards(endpoint):
        return Leave()
    if endpoint.broken:
        return _probe(endpoint, "broken", BROKEN_SECONDS, away=Leave("broken"))
    failures, trips, is_open = caps.asked(lambda: _read(_redis(), endpoint), (0, 0, False))
    if is_open:
        return Leave("left alone for a while")
    if trips:
        # Its own time, and some: a probe whose worker died must not close the way for long.
        return _probe(endpoint, "probed", int(endpoint.timeout_seconds) + 5, away=Leave())
    return Leave(clean=not failures)


def failed(endpoint: EndpointConfig, kind: str) -> None:
    """Count a failure; opens the breaker when there were enough, or when it was the probe."""
    if guards(endpoint) and kind in COUNTED:
        for_seconds = caps.asked(lambda: _count(_redis(), endpoint), 0)
        if for_seconds:
            log.error("Model %s keeps failing (%s) and is left alone for %d s.", endpoint.label, kind, for_seconds)


def answered(endpoint: EndpointConfig, leave: Leave) -> None:
    """It works: close the breaker and forget its failures."""
    if guards(endpoint) and (leave.is_probe or not leave.clean):
        reset(endpoint)


def rest(endpoint: EndpointConfig) -> bool:
    """Leave it alone as long as a broken one; whether nobody had before. True without Redis."""
    key = _key(endpoint, "broken" if endpoint.endpoint_id else "open")
    trips = _key(endpoint, "trips")

    def ask() -> bool:
        with _redis().pipeline() as together:
            together.set(key, 1, ex=BROKEN_SECONDS, nx=True)
            if not endpoint.endpoint_id:
                together.set(trips, 1, ex=BROKEN_SECONDS + REMEMBERED_SECONDS)
            return bool(together.execute()[0])

    return caps.asked(ask, True)


def reset(endpoint: EndpointConfig) -> None:
    """Forget whatever went wrong there, as when staff have changed it."""
    keys = [_key(endpoint, part) for part in ("failures", "trips", "open", "probed", "broken")]
    caps.asked(lambda: _redis().delete(*keys), 0)


def state_of(endpoint: EndpointConfig) -> State:
    """For watching; a broken one counts as open."""
    if endpoint.broken:
        return State.OPEN
    _failures, trips, is_open = caps.asked(lambda: _read(_redis(), endpoint), (0, 0, False))
    return State.OPEN if is_open else State.HALF_OPEN if trips else State.CLOSED


def _probe(endpoint: EndpointConfig, part: str, seconds: int, *, away: Leave) -> Leave:
    """Leave for whoever comes first in so many seconds."""
    key = _key(endpoint, part)
    probe, refused = Leave(is_probe=True, clean=False), Leave("broken" if part == "broken" else "being probed")
    return caps.asked(lambda: probe if _redis().set(key, 1, ex=seconds, nx=True) else refused, away)


def _read(redis: Redis, endpoint: EndpointConfig) -> tuple[int, int, bool]:
    """Failures in a row, openings in a row, and whether it is open."""
    failures, trips, is_open = redis.mget([_key(endpoint, part) for part in ("failures", "trips", "open")])
    return int(failures or 0), int(trips or 0), bool(is_open)


def _count(redis: Redis, endpoint: EndpointConfig) -> int:
    """One failure more; for how many seconds this opened the breaker, 0 if it did not."""
    failures = _key(endpoint, "failures")
    with redis.pipeline() as together:
        together.set(failures, 0, ex=WITHIN_SECONDS, nx=True)
        together.incr(failures)
        together.get(_key(endpoint, "trips"))
        _, count, tripped = together.execute()
    trips = int(tripped or 0)
    if count < FAILURES and not trips:
        return 0
    seconds = min(OPEN_SECONDS * 2**trips, LONGEST_OPEN_SECONDS)
    # Whoever comes first opens it: many may fail at this instant.
    opened = redis.set(_key(endpoint, "open"), 1, ex=seconds, nx=True)
    if opened:
        with redis.pipeline() as together:
            _open(together, endpoint, seconds)
            together.execute()
    return seconds if opened else 0


def _open(together: Pipeline, endpoint: EndpointConfig, seconds: int) -> None:
    trips = _key(endpoint, "trips")
    together.incr(trips)
    together.expire(trips, seconds + REMEMBERED_SECONDS)
    together.delete(_key(endpoint, "failures"), _key(endpoint, "probed"))


def _redis() -> Redis:
    return caps.client_of(settings.REDIS_URL)


def _key(endpoint: EndpointConfig, part: str) -> str:
    """Another model or address at the same row is another endpoint."""
    place = hashlib.sha256(f"{endpoint.model}\n{endpoint.base_url}".encode()).hexdigest()[:12]
    return f"{settings.REDIS_PREFIX}breaker:{part}:{endpoint.kind}:{endpoint.endpoint_id}:{place}"
