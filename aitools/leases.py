"""One worker at a time per conversation, and proof of it at every commit.

A lease is a token on the conversation row, taken by compare-and-set together
with all that a pass over the conversation reads.  Every transaction that changes
the turn begins with ``fence``, ``hold`` or ``give_back``: each locks the row and
checks token and epoch, so a worker that lost its lease commits nothing.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db import connection, transaction
from django.db.models import Case, F, Q, QuerySet, Value, When
from django.db.models.functions import Greatest

from aitools.clock import DbNow, after
from aitools.errors import LeaseLost
from aitools.jsonrows import instance
from aitools.models import Conversation

#: What a lease holds beyond the deadline of the call it covers.
GRACE_SECONDS = 15.0
#: A call may begin with this much of it left; below, the lease is renewed first.
LEAST_GRACE_SECONDS = 10.0
#: A channel's send takes at most 20 s.
SENDING_SECONDS = 20 + GRACE_SECONDS

#: Takes the lease if it is free or has run out and reads, in the same statement,
#: what a pass needs.  The subqueries see the moment before a concurrent message
#: whose lock this waited for: who acts on them compares ``inbox_seq`` again.
_CLAIM = """
UPDATE aitools_conversation AS c
SET lease_token = %(token)s, lease_until = aitools_now() + make_interval(secs => %(seconds)s)
WHERE c.id = %(id)s AND (c.lease_token IS NULL OR c.lease_until < aitools_now())
RETURNING to_jsonb(c)::text, aitools_now(),
  (SELECT max(version) FROM aitools_behaviourversion),
  (SELECT t.id FROM aitools_turn t
    WHERE t.conversation_id = c.id AND t.state IN ('running', 'waiting')),
  (SELECT max(o.id) FROM aitools_outboundmessage o
    WHERE o.conversation_id = c.id AND o.state <> 'withdrawn'),
  (SELECT json_agg(json_build_object(
      'id', e.id, 'seq', e.seq, 'kind', e.kind, 'message_kind', e.message_kind, 'text', e.text,
      'payload', e.payload, 'media', e.media, 'extra', e.extra, 'provider_id', e.provider_id,
      'received_at', e.received_at, 'sent_at', e.sent_at,
      'conversation_id', e.conversation_id) ORDER BY e.seq)
    FROM aitools_inboundevent e WHERE e.conversation_id = c.id AND e.seq > c.read_seq)::text,
  (SELECT json_agg(json_build_array(t.text, t.reply))
    FROM (SELECT text, reply FROM aitools_turn
      WHERE conversation_id = c.id AND id > c.history_from AND state NOT IN ('running', 'waiting')
      ORDER BY id DESC LIMIT %(turns)s) t)::text
"""


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to run turns of one conversation at one epoch.

    ``covered_until`` is on ``time.monotonic``'s scale, early rather than late.
    """

    conversation_id: int
    token: uuid.UUID
    epoch: int
    covered_until: list[float] = field(default_factory=lambda: [0.0], compare=False)


@dataclass(frozen=True, slots=True)
class Claim:
    """A lease and what was read with it: ``earlier`` are (text, reply) of past turns, newest first."""

    lease: Lease
    conversation: Conversation
    now: datetime
    behaviour_version: int | None
    open_turn_id: int | None
    newest_said_id: int | None
    unread: str | None
    earlier: tuple[tuple[str, str], ...]


def claim(conversation_id: int, seconds: float = 0, turns: int = 0) -> Claim | None:
    """Take the lease for ``seconds`` plus the grace; None when another holds it. One statement."""
    token, asked_at = uuid.uuid4(), time.monotonic()
    held = seconds + GRACE_SECONDS
    params: dict[str, Any] = {"token": token, "seconds": held, "id": conversation_id, "turns": turns}
    with connection.cursor() as cursor:
        cursor.execute(_CLAIM, params)
        row = cursor.fetchone()
    if row is None:
        return None
    conversation = instance(Conversation, json.loads(row[0]))
    lease = Lease(conversation_id, token, conversation.epoch, [asked_at + held])
    now, version, turn_id, said_id, unread, earlier = row[1:]
    talk = tuple((text, reply) for text, reply in json.loads(earlier or "[]"))
    return Claim(lease, conversation, now, version, turn_id, said_id, unread, talk)


def cover(lease: Lease, seconds: float) -> None:
    """Make sure that the lease outlasts a call of ``seconds``; LeaseLost if it is gone."""
    if lease.covered_until[0] < time.monotonic() + seconds + LEAST_GRACE_SECONDS:
        renew(lease, seconds)


def renew(lease: Lease, seconds: float) -> None:
    """Hold the lease ``seconds`` plus the grace from now; LeaseLost if it is gone."""
    asked_at = time.monotonic()
    if not _mine(lease).update(lease_until=DbNow() + timedelta(seconds=seconds + GRACE_SECONDS)):
        raise LeaseLost(f"conversation {lease.conversation_id}")
    lease.covered_until[0] = asked_at + seconds + GRACE_SECONDS


def is_held(lease: Lease) -> bool:
    """Whether the lease is still ours at this moment. One query."""
    return _mine(lease).exists()


def fence(lease: Lease) -> Conversation:
    """Lock and return the conversation if the lease still holds, else LeaseLost.

    Needs a transaction.  The lock keeps webhooks of this one conversation
    waiting until the commit, so hold it briefly.
    """
    row = _mine(lease).select_for_update(no_key=True).first()
    if row is None:
        raise LeaseLost(f"conversation {lease.conversation_id}")
    return row


@contextmanager
def fenced(lease: Lease) -> Iterator[Conversation]:
    """A transaction that begins with ``fence``; the block saves what it changes."""
    with transaction.atomic(durable=True):
        yield fence(lease)


def hold(lease: Lease, **changes: Any) -> None:
    """Change the conversation and keep the lease; LeaseLost if it is gone. Needs a transaction."""
    if not _mine(lease).update(**changes):
        raise LeaseLost(f"conversation {lease.conversation_id}")


#: As ``give_back`` says; by hand, since it ends every pass.
_GIVE_BACK = """
UPDATE aitools_conversation
SET lease_token = NULL, lease_until = NULL, wake_at = NULL, first_unread_at = NULL, read_seq = %(read_seq)s,
    language = CASE WHEN language_fixed THEN language ELSE %(language)s END,
    last_done_at = coalesce(%(last_done_at)s, last_done_at),
    needs_staff = needs_staff OR %(needs_staff)s
WHERE id = %(id)s AND lease_token = %(token)s AND epoch = %(epoch)s AND inbox_seq = %(read_seq)s
"""


@dataclass(frozen=True, slots=True)
class Marks:
    """What a pass leaves on the conversation: how far it read, its language, and what staff should know."""

    read_seq: int
    language: str
    last_done_at: datetime | None = None
    needs_staff: bool = False

    @property
    def columns(self) -> dict[str, Any]:
        """The columns to change; what is not known stays, as do staff's language and what they have read."""
        language = Case(When(language_fixed=True, then=F("language")), default=Value(self.language))
        always = {"read_seq": Greatest(F("read_seq"), Value(self.read_seq)), "language": language}
        done = {"last_done_at": self.last_done_at} if self.last_done_at else {}
        return always | done | ({"needs_staff": True} if self.needs_staff else {})


def give_back(lease: Lease, marks: Marks) -> bool:
    """Mark the conversation and free the lease, if nothing arrived after ``marks.read_seq``.

    Needs a transaction.  False, with nothing changed, means that there is more
    to read or that the lease is gone; ``fence`` tells which.  A message that
    arrives at this very instant is never stranded: its transaction comes either
    before this one, which then sees it, or after, and finds the lease free.
    """
    mine = {"id": lease.conversation_id, "token": lease.token, "epoch": lease.epoch}
    with connection.cursor() as cursor:
        values: dict[str, Any] = mine | asdict(marks)
        cursor.execute(_GIVE_BACK, values)
        return bool(cursor.rowcount)


def release(lease: Lease, seen_seq: int) -> bool:
    """Free the lease with nothing done; False when there is more to read (or it is not ours any more)."""
    free = {"lease_token": None, "lease_until": None}
    return bool(_mine(lease).filter(inbox_seq=seen_seq).update(**free))


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
