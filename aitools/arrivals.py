"""Plain talk arriving, in one statement: the row, its number and when it is due.

This is what nearly every webhook brings.  Whatever needs more thought (a new
customer, a person answers there, somebody opts out, a reset, a repeat) goes
through ``aitools.inbox``.
"""

from __future__ import annotations

import json
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import connection, transaction

from aitools.behaviour import Behaviour
from aitools.channels.base import EventKind, InboundMessage
from aitools.models import InboundState, Mode
from aitools.storable import one_line, storable

#: However long a burst lasts, its answer starts after this.
LONGEST_SETTLE_SECONDS = 10

#: The number and the row commit together; a repeat violates ``inbound_once`` and changes nothing.
#: No row comes back when the conversation is not the bot's, when the settings are not those that this process
#: knows, or when the sender's user id is not kept yet.
#: The time for free answers runs from when the customer wrote, as ``inbox`` says.
_STORE = """
WITH clock AS MATERIALIZED (SELECT aitools_now() AS at),
numbered AS (
  UPDATE aitools_conversation c
  SET inbox_seq = c.inbox_seq + 1,
      last_inbound_at = greatest(c.last_inbound_at, least(%(sent_at)s::timestamptz, clock.at)),
      first_unread_at = coalesce(c.first_unread_at, clock.at),
      wake_at = least(clock.at + make_interval(secs => %(settle)s),
                      coalesce(c.first_unread_at, clock.at) + make_interval(secs => %(longest)s)),
      profile_name = coalesce(nullif(%(profile_name)s, ''), c.profile_name),
      phone = coalesce(nullif(%(phone)s, ''), c.phone),
      language = coalesce(nullif(c.language, ''), %(language)s)
  FROM clock
  WHERE c.channel = %(channel)s AND c.account = %(account)s AND c.address = %(address)s
    AND c.mode = %(mode)s AND c.opted_out_at IS NULL
    AND (SELECT max(version) FROM aitools_behaviourversion) = %(version)s
    AND (%(identity)s = '' OR EXISTS (SELECT FROM aitools_inboundevent
                                      WHERE channel = %(channel)s AND provider_id = %(identity)s
                                        AND conversation_id = c.id))
  RETURNING c.id, c.inbox_seq, c.wake_at, clock.at
),
stored AS (
  INSERT INTO aitools_inboundevent (conversation_id, channel, provider_id, kind, message_kind, seq, state, text,
                                    payload, media, extra, reply_to, sent_at, received_at)
  SELECT id, %(channel)s, %(provider_id)s, %(kind)s, %(message_kind)s, inbox_seq, %(state)s, %(text)s,
         %(payload)s, %(media)s::jsonb, %(extra)s::jsonb, %(reply_to)s, %(sent_at)s::timestamptz, at
  FROM numbered
  RETURNING conversation_id
)
SELECT conversation_id, extract(epoch FROM numbered.wake_at - numbered.at)::float8 FROM numbered, stored
"""


@dataclass(frozen=True, slots=True)
class Arrived:
    """Whose conversation it is in, and the seconds until it is due."""

    conversation_id: int
    due_in: float


@dataclass(frozen=True, slots=True)
class About:
    """What an event tells of its sender; "" where it tells nothing. ``language`` is that of the page they write on."""

    name: str
    phone: str
    language: str


def about(event: InboundMessage) -> About:
    """Of the length that our columns hold."""
    language = event.extra.get("language")
    return About(
        name=one_line(event.profile_name)[:120],
        phone=event.phone[:20],
        language=str(language) if language in dict(settings.LANGUAGES) else "",
    )


def store(event: InboundMessage, identity: str, in_force: Behaviour) -> Arrived | None:
    """Store plain talk for the bot. ``identity`` is the key of the sender's user id, "" without one.

    None when this takes more thought: nothing is stored then.  Raises
    IntegrityError for a repeat.  One statement, a transaction of its own.
    """
    # Alone it is a transaction of its own; inside another one a repeat must not spoil that.
    inside = transaction.atomic() if connection.in_atomic_block else nullcontext()
    with inside, connection.cursor() as cursor:
        cursor.execute(_STORE, _values(event, in_force) | {"identity": identity})
        row = cursor.fetchone()
    return None if row is None else Arrived(row[0], max(float(row[1]), 0.0))


def _values(event: InboundMessage, in_force: Behaviour) -> dict[str, Any]:
    sender = about(event)
    return {
        "version": in_force.version,
        "settle": 0 if event.kind == EventKind.PRESS else in_force.profile.settle_seconds,
        "longest": LONGEST_SETTLE_SECONDS,
        "mode": Mode.BOT,
        "profile_name": sender.name,
        "phone": sender.phone,
        "language": sender.language,
        "channel": event.channel,
        "account": event.account,
        "address": event.address,
        "provider_id": event.provider_id,
        "kind": event.kind.value,
        "message_kind": event.message_kind,
        "state": InboundState.BOT,
        "text": storable(event.text),
        "payload": storable(event.payload)[:256],
        "media": json.dumps(storable(list(map(dict, event.media)))),
        "extra": json.dumps(storable(dict(event.extra))),
        "reply_to": event.reply_to,
        "sent_at": event.sent_at,
    }
