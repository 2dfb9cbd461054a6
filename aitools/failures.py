"""Attempts that died: counted, given up at the third, never silent.

A turn that could not even be opened is stored as it stands, so that it is
counted like any other.  Giving up always succeeds in the end: what can't be
stored or said is left out, and staff see the turn with its reason.
"""

from __future__ import annotations

import logging

from django.utils import translation

from aitools import (
    confirmations_state,
    events,
    faults,
    interruptions,
    leases,
    openings,
    outbox,
    queue,
    reports,
    texts,
)
from aitools.clock import DbNow
from aitools.errors import LeaseLost, Stale
from aitools.models import CallState, Conversation, InboundState, Turn, TurnState
from aitools.models.turns import OPEN_TURN
from aitools.turnrows import TurnRows
from aitools.work import Work

log = logging.getLogger(__name__)

#: After so many attempts that died, a turn is given up and staff are told.
MAX_FAILURES = 3


def record(work: Work, error: Exception) -> None:
    """Count a died attempt and keep what it had; the third gives the turn up with an apology."""
    reason = faults.reason_of(error)
    log.error("conversation %s failed: %s\n%s", work.conversation.pk, reason, faults.trace_of(error))
    try:
        work.rows = work.rows or _unopened(work)
        if work.rows is None:
            _leave_to_staff(work)
        else:
            _count(work, work.rows, reason)
    except (LeaseLost, Stale):
        log.info("conversation %s has moved on", work.conversation.pk)
    leases.drop(work.lease)


def unreadable(lease: leases.Lease, error: Exception) -> None:
    """The settings in force can't be read: staff see who waits, and each sweep tries again until they can."""
    log.error("conversation %s can't be read: %s", lease.conversation_id, faults.reason_of(error))
    leases.hold(lease, needs_staff=True, lease_token=None, lease_until=None)


def _unopened(work: Work) -> TurnRows | None:
    """A turn that could not be read, or one of what is unread; None for what is not the bot's to answer."""
    if work.open_turn_id is not None:
        return TurnRows(Turn.objects.get(pk=work.open_turn_id))
    if not work.burst or openings.is_for_staff(work):
        return None
    return openings.turn_of(work)


def _is_there_after_all(turn: Turn) -> bool:
    """Whether the commit that seemed to fail was made, its answer lost: whoever comes next goes on from there."""
    if not turn._state.adding:
        return False
    return Turn.objects.filter(conversation=turn.conversation_id, state__in=OPEN_TURN).exists()


def _leave_to_staff(work: Work) -> None:
    with leases.fenced(work.lease) as conversation:
        if work.burst:
            interruptions.read_all(conversation, InboundState.STAFF)
        conversation.needs_staff = True
        conversation.save(update_fields=["needs_staff", "read_seq", "first_unread_at", "wake_at"])


def _count(work: Work, rows: TurnRows, reason: str) -> None:
    _reopen(rows)
    rows.turn.failures, rows.turn.failure = rows.turn.failures + 1, reason
    rows.turn_changed = True
    if _is_stored(work, rows) or _is_there_after_all(rows.turn):
        return
    # What broke is in the rows themselves: keep the turn without them.
    _forget(rows)
    if not _is_stored(work, rows):
        # Or nothing can be said here, as where a channel was taken away.
        _forget(rows)
        _store(work, rows, silent=True)


def _forget(rows: TurnRows) -> None:
    """The turn as it is stored: an answer that was read but can't be stored with what it decides is unread again."""
    rows.forget_unstored()
    turn = rows.turn
    if not turn._state.adding:
        turn.refresh_from_db(fields=["state", "text", "reply", "counted_from", "read_to"])


def _is_stored(work: Work, rows: TurnRows) -> bool:
    try:
        _store(work, rows)
    except (LeaseLost, Stale):
        raise
    except Exception as error:  # noqa: BLE001 - logged with where, without the rows' values
        log.error("conversation %s can't be stored: %s", work.conversation.pk, faults.reason_of(error))  # noqa: TRY400
        return False
    return True


def _reopen(rows: TurnRows) -> None:
    """What ended the turn was undone with its reply: an end without it would answer nobody."""
    turn = rows.turn
    if turn.state == TurnState.CANCELLED:
        rows.forget_unstored()
        turn.refresh_from_db()
    elif turn.state not in OPEN_TURN:
        turn.state, turn.reply, turn.finished_at = TurnState.RUNNING, "", None


def _store(work: Work, rows: TurnRows, *, silent: bool = False) -> None:
    given_up = rows.turn.failures >= MAX_FAILURES
    if given_up:
        rows.close(CallState.CANCELLED, work.now)
        rows.end(TurnState.FAILED, "" if silent else _last_words(work, rows), work.now)
        rows.report(events.TURN_FAILED, step=len(rows.steps), error=rows.turn.failure)
    with work.commit():
        if given_up:
            work.give_back(needs_staff=True)
        else:
            work.hold()
        rows.store()
        if given_up:
            _give_up(work, rows.turn)


def _give_up(work: Work, turn: Turn) -> None:
    """Nothing of the turn waits any more; what it did is remembered, and later messages go on."""
    confirmations_state.cancel_open(work.conversation, "the turn was given up")
    interruptions.close_calls(work.conversation, turn)
    Conversation.objects.filter(pk=work.conversation.pk).update(last_done_at=DbNow())
    if turn.reply:
        outbox.enqueue(work.conversation, turn.reply, turn_id=turn.pk)
    queue.wake(work.conversation.pk)


def _last_words(work: Work, rows: TurnRows) -> str:
    """What was done, else an apology; "" when these messages were apologised for before."""
    with translation.override(work.language):
        told = reports.reports_of(rows.calls, work.conversation, work.now)
        if told or _apologised(rows.turn):
            return "\n".join(told)
        return texts.apology()


def _apologised(turn: Turn) -> bool:
    """Whether this is a second try, of a turn that was given up too."""
    before = Turn.objects.filter(conversation=turn.conversation_id).exclude(pk=turn.pk).order_by("-id").first()
    return before is not None and before.state == TurnState.FAILED and before.read_to == turn.read_to
