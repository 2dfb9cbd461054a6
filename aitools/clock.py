"""One clock for everybody: the database's.

Worker clocks decide nothing.  ``aitools_now()`` is a SQL function (migration
0002) that adds a session or database setting to the wall clock, so that tests
move time for all processes without sleeping or patching.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

from django.db import connection
from django.db.models import DateTimeField, Func
from django.db.models.expressions import CombinedExpression

SETTING = "aitools.clock_shift"


class DbNow(Func):
    """Database time as a query expression; moves on within a transaction."""

    function = "aitools_now"
    arity = 0
    output_field = DateTimeField()


def now() -> datetime:
    """The database's time, aware UTC. One round trip."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT aitools_now()")
        value: datetime = cursor.fetchone()[0]
    return value


def after(seconds: float) -> CombinedExpression:
    """Database time plus ``seconds``, as a query expression."""
    return DbNow() + timedelta(seconds=seconds)


def shift(seconds: float) -> None:
    """Move this connection's clock by ``seconds`` from the real one (tests)."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config(%s, %s, false)", [SETTING, f"{seconds} seconds"])


@contextmanager
def shifted(seconds: float) -> Iterator[Any]:
    """Within the block this connection's clock is moved by ``seconds``."""
    shift(seconds)
    try:
        yield
    finally:
        shift(0)
