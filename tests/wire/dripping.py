"""A server that never stops answering: one byte after another, each soon enough for a limit that counts per read."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

#: So often a byte, and so many: whoever waits for the last one waits for half a minute.
EVERY_SECONDS, BYTES = 0.02, 1500


@dataclass
class Dripping:
    """``exhausted`` once somebody has waited for the last byte."""

    port: int
    closing: threading.Event = field(default_factory=threading.Event)
    exhausted: threading.Event = field(default_factory=threading.Event)

    def drip(self, listener: socket.socket) -> None:
        while not self.closing.is_set():
            try:
                connection, _address = listener.accept()
            except OSError:
                return
            threading.Thread(target=self._drip_into, args=[connection], daemon=True).start()

    def _drip_into(self, connection: socket.socket) -> None:
        with connection:
            try:
                for _ in range(BYTES):
                    connection.sendall(b"+")
                    if self.closing.wait(EVERY_SECONDS):
                        return
            except OSError:
                return
            self.exhausted.set()


@contextmanager
def dripping() -> Iterator[Dripping]:
    """The server on a local port, with whatever protocol has lines."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        made = Dripping(listener.getsockname()[1])
        threading.Thread(target=made.drip, args=[listener], daemon=True).start()
        try:
            yield made
        finally:
            made.closing.set()
