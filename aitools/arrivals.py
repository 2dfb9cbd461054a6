"""Plain talk arriving, in one statement: the row, its number and when it is due.

This is what nearly every webhook brings.  Whatever needs more thought (a person
answers there, somebody opts out, a reset) goes through ``aitools.inbox``.
"""

from __future__ import annotations

import json
from contextlib import nullcontext
from dataclasses import dataclass

from django.db import connection, transaction

from aitools import behaviour
from aitools.behaviour import Behaviour
from aitools.channels.base import EventKind, InboundMessage
from aitools.jsonrows import instance
from aitools.models import Conversation, InboundState, Mode
from aitools.storable import storable

#: However long a burst lasts, its answer starts after this.
LONGEST_SETTLE_SECONDS = 10

_FIND = """
SELECT to_jsonb(c)::text, (SELECT max(version) FROM aitools_behaviourversion),
  %(identity)s = '' OR EXISTS (SELECT FROM aitools_inboundevent
                               WHERE channel = %(channel)s AND provider_id = %(identity)s)
FROM aitools_conversation c
WHERE c.channel = %(channel)s AND c.account = %(account)s AND c.address = %(address)s
"""
#: The number and the row commit together; a repeat violates ``inbound_once`` and changes nothing.
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
      profile_name = %(profile_name)s, phone = %(phone)s, language = %(language)s
  FROM clock
  WHERE c.id = %(conversation)s AND c.mode = %(mode)s AND c.opted_out_at IS NULL
  RETURNING c.id, c.inbox_seq, c.wake_at, clock.at
),
stored AS (
  INSERT INTO aitools_inboundevent (conversation_id, channel, provider_id, kind, message_kind, seq, state, text,
                                    payload, media, extra, reply_to, sent_at, received_at)
  SELECT id, %(channel)s, %(provider_id)s, %(kind)s, %(message_kind)s, inbox_seq, %(state)s, %(text)s,
         %(payload)s, %(media)s::jsonb, %(extra)s::jsonb, %(reply_to)s, %(sent_at)s::timestamptz, at
  FROM numbered
  RETURNING id
)
SELECT extract(epoch FROM numbered.wake_at - numbered.at)::float8 FROM numbered, stored
"""


@dataclass(frozen=True, slots=True)
class Sender:
    """Whose conversation it is, as of a moment ago, and the settings in force then.

    ``is_known``: the user id that came with the event, if any, is kept already.
    """

    conversation: Conversation
    behaviour: Behaviour
    is_known: bool


def sender_of(event: InboundMessage, identity: str) -> Sender | None:
    """The sender's conversation, None when it has none yet. ``identity`` is their user id's key. One query."""
    key = {"channel": event.channel, "account": event.account, "address": event.address, "identity": identity}
    with connection.cursor() as cursor:
        cursor.execute(_FIND, key)
        row = cursor.fetchone()
    if row is None:
        return None
    return Sender(instance(Conversation, json.loads(row[0])), behaviour.at(row[1]), is_known=row[2])


def store(sender: Sender, event: InboundMessage) -> float | None:
    """Store plain talk for the bot; the seconds until it is due.

    None when the conversation is not the bot's any more.  Raises IntegrityError
    for a repeat.  One statement, a transaction of its own.
    """
    conversation = sender.conversation
    settle = 0 if event.kind == EventKind.PRESS else sender.behaviour.profile.settle_seconds
    # Alone it is a transaction of its own; inside another one a repeat must not spoil that.
    inside = transaction.atomic() if connection.in_atomic_block else nullcontext()
    with inside, connection.cursor() as cursor:
        cursor.execute(
            _STORE,
            {
                "conversation": conversation.pk,
                "mode": Mode.BOT,
                "settle": settle,
                "longest": LONGEST_SETTLE_SECONDS,
                "profile_name": conversation.profile_name,
                "phone": conversation.phone,
                "language": conversation.language,
                "channel": event.channel,
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
            },
        )
        row = cursor.fetchone()
    return None if row is None else max(float(row[0]), 0.0)
