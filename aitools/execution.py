"""Running one approved, valid call: exactly once for database tools.

The handler runs in a thread of its own, so that a turn goes on at the timeout.
What it may do depends on the tool's declared effects:

* none: it reads, outside a transaction, and a statement that writes is refused;
* database: its writes, the customer's yes, the call's done-mark and the audit
  events are one transaction whose last statements check that the question is
  still open and the call still unsettled at this epoch: a second worker with
  the same yes waits there and then undoes its own;
* external: the attempt is committed before, the outcome after; an outcome that
  nobody knows is reported as unknown and never repeated.
"""

from __future__ import annotations

import json
import logging
import time
import traceback
from asyncio import CancelledError
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass, replace
from typing import Any

from django.db import OperationalError, connection, transaction
from django.utils import translation
from psycopg.errors import LockNotAvailable, QueryCanceled

from aitools import audit, events, leases, results, threads
from aitools.errors import AgreementChanged, LeaseLost, Stale, ToolRefusal
from aitools.loop import RunCall
from aitools.models import CallState, ToolCall
from aitools.models.turns import UNSETTLED_CALL
from aitools.tools import Tool, ToolContext
from aitools.tools import call as call_handler
from aitools.turnrows import Settlement
from aitools.types import Json
from aitools.validation import Valid
from aitools.work import Work

log = logging.getLogger(__name__)

#: Handlers without a timeout still may not hold a lease for ever.
LONGEST_SECONDS = 600.0
#: While a handler runs, the lease is looked at this often.
LOOK_SECONDS = 1.0
_threads = ThreadPoolExecutor(max_workers=64, thread_name_prefix="tool")


@dataclass(frozen=True, slots=True)
class Done:
    """The handler's result as JSON. ``stored`` when its own transaction has recorded it."""

    value: Json
    stored: bool


@dataclass(frozen=True, slots=True)
class Changed:
    """What the customer agreed to is not so any more; nothing was done."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a call gave no result: words for the model, and the audit's. Not serious: the tool itself said no."""

    content: str
    event: str
    state: CallState = CallState.FAILED
    serious: bool = True


Outcome = Done | Changed | Fault


@dataclass(frozen=True, slots=True)
class _Attempt:
    """One run of one call, as the handler's thread sees it."""

    call: ToolCall
    tool: Tool
    valid: Valid
    ctx: ToolContext
    settlement: Settlement | None
    started: float


def run(work: Work, call: ToolCall, action: RunCall, agreed: Json) -> None:
    """Run the call and settle it in the turn's rows; asks nothing and sends nothing.

    Raises AgreementChanged when what was agreed is not so any more, LeaseLost or
    Stale when the conversation moved on, and database errors that a new attempt
    may survive.  Opens its own transactions.
    """
    tool = action.bound.tool
    limit = tool.timeout_s or LONGEST_SECONDS
    leases.cover(work.lease, limit)
    if tool.effects == "external" and call.state == CallState.RUNNING:
        _settle(work, call, action, _unknown(events.ERROR), 0)
        return
    call.digest = action.valid.digest
    _prepare(work, call, tool)
    ctx = replace(work.ctx(call, agreed), deadline=time.monotonic() + limit)
    attempt = _Attempt(call, tool, action.valid, ctx, work.turn_rows.settlement, time.monotonic())
    outcome = _outcome(work, attempt, limit)
    took = int((time.monotonic() - attempt.started) * 1000)
    if isinstance(outcome, Changed):
        raise AgreementChanged(tool.name)
    if isinstance(outcome, Fault):
        _settle(work, call, action, outcome, took)
    else:
        _finish(work, call, outcome, took, tool)


def _prepare(work: Work, call: ToolCall, tool: Tool) -> None:
    """What must be committed before this kind of tool starts."""
    rows = work.turn_rows
    if tool.effects == "external":
        call.state, call.attempt = CallState.RUNNING, call.attempt + 1
        rows.touch(call)
        rows.events.append(audit.of_call(events.CALL, call))
        work.flush()
    elif tool.effects == "database" and not (rows.is_ready_for_effect and _is_only_its_own(rows.settlement, call)):
        work.flush()


def _is_only_its_own(settlement: Settlement | None, call: ToolCall) -> bool:
    """An answer about another call is stored with that call, not with this one's effect."""
    return settlement is None or settlement.pending.call_id == call.pk


def _outcome(work: Work, attempt: _Attempt, limit: float) -> Outcome:
    """Wait for the handler, looking now and then whether the conversation is still ours."""
    future = _threads.submit(_in_thread, attempt)
    ends_at = attempt.started + limit + 0.25
    while (left := ends_at - time.monotonic()) > 0:
        try:
            return future.result(timeout=min(left, LOOK_SECONDS))
        except FutureTimeout:
            _stop_if_lost(work, attempt)
    return _timed_out(future, attempt, limit)


def _stop_if_lost(work: Work, attempt: _Attempt) -> None:
    if not leases.is_held(work.lease):
        attempt.ctx.cancelled.set()
        raise LeaseLost(f"conversation {work.lease.conversation_id}")


def _timed_out(future: Future[Outcome], attempt: _Attempt, limit: float) -> Fault:
    """What a handler did here is undone; what it did elsewhere, nobody knows."""
    attempt.ctx.cancelled.set()
    never_began = future.cancel()
    if attempt.tool.effects == "external" and not never_began:
        return _unknown(events.TIMEOUT)
    return Fault(results.timed_out(limit), events.TIMEOUT)


def _in_thread(attempt: _Attempt) -> Outcome:
    """Run the handler in its language; everything it may raise becomes words for the model."""
    with threads.database(), translation.override(attempt.ctx.language):
        try:
            return _RUN[attempt.tool.effects](attempt)
        except ToolRefusal as refused:
            return Fault(results.refusal(refused), events.ERROR, serious=False)
        except AgreementChanged:
            return Changed()
        except (Stale, LeaseLost):
            raise
        except OperationalError as error:
            return _database_fault(attempt, error)
        except (Exception, SystemExit, CancelledError) as error:  # noqa: BLE001 - whatever it is
            # Whatever a handler raises, the model is told and the turn goes on.
            return _crash(attempt, error)


def _database_fault(attempt: _Attempt, error: OperationalError) -> Fault:
    if attempt.tool.effects == "external":
        return _unknown(events.ERROR)
    if isinstance(error.__cause__, QueryCanceled | LockNotAvailable):
        return Fault(results.timed_out(attempt.tool.timeout_s), events.TIMEOUT)
    raise error


def _crash(attempt: _Attempt, error: BaseException) -> Fault:
    # Not the error's own words: they may be the customer's.
    where = traceback.extract_tb(error.__traceback__)[-1]
    log.error("tool %s: %s in %s, line %s", attempt.tool.name, type(error).__name__, where.name, where.lineno)
    outside = attempt.tool.effects == "external"
    return _unknown(events.ERROR) if outside else Fault(results.crashed(error), events.ERROR)


def _unknown(event: str) -> Fault:
    return Fault(results.unknown_outcome(), event, CallState.UNKNOWN)


def _value(attempt: _Attempt) -> Json:
    return results.as_json(call_handler(attempt.tool, attempt.valid.parsed, attempt.ctx))


def _read(attempt: _Attempt) -> Done:
    """No transaction is needed to read, and none is allowed to write."""
    with connection.execute_wrapper(threads.refuse_writes(attempt.tool.name)):
        return Done(_value(attempt), stored=False)


def _atomic(attempt: _Attempt) -> Done:
    """The handler, the yes, the done-mark and the audit events in one transaction."""
    with transaction.atomic(durable=True):
        threads.limit_transaction((attempt.ctx.deadline or attempt.started) - attempt.started)
        _check_agreed(attempt)
        value = _value(attempt)
        _mark_done(attempt, value)
    return Done(value, stored=True)


def _external(attempt: _Attempt) -> Done:
    """Effects elsewhere: no transaction stays open while the handler talks."""
    _check_agreed(attempt)
    return Done(_value(attempt), stored=False)


def _check_agreed(attempt: _Attempt) -> None:
    """What the tool would do now is what the customer said yes to, or AgreementChanged."""
    agreed, fingerprint = attempt.ctx.agreed, attempt.tool.fingerprint
    if agreed is None or fingerprint is None:
        return
    if results.as_json(fingerprint(attempt.valid.parsed, attempt.ctx)) != agreed:
        raise AgreementChanged(attempt.tool.name)


_RUN: dict[str, Callable[[_Attempt], Outcome]] = {"none": _read, "database": _atomic, "external": _external}


#: The call is still unsettled, and the conversation's epoch is that of the attempt.
_MARK_DONE = """
UPDATE aitools_toolcall c
SET state = 'done', result = %(result)s, value = %(value)s::jsonb, digest = %(digest)s, attempt = c.attempt + 1,
    duration_ms = %(took)s, finished_at = %(at)s
WHERE c.id = %(id)s AND c.state = ANY(%(unsettled)s) AND EXISTS (
    SELECT 1 FROM aitools_turn t JOIN aitools_conversation talk ON talk.id = t.conversation_id
    WHERE t.id = c.turn_id AND talk.epoch = %(epoch)s)
"""


def _mark_done(attempt: _Attempt, value: Json) -> None:
    """The transaction's last statements: void if the question or the call was settled meanwhile."""
    if attempt.settlement is not None:
        attempt.settlement.store()
    call, took = attempt.call, int((time.monotonic() - attempt.started) * 1000)
    with connection.cursor() as cursor:
        cursor.execute(_MARK_DONE, _done(attempt, value, took))
        marked = cursor.rowcount
    if not marked or attempt.ctx.cancelled.is_set():
        raise Stale(f"call {call.pk} was settled by another worker")
    decided = [attempt.settlement.event] if attempt.settlement else []
    done = audit.of_call(events.RESULT, call, duration_ms=took)
    audit.store([*decided, audit.of_call(events.CALL, call), done])


def _done(attempt: _Attempt, value: Json, took: int) -> dict[str, Any]:
    return {
        "id": attempt.call.pk,
        "epoch": attempt.ctx.epoch,
        "unsettled": list(UNSETTLED_CALL),
        "result": results.as_text(value),
        "value": json.dumps(value),
        "digest": attempt.valid.digest,
        "took": took,
        "at": attempt.ctx.now,
    }


def _finish(work: Work, call: ToolCall, done: Done, took: int, tool: Tool) -> None:
    """The result in the turn's rows; stored already, at once for external tools, with the next commit for reads."""
    rows, digest = work.turn_rows, call.digest
    content = results.as_text(done.value)
    # What reads needs no second form: nothing but the model uses it.
    value = None if tool.effects == "none" and not tool.dedupe else done.value
    rows.settle(call, CallState.DONE, content, work.now, digest=digest, value=value, duration_ms=took)
    if done.stored:
        rows.changed.pop(call.pk, None)
        rows.settlement = None
    else:
        if tool.effects == "none":
            rows.events.append(audit.of_call(events.CALL, call))
        rows.events.append(audit.of_call(events.RESULT, call, duration_ms=took))
    if tool.effects == "external":
        work.flush()
    if tool.effects != "none":
        work.forget_prompt()


def _settle(work: Work, call: ToolCall, action: RunCall, fault: Fault, took: int) -> None:
    """Store a failure at once, so that a handler that comes back later finds the call no longer its own."""
    rows = work.turn_rows
    rows.settle(call, fault.state, fault.content, work.now, is_error=True, duration_ms=took)
    if action.bound.tool.effects != "external":
        rows.events.append(audit.of_call(events.CALL, call))
    rows.events.append(audit.of_call(fault.event, call, error=fault.content, duration_ms=took))
    was_agreed = rows.question_of(call) is not None
    with work.commit():
        # The customer said yes and it was not done: somebody must know.
        work.hold(needs_staff=fault.serious and was_agreed)
        rows.store()
