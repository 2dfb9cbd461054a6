"""When a message may go: the sender's stops and caps, the recipient's pace, the customer's window."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import uniform

from aitools import caps
from aitools.caps import Cap
from aitools.channels.base import Capabilities, ErrorClass, channel_for
from aitools.errors import ChannelError
from aitools.models import Conversation, OutboundMessage

log = logging.getLogger(__name__)

#: A sender that the vendor refuses altogether is tried again after this.
STOP_SECONDS = 60
#: Replies come right after what they answer; these may come days later.
MAY_COME_LATE = (OutboundMessage.Kind.NOTICE, OutboundMessage.Kind.STAFF)


@dataclass(frozen=True, slots=True)
class Hold:
    """A message waits. ``why`` is set when its sender is stopped, with the vendor's code before the first blank."""

    seconds: float
    why: str = ""

    @property
    def code(self) -> str:
        return self.why.partition(" ")[0]


def held(row: OutboundMessage) -> Hold | None:
    """Why this message can't go now; None when it can, and then it is counted. Asks Redis, for paced channels only."""
    conversation, can = row.conversation, capabilities_of(row)
    if can.per_second is None:
        return None
    sender = _sender(conversation)
    why, left = caps.stopped(*sender)
    if why:
        return Hold(left, why)
    asked = [Cap(sender, can.per_second, 1)]
    if can.pair_rate:
        asked.append(Cap((*sender, conversation.address), *can.pair_rate))
    wait = caps.wait_for(*asked)
    # Spread, so that all that wait don't come back at once.
    return Hold(uniform(1, 2) * wait) if wait else None  # noqa: S311


def stop_sender(conversation: Conversation, error: ChannelError) -> None:
    """The vendor refuses whatever this sender sends: leave it for a while and tell the operator."""
    sender = _sender(conversation)
    caps.stop(f"{error.code or ErrorClass.CONFIG} {error}", STOP_SECONDS, *sender)
    log.error("Sending by %s is stopped for %d s, it is set up wrongly: %s", ":".join(sender), STOP_SECONDS, error)


def is_late(row: OutboundMessage, at: datetime) -> bool:
    """Whether the customer wrote too long ago for free text; what answers them never is."""
    hours, wrote_at = capabilities_of(row).window_hours, row.conversation.last_inbound_at
    if hours is None or row.kind not in MAY_COME_LATE:
        return False
    return wrote_at is None or at - wrote_at > timedelta(hours=hours)


def has_template(row: OutboundMessage) -> bool:
    """Whether the channel may say it late, in the conversation's language."""
    return _language(row.conversation) in capabilities_of(row).templates


def capabilities_of(row: OutboundMessage) -> Capabilities:
    return channel_for(row.conversation.channel).capabilities


def _language(conversation: Conversation) -> str:
    return (conversation.language or "es").partition("-")[0]


def _sender(conversation: Conversation) -> tuple[str, str]:
    return conversation.channel, conversation.account or "default"
