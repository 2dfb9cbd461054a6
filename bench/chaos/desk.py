"""The desk under test: real processes on servers of their own, and the end of them."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from psycopg import sql

from bakery.local.__main__ import local_folder
from bakery.local.services import free_port
from tests.e2e.servers import Server, Servers, own_servers
from tests.e2e.stack import Stack, demo_at

WORKERS = 2
#: A busy machine compiles everything first.
START_SECONDS = 180
SETTLE_SECONDS, CONFIRM_SECONDS, MODEL_SECONDS = 1, 90, 6
#: What the sample has too little of for such a crowd.
PLENTY = 1_000_000

#: Work that somebody still has to do, by kind; those with time to wait are not due yet but open.
OPEN_WORK: Mapping[str, str] = {
    "unread": "SELECT count(*) FROM aitools_conversation WHERE read_seq < inbox_seq",
    "leases": "SELECT count(*) FROM aitools_conversation WHERE lease_until > aitools_now()",
    "turns": "SELECT count(*) FROM aitools_turn WHERE state IN ('running', 'waiting')",
    "questions": "SELECT count(*) FROM aitools_pendingconfirmation WHERE state = 'pending'",
    "sends": "SELECT count(*) FROM aitools_outboundmessage WHERE state IN ('queued', 'sending', 'uncertain')",
}


@dataclass
class Desk:
    """Stack and servers; ``folder`` has data and logs."""

    stack: Stack
    servers: Servers
    folder: Path

    def start(self) -> None:
        """Web, two workers and beat; returns when all can work."""
        for _ in range(WORKERS):
            self.stack.start_worker()
        self.stack.start_beat()
        self.stack.start_web(START_SECONDS)
        self.stack.until(lambda: len(self.logged("ready.")) >= WORKERS, "the workers to be ready", START_SECONDS)

    def web(self) -> subprocess.Popen[bytes]:
        return next(one for one in self.stack.processes if "gunicorn" in one.args)  # type: ignore[operator]

    def workers(self) -> list[subprocess.Popen[bytes]]:
        return [one for one in self.stack.workers() if "worker" in one.args]  # type: ignore[operator]

    def valkey(self) -> Server:
        return self.servers.valkey

    def open_work(self) -> dict[str, int]:
        """How much of each kind is left."""
        return {kind: self.stack.one(query) for kind, query in OPEN_WORK.items()}

    def logged(self, words: str) -> list[str]:
        """The lines of all processes' logs that have these words."""
        texts = (path.read_text(errors="replace") for path in self.stack.logs.glob("*.log"))
        return [line for text in texts for line in text.splitlines() if words in line]


@contextmanager
def running_desk(environment: Mapping[str, str], model_url: str) -> Iterator[Desk]:
    """A desk with the sample bakery, not started yet. Its folder stays if the block raises or touches ``keep``."""
    folder = Path(tempfile.mkdtemp(prefix="chaos-"))
    folder.chmod(0o755)
    logs = folder / "logs"
    logs.mkdir()
    with own_servers(folder) as servers:
        port = free_port()
        settings = {**_settings(port), **servers.environment, **environment}
        desk = Desk(Stack({**os.environ, **settings}, port, logs), servers, folder)
        try:
            _prepare(desk, model_url)
            yield desk
        except BaseException:
            keep(desk)
            raise
        finally:
            desk.stack.close()
    if not (folder / "keep").exists():
        shutil.rmtree(folder, ignore_errors=True)


def keep(desk: Desk) -> None:
    """Leave data and logs for inspection."""
    (desk.folder / "keep").touch()


def _settings(port: int) -> dict[str, str]:
    return {
        **demo_at(port),
        # Processes start all the time here: compile once.
        "PYTHONDONTWRITEBYTECODE": "",
        "PYTHONPYCACHEPREFIX": str(local_folder() / "pycache"),
    }


def _prepare(desk: Desk, model_url: str) -> None:
    """Tables, menu, a model at the wire, and times for a short day."""
    desk.stack.manage("prepare_demo")
    desk.stack.sql("UPDATE orders_product SET daily_stock = %s WHERE daily_stock IS NOT NULL", PLENTY)
    endpoint = _endpoint(
        desk,
        name="chaos",
        kind="anthropic",
        model="chaos-1",
        base_url=model_url,
        key_variable="CHAOS_API_KEY",
        timeout_seconds=MODEL_SECONDS,
        max_output_tokens=1024,
        tool_calls="native",
        refuses_tools=False,
        active=True,
    )
    desk.stack.sql(
        "UPDATE aitools_botprofile SET settle_seconds = %s, confirm_seconds = %s, endpoint_id = %s",
        SETTLE_SECONDS,
        CONFIRM_SECONDS,
        endpoint,
    )


def _endpoint(desk: Desk, **values: Any) -> int:
    columns = sql.SQL(", ").join(map(sql.Identifier, values))
    marks = sql.SQL(", ").join([sql.Placeholder()] * len(values))
    insert = sql.SQL("INSERT INTO aitools_modelendpoint ({}) VALUES ({}) RETURNING id").format(columns, marks)
    new: int = desk.stack.one(insert.as_string(), *values.values())
    return new
