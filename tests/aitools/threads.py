"""Several workers at once: real threads, each with a connection of its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from django.db import connection, connections


def together(*acts: Callable[[], object]) -> None:
    """Run each act in a thread of its own, all starting at once; raise what any of them raised."""
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
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads), "A worker never came back."
    if faults:
        raise faults[0]


def until_idle(seconds: float = 10) -> None:
    """Wait until no other connection to this database has a transaction open: whoever was late has ended."""
    deadline = time.monotonic() + seconds
    busy = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND xact_start IS NOT NULL"
    with connection.cursor() as cursor:
        while True:
            cursor.execute(f"{busy} AND pid <> pg_backend_pid()")
            if cursor.fetchone()[0] == 0:
                return
            assert time.monotonic() < deadline, "A transaction never ended."
            time.sleep(0.02)
