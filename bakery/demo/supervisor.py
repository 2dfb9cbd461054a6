"""Several servers in one terminal: prefixed lines, restart with backoff, one Ctrl-C for all.

Honcho, the usual library, ends everything when one process ends, and leaves them all running when it is killed.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TextIO

_FIRST_WAIT_SECONDS = 1.0
_LONGEST_WAIT_SECONDS = 30.0
# A process that ran this long was healthy: its next failure starts with the short wait again.
_HEALTHY_SECONDS = 60.0
_STOP_SECONDS = 20.0


@dataclass
class Supervisor:
    """Runs the commands until `stop`, or until one of `SIGINT` and `SIGTERM` arrives in `run`."""

    commands: Mapping[str, Sequence[str]]
    output: TextIO = field(default_factory=lambda: sys.stdout)
    first_wait_seconds: float = _FIRST_WAIT_SECONDS
    _stopping: threading.Event = field(default_factory=threading.Event)
    _running: dict[str, subprocess.Popen[str]] = field(default_factory=dict)
    _writing: threading.Lock = field(default_factory=threading.Lock)

    def run(self) -> None:
        """Start all, return when a signal has ended them."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: self._stopping.set())
        threads = [threading.Thread(target=self._keep, args=item) for item in self.commands.items()]
        for thread in threads:
            thread.start()
        while not self._stopping.wait(1.0):  # a wait without limit would not see signals
            pass
        self._end_all()
        for thread in threads:
            thread.join()

    def say(self, name: str, line: str) -> None:
        """Write one line with its process's name before it."""
        width = max(map(len, self.commands))
        with self._writing:
            print(f"{name:<{width}} | {line}", file=self.output, flush=True)

    def stop(self) -> None:
        """Make `run` end everything and return."""
        self._stopping.set()

    def _keep(self, name: str, command: Sequence[str]) -> None:
        wait = self.first_wait_seconds
        while not self._stopping.is_set():
            started = time.monotonic()
            code = self._run_once(name, command)
            if self._stopping.is_set():
                return
            if time.monotonic() - started > _HEALTHY_SECONDS:
                wait = self.first_wait_seconds
            self.say(name, f"ended with {_ending(code)}; starts again in {wait:g} s")
            self._stopping.wait(wait)
            wait = min(2 * wait, _LONGEST_WAIT_SECONDS)

    def _run_once(self, name: str, command: Sequence[str]) -> int:
        process = subprocess.Popen(
            [*_launcher(), *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,  # Ctrl-C reaches us alone, and we end them in order
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
        )
        self._running[name] = process
        if self._stopping.is_set():
            _signal_group(process, signal.SIGTERM)
        with process:
            assert process.stdout is not None
            for line in process.stdout:
                self.say(name, line.rstrip("\n"))
        return process.returncode

    def _end_all(self) -> None:
        deadline = time.monotonic() + _STOP_SECONDS
        for process in self._running.values():
            _signal_group(process, signal.SIGTERM)
        for name, process in self._running.items():
            try:
                process.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                self.say(name, f"did not end within {_STOP_SECONDS:g} s; killed")
                _signal_group(process, signal.SIGKILL)


def _signal_group(process: subprocess.Popen[str], number: signal.Signals) -> None:
    """To the process and its children, which would else keep its output open."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)


def _launcher() -> list[str]:
    """Words that make a process end with us, even when we are killed, where the system can do that."""
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig=TERM", "--"] if setpriv else []


def _ending(code: int) -> str:
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"code {code}"
