"""Running one approved, valid call: exactly once for database tools.

The handler runs in a thread of its own, so that a turn goes on at the timeout.
Its writes, the call's done-mark and the audit event are one transaction whose
last statement checks that the call is still this attempt's.
"""

from __future__ import annotations

import logging
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass, replace

from django.db import OperationalError, close_old_connections, connection, transaction
from django.db.models import Exists, F, OuterRef
from django.utils import translation
from psycopg.errors import LockNotAvailable, QueryCanceled

from aitools import audit, leases, results
from aitools.clock import DbNow
from aitools.errors import AgreementChanged, LeaseLost, ToolRefusal
from aitools.leases import Lease
from aitools.models import CallState, Conversation, PendingConfirmation, ToolCall
from aitools.tools import Tool, ToolContext
from aitools.types import Json
from aitools.validation import Valid

log = logging.getLogger(__name__)

#: Handlers without a timeout still may not hold a lease for ever.
LONGEST_SECONDS = 600.0
_threads = ThreadPoolExecutor(max_workers=64, thread_name_prefix="tool")


@dataclass(frozen=True, slots=True)
class Ran:
    """The call was settled, one way or another; its row says how."""


@dataclass(frozen=True, slots=True)
class Changed:
    """What the customer agreed to is not so any more; nothing was done."""


@dataclass(frozen=True, slots=True)
class _Attempt:
    """One run of one call; ``number`` fences it against later runs."""

    call: ToolCall
    number: int
    epoch: int
    tool: Tool
    valid: Valid
    ctx: ToolContext


@dataclass(frozen=True, slots=True)
class _Fault:
    """Why a call gave no result: words for the model, and the audit's. Not serious: the tool itself said no."""

    content: str
    event: str
    state: str = CallState.FAILED
    serious: bool = True


class _NotMineError(Exception):
    """The call was settled by somebody else while the handler ran."""


def run(lease: Lease, call: ToolCall, tool: Tool, valid: Valid, ctx: ToolContext) -> Ran | Changed:
    """Run the call under the lease, at most ``tool.timeout_s`` seconds.

    Raises LeaseLost when the conversation moved on, and database errors that a
    new attempt may survive.  Opens its own transactions.
    """
    limit = tool.timeout_s or LONGEST_SECONDS
    leases.renew(lease, limit)
    if call.state == CallState.RUNNING and tool.effects == "external":
        return _settle(lease, call, _unknown(audit.ERROR))
    attempt = _begin(lease, call, tool, valid, replace(ctx, deadline=time.monotonic() + limit))
    started = time.monotonic()
    future = _threads.submit(_in_thread, attempt)
    try:
        outcome = future.result(timeout=limit + 0.25)
    except FutureTimeout:
        attempt.ctx.cancelled.set()
        never_began = future.cancel()
        outcome = _too_slow(tool, limit) if not never_began else _Fault(results.timed_out(limit), audit.TIMEOUT)
    if isinstance(outcome, _Fault):
        return _settle(lease, attempt.call, outcome, started=started)
    return outcome


def _begin(lease: Lease, call: ToolCall, tool: Tool, valid: Valid, ctx: ToolContext) -> _Attempt:
    """Commit that this attempt runs; a later one makes it void."""
    with transaction.atomic(durable=True):
        leases.fence(lease)
        open_states = (CallState.REQUESTED, CallState.APPROVED, CallState.RUNNING)
        started = ToolCall.objects.filter(pk=call.pk, state__in=open_states, attempt=call.attempt).update(
            state=CallState.RUNNING, attempt=F("attempt") + 1, digest=valid.digest
        )
        if not started:
            raise LeaseLost(f"call {call.pk} was settled by another worker")
        audit.record_call(audit.CALL, call, arguments=valid.arguments)
    return _Attempt(call, call.attempt + 1, lease.epoch, tool, valid, ctx)


def _in_thread(attempt: _Attempt) -> Ran | Changed | _Fault:
    close_old_connections()
    try:
        with translation.override(attempt.ctx.language):
            return _guarded(attempt)
    finally:
        close_old_connections()


def _guarded(attempt: _Attempt) -> Ran | Changed | _Fault:
    """Run the handler; everything it may raise becomes words for the model."""
    outside = attempt.tool.effects == "external"
    try:
        return _external(attempt) if outside else _atomic(attempt)
    except ToolRefusal as refused:
        return _Fault(results.refusal(refused), audit.ERROR, serious=False)
    except AgreementChanged:
        return Changed()
    except _NotMineError:
        return Ran()
    except OperationalError as error:
        if outside:
            return _unknown(audit.ERROR)
        if isinstance(error.__cause__, QueryCanceled | LockNotAvailable):
            return _Fault(results.timed_out(attempt.tool.timeout_s), audit.TIMEOUT)
        raise
    except Exception as error:  # noqa: BLE001 - whatever a handler raises, the model is told and the turn goes on
        # Not the error's own words: they may be the customer's.
        where = traceback.extract_tb(error.__traceback__)[-1]
        log.error("tool %s: %s in %s, line %s", attempt.tool.name, type(error).__name__, where.name, where.lineno)  # noqa: TRY400
        return _unknown(audit.ERROR) if outside else _Fault(results.crashed(error), audit.ERROR)


def _too_slow(tool: Tool, limit: float) -> _Fault:
    """What a handler did here is undone; what it did elsewhere, nobody knows."""
    return _unknown(audit.TIMEOUT) if tool.effects == "external" else _Fault(results.timed_out(limit), audit.TIMEOUT)


def _unknown(event: str) -> _Fault:
    return _Fault(results.unknown_outcome(), event, CallState.UNKNOWN)


def _atomic(attempt: _Attempt) -> Ran | Changed:
    """Handler, done-mark and audit event in one transaction."""
    started = time.monotonic()
    tool, ctx, parsed = attempt.tool, attempt.ctx, attempt.valid.parsed
    with transaction.atomic(durable=True):
        _limit_connection((ctx.deadline or started) - started)
        if ctx.agreed is not None and tool.fingerprint is not None:
            now_agreed = results.as_json(tool.fingerprint(parsed, ctx))
            if now_agreed != ctx.agreed:
                raise AgreementChanged(tool.name)
        value = results.as_json(tool.handler(parsed, ctx))
        _mark_done(attempt, value, started)
    return Ran()


def _external(attempt: _Attempt) -> Ran:
    """Effects elsewhere: no transaction stays open while the handler talks."""
    started = time.monotonic()
    value = results.as_json(attempt.tool.handler(attempt.valid.parsed, attempt.ctx))
    with transaction.atomic(durable=True):
        _mark_done(attempt, value, started)
    return Ran()


def _mark_done(attempt: _Attempt, value: Json, started: float) -> None:
    """The transaction's last statement: void if the call is no longer this attempt's."""
    duration = _milliseconds(started)
    audit.record_call(audit.RESULT, attempt.call, duration_ms=duration, arguments=attempt.valid.arguments)
    same_epoch = Conversation.objects.filter(pk=OuterRef("conversation_id"), epoch=attempt.epoch)
    marked = ToolCall.objects.filter(
        Exists(same_epoch), pk=attempt.call.pk, state=CallState.RUNNING, attempt=attempt.number
    ).update(
        state=CallState.DONE,
        result=results.as_text(value),
        value=value,
        duration_ms=duration,
        finished_at=DbNow(),
    )
    if not marked or attempt.ctx.cancelled.is_set():
        raise _NotMineError


def _settle(
    lease: Lease,
    call: ToolCall,
    fault: _Fault,
    *,
    started: float | None = None,
) -> Ran:
    """Store a failure, unless the handler's transaction won the race."""
    duration = None if started is None else _milliseconds(started)
    with transaction.atomic(durable=True):
        leases.fence(lease)
        settled = ToolCall.objects.filter(pk=call.pk, state=CallState.RUNNING).update(
            state=fault.state,
            result=fault.content,
            is_error=True,
            duration_ms=duration,
            finished_at=DbNow(),
        )
        if settled:
            audit.record_call(fault.event, call, error=fault.content, duration_ms=duration)
            if fault.serious and PendingConfirmation.objects.filter(call=call).exists():
                # The customer said yes and it was not done: somebody must know.
                Conversation.objects.filter(pk=call.conversation_id).update(needs_staff=True)
    return Ran()


def _limit_connection(seconds: float) -> None:
    """A statement, a lock wait or an idle moment may not outlast the time left."""
    left = f"{max(int(seconds * 1000), 1)}ms"
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT set_config('statement_timeout', %s, true), set_config('lock_timeout', %s, true),"
            " set_config('idle_in_transaction_session_timeout', %s, true)",
            [left, left, left],
        )


def _milliseconds(started: float) -> int:
    return int((time.monotonic() - started) * 1000)
