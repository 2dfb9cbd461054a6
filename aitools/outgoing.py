"""A row of the outbox as its channel gets it."""

from __future__ import annotations

from datetime import datetime

from aitools import pacing
from aitools.channels.base import OutgoingMessage
from aitools.models import OutboundMessage


def at(row: OutboundMessage, moment: datetime) -> OutgoingMessage:
    """The message as it goes at this moment, or went at the attempt of this moment."""
    as_template = pacing.goes_as_template(row, moment)
    return OutgoingMessage(
        outbox_id=str(row.key),
        account=row.conversation.account,
        address=row.conversation.address,
        text=_with_words_to_type(row) if as_template else row.text,
        buttons=() if as_template else row.choices,
        language=row.conversation.language or "es",
        as_template=as_template,
    )


def _with_words_to_type(row: OutboundMessage) -> str:
    """A template after the window has no buttons: who is asked may still type what would stand on them."""
    titles = [button.title for button in row.choices]
    had_buttons = pacing.capabilities_of(row).has_buttons(row.conversation.language)
    return f"{row.text} ({'/'.join(titles)})" if titles and had_buttons else row.text
