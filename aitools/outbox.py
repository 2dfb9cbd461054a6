"""What we say: rows, queued in the transaction that makes them true. `aitools.sending` sends them."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from aitools import clock, queue
from aitools.channels.base import Capabilities, channel_for
from aitools.models import Conversation, OutboundMessage, OutboundState, PendingConfirmation
from aitools.splitting import split
from aitools.types import Button

#: Nobody reads more messages at once; the rest of a longer reply is left out, and seen to be.
MOST_PARTS = 10
#: Not settled yet: such a row holds up the later ones of its conversation.
OPEN = (OutboundState.QUEUED, OutboundState.SENDING, OutboundState.UNCERTAIN)
#: The error code of a message that was given up without proof whether it arrived.
UNKNOWN = "unknown"


def enqueue(
    conversation: Conversation,
    text: str,
    *,
    kind: str = OutboundMessage.Kind.REPLY,
    turn_id: int | None = None,
    call_id: int | None = None,
    buttons: Sequence[Button] = (),
) -> OutboundMessage:
    """Queue a text, split to the channel's limit; returns the last part's row.

    Needs the transaction that makes it true.  ``call_id`` is the call that a
    question is about.  Buttons go with the last part; their ids are short names,
    to which the row adds its own key.
    Nothing is queued for somebody who opted out (the row is withdrawn at once).
    """
    state = OutboundState.WITHDRAWN if conversation.opted_out_at else OutboundState.QUEUED
    can = channel_for(conversation.channel).capabilities
    parts = _parts(text, can, beside_buttons=bool(buttons) and can.has_buttons(conversation.language))
    if kind == OutboundMessage.Kind.REPLY and not buttons:  # what is asked must be read to its end
        parts = _few(parts, can)
    rows = [
        OutboundMessage.objects.create(
            conversation=conversation,
            turn_id=turn_id,
            call_id=call_id,
            kind=kind,
            text=part,
            buttons=[[button.id, button.title] for button in buttons] or None if part is parts[-1] else None,
            state=state,
        )
        for part in parts
    ]
    queue.deliver(conversation.pk)
    return rows[-1]


def _parts(text: str, can: Capabilities, *, beside_buttons: bool) -> list[str]:
    """The text as the channel takes it; what stands beside buttons may have to be shorter."""
    parts = split(text, can.limit(beside_buttons=False), can.measure)
    if beside_buttons:
        parts[-1:] = split(parts[-1], can.limit(beside_buttons=True), can.measure)
    return parts


def _few(parts: list[str], can: Capabilities) -> list[str]:
    """The first of them; where there are more, the last one says so by its end."""
    if len(parts) <= MOST_PARTS:
        return parts
    last, limit = parts[MOST_PARTS - 1], can.limit(beside_buttons=False)
    return [*parts[: MOST_PARTS - 1], split(last, limit, lambda text: can.measure(f"{text}…"))[0] + "…"]


def retry(outbound_id: int, *, anyway: bool = False) -> bool:
    """Staff ask for another try of a message; whether it is sent again.

    One that may have arrived is repeated only ``anyway``, and marked so.
    """
    with transaction.atomic():
        row = OutboundMessage.objects.select_for_update().get(pk=outbound_id)
        unsent = row.state in (OutboundState.FAILED, OutboundState.UNCERTAIN) and row.text
        if not unsent or is_closed_question(row) or (may_have_arrived(row) and not anyway):
            return False
        row.possibly_repeated = row.possibly_repeated or may_have_arrived(row)
        row.state, row.due_at, row.give_up_at = OutboundState.QUEUED, clock.now(), None
        row.status = row.provider_id = ""
        row.save(update_fields=["possibly_repeated", "state", "due_at", "give_up_at", "status", "provider_id"])
        queue.deliver(row.conversation_id)
    return True


def may_have_arrived(row: OutboundMessage) -> bool:
    """Whether nobody knows what became of this message, now or when it was given up."""
    given_up = row.state == OutboundState.FAILED and row.error_code == UNKNOWN
    return given_up or row.state == OutboundState.UNCERTAIN


def is_closed_question(row: OutboundMessage) -> bool:
    """Whether nothing waits for its answer, so that asking it again would mislead; one that failed was given up.

    No query when ``call__confirmation`` was selected with the row.
    """
    if row.kind != OutboundMessage.Kind.QUESTION:
        return False
    asked: PendingConfirmation | None = getattr(row.call, "confirmation", None)
    is_open = asked is not None and asked.state == PendingConfirmation.State.PENDING
    return not is_open or row.state == OutboundState.FAILED
