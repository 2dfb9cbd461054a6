"""Several workers at once: real threads, each with a connection of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable

from django.db import connections


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
