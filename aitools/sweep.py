"""Finding what is due although nobody was woken: the net under every queue."""

from __future__ import annotations

import logging
import time

from django.db.models import Exists, F, OuterRef, Q

from aitools import metrics, queue
from aitools.clock import DbNow
from aitools.models import Conversation, OutboundMessage, PendingConfirmation, Turn, TurnState
from aitools.models.turns import OPEN_TURN
from aitools.outbox import OPEN

log = logging.getLogger(__name__)

#: A process sweeps no more often than this; beat asks for it three times less often.
LEAST_SECONDS = 5.0
_last = [-LEAST_SECONDS]


def sweep_now_and_then() -> None:
    """Sweep, unless this process has just done so: sweeps that piled up while no worker ran are one.

    The broker could drop the old ones, but by the clock of whoever reads them:
    one that is wrong would drop every sweep.
    """
    now = time.monotonic()
    if now - _last[0] >= LEAST_SECONDS:
        _last[0] = now
        sweep()


def sweep() -> tuple[int, int]:
    """Wake every conversation with work due; (turns woken, deliveries woken).

    Idempotent: waking somebody who has nothing to do costs one look.
    """
    turns = set(_unread()) | set(_unfinished()) | set(_expired())
    sends = set(_unsent())
    for conversation_id in turns:
        queue.publish(queue.ADVANCE, conversation_id)
    for conversation_id in sends:
        queue.publish(queue.DELIVER, conversation_id)
    if turns:
        metrics.sweep_found("turns")
    if sends:
        metrics.sweep_found("deliveries")
    found = logging.INFO if turns or sends else logging.DEBUG
    log.log(found, "A sweep woke %d turns and %d deliveries.", len(turns), len(sends))
    return len(turns), len(sends)


def _unleased() -> Q:
    return Q(lease_token=None) | Q(lease_until__lt=DbNow())


def _unread() -> list[int]:
    due = Q(wake_at=None) | Q(wake_at__lte=DbNow())
    unread = Conversation.objects.filter(_unleased(), due, read_seq__lt=F("inbox_seq"))
    return list(unread.values_list("pk", flat=True))


def _unfinished() -> list[int]:
    """Open turns that wait for nobody: running ones, and those whose answer was stored by a worker that died."""
    free = Q(conversation__lease_token=None) | Q(conversation__lease_until__lt=DbNow())
    asked = PendingConfirmation.objects.filter(
        conversation=OuterRef("conversation_id"), state=PendingConfirmation.State.PENDING
    )
    waits_for_nobody = Q(state=TurnState.RUNNING) | ~Exists(asked)
    stopped = Turn.objects.filter(free, waits_for_nobody, state__in=OPEN_TURN)
    return list(stopped.values_list("conversation_id", flat=True))


def _expired() -> list[int]:
    pending = PendingConfirmation.State.PENDING
    expired = PendingConfirmation.objects.filter(state=pending, expires_at__lt=DbNow())
    return list(expired.values_list("conversation_id", flat=True))


def _unsent() -> list[int]:
    due = OutboundMessage.objects.filter(state__in=OPEN, due_at__lte=DbNow())
    return list(due.values_list("conversation_id", flat=True).distinct())
