"""Getting one model reply, from the first endpoint that gives one."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, replace

from aitools.errors import ProviderError, ProviderPermanent, ProviderTransient
from aitools.providers.base import EndpointConfig, provider_for
from aitools.types import ModelReply, ModelRequest

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Completion:
    """A reply, who gave it, how long it took, and who failed before."""

    reply: ModelReply
    endpoint: EndpointConfig
    duration_ms: int
    failures: tuple[str, ...] = ()


def longest_wait(endpoints: list[EndpointConfig]) -> float:
    """Seconds that ``complete`` may take in the worst case; the lease covers it."""
    return sum(endpoint.timeout_seconds for endpoint in endpoints)


def complete(request: ModelRequest, endpoints: list[EndpointConfig], *, more_room: bool = False) -> Completion:
    """Ask each endpoint in turn. Never inside a transaction.

    Raises the last endpoint's ``ProviderError`` when none answers.
    """
    failures: list[str] = []
    last: ProviderError | None = None
    for endpoint in endpoints:
        room = endpoint.max_output_tokens * (2 if more_room else 1)
        started = time.monotonic()
        try:
            reply = provider_for(endpoint).complete(replace(request, max_output_tokens=room))
        except ProviderError as error:
            log.warning("model %s gave no reply: %s", endpoint.kind, error.kind)
            failures.append(f"{endpoint.kind}: {error.kind}")
            last = error
            continue
        except AssertionError:  # a fault of ours or of a test's script, not of what a vendor sent
            raise
        except Exception as error:
            log.exception("model %s gave a reply that could not be read", endpoint.kind)
            failures.append(f"{endpoint.kind}: unreadable")
            last = ProviderTransient(type(error).__name__, kind="server")
            continue
        took = int((time.monotonic() - started) * 1000)
        return Completion(reply, endpoint, took, tuple(failures))
    raise last or ProviderPermanent("no endpoint is configured", kind="not_found")
