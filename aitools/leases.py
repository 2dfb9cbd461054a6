"""One worker at a time per conversation, and proof of it at every commit.

A lease is a token on the conversation row, taken by compare-and-set.  Every
transaction that changes the turn calls ``fence`` first: it locks the row and
checks token and epoch, so a worker that lost its lease commits nothing.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Q, QuerySet

from aitools.clock import DbNow, after
from aitools.errors import LeaseLost
from aitools.models import Conversation

#: What a lease holds beyond the deadline of the call it covers.
GRACE_SECONDS = 15.0
#: A channel's send takes at most 20 s.
SENDING_SECONDS = 20 + GRACE_SECONDS


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to run turns of one conversation at one epoch."""

    conversation_id: int
    token: uuid.UUID
    epoch: int


def claim(conversation_id: int, seconds: float = GRACE_SECONDS) -> Lease | None:
    """Take the lease if it is free or has run out; None when another holds it."""
    token = uuid.uuid4()
    free = Q(lease_token=None) | Q(lease_until__lt=DbNow())
    taken = Conversation.objects.filter(free, pk=conversation_id).update(lease_token=token, lease_until=after(seconds))
    if not taken:
        return None
    epoch = Conversation.objects.values_list("epoch", flat=True).get(pk=conversation_id)
    return Lease(conversation_id, token, epoch)


def renew(lease: Lease, seconds: float) -> None:
    """Hold the lease ``seconds`` plus the grace from now; LeaseLost if it is gone."""
    held = _mine(lease).update(lease_until=DbNow() + timedelta(seconds=seconds + GRACE_SECONDS))
    if not held:
        raise LeaseLost(f"conversation {lease.conversation_id}")


def fence(lease: Lease) -> Conversation:
    """Lock and return the conversation if the lease still holds, else LeaseLost.

    Needs a transaction.  The lock keeps webhooks of this one conversation
    waiting until the commit, so hold it briefly.
    """
    row = _mine(lease).select_for_update(no_key=True).first()
    if row is None:
        raise LeaseLost(f"conversation {lease.conversation_id}")
    return row


def release(lease: Lease, seen_seq: int) -> bool:
    """Give the lease back if nothing arrived since ``seen_seq`` was read.

    False means there is more to read (or the lease is not ours any more): a
    message that arrives at this very instant is never stranded.
    """
    released = Conversation.objects.filter(
        pk=lease.conversation_id, lease_token=lease.token, inbox_seq=seen_seq
    ).update(lease_token=None, lease_until=None)
    return bool(released)


def drop(lease: Lease) -> None:
    """Give the lease back whatever arrived; for failures, where the sweep retries."""
    Conversation.objects.filter(pk=lease.conversation_id, lease_token=lease.token).update(
        lease_token=None, lease_until=None
    )


def claim_sending(conversation_id: int, seconds: float = SENDING_SECONDS) -> uuid.UUID | None:
    """Take the send lease, so that one worker delivers in order; None if held."""
    token = uuid.uuid4()
    free = Q(send_token=None) | Q(send_until__lt=DbNow())
    taken = Conversation.objects.filter(free, pk=conversation_id).update(send_token=token, send_until=after(seconds))
    return token if taken else None


def renew_sending(conversation_id: int, token: uuid.UUID, seconds: float = SENDING_SECONDS) -> bool:
    """Whether the send lease is still ours; extends it if so."""
    mine = Conversation.objects.filter(pk=conversation_id, send_token=token)
    return bool(mine.update(send_until=after(seconds)))


def release_sending(conversation_id: int, token: uuid.UUID) -> None:
    """Give the send lease back; the caller looks once more for due rows after."""
    Conversation.objects.filter(pk=conversation_id, send_token=token).update(send_token=None, send_until=None)


def _mine(lease: Lease) -> QuerySet[Conversation]:
    return Conversation.objects.filter(pk=lease.conversation_id, lease_token=lease.token, epoch=lease.epoch)
