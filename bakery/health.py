"""Whether the process lives, and whether it can do its work."""

import functools
from typing import Any

import redis
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from aitools.gauges import oldest_unread_seconds
from aitools.wallclock import within

_BROKER_SECONDS = 2


@require_safe
@never_cache
def live(request: HttpRequest) -> JsonResponse:
    """200 as long as the process answers; it asks nobody else."""
    return JsonResponse({"status": "ok"})


@require_safe
@never_cache
def ready(request: HttpRequest) -> JsonResponse:
    """200 when database, migrations and broker are usable, else 503 with the reasons.

    A long queue is told, in seconds, but is no reason: taking the web away would not shorten it.
    """
    reasons = [*_database_faults(), *_broker_faults()]
    body: dict[str, Any] = {"status": "unavailable" if reasons else "ok", "reasons": reasons}
    if not reasons:
        body["oldest_unread_seconds"] = oldest_unread_seconds()
    return JsonResponse(body, status=503 if reasons else 200)


def _database_faults() -> list[str]:
    try:
        missing = _missing_migrations()
    except DatabaseError:
        return ["The database does not answer."]
    return [f"Migration {name} is not applied." for name in missing]


def _missing_migrations() -> list[str]:
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return [str(migration) for migration, _backwards in plan]


def _broker_faults() -> list[str]:
    try:
        within(_BROKER_SECONDS, lambda: _broker().ping())
    except (redis.RedisError, TimeoutError):
        return ["The broker does not answer."]
    return []


@functools.cache
def _broker() -> redis.Redis:
    return redis.Redis.from_url(
        settings.REDIS_URL, socket_timeout=_BROKER_SECONDS, socket_connect_timeout=_BROKER_SECONDS
    )
