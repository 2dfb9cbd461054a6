"""Whose button was pressed, where the vendor does not say it as we did.

Some buttons come back with another id, or none: those of a template whose ids
can't vary, of a message that staff sent elsewhere.  Twilio then still names the
message under which the button stands.
"""

from __future__ import annotations

from dataclasses import replace

from aitools.channels.base import EventKind, InboundMessage
from aitools.models import OutboundMessage

#: How the ids of our own buttons begin.
OURS = "confirm:"


def told(event: InboundMessage) -> InboundMessage:
    """A press with our own button's id; what is no button of a question is plain talk.

    One query, and only for a press that does not carry our id.
    """
    if event.kind != EventKind.PRESS or event.payload.startswith(OURS):
        return event
    if found := _button_of(event):
        return replace(event, payload=found)
    return replace(event, kind=EventKind.MESSAGE)


def _button_of(event: InboundMessage) -> str:
    """The id of the button with this title on the message that was pressed; "" when there is none."""
    if not event.reply_to:
        return ""
    sent = OutboundMessage.objects.filter(provider_id=event.reply_to, conversation__channel=event.channel)
    row = sent.filter(conversation__address=event.address).first()
    choices = row.choices if row is not None else ()
    wanted = event.text.strip().casefold()
    return next((button.id for button in choices if button.title.casefold() == wanted), "")
