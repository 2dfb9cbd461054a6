"""What happens to the desk's processes and servers while the crowd talks."""

from __future__ import annotations

import random
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping

import redis

from bench.chaos.desk import START_SECONDS, Desk
from bench.chaos.dice import Dice

#: Besides the two that happen once: their shares.
SHARES = {"worker killed": 5, "worker replaced": 3, "web killed": 1, "web replaced": 1, "redis flushed": 3}
STOP_SECONDS = 40


class Misfortunes:
    """A plan by seed: which happens when so many conversations have ended. ``done`` counts them."""

    def __init__(self, desk: Desk, dice: Dice, size: int, every: int) -> None:
        self.done: Counter[str] = Counter()
        self._desk = desk
        self.plan = [] if dice.calm else _planned(dice.of("misfortunes"), size, every)

    def happen(self, ended: int) -> None:
        """All that are due. In the thread that started the servers."""
        while self.plan and self.plan[0][0] <= ended:
            _, name = self.plan.pop(0)
            self._acts[name]()
            self.done[name] += 1

    @property
    def _acts(self) -> Mapping[str, Callable[[], None]]:
        return {
            "worker killed": self._kill_worker,
            "worker replaced": self._replace_worker,
            "web killed": self._kill_web,
            "web replaced": self._replace_web,
            "redis flushed": self._flush,
            "redis stopped": self._stop_redis,
            "postgres restarted": self._restart_postgres,
        }

    def _kill_worker(self) -> None:
        self._desk.stack.kill(self._desk.workers()[0])
        self._desk.stack.start_worker()

    def _replace_worker(self) -> None:
        """A deploy: the old one ends what it does, the new one is there already."""
        old = self._desk.workers()[0]
        self._desk.stack.start_worker()
        self._end(old)

    def _kill_web(self) -> None:
        self._desk.stack.kill(self._desk.web())
        self._desk.stack.start_web(START_SECONDS)

    def _replace_web(self) -> None:
        old = self._desk.web()
        self._end(old)
        old.wait(STOP_SECONDS)
        self._desk.stack.start_web(START_SECONDS)

    def _flush(self) -> None:
        with redis.Redis.from_url(self._desk.servers.valkey.url) as client:
            client.flushall()

    def _stop_redis(self) -> None:
        self._desk.servers.valkey.stop()
        time.sleep(3)
        self._desk.servers.valkey.start()

    def _restart_postgres(self) -> None:
        self._desk.servers.postgres.crash()
        time.sleep(1)
        self._desk.servers.postgres.start()

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        """Politely, then not; nobody waits for it here."""
        self._desk.stack.processes.remove(process)
        process.terminate()
        threading.Thread(target=_reap, args=(process,), daemon=True).start()


def _reap(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _planned(mine: random.Random, size: int, every: int) -> list[tuple[int, str]]:
    """The two that happen once in the middle, the others all along."""
    others = mine.choices(list(SHARES), list(SHARES.values()), k=max(size // every, 2))
    plan = [(mine.randint(size // 20, int(size * 0.9)), name) for name in others]
    once = [(int(size * 0.4), "redis stopped"), (int(size * 0.65), "postgres restarted")]
    return sorted(plan + once)
