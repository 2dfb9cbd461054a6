"""When a message may go, and how: the sender's stops and caps, the recipient's pace, the order, the window."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import uniform

from aitools import caps, metrics
from aitools.caps import Cap
from aitools.channels.advice import class_of, pause_of
from aitools.channels.base import Capabilities, DeliveryStatus, ErrorClass, channel_for
from aitools.errors import ChannelError
from aitools.models import Conversation, OutboundMessage

log = logging.getLogger(__name__)

#: A sender that the vendor refuses altogether is tried again after this.
STOP_SECONDS = 60
#: A message waits so long at most for the vendor's word on the one before it.
ORDER_SECONDS = 5.0
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
    why = f"{error.code or ErrorClass.CONFIG} {error}"
    _stop(conversation, ErrorClass.CONFIG, why, STOP_SECONDS, "it is set up wrongly")


def rest(conversation: Conversation, code: str, reason: str, said_after: float = 0.0) -> None:
    """Leave the sender for as long as the vendor wants after this code, if it does; the operator is told once.

    ``said_after`` is how many seconds ago the message was sent: a pause that is over by now is none.
    """
    pause = pause_of(conversation.channel, code)
    if pause is not None and pause.whole_sender and said_after < pause.seconds:
        _stop(conversation, ErrorClass.SLOW, f"{code} {reason}", int(pause.seconds), "the provider holds it back")


def _stop(conversation: Conversation, kind: ErrorClass, why: str, seconds: int, meaning: str) -> None:
    sender = _sender(conversation)
    if caps.stop(why, seconds, *sender):
        metrics.sender_stopped(conversation.channel, kind.value)
        log.error("Sending by %s is stopped for %d s, %s: %s", ":".join(sender), seconds, meaning, why)


def overtakes(row: OutboundMessage, now: datetime) -> float:
    """How many seconds more it waits for word that the one before it, just sent, can't arrive after it; 0 for none.

    The row comes with ``before_status`` and ``before_at`` of that one.  Who wrote
    since has it, most likely: an answer to them does not wait.
    """
    wanted = capabilities_of(row).in_order_after
    before_at: datetime | None = getattr(row, "before_at", None)
    wrote_at = row.conversation.last_inbound_at
    if wanted is None or before_at is None or (wrote_at is not None and wrote_at > before_at):
        return 0.0
    order = [status.value for status in DeliveryStatus]
    is_told = getattr(row, "before_status", "") in order[order.index(wanted) :]
    return 0.0 if is_told else max(ORDER_SECONDS - (now - before_at).total_seconds(), 0.0)


def goes_as_template(row: OutboundMessage, at: datetime) -> bool:
    """Whether, at this time, only a template may go to the customer, and there is one.

    The vendor's word counts like our clock: what it refused for the window, and
    nobody has answered since, goes as one.
    """
    return has_template(row) and (is_late(row, at) or _was_refused(row, at))


def _was_refused(row: OutboundMessage, at: datetime) -> bool:
    wrote_at, tried_at = row.conversation.last_inbound_at, row.attempted_at
    reopened = wrote_at is not None and tried_at is not None and tried_at < wrote_at <= at
    return bool(tried_at) and not reopened and was_out_of_window(row)


def was_out_of_window(row: OutboundMessage) -> bool:
    """Whether the vendor's last word on it was that the window is closed."""
    return bool(row.error_code) and class_of(row.conversation.channel, row.error_code) is ErrorClass.WINDOW


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
