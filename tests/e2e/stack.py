"""A whole desk in processes of its own: web, workers, beat, on a database of its own.

Nothing of the product runs in the test's process: what a test sees is HTTP and
SQL, like a customer and a database administrator would.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg
import redis

PROJECT = Path(__file__).parents[2]
CELERY = [sys.executable, "-m", "celery", "--quiet", "-A", "bakery"]
WORKER = [*CELERY, "worker", "--pool=threads", "--concurrency=4", "--without-gossip", "--without-mingle"]
OTHER_CLOCK = [sys.executable, "-m", "tests.e2e.other_clock"]
USER, PASSWORD = "demo", "prueba-de-extremo-a-extremo"


@dataclass
class Stack:
    """The desk and its processes. ``environment`` is what each of them gets."""

    environment: dict[str, str]
    port: int
    logs: Path
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)
    _log_paths: dict[int, Path] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def manage(self, *arguments: str) -> str:
        """Run ``manage.py``; its standard output."""
        command = [sys.executable, "manage.py", *arguments]
        done = subprocess.run(command, env=self.environment, cwd=PROJECT, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()

    def start_web(self, seconds: float = 30) -> None:
        self._start("web", [sys.executable, "-m", "gunicorn", "bakery.wsgi"])
        self.until(self._is_ready, "the web to be ready", seconds)

    def start_worker(self, **environment: str) -> subprocess.Popen[bytes]:
        """A worker; extra variables are for this one only."""
        return self._start("worker", WORKER, environment)

    def start_worker_with_clock(self, off_seconds: float) -> subprocess.Popen[bytes]:
        """A worker whose own clock is so far ahead, or behind."""
        return self._start("worker", [*OTHER_CLOCK, str(off_seconds), *WORKER[2:]])

    def start_beat(self) -> subprocess.Popen[bytes]:
        return self._start("beat", [*CELERY, "beat"])

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        """``kill -9``: no farewell, no clean-up."""
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=20)
        self.processes.remove(process)

    def stop(self, process: subprocess.Popen[bytes]) -> None:
        """A warm shutdown, as at a deploy."""
        process.terminate()
        process.wait(timeout=30)
        self.processes.remove(process)

    def close(self) -> None:
        for process in self.processes:
            process.kill()
        for process in self.processes:
            process.wait(timeout=20)

    def sql(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Rows of a query, each in a connection of its own."""
        with psycopg.connect(self.environment["DATABASE_URL"], autocommit=True) as connection:
            cursor = connection.execute(query, values or None)
            return cursor.fetchall() if cursor.description else []

    def one(self, query: str, *values: Any) -> Any:
        """The only value of a query."""
        return self.sql(query, *values)[0][0]

    def until(self, true: Callable[[], object], what: str, seconds: float = 30) -> float:
        """Wait for something to become true; the seconds it took."""
        started = time.monotonic()
        while not true():
            assert time.monotonic() - started < seconds, f"waited {seconds} s for {what}\n{self.log_tail()}"
            time.sleep(0.05)
        return time.monotonic() - started

    def workers(self) -> list[subprocess.Popen[bytes]]:
        """The Celery processes that run, beat included."""
        return [process for process in self.processes if "celery" in process.args]  # type: ignore[operator]

    def flush_redis(self) -> None:
        """Lose every wake-up of this desk, as a flushed Redis would."""
        with redis.Redis.from_url(self.environment["REDIS_URL"]) as client:
            keys = list(client.scan_iter(f"{self.environment['REDIS_PREFIX']}*"))
            if keys:
                client.delete(*keys)

    def shift_clock(self, seconds: float) -> None:
        """Move the database's clock for everybody: connections made before are ended."""
        name = urlsplit(self.environment["DATABASE_URL"]).path.strip("/")
        self.sql(f"ALTER DATABASE \"{name}\" SET aitools.clock_shift = '{float(seconds)} seconds'")
        others = "datname = current_database() AND pid <> pg_backend_pid()"
        self.sql(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {others}")

    def log_of(self, process: subprocess.Popen[bytes]) -> str:
        return self._log_paths[process.pid].read_text(errors="replace")

    def log_tail(self) -> str:
        return "\n".join(path.read_text(errors="replace")[-3000:] for path in sorted(self.logs.glob("*.log")))

    def _start(self, name: str, command: list[str], extra: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
        log = self.logs / f"{name}-{len(self.processes)}-{uuid.uuid4().hex[:6]}.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                command, env={**self.environment, **(extra or {})}, cwd=PROJECT, stdout=output, stderr=output
            )
        self.processes.append(process)
        self._log_paths[process.pid] = log
        return process

    def _is_ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/health/ready", timeout=5) as answer:
                return bool(answer.status == 200)
        except (OSError, urllib.error.HTTPError):
            return False


def demo_at(port: int) -> dict[str, str]:
    """The settings of a demo whose web listens there."""
    return {
        "PUBLIC_URL": f"http://127.0.0.1:{port}",
        "PORT": str(port),
        "DEMO": "true",
        "DEMO_USER": USER,
        "DEMO_PASSWORD": PASSWORD,
        "PYTHONWARNINGS": "ignore",
    }


@contextmanager
def running_stack(logs: Path, **environment: str) -> Iterator[Stack]:
    """A desk with the sample bakery loaded and its web running, on a new database.

    ``DATABASE_URL`` in ``environment`` names the server; else it is that of this process.
    """
    name = f"e2e_{uuid.uuid4().hex[:10]}"
    url = urlsplit(environment.pop("DATABASE_URL", os.environ["DATABASE_URL"]))
    admin = urlunsplit(url._replace(path="/postgres"))
    with psycopg.connect(admin, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    port = _free_port()
    settings = {
        "DATABASE_URL": urlunsplit(url._replace(path=f"/{name}")),
        "REDIS_PREFIX": f"{name}:",
        **demo_at(port),
    }
    stack = Stack({**os.environ, **settings, **environment}, port, logs)
    try:
        stack.manage("prepare_demo")
        stack.sql("UPDATE aitools_botprofile SET settle_seconds = 0")
        stack.start_web()
        yield stack
    finally:
        stack.close()
        with psycopg.connect(admin, autocommit=True) as connection:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
