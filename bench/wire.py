"""What a connection really sent: libpq's own trace of the protocol, not what a library says it sent."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from django.db.backends.signals import connection_created
from psycopg.pq import Trace

#: One message from us to the server; a statement's own line breaks are continued on lines without this.
_SENT = re.compile(r'^F\t\d+\t(?:Query|Parse)\t (?:"[^"]*" )?"(.*)', re.DOTALL)
KINDS = ("BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "SELECT", "INSERT", "UPDATE", "DELETE", "SET")
_BETWEEN = re.compile(rf";\s*(?=(?:{'|'.join(KINDS)})\b)")


class Tap:
    """Traces every connection that Django opens in this process from now on."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read_to = 0
        path.write_bytes(b"")
        connection_created.connect(self._attach, weak=False)

    def _attach(self, connection: Any, **kwargs: object) -> None:
        pgconn = connection.connection.pgconn
        pgconn.trace(os.open(self._path, os.O_WRONLY | os.O_APPEND))
        pgconn.set_trace_flags(Trace.SUPPRESS_TIMESTAMPS)

    def statements(self) -> list[str]:
        """The statements sent since the last call, in order."""
        with self._path.open("rb") as trace:
            trace.seek(self._read_to)
            text = trace.read().decode()
            self._read_to = trace.tell()
        return list(_statements(text))


def by_kind(statements: Iterable[str]) -> Counter[str]:
    """How many of each kind; several statements in one message count apart."""
    return Counter(_kind(part) for statement in statements for part in _parts(statement))


def _statements(text: str) -> Iterator[str]:
    """Messages of ours in a trace, each with the lines that continue it."""
    message: list[str] = []
    for line in text.splitlines():
        if re.match(r"^[FB]\t\d+\t", line):
            if message:
                yield from _read("\n".join(message))
            message = [line] if line.startswith("F") else []
        elif message:
            message.append(line)
    if message:
        yield from _read("\n".join(message))


def _read(message: str) -> Iterator[str]:
    if found := _SENT.match(message):
        yield found[1].rsplit('"', 1)[0]


def _parts(statement: str) -> list[str]:
    """A batch is several statements; texts in it hold no line-ending semicolon."""
    return [part for part in _BETWEEN.split(statement) if part.strip()]


def _kind(statement: str) -> str:
    word = statement.lstrip("( ").split(None, 1)[0].upper().rstrip(";")
    return word if word in KINDS else "WITH" if word == "WITH" else "other"
