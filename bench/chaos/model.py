"""The scripted model behind a vendor's wire: Anthropic's Messages API on a local port."""

from __future__ import annotations

import json
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from bench.chaos.dice import Dice
from bench.chaos.journal import Journal
from bench.chaos.script import Situation, answer
from bench.chaos.slips import slipped, trouble
from bench.chaos.wares import Wares
from tests.wire import messages_api
from tests.wire.issued import Issued
from tests.wire.vendors import API_KEY


class Model:
    """Answers requests; what the vendor itself would refuse is kept in ``refused``."""

    def __init__(self, wares: Wares, dice: Dice, journal: Journal) -> None:
        self.refused: list[str] = []
        self.url = ""
        self._wares, self._dice, self._journal = wares, dice, journal
        self._issued = Issued()
        self._asked: defaultdict[str, int] = defaultdict(int)

    def reply(self, body: dict[str, Any], headers: dict[str, str]) -> tuple[int, Any]:
        """Status and body; status 0 closes the connection."""
        if complaint := messages_api.complaint(body, headers, self._issued):
            self.refused.append(complaint)
            return 400, messages_api.error("invalid_request_error", complaint)
        self._journal.count("model requests")
        situation = Situation.read(body)
        who = situation.who
        self._asked[who] = count = self._asked[who] + 1
        met = trouble(self._dice, who, count)
        time.sleep(met.seconds)
        if met.status or met.drop:
            self._journal.count("model errors")
            return met.status, messages_api.error("api_error", "Trouble")
        said, slip = slipped(answer(self._wares, situation), self._dice, who, count)
        self._journal.count("model slips" if slip else "model replies")
        return 200, messages_api.reply(said, body, self._issued)


@contextmanager
def model_server(model: Model) -> Iterator[Model]:
    """The model on a port; ``model.url`` is then set."""

    class Handler(_Handler):
        serves = model

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    model.url = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True).start()
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    serves: Model

    def handle(self) -> None:
        """Whoever asks may be killed at any time."""
        with suppress(ConnectionError):
            super().handle()

    def do_POST(self) -> None:
        text = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path != "/v1/messages" or self.headers.get("Authorization") != f"Bearer {API_KEY}":
            self._send(404, {})
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        self._send(*self.serves.reply(json.loads(text), headers))

    def _send(self, status: int, body: Any) -> None:
        if not status:
            self.close_connection = True
            return
        content = json.dumps(body).encode()
        head = f"HTTP/1.1 {status} Answer\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
        self.wfile.write(head.encode() + content)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """The terminal stays quiet."""
