"""Attempts that died: counted, given up at the third, never silent."""

from __future__ import annotations

import logging

from django.db import transaction
from django.utils import translation

from aitools import confirmations_state, leases, outbox, reports, texts
from aitools.clock import DbNow
from aitools.errors import LeaseLost
from aitools.leases import Lease
from aitools.models import CallState, Conversation, ToolCall, Turn, TurnState
from aitools.models.turns import OPEN_TURN, UNSETTLED_CALL

log = logging.getLogger(__name__)

#: After so many attempts that died, a turn is given up and staff are told.
MAX_FAILURES = 3


def record(lease: Lease, error: Exception) -> None:
    """Count a died attempt; the third gives the turn up with an apology."""
    log.error("conversation %s failed", lease.conversation_id, exc_info=error)
    try:
        with transaction.atomic(durable=True):
            conversation = leases.fence(lease)
            turn = Turn.objects.filter(conversation=conversation, state__in=OPEN_TURN).first()
            if turn is not None:
                _count_failure(conversation, turn, error)
            else:
                Conversation.objects.filter(pk=conversation.pk).update(needs_staff=True)
        leases.drop(lease)
    except LeaseLost:
        log.info("lease of conversation %s was lost", lease.conversation_id)


def _count_failure(conversation: Conversation, turn: Turn, error: Exception) -> None:
    turn.failures += 1
    turn.failure = f"{type(error).__name__}: {error}"[:300]
    if turn.failures >= MAX_FAILURES:
        confirmations_state.cancel_open(conversation, "the turn was given up")
        turn.state, turn.finished_at = TurnState.FAILED, DbNow()
        close_calls(turn, CallState.CANCELLED)
        conversation.needs_staff = True
        conversation.save(update_fields=["needs_staff"])
        with translation.override(conversation.language or "es"):
            turn.reply = "\n".join(reports.reports_of(turn, conversation)) or texts.apology()
        outbox.enqueue(conversation, turn.reply, turn_id=turn.pk)
    turn.save(update_fields=["failures", "failure", "state", "finished_at", "reply"])


def close_calls(turn: Turn, state: CallState) -> None:
    """Settle what the turn still has open. Needs the transaction that ends the turn."""
    ToolCall.objects.filter(turn=turn, state__in=UNSETTLED_CALL).update(state=state, finished_at=DbNow())
