"""The HTTP client under the vendors' SDKs: pooled, with a wall-clock deadline.

httpx counts its timeouts anew for each read, so a server that sends one byte a
second can hold a worker for ever.  Here every socket operation gets only what
is left until the deadline, from the connection to the last byte.  Name look-up
alone is outside: the resolver has limits of its own.
"""

from __future__ import annotations

import atexit
import os
import ssl
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from typing import Any, cast
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpcore2
import httpx2

from aitools.errors import ProviderTransient

#: A host that does not answer the connection at once will not answer in time.
CONNECT_SECONDS = 5.0
#: The longest answers of models are far below; a server without end must not fill a worker's memory.
MOST_BYTES = 8_000_000
#: Packed bodies grow up to a thousand times.
MOST_PACKED_BYTES = 200_000
LIMITS = httpx2.Limits(max_connections=100, max_keepalive_connections=20)

_lock = threading.Lock()
_clients: dict[tuple[int, str], httpx2.Client] = {}
_until: ContextVar[float | None] = ContextVar("provider_deadline", default=None)


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """End all network work of this thread after ``seconds`` of wall clock.

    Past it, sockets raise httpx's timeout errors.
    """
    token = _until.set(time.monotonic() + seconds)
    try:
        yield
    finally:
        _until.reset(token)


def timeout(seconds: float) -> httpx2.Timeout:
    """The limit for each single operation; ``deadline`` bounds their sum."""
    return httpx2.Timeout(seconds, connect=min(CONNECT_SECONDS, seconds))


def client_for(base_url: str) -> httpx2.Client:
    """This process's client for a vendor's host, with its connection pool.

    It goes through the environment's proxy if there is one for the host.
    Redirects are not followed: a key goes to the configured host only.
    """
    # Sockets must not be shared with a parent that forked.
    key = (os.getpid(), base_url)
    with _lock:
        if key not in _clients:
            transport = DeadlineTransport(verify=_trusted(), proxy=_proxy_for(base_url), limits=LIMITS)
            _clients[key] = httpx2.Client(transport=transport, follow_redirects=False)
        return _clients[key]


def close_clients() -> None:
    """Close this process's pooled connections; later requests open new ones."""
    with _lock:
        mine = [key for key in _clients if key[0] == os.getpid()]
        closing = [_clients.pop(key) for key in mine]
    for client in closing:
        client.close()


atexit.register(close_clients)


class DeadlineTransport(httpx2.HTTPTransport):
    """httpx's transport, on sockets that know the deadline. No body longer than ``MOST_BYTES`` is read."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        # The pool takes a backend, but httpx does not pass one on.
        self._pool._network_backend = _Backend()

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        response = super().handle_request(request)
        packed = response.headers.get("content-encoding", "identity") != "identity"
        response.stream = _Bounded(response.stream, MOST_PACKED_BYTES if packed else MOST_BYTES)
        return response


class _Bounded(httpx2.SyncByteStream):
    """A body as it comes over the wire. ``ProviderTransient`` past ``most`` bytes."""

    def __init__(self, stream: httpx2.SyncByteStream | httpx2.AsyncByteStream, most: int) -> None:
        self._stream = cast("httpx2.SyncByteStream", stream)
        self._most = most

    def __iter__(self) -> Iterator[bytes]:
        come = 0
        for chunk in self._stream:
            come += len(chunk)
            if come > self._most:
                raise ProviderTransient("The answer is too long.", kind="unreadable")
            yield chunk

    def close(self) -> None:
        self._stream.close()


class _Backend(httpcore2.NetworkBackend):
    def __init__(self) -> None:
        self._sockets = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        # Not every SDK lets us say that connecting may take less than the rest.
        limit = CONNECT_SECONDS if timeout is None else min(timeout, CONNECT_SECONDS)
        allowed = _left(limit, httpcore2.ConnectTimeout)
        return _Stream(self._sockets.connect_tcp(host, port, allowed, local_address, socket_options))

    def sleep(self, seconds: float) -> None:
        self._sockets.sleep(seconds)


class _Stream(httpcore2.NetworkStream):
    def __init__(self, stream: httpcore2.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, _left(timeout, httpcore2.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, _left(timeout, httpcore2.WriteTimeout))

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.NetworkStream:
        allowed = _left(timeout, httpcore2.ConnectTimeout)
        return _Stream(self._stream.start_tls(ssl_context, server_hostname, allowed))

    def close(self) -> None:
        self._stream.close()

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def _left(asked: float | None, expired: type[httpcore2.TimeoutException]) -> float | None:
    """``asked``, cut to what is left until the deadline."""
    until = _until.get()
    if until is None:
        return asked
    left = until - time.monotonic()
    if left <= 0:
        raise expired("The deadline has passed.")
    return left if asked is None else min(asked, left)


@lru_cache(maxsize=1)
def _trusted() -> ssl.SSLContext:
    """Whom we trust, read once for all vendors: the list takes longer to read than a request takes here."""
    return httpx2.create_ssl_context()


def _proxy_for(base_url: str) -> str | None:
    """httpx reads the environment's proxies only for its own transports."""
    parts = urlsplit(base_url)
    proxies = getproxies()
    if not parts.hostname or proxy_bypass(parts.hostname):
        return None
    return proxies.get(parts.scheme) or proxies.get("all")
