"""A server that hears: OpenAI's audio.transcriptions on a local port."""

from __future__ import annotations

import json
import re
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from aitools.providers import http
from tests.wire.vendors import API_KEY, Fault

PATH = "/v1/audio/transcriptions"
#: What is heard in a note, or what goes wrong; a function is called while the client waits.
Line = str | Fault | bytes | Callable[[], "Line"]


@dataclass
class SpeechApi:
    """``received`` are the forms in order; ``lines`` are used up, first one first."""

    base_url: str = ""
    lines: deque[Line] = field(default_factory=deque)
    received: list[dict[str, bytes]] = field(default_factory=list)
    drip: bool = False
    closing: threading.Event = field(default_factory=threading.Event)

    def next_line(self) -> str | Fault | bytes:
        line: Any = self.lines.popleft()
        while callable(line):
            line = line()
        return line  # type: ignore[no-any-return]


@contextmanager
def speech_api(lines: Sequence[Line] = ()) -> Iterator[SpeechApi]:
    """A running fake. Leaving it asserts that each line was asked for."""
    api = SpeechApi(lines=deque(lines))
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"api": api}))
    server.daemon_threads = True
    api.base_url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield api
        assert not api.lines
    finally:
        api.closing.set()
        http.close_clients()
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    api: SpeechApi

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path != PATH or self.headers.get("Authorization") != f"Bearer {API_KEY}":
            self._answer(401, {"error": {"message": "Incorrect API key", "code": "invalid_api_key"}})
            return
        self.api.received.append(_form(body, self.headers["Content-Type"]))
        line = self.api.next_line()
        if isinstance(line, Fault) and line.drop:
            self.close_connection = True
        elif isinstance(line, Fault):
            self._answer(line.status, {"error": {"message": line.message, "code": line.code}})
        else:
            self._answer(200, {"text": line} if isinstance(line, str) else line)

    def _answer(self, status: int, content: Any) -> None:
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        for part in [body[at : at + 1] for at in range(len(body))] if self.api.drip else [body]:
            if self.api.drip and self.api.closing.wait(0.05):
                break
            self.wfile.write(part)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the base class's name
        """Keep test output to what tests say."""


def _form(body: bytes, content_type: str) -> dict[str, bytes]:
    """The fields of a multipart form, and under ``filename`` what the file is called."""
    boundary = content_type.partition("boundary=")[2].encode()
    fields: dict[str, bytes] = {}
    for part in body.split(b"--" + boundary)[1:-1]:
        head, _, value = part.partition(b"\r\n\r\n")
        name = re.search(rb'name="([^"]*)"', head)
        assert name is not None
        fields[name[1].decode()] = value.removesuffix(b"\r\n")
        if called := re.search(rb'filename="([^"]*)"', head):
            fields["filename"] = called[1]
    return fields
