"""Attempts that died: counted, given up at the third, never silent."""

from __future__ import annotations

import logging

from django.utils import translation

from aitools import confirmations_state, leases, outbox, reports, texts
from aitools.errors import LeaseLost, Stale
from aitools.models import CallState, TurnState
from aitools.models.turns import OPEN_TURN
from aitools.storable import storable
from aitools.turnrows import TurnRows
from aitools.work import Work

log = logging.getLogger(__name__)

#: After so many attempts that died, a turn is given up and staff are told.
MAX_FAILURES = 3


def record(work: Work, error: Exception) -> None:
    """Count a died attempt and keep what it had; the third gives the turn up with an apology."""
    log.error("conversation %s failed", work.conversation.pk, exc_info=error)
    try:
        if work.rows is None:
            with leases.fenced(work.lease) as conversation:
                conversation.needs_staff = True
                conversation.save(update_fields=["needs_staff"])
        else:
            _count(work, work.rows, error)
    except (LeaseLost, Stale):
        log.info("conversation %s has moved on", work.conversation.pk)
    leases.drop(work.lease)


def _count(work: Work, rows: TurnRows, error: Exception) -> None:
    turn = rows.turn
    _reopen(rows)
    turn.failures, turn.failure = turn.failures + 1, storable(f"{type(error).__name__}: {error}")[:300]
    rows.turn_changed = True
    try:
        _store(work, rows)
    except (LeaseLost, Stale):
        raise
    except Exception:
        # What broke is in the rows themselves: keep the turn without them.
        log.exception("the steps of conversation %s can't be stored", work.conversation.pk)
        rows.forget_unstored()
        _store(work, rows)


def _reopen(rows: TurnRows) -> None:
    """What ended the turn was undone with its reply: an end without it would answer nobody."""
    turn = rows.turn
    if turn.state == TurnState.CANCELLED:
        rows.forget_unstored()
        turn.refresh_from_db()
    elif turn.state not in OPEN_TURN:
        turn.state, turn.reply, turn.finished_at = TurnState.RUNNING, "", None


def _store(work: Work, rows: TurnRows) -> None:
    given_up = rows.turn.failures >= MAX_FAILURES
    if given_up:
        rows.close(CallState.CANCELLED, work.now)
        with translation.override(work.language):
            told = "\n".join(reports.reports_of(rows.calls, work.conversation, work.now)) or texts.apology()
        rows.end(TurnState.FAILED, told, work.now)
    with work.commit():
        work.hold(needs_staff=given_up)
        rows.store()
        if given_up:
            confirmations_state.cancel_open(work.conversation, "the turn was given up")
            outbox.enqueue(work.conversation, rows.turn.reply, turn_id=rows.turn.pk)
