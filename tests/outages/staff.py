"""Staff at their screens, in a process of its own that does what it is told, one line each.

The test's process stays outside: ``Staff`` writes a line and reads the answer.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.e2e.stack import PROJECT, Stack


class Staff:
    """``do("move", 7, "preparing", 1)``: the answer is "ok" or the name of what was raised."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process, self._lock = process, threading.Lock()

    def do(self, *words: object) -> str:
        assert self._process.stdin
        assert self._process.stdout
        with self._lock:
            print(*words, file=self._process.stdin, flush=True)
            return self._process.stdout.readline().strip()


@contextmanager
def staff_of(stack: Stack) -> Iterator[Staff]:
    command = [sys.executable, "-m", "tests.outages.staff"]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, env=stack.environment, cwd=PROJECT, stdin=pipe, stdout=pipe, text=True, bufsize=1
    ) as process:
        yield Staff(process)
        assert process.stdin
        process.stdin.close()


def _verbs() -> dict[str, Callable[..., object]]:
    from django.contrib.auth.models import User

    from aitools import queue, staffing
    from orders import transitions
    from orders.models import OrderState

    def move(order: str, state: str, version: str) -> None:
        user = User.objects.get(username=os.environ["DEMO_USER"])
        transitions.move(int(order), OrderState(state), user=user, version=int(version))

    return {
        "wake": lambda key: queue.publish(queue.ADVANCE, int(key)),
        "take_over": lambda key: staffing.take_over(int(key)),
        "hand_back": lambda key: staffing.hand_back(int(key)),
        "move": move,
    }


def _obey() -> None:
    import django

    django.setup()
    verbs = _verbs()
    for line in sys.stdin:
        verb, *values = line.split()
        try:
            verbs[verb](*values)
        except Exception as error:  # noqa: BLE001 - the test reads which one it was
            answer = type(error).__name__
        else:
            answer = "ok"
        sys.stdout.write(f"{answer}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bakery.settings")
    _obey()
