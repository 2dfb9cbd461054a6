"""The database in a handler's thread: its own connection, with limits."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import close_old_connections, connection

from aitools.errors import ToolFailed

#: A connection used so lately needs no look whether it still lives.
FRESH_SECONDS = 5.0
_local = threading.local()


@contextmanager
def database() -> Iterator[None]:
    """The thread's connection, looked at before it is used after a pause or a fault."""
    if time.monotonic() - getattr(_local, "used_at", 0.0) > FRESH_SECONDS or connection.errors_occurred:
        close_old_connections()
    try:
        yield
    finally:
        _local.used_at = time.monotonic()
        if connection.errors_occurred or not connection.settings_dict["CONN_MAX_AGE"]:
            close_old_connections()


def limit_transaction(seconds: float) -> None:
    """A statement, a lock wait or an idle moment may not outlast the time left."""
    left = f"{max(int(seconds * 1000), 1)}ms"
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT set_config('statement_timeout', %s, true), set_config('lock_timeout', %s, true),"
            " set_config('idle_in_transaction_session_timeout', %s, true)",
            [left, left, left],
        )


def refuse_writes(tool: str) -> Callable[..., Any]:
    """A wrapper for statements that lets only reads through: the tool declares no effects."""

    def execute(run: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if not sql.lstrip(" (\n").upper().startswith(("SELECT", "WITH", "VALUES", "SHOW")):
            raise ToolFailed(f"{tool} writes to the database but declares no effects.")
        return run(sql, params, many, context)

    return execute
