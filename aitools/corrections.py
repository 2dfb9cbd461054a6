"""A customer takes back or rewrites what they sent: heard as if sent so, unless it was read already.

What a turn has read is never rewritten: a question, an order and the audit were
made from it.  A change that comes later is new talk, marked as a change.
"""

from __future__ import annotations

from aitools.channels.base import EventKind
from aitools.models import Conversation, InboundEvent, InboundState

EDIT, REVOKE = "edit", "revoke"
#: Kinds of message that change an earlier one, which ``extra["original_id"]`` names.
KINDS = frozenset({EDIT, REVOKE})
#: Put before a change of what was read, so that it is no plain yes to anything.
MARK = "✏️"


def correct(conversation: Conversation, row: InboundEvent) -> None:
    """Apply a change to unread talk; an edit that comes too late stays talk.

    The caller has locked the conversation, and saves it and the row.
    """
    original = _unread(conversation, str(row.extra.get("original_id") or ""))
    if row.message_kind == REVOKE:
        row.kind = EventKind.SYSTEM
        if original is not None:
            _withdraw(conversation, original)
    elif original is not None:
        row.kind = EventKind.SYSTEM
        _replace(conversation, original, row)
    elif row.text.strip():
        row.text = f"{MARK} {row.text}"


def _unread(conversation: Conversation, provider_id: str) -> InboundEvent | None:
    """The message, if surely nobody has read it: whoever holds the lease may have it in memory."""
    if not provider_id or conversation.lease_token is not None:
        return None
    unread = InboundEvent.objects.filter(conversation=conversation, kind=EventKind.MESSAGE, state=InboundState.BOT)
    return unread.filter(provider_id=provider_id, seq__gt=conversation.read_seq).first()


def _replace(conversation: Conversation, original: InboundEvent, row: InboundEvent) -> None:
    """New words in the old place, said now; a new number, so that a worker who reads at this moment reads again."""
    conversation.inbox_seq += 1
    original.seq = conversation.inbox_seq
    original.text, original.media, original.received_at = row.text, row.media, row.received_at
    original.extra = {**original.extra, "edited": True}
    original.save(update_fields=["seq", "text", "media", "extra", "received_at"])
    row.text, row.media = "", []


def _withdraw(conversation: Conversation, original: InboundEvent) -> None:
    """Nobody reads it; the last number stays in use, or all is read."""
    gone, original.seq = original.seq, None
    original.state, original.text, original.media = InboundState.APPLIED, "", []
    original.extra = {**original.extra, "revoked": True}
    original.save(update_fields=["seq", "state", "text", "media", "extra"])
    unread = InboundEvent.objects.filter(conversation=conversation, seq__gt=conversation.read_seq)
    last = unread.order_by("-seq").first()
    if last is None:
        conversation.read_seq = conversation.inbox_seq
        conversation.first_unread_at = conversation.wake_at = None
    elif gone == conversation.inbox_seq:
        last.seq = gone
        last.save(update_fields=["seq"])
