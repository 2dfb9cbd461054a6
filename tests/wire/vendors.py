"""The model vendors' APIs on a local port.

A script in the engine's own words answers all of them, so one test can run against
any vendor.  Requests are judged as the vendors judge them: a wrong one gets
the vendor's 400 and is kept in ``refused``.

    with vendor_server([asks(("view_menu", {})), says("Hola.")]) as server:
        environment |= server.environment
        ...
    # leaving asserts that nothing was refused and the script was used up
"""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from aitools.providers import http
from aitools.types import ModelReply
from tests.wire import chat_api, gemini_api, messages_api, ollama_api, responses_api
from tests.wire.issued import Issued

API_KEY = "test-vendor-key-0001"
#: Each knows its ``PATH`` and where its key stands, judges, and answers.
_APIS: dict[str, Any] = {api.VENDOR: api for api in (messages_api, responses_api, chat_api, gemini_api, ollama_api)}


@dataclass(frozen=True, slots=True)
class Received:
    """One accepted request. ``results`` are the call results it ends with, as text."""

    vendor: str
    body: Mapping[str, Any]
    headers: Mapping[str, str]

    @property
    def user_text(self) -> str:
        """The customer's newest words."""
        text: str = _APIS[self.vendor].user_text(self.body)
        return text

    @property
    def results(self) -> list[str]:
        results: list[str] = _APIS[self.vendor].results(self.body)
        return results


@dataclass(frozen=True, slots=True)
class Fault:
    """An HTTP error instead of a reply; ``drop`` closes the connection unanswered."""

    status: int = 500
    code: str = ""
    message: str = "Fault of the test"
    headers: Mapping[str, str] = field(default_factory=dict)
    drop: bool = False


@dataclass(frozen=True, slots=True)
class Slow:
    """A reply after ``seconds``; with ``drip``, one byte in each such time, headers too."""

    reply: ModelReply
    seconds: float = 0
    drip: float = 0


@dataclass(frozen=True, slots=True)
class Raw:
    """An answer to the letter: ``body`` as JSON, or as it is when it is bytes."""

    body: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


OVERLOADED = Fault(status=529, code="overloaded_error", message="Overloaded")
SERVER_ERROR = Fault(status=500, code="api_error")
DROPPED = Fault(drop=True)

Answer = ModelReply | Fault | Slow | Raw
Line = Answer | Callable[[Received], Answer]


def rate_limited(seconds: int) -> Fault:
    headers = {"retry-after": str(seconds)}
    return Fault(429, "rate_limit_error", "Too many requests", headers)


class VendorServer:
    """The state of a running fake. ``received`` and ``refused`` are in order."""

    def __init__(self, lines: Sequence[Line], *, thinking: bool) -> None:
        self.received: list[Received] = []
        self.refused: list[str] = []
        self.issued = Issued(thinking=thinking)
        self.closing = threading.Event()
        self.port = 0
        self._lines = deque(lines)
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        """Where Anthropic's, Gemini's and Ollama's paths begin."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def openai_url(self) -> str:
        return f"{self.url}/v1"

    @property
    def environment(self) -> dict[str, str]:
        """What makes every adapter, in any process, talk to this server."""
        return {
            "ANTHROPIC_BASE_URL": self.url,
            "ANTHROPIC_API_KEY": API_KEY,
            "OPENAI_BASE_URL": self.openai_url,
            "OPENAI_API_KEY": API_KEY,
            "DEEPSEEK_BASE_URL": self.openai_url,
            "DEEPSEEK_API_KEY": API_KEY,
            "GEMINI_BASE_URL": self.url,
            "GEMINI_API_KEY": API_KEY,
            "OLLAMA_BASE_URL": self.url,
        }

    def say(self, *lines: Line) -> None:
        """Append to the script."""
        with self._lock:
            self._lines.extend(lines)

    def assert_clean(self) -> None:
        """Fail if a request was refused or unexpected, or a line is left over."""
        assert not self.refused, self.refused
        assert not self._lines, f"{len(self._lines)} scripted replies were never asked for."

    def answer(self, request: Received) -> Answer:
        with self._lock:
            self.received.append(request)
            line = self._lines.popleft() if self._lines else None
        if line is None:
            self.refused.append("more requests than the script has replies")
            return Fault(message="The script is used up")
        return line if isinstance(line, ModelReply | Fault | Slow | Raw) else line(request)


@contextmanager
def vendor_server(lines: Sequence[Line] = (), *, thinking: bool = True) -> Iterator[VendorServer]:
    """A running fake of all vendors.

    ``thinking`` puts opaque reasoning before each reply, which has to come back
    unchanged with the calls it led to, as with current models.
    """
    state = VendorServer(lines, thinking=thinking)
    http_server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_for(state))
    http_server.daemon_threads = True
    state.port = http_server.server_address[1]
    listening = {"poll_interval": 0.02}
    threading.Thread(target=http_server.serve_forever, kwargs=listening, daemon=True).start()
    try:
        yield state
        state.assert_clean()
    finally:
        state.closing.set()
        http.close_clients()
        http_server.shutdown()
        http_server.server_close()


def _handler_for(state: VendorServer) -> type[BaseHTTPRequestHandler]:
    class Handler(_Handler):
        server_state = state

    return Handler


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_state: VendorServer

    def do_POST(self) -> None:
        text = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        api = next((api for api in _APIS.values() if api.PATH.fullmatch(self.path)), None)
        if api is None:
            self._send(404, {"error": {"type": "not_found_error", "message": self.path}})
        elif not api.admits(self.headers, API_KEY):
            self._send(401, api.error("authentication_error", "invalid key"))
        else:
            self._judge(api, json.loads(text))

    def _judge(self, api: Any, body: dict[str, Any]) -> None:
        state = self.server_state
        headers = {name.lower(): value for name, value in self.headers.items()}
        if complaint := api.complaint(body, headers, state.issued):
            state.refused.append(complaint)
            self._send(400, api.error("invalid_request_error", complaint))
        else:
            self._give(api, body, state.answer(Received(api.VENDOR, body, headers)))

    def _give(self, api: Any, body: dict[str, Any], answer: Answer) -> None:
        slow = answer if isinstance(answer, Slow) else Slow(answer) if isinstance(answer, ModelReply) else None
        if isinstance(answer, Raw):
            self._send(answer.status, answer.body, answer.headers)
        elif slow:
            self.server_state.closing.wait(slow.seconds)
            self._send(200, api.reply(slow.reply, body, self.server_state.issued), drip=slow.drip)
        elif isinstance(answer, Fault) and not answer.drop:
            self._send(answer.status, api.error(answer.code, answer.message), answer.headers)
        else:
            self.close_connection = True

    def _send(self, status: int, body: Any, headers: Mapping[str, str] | None = None, drip: float = 0) -> None:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        lines = {"Content-Type": "application/json", "Content-Length": str(len(content)), **(headers or {})}
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        self._write(f"HTTP/1.1 {status} Answer\r\n{head}\r\n".encode() + content, drip)

    def _write(self, answer: bytes, drip: float) -> None:
        """All at once, or byte by byte until the client or the test has enough."""
        try:
            if not drip:
                self.wfile.write(answer)
                return
            for byte in answer:
                if self.server_state.closing.is_set():
                    break
                self.wfile.write(bytes([byte]))
                time.sleep(drip)
        except OSError:  # the client hung up, which some tests are about
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the base class's name
        """Tests read ``received``; the terminal stays quiet."""
