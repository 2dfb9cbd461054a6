"""Clients that send signed webhooks over connections that stay open, and time each answer."""

from __future__ import annotations

import base64
import hashlib
import hmac
import itertools
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import urlencode

from tests.wire.twilio import ACCOUNT_SID, AUTH_TOKEN

APP_SECRET, PHONE_NUMBER_ID, SENDER = "only-for-the-bench", "106540352242922", "+15550100199"
CUSTOMERS = 200
TEXT = "hola, quiero 2 croissants y un tinto para Ana por favor"
#: Sends one request and returns when its answer was read; raises unless it is 200.
Ask = Callable[[bytes], None]


@dataclass(frozen=True, slots=True)
class Timed:
    """Answers of one run: how long all took, and each by itself, in seconds."""

    seconds: float
    each: tuple[float, ...]

    @property
    def per_second(self) -> float:
        return len(self.each) / self.seconds

    def percentile(self, percent: float) -> float:
        """Seconds within which so many of the answers came."""
        ordered = sorted(self.each)
        return ordered[min(int(len(ordered) * percent / 100), len(ordered) - 1)]


class Requests:
    """Ready requests of one vendor, each with an id of its own, from 200 customers in turn."""

    def __init__(self, vendor: str, public_url: str) -> None:
        self._url = f"{public_url}/webhooks/{vendor}"
        self._make = {"twilio": self._twilio, "whatsapp": self._whatsapp}[vendor]
        self._path = f"/webhooks/{vendor}"
        self._numbers = itertools.count(time.time_ns() % 10**15)

    def take(self, count: int) -> list[bytes]:
        return [self._request(*self._make(next(self._numbers))) for _ in range(count)]

    def _twilio(self, number: int) -> tuple[str, dict[str, str], bytes]:
        form = {
            "AccountSid": ACCOUNT_SID,
            "ApiVersion": "2010-04-01",
            "Body": TEXT,
            "From": f"+5730000{number % CUSTOMERS:05d}",
            "MessageSid": f"SM{number:032x}",
            "NumMedia": "0",
            "NumSegments": "1",
            "SmsStatus": "received",
            "To": SENDER,
        }
        signed = self._url + "".join(name + form[name] for name in sorted(form))
        digest = hmac.new(AUTH_TOKEN.encode(), signed.encode(), hashlib.sha1).digest()
        headers = {"X-Twilio-Signature": base64.b64encode(digest).decode()}
        return "application/x-www-form-urlencoded", headers, urlencode(form).encode()

    def _whatsapp(self, number: int) -> tuple[str, dict[str, str], bytes]:
        who = f"5730000{number % CUSTOMERS:05d}"
        message = {
            "from": who,
            "id": f"wamid.{number:040x}",
            "timestamp": str(int(time.time())),
            "type": "text",
            "text": {"body": TEXT},
        }
        value = {
            "messaging_product": "whatsapp",
            "metadata": {"display_phone_number": "15550100188", "phone_number_id": PHONE_NUMBER_ID},
            "contacts": [{"profile": {"name": "Ana"}, "wa_id": who}],
            "messages": [message],
        }
        change = {"field": "messages", "value": value}
        entry = {"id": "102290129340398", "changes": [change]}
        body = json.dumps({"object": "whatsapp_business_account", "entry": [entry]}).encode()
        digest = hmac.new(APP_SECRET.encode(), body, hashlib.sha256).hexdigest()
        return "application/json", {"X-Hub-Signature-256": f"sha256={digest}"}, body

    def _request(self, content_type: str, headers: dict[str, str], body: bytes) -> bytes:
        lines = {"Host": "127.0.0.1", "Content-Type": content_type, "Content-Length": str(len(body)), **headers}
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        return f"POST {self._path} HTTP/1.1\r\n{head}\r\n".encode() + body


def as_fast_as_it_goes(port: int, requests: list[bytes], clients: int) -> Timed:
    """Each client sends its next request when its last one was answered."""
    waiting = iter(requests)
    lock = threading.Lock()

    def work(ask: Ask) -> Iterator[float]:
        while True:
            with lock:
                request = next(waiting, None)
            if request is None:
                return
            started = time.perf_counter()
            ask(request)
            yield time.perf_counter() - started

    return _timed(port, clients, work)


def at_a_rate(port: int, requests: list[bytes], clients: int, per_second: float) -> Timed:
    """Requests start by the clock, whether those before were answered or not; each counts from when it was due."""
    due = iter(enumerate(requests))
    lock = threading.Lock()
    begin = time.perf_counter() + 0.2

    def work(ask: Ask) -> Iterator[float]:
        while True:
            with lock:
                number, request = next(due, (0, None))
            if request is None:
                return
            at = begin + number / per_second
            time.sleep(max(at - time.perf_counter(), 0))
            ask(request)
            yield time.perf_counter() - at

    return _timed(port, clients, work)


def _timed(port: int, clients: int, work: Callable[[Ask], Iterator[float]]) -> Timed:
    """Run ``work`` in so many threads, each with a connection of its own."""
    each: list[float] = []
    faults: list[Exception] = []
    ready = threading.Barrier(clients + 1)

    def run() -> None:
        try:
            with _Connection(port) as connection:
                ready.wait()
                each.extend(list(work(connection.ask)))
        except Exception as fault:  # noqa: BLE001 - raised again below
            faults.append(fault)
            ready.abort()

    threads = [threading.Thread(target=run) for _ in range(clients)]
    for thread in threads:
        thread.start()
    ready.wait()
    started = time.perf_counter()
    for thread in threads:
        thread.join()
    if faults:
        raise faults[0]
    return Timed(time.perf_counter() - started, tuple(each))


class _Connection:
    """HTTP/1.1 with as little work as possible: the clients share the machine with what is measured."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._socket: socket.socket | None = None

    def ask(self, request: bytes) -> None:
        if self._socket is None:
            self._socket = socket.create_connection(("127.0.0.1", self._port), timeout=30)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket.sendall(request)
        head = self._read()
        if not head.startswith(b"http/1.1 200 "):
            raise RuntimeError(f"not taken: {head[:300]!r}")
        if b"\r\nconnection: close\r\n" in head:
            self._close()

    def _read(self) -> bytes:
        """The head of an answer; its body is read and forgotten."""
        got = b""
        while b"\r\n\r\n" not in got:
            got += self._receive()
        head, _, body = got.partition(b"\r\n\r\n")
        head = head.lower() + b"\r\n"
        # Without a length it comes in chunks, of which the last is empty.
        length = head.partition(b"\r\ncontent-length: ")[2].split(b"\r\n")[0]
        while len(body) < int(length) if length else not body.endswith(b"0\r\n\r\n"):
            body += self._receive()
        return head

    def _receive(self) -> bytes:
        assert self._socket is not None
        if received := self._socket.recv(65536):
            return received
        raise RuntimeError("the server closed the connection in the middle of an answer")

    def _close(self) -> None:
        if self._socket is not None:
            self._socket.close()
        self._socket = None

    def __enter__(self) -> _Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()
