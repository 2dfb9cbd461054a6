"""PostgreSQL and Valkey that a test may stop and start: servers of its own, each on a port that it keeps."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from bakery.local.services import Postgres, Service, Valkey


@dataclass
class Server:
    """One running server. Only the thread that started it may: it dies with that thread."""

    service: Service
    process: subprocess.Popen[bytes]
    url: str

    @classmethod
    def started(cls, service: Service) -> Server:
        service.folder.mkdir(parents=True, exist_ok=True)
        return cls(service, *service.start())

    def stop(self) -> None:
        """In order, but without waiting for its clients: the statements under way fail."""
        self.service.stop(self.process)

    def crash(self) -> None:
        """At once and without farewell; PostgreSQL recovers from its log at the next start."""
        how = signal.SIGQUIT if isinstance(self.service, Postgres) else signal.SIGKILL
        self.process.send_signal(how)
        self.process.wait(timeout=30)

    def start(self) -> None:
        """Again, on the port it had."""
        self.process, _ = self.service.start(urlsplit(self.url).port)


@dataclass(frozen=True)
class Servers:
    postgres: Server
    valkey: Server

    @property
    def environment(self) -> dict[str, str]:
        return {"DATABASE_URL": self.postgres.url, "REDIS_URL": self.valkey.url}


@contextmanager
def own_servers(folder: Path) -> Iterator[Servers]:
    """Both, in a folder of their own; stopped in the end."""
    with _running(Postgres(folder)) as postgres, _running(Valkey(folder)) as valkey:
        yield Servers(postgres, valkey)


@contextmanager
def _running(service: Service) -> Iterator[Server]:
    server = Server.started(service)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.stop()
