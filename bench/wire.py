"""What connections really sent: libpq's own trace of the protocol, not what a library says it sent.

Checked once against the server's own log (``log_statement = all``): the same
statements in the same order.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from django.db.backends.signals import connection_created

#: A message of ours with a statement; its own line breaks are continued on lines that begin otherwise.
_SENT = re.compile(r'^(\S+ \S+)\tF\t\d+\t(?:Query|Parse)\t (?:"[^"]*" )?"(.*)"', re.DOTALL)
_MESSAGE = re.compile(r"^\d{4}-\d\d-\d\d \S+\t[FB]\t\d+\t")
KINDS = ("BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "SET")
_BETWEEN = re.compile(rf";\s*(?=(?:{'|'.join(KINDS)})\b)")


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement on the wire. ``wal`` are the bytes of WAL until the next one, 0 when not weighed."""

    at: str
    text: str
    wal: int = 0


class Tap:
    """Traces every connection that Django opens in this process from now on; each thread's to a file of its own.

    With ``weighed``, another connection reads the WAL's position after each statement.
    """

    def __init__(self, folder: Path, *, weighed: bool = False) -> None:
        self._folder = folder
        self._read_to: dict[Path, int] = {}
        self._scale = _Scale() if weighed else None
        connection_created.connect(self._attach, weak=False)

    def statements(self) -> list[Statement]:
        """What was sent since the last call, in order."""
        sent = sorted((one for path in self._folder.iterdir() for one in _statements(self._new(path))), key=_when)
        return self._scale.weigh(sent) if self._scale else sent

    def _attach(self, connection: Any, **kwargs: object) -> None:
        path = self._folder / str(len(list(self._folder.iterdir())))
        connection.connection.pgconn.trace(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND))
        if self._scale:
            connection.execute_wrappers.append(self._scale)

    def _new(self, path: Path) -> str:
        with path.open("rb") as trace:
            trace.seek(self._read_to.get(path, 0))
            text = trace.read().decode()
            self._read_to[path] = trace.tell()
        return text


class _Scale:
    """Reads how far the WAL is before each statement, by a connection of its own."""

    def __init__(self) -> None:
        self._connection = psycopg.connect(os.environ["DATABASE_URL"], autocommit=True)
        self._read: list[int] = []

    def __call__(self, execute: Callable[..., Any], *call: Any) -> Any:
        before = self._position()
        try:
            return execute(*call)
        finally:
            self._read.append(self._position() - before)

    def weigh(self, sent: list[Statement]) -> list[Statement]:
        """Each statement with its bytes; those that do not pass Django's cursor (BEGIN, COMMIT) have none."""
        weights, self._read = iter(self._read), []
        plain = ("BEGIN", "COMMIT", "ROLLBACK")
        return [one if one.text.startswith(plain) else Statement(one.at, one.text, next(weights, 0)) for one in sent]

    def _position(self) -> int:
        row = self._connection.execute("SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint").fetchone()
        return int(row[0]) if row else 0


def by_kind(statements: Iterable[Statement]) -> Counter[str]:
    """How many of each kind; several statements in one message count apart."""
    return Counter(_kind(part) for statement in statements for part in _BETWEEN.split(statement.text) if part.strip())


def _when(statement: Statement) -> str:
    return statement.at


def _statements(text: str) -> Iterator[Statement]:
    """Messages of ours in a trace, each with the lines that continue it."""
    message: list[str] = []
    for line in [*text.splitlines(), ""]:
        if message and (_MESSAGE.match(line) or not line):
            if found := _SENT.match("\n".join(message)):
                yield Statement(found[1], found[2])
            message = []
        if message or "\tF\t" in line[:40]:
            message.append(line)


def _kind(statement: str) -> str:
    word = statement.lstrip("( ").split(None, 1)[0].upper().rstrip(";")
    return word if word in KINDS else "other"
