"""Several workers at once: real threads, each with a connection of its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from django.db import connection, connections


def together(*acts: Callable[[], object], seconds: float = 60) -> None:
    """Run each act in a thread of its own, all starting at once, and ending in time; raise what any of them raised."""
    barrier = threading.Barrier(len(acts))
    faults: list[BaseException] = []

    def run(act: Callable[[], object]) -> None:
        try:
            barrier.wait(10)
            act()
        except BaseException as fault:  # noqa: BLE001 - it is raised in the test's own thread
            faults.append(fault)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=[act]) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(seconds)
    assert not any(thread.is_alive() for thread in threads), "A worker never came back."
    if faults:
        raise faults[0]


def until_idle() -> None:
    """Wait until no other connection to this database has a transaction open: whoever was late has ended."""
    _until("count(*) FILTER (WHERE xact_start IS NOT NULL) = 0", "A transaction never ended.")


def until_somebody_waits_for_a_lock() -> None:
    """Wait until one connection stands behind another: two that were to meet have met."""
    _until("count(*) FILTER (WHERE wait_event_type = 'Lock') > 0", "Nobody waits: they never met.")


def _until(true: str, otherwise: str, seconds: float = 10) -> None:
    """Ask PostgreSQL of the other connections to this database until it is so."""
    others = f"SELECT {true} FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    deadline = time.monotonic() + seconds
    with connection.cursor() as cursor:
        cursor.execute(others)
        while not cursor.fetchone()[0]:
            assert time.monotonic() < deadline, otherwise
            time.sleep(0.02)
            cursor.execute(others)
