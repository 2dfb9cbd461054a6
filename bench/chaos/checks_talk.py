"""Is every message answered, once and in order? Against what the crowd itself said and heard."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from bench.chaos.journal import Chat, Journal
from bench.chaos.rows import Row, Rows, grouped

#: States of a message that the customer got or that staff see as not got.
TOLD_OR_SEEN = ("sent", "failed")
#: Turns that are over.
CLOSED = ("done", "cancelled", "failed")


def lost_messages(rows: Rows, journal: Journal) -> Iterator[str]:
    """Accepted with 200, but not stored, not read, or neither answered nor visible as failed."""
    stored = {row.provider_id: row for row in rows.inbound}
    turns = grouped(rows.turns, "conversation_id")
    for chat in journal.chats.values():
        for said in chat.said:
            row = stored.get(said.sid)
            if said.accepted_at and row is None:
                yield f"{chat.address} {said.sid}: not stored"
            elif row is not None and row.seq is not None and not _is_answered(rows, turns[row.conversation_id], row):
                yield f"{chat.address} {said.sid}: read by no turn that told anything"


def unanswered(rows: Rows, journal: Journal) -> Iterator[str]:
    """Nothing reached the customer after their last words, and no message to them is marked as failed."""
    conversation = {row.address: row.id for row in rows.conversations}
    for chat in journal.chats.values():
        last = max((said.started_at for said in chat.said if said.accepted_at), default=0)
        heard = max((one.at for one in chat.heard), default=0)
        sent = rows.sent_to[conversation.get(chat.address, 0)]
        if heard < last and not any(row.state == "failed" for row in sent):
            yield f"{chat.address}: nothing came after the last words"


def _is_answered(rows: Rows, turns: list[Row], event: Row) -> bool:
    """Whether the turn that read it is over and has told something, or the event was left to staff."""
    if event.state == "staff":
        return True
    reader = next((turn for turn in turns if turn.read_to >= event.seq), None)
    if reader is None or reader.state not in CLOSED:
        return False
    later = [row for row in rows.sent_to[event.conversation_id] if row.created_at >= event.received_at]
    return any(row.state in TOLD_OR_SEEN for row in [*rows.sent_by_turn[reader.id], *later])


def read_twice(rows: Rows, journal: Journal) -> Iterator[str]:
    """One message of a customer stored more than once."""
    times = Counter(row.provider_id for row in rows.inbound)
    yield from (f"{sid}: {count} times" for sid, count in times.items() if count > 1)


def sent_twice(rows: Rows, journal: Journal) -> Iterator[str]:
    """One message reached the customer more than once without the mark, or more than twice."""
    marked = {row.key for row in rows.outbound if row.possibly_repeated}
    for chat in journal.chats.values():
        for key, count in Counter(heard.key for heard in chat.heard).items():
            if count > (2 if key in marked else 1):
                yield f"{chat.address} {key}: {count} times"


def said_twice(rows: Rows, journal: Journal) -> Iterator[str]:
    """One turn queued the same reply twice."""
    times = Counter((row.turn_id, row.text) for row in rows.outbound if row.kind == "reply" and row.turn_id)
    yield from (f"turn {turn}: {count} times" for (turn, _), count in times.items() if count > 1)


def unknown_to_the_desk(rows: Rows, journal: Journal) -> Iterator[str]:
    """Heard or said by the customer and in no row, or in a row as sent or received and never heard or said."""
    keys = {row.key: row for row in rows.outbound}
    heard = {one.key for chat in journal.chats.values() for one in chat.heard}
    yield from (f"{key}: in no row" for key in heard - set(keys))
    yield from (f"{key}: never arrived" for key, row in keys.items() if row.state == "sent" and key not in heard)
    said = {one.sid for chat in journal.chats.values() for one in chat.said}
    talk = (row for row in rows.inbound if row.kind == "message")
    yield from (f"{row.provider_id}: never written" for row in talk if row.provider_id not in said)


def out_of_order(rows: Rows, journal: Journal) -> Iterator[str]:
    """Messages reached the customer in another order than they were queued; repeats count by their first."""
    place = {row.key: row.id for row in rows.outbound}
    for chat in journal.chats.values():
        firsts = _firsts(chat)
        queued = [place[key] for key in firsts if key in place]
        if queued != sorted(queued):
            yield chat.address


def _firsts(chat: Chat) -> list[str]:
    return list(dict.fromkeys(heard.key for heard in sorted(chat.heard, key=lambda one: one.place)))
