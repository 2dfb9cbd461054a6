"""Getting one model reply, from the first endpoint that gives one."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, replace

from django.db import InterfaceError, OperationalError

from aitools import faults, metrics
from aitools.errors import ProviderError, ProviderPermanent, ProviderTransient
from aitools.models import ModelEndpoint
from aitools.providers.base import EndpointConfig, Provider, provider_for
from aitools.providers.json_plan import JsonPlan
from aitools.types import AssistantStep, ModelReply, ModelRequest, Nudge, UserText

log = logging.getLogger(__name__)

OVERFLOW = "context_overflow"
NO_TOOLS = "tools_unsupported"

#: Endpoints that refused tools in this process. A row remembers it for all of
#: them, the environment's endpoint has no row.
_refusing: set[tuple[int, str, str, str]] = set()


@dataclass(frozen=True, slots=True)
class Completion:
    """A reply, who gave it, how long it took, and who failed before."""

    reply: ModelReply
    endpoint: EndpointConfig
    duration_ms: int
    failures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Attempt:
    endpoint: EndpointConfig
    request: ModelRequest


def longest_wait(endpoints: list[EndpointConfig]) -> float:
    """Seconds that ``complete`` may take in the worst case; the lease covers it."""
    return sum(endpoint.timeout_seconds for endpoint in endpoints)


def complete(request: ModelRequest, endpoints: list[EndpointConfig], *, more_room: bool = False) -> Completion:
    """Ask each endpoint in turn. Never inside a transaction.

    An endpoint is asked again only about another request, and within its time:
    by a JSON plan if it refused tools, and once with the current turn alone if
    the talk was too long for it.  Each that fails is in ``failures``.

    Raises a ``ProviderError`` when none answers: the last one's, of kind
    "context_overflow" only if the talk was too long for every one.
    """
    failures: list[str] = []
    errors: list[ProviderError] = []
    for endpoint in endpoints:
        room = endpoint.max_output_tokens * (2 if more_room else 1)
        attempt = _Attempt(_as_known(endpoint), replace(request, max_output_tokens=room))
        try:
            return _ask(attempt, failures)
        except ProviderError as error:
            errors.append(error)
    other = [error for error in errors if error.kind != OVERFLOW]
    raise (other or errors or [ProviderPermanent("no endpoint is configured", kind="not_found")])[-1]


def shorter(request: ModelRequest) -> ModelRequest:
    """The same request without the earlier talk.

    Kept are the last ``UserText`` before the turn's first step or corrective
    line, which is the current turn's, and all that follows it.
    """
    kinds = [type(message) for message in request.messages]
    talk = next((i for i, kind in enumerate(kinds) if kind in (AssistantStep, Nudge)), len(kinds))
    current = max((i for i in range(talk) if kinds[i] is UserText), default=0)
    return replace(request, messages=request.messages[current:])


def forget_refusals() -> None:
    """Ask every endpoint for native tools again, as far as this process decides it."""
    _refusing.clear()


def _ask(attempt: _Attempt, failures: list[str]) -> Completion:
    """One endpoint's reply; all its attempts share its time."""
    until = time.monotonic() + attempt.endpoint.timeout_seconds
    while True:
        started = time.monotonic()
        try:
            reply = _reply(attempt)
        except ProviderError as error:
            log.warning("model %s gave no reply: %s", attempt.endpoint.kind, error.kind)
            metrics.model_failed(attempt.endpoint.kind, error.kind)
            failures.append(f"{attempt.endpoint.kind}: {error.kind}")
            following = _instead(attempt, error, until - time.monotonic())
            if following is None:
                raise
            attempt = following
            continue
        seconds = time.monotonic() - started
        metrics.model_replied(attempt.endpoint.kind, seconds)
        return Completion(reply, attempt.endpoint, int(seconds * 1000), tuple(failures))


def _reply(attempt: _Attempt) -> ModelReply:
    try:
        return _provider(attempt.endpoint).complete(attempt.request)
    except (ProviderError, AssertionError):  # an assertion is a fault of ours or of a test's script
        raise
    except (OperationalError, InterfaceError):  # the order taker reads the menu; no other model can help then
        raise
    except Exception as error:
        where = faults.reason_of(error)
        log.error("model %s gave a reply that could not be read: %s", attempt.endpoint.kind, where)  # noqa: TRY400
        raise ProviderTransient(type(error).__name__, kind="unreadable") from error


def _provider(endpoint: EndpointConfig) -> Provider:
    """The offline order taker reads schemas, not instructions: it never plans."""
    provider = provider_for(endpoint)
    return JsonPlan(provider) if endpoint.plan and endpoint.kind != "offline" else provider


def _instead(attempt: _Attempt, error: ProviderError, left: float) -> _Attempt | None:
    """The other request that the same endpoint may answer in what is left of its time."""
    if left <= 0:
        return None
    endpoint, request = replace(attempt.endpoint, timeout_seconds=left), attempt.request
    if error.kind == NO_TOOLS and endpoint.may_plan and not endpoint.plan:
        _remember(endpoint)
        return _Attempt(replace(endpoint, plan=True), request)
    cut = shorter(request)
    if error.kind == OVERFLOW and len(cut.messages) < len(request.messages):
        return _Attempt(endpoint, cut)
    return None


def _as_known(endpoint: EndpointConfig) -> EndpointConfig:
    refuses = endpoint.may_plan and _key(endpoint) in _refusing
    return replace(endpoint, plan=True) if refuses else endpoint


def _remember(endpoint: EndpointConfig) -> None:
    """Later requests go straight to the plan. The row may be another model's by now."""
    _refusing.add(_key(endpoint))
    if endpoint.endpoint_id:
        same = ModelEndpoint.objects.filter(pk=endpoint.endpoint_id, model=endpoint.model, base_url=endpoint.base_url)
        same.filter(tool_calls=ModelEndpoint.ToolCalls.AUTO).update(refuses_tools=True)


def _key(endpoint: EndpointConfig) -> tuple[int, str, str, str]:
    return endpoint.endpoint_id, endpoint.kind, endpoint.model, endpoint.base_url
