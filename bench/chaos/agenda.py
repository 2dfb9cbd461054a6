"""Things to do later, by a handful of threads."""

from __future__ import annotations

import heapq
import itertools
import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

log = logging.getLogger(__name__)

Errand = Callable[[], None]


class Agenda:
    """Errands with their times. ``at(0.5, errand)`` does it in half a second, when a thread is free."""

    def __init__(self) -> None:
        self._due: list[tuple[float, int, Errand]] = []
        self._numbers = itertools.count()
        self._changed = threading.Condition()
        self._closed = False
        self._busy = 0

    def at(self, seconds: float, errand: Errand) -> None:
        with self._changed:
            heapq.heappush(self._due, (time.monotonic() + seconds, next(self._numbers), errand))
            self._changed.notify()

    @property
    def is_empty(self) -> bool:
        """Nothing is being done or left to do."""
        with self._changed:
            return not self._due and not self._busy

    @contextmanager
    def working(self, threads: int) -> Iterator[None]:
        """Within the block errands are done."""
        workers = [threading.Thread(target=self._work, daemon=True) for _ in range(threads)]
        for worker in workers:
            worker.start()
        try:
            yield
        finally:
            with self._changed:
                self._closed = True
                self._changed.notify_all()
            for worker in workers:
                worker.join(30)

    def _work(self) -> None:
        while (errand := self._next()) is not None:
            try:
                errand()
            except Exception:
                log.exception("an errand failed")
            finally:
                with self._changed:
                    self._busy -= 1

    def _next(self) -> Errand | None:
        """The next due errand; None when closed."""
        with self._changed:
            while not self._closed:
                wait = self._due[0][0] - time.monotonic() if self._due else None
                if wait is not None and wait <= 0:
                    self._busy += 1
                    return heapq.heappop(self._due)[2]
                self._changed.wait(wait)
        return None
