"""Getting one model reply, from the first endpoint that gives one."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, replace
from decimal import Decimal
from random import uniform

from django.db import InterfaceError, OperationalError

from aitools import breakers, caps, endpointmarks, faults, metrics
from aitools.breakers import Leave
from aitools.errors import ProviderError, ProviderPermanent, ProviderTransient
from aitools.providers.adapter import load
from aitools.providers.base import EndpointConfig, Provider, provider_for
from aitools.providers.json_plan import JsonPlan
from aitools.types import AssistantStep, ModelReply, ModelRequest, Nudge, Usage, UserText

log = logging.getLogger(__name__)

OVERFLOW = "context_overflow"
NO_TOOLS = "tools_unsupported"

#: Seconds before the one more try, at random so that all workers don't come back at once.
PAUSE = (0.3, 1.0)
#: A vendor that wants to be left alone for longer is not waited for: the next one is asked.
LONGEST_PAUSE = 5.0
#: An attempt with less time than this would only fail as well.
LEAST_SECONDS = 2.0
#: No model reads or writes more at once; a server that says so does not count, and its number could not be stored.
MOST_TOKENS = 10_000_000
#: Thoughts get five times the room of an answer; more than this many times it were not written in the model's time.
MOST_TIMES_THE_LIMIT = 20


@dataclass(frozen=True, slots=True)
class Completion:
    """A reply, who gave it, how long it took, and who failed or was passed over before, with the reason."""

    reply: ModelReply
    endpoint: EndpointConfig
    duration_ms: int
    failures: tuple[str, ...] = ()

    @property
    def cost(self) -> Decimal | None:
        """US dollars, None where the endpoint's prices or the reply's tokens are not known."""
        prices, usage = self.endpoint.prices, self.reply.usage
        return prices.cost(usage) if prices and usage != Usage() else None


@dataclass(frozen=True, slots=True)
class _Attempt:
    """One request to one endpoint. ``may_retry``: it may be sent once more as it is, after ``pause`` seconds."""

    endpoint: EndpointConfig
    request: ModelRequest
    may_retry: bool = False
    pause: float = 0.0


def longest_wait(endpoints: list[EndpointConfig]) -> float:
    """Seconds that ``complete`` may take in the worst case; the lease covers it."""
    asking = sum(2 * caps.ANSWER_SECONDS for endpoint in endpoints if breakers.guards(endpoint))
    return sum(endpoint.timeout_seconds for endpoint in endpoints) + asking


def complete(request: ModelRequest, endpoints: list[EndpointConfig], *, more_room: bool = False) -> Completion:
    """Ask each endpoint in turn. Never inside a transaction.

    A fault that waiting may mend is tried once more within the endpoint's time,
    after a short pause or the one that the vendor asks for.  One whose breaker is
    open, that is broken, or whose key can't be had is passed over, unless it is the
    last: behind all others stands the offline order taker, which always answers.
    One that refuses us for good is marked, and staff are told once.

    An endpoint is asked about another request within its time as well: by a JSON
    plan if it refused tools, and once with the current turn alone if the talk was
    too long for it.  Each that fails or is passed over is in ``failures``.

    Raises a ``ProviderError`` when none answers: the last one's, of kind
    "context_overflow" only if the talk was too long for every one.
    """
    failures: list[str] = []
    errors: list[ProviderError] = []
    for endpoint in endpoints:
        leave = breakers.leave_for(endpoint)
        why_not = endpoint.unusable or leave.why_not
        if why_not and endpoint is not endpoints[-1]:
            failures.append(f"{endpoint.label}: {why_not}")
            continue
        try:
            return _guarded(_attempt(request, endpoint, more_room, may_retry=not leave.is_probe), leave, failures)
        except ProviderError as error:
            errors.append(error)
    other = [error for error in errors if error.kind != OVERFLOW]
    raise (other or errors or [ProviderPermanent("no endpoint is configured", kind="not_found")])[-1]


def ask_one(request: ModelRequest, endpoint: EndpointConfig, *, more_room: bool = False) -> Completion:
    """One endpoint's reply, for staff who try it out: no chain, no breaker, no second try, and no mark on failure.

    Never inside a transaction. Raises a ``ProviderError``.
    """
    if endpoint.unusable:
        raise ProviderPermanent(endpoint.unusable, kind="auth")
    return _ask(_attempt(request, endpoint, more_room), [])


def shorter(request: ModelRequest) -> ModelRequest:
    """The same request without the earlier talk.

    Kept are the last ``UserText`` before the turn's first step or corrective
    line, which is the current turn's, and all that follows it.
    """
    kinds = [type(message) for message in request.messages]
    talk = next((i for i, kind in enumerate(kinds) if kind in (AssistantStep, Nudge)), len(kinds))
    current = max((i for i in range(talk) if kinds[i] is UserText), default=0)
    return replace(request, messages=request.messages[current:])


def _attempt(
    request: ModelRequest, endpoint: EndpointConfig, more_room: bool = False, *, may_retry: bool = False
) -> _Attempt:
    room = endpoint.max_output_tokens * (2 if more_room else 1)
    return _Attempt(endpointmarks.as_known(endpoint), replace(request, max_output_tokens=room), may_retry)


def _guarded(attempt: _Attempt, leave: Leave, failures: list[str]) -> Completion:
    """One endpoint's reply; its breaker and its row learn what came of it."""
    endpoint = attempt.endpoint
    try:
        got = _ask(attempt, failures)
    except ProviderError as error:
        if error.kind in endpointmarks.FOR_GOOD:
            endpointmarks.mark_broken(endpoint, error)
        elif error.kind in breakers.COUNTED:
            breakers.failed(endpoint, error.kind)
        else:
            breakers.answered(endpoint, leave)
        raise
    breakers.answered(endpoint, leave)
    if endpoint.broken:
        endpointmarks.mark_mended(endpoint)
    return got


def _ask(attempt: _Attempt, failures: list[str]) -> Completion:
    """One endpoint's reply; all its attempts, and the pause between them, share its time."""
    load(attempt.endpoint)
    until = time.monotonic() + attempt.endpoint.timeout_seconds
    while True:
        started = time.monotonic()
        try:
            reply = _reply(attempt)
        except ProviderError as error:
            log.warning("model %s gave no reply: %s", attempt.endpoint.kind, error.kind)
            metrics.model_failed(attempt.endpoint.kind, error.kind)
            failures.append(f"{attempt.endpoint.label}: {error.kind}")
            following = _instead(attempt, error, until - time.monotonic())
            if following is None:
                raise
            attempt = following
            if attempt.pause:
                time.sleep(attempt.pause)
            continue
        seconds = time.monotonic() - started
        metrics.model_replied(attempt.endpoint.kind, seconds)
        got = Completion(reply, attempt.endpoint, int(seconds * 1000), tuple(failures))
        metrics.model_cost(attempt.endpoint.kind, got.cost)
        return got


def _reply(attempt: _Attempt) -> ModelReply:
    try:
        reply = _provider(attempt.endpoint).complete(attempt.request)
        return replace(reply, usage=_plausible(reply.usage, attempt.request.max_output_tokens))
    except (ProviderError, AssertionError):  # an assertion is a fault of ours or of a test's script
        raise
    except (OperationalError, InterfaceError):  # the order taker reads the menu; no other model can help then
        raise
    except Exception as error:
        where = faults.reason_of(error)
        log.error("model %s gave a reply that could not be read: %s", attempt.endpoint.kind, where)  # noqa: TRY400
        raise ProviderTransient(type(error).__name__, kind="unreadable") from error


def _plausible(usage: Usage, limit: int) -> Usage:
    """The usage, or none at all where it can't be true: such a number must not use up the day's budget."""
    counts = (usage.input, usage.output, usage.cached_input)
    is_possible = all(0 <= count <= MOST_TOKENS for count in counts) and usage.output <= limit * MOST_TIMES_THE_LIMIT
    return usage if is_possible else Usage()


def _provider(endpoint: EndpointConfig) -> Provider:
    """The offline order taker reads schemas, not instructions: it never plans."""
    provider = provider_for(endpoint)
    return JsonPlan(provider) if endpoint.plan and endpoint.kind != "offline" else provider


def _instead(attempt: _Attempt, error: ProviderError, left: float) -> _Attempt | None:
    """What the same endpoint may be asked in what is left of its time: something else, or the same once more."""
    if left <= 0:
        return None
    endpoint, request = replace(attempt.endpoint, timeout_seconds=left), attempt.request
    if error.kind == NO_TOOLS and endpoint.may_plan and not endpoint.plan:
        endpointmarks.remember_refusal(endpoint)
        return replace(attempt, endpoint=replace(endpoint, plan=True), pause=0.0)
    cut = shorter(request)
    if error.kind == OVERFLOW and len(cut.messages) < len(request.messages):
        return replace(attempt, endpoint=endpoint, request=cut, pause=0.0)
    return _again(attempt, error, left)


def _again(attempt: _Attempt, error: ProviderError, left: float) -> _Attempt | None:
    """The same request after a pause, if the fault may pass and there is time for both."""
    pause = uniform(*PAUSE) + (error.retry_after or 0.0)  # noqa: S311
    may_pass = attempt.may_retry and isinstance(error, ProviderTransient) and breakers.guards(attempt.endpoint)
    if not may_pass or pause > LONGEST_PAUSE or left - pause < LEAST_SECONDS:
        return None
    endpoint = replace(attempt.endpoint, timeout_seconds=left - pause)
    return replace(attempt, endpoint=endpoint, may_retry=False, pause=pause)
