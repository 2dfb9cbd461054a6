"""Redis as Celery's broker, for workers that survive its absence.

kombu 5.7 forgets where a lost connection led before it closes it.  If a worker
then holds a message that is not acknowledged, it asks there, fails with an
AttributeError that nobody expects, and the worker ends.
"""

from __future__ import annotations

import ssl
from typing import Any, Literal

from kombu.transport import redis as transport
from redis.exceptions import ConnectionError as ConnectionLost


class Channel(transport.Channel):
    """Says of a forgotten connection that it is lost, which kombu and Celery expect.

    What was not acknowledged stays in Redis, if that still knows it; the sweep does not wait for it.
    """

    def _connparams(self, asynchronous: bool = False) -> dict[str, Any]:
        if self.connection.client is None:
            raise ConnectionLost("the connection to the broker is closed")
        params: dict[str, Any] = super()._connparams(asynchronous)  # type: ignore[misc]  # not in its stubs
        return params


class Transport(transport.Transport):
    Channel = Channel


def tls(url: str) -> dict[str, Any] | Literal[False]:
    """Celery's ``broker_use_ssl``: kombu knows by its own transport's name only that rediss:// means TLS."""
    return {"ssl_cert_reqs": ssl.CERT_REQUIRED} if url.startswith("rediss://") else False
