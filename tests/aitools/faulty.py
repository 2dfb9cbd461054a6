"""A channel whose vendor fails as told: what it was handed, what it lost, what it can prove."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from aitools.channels.base import Capabilities, DeliveryStatus, OutgoingMessage, Sent
from aitools.channels.web import WebChannel
from aitools.models import Conversation
from tests.aitools.desk import Desk

#: An error to raise, or something to do when the send arrives.
Outcome = Exception | Callable[[OutgoingMessage], object]


@dataclass
class Vendor:
    """The far side. ``outcomes`` are used up in order; after them all goes well.

    ``refused`` fails every send of a text, ``proofs`` gives the vendor's id of
    a message that a look-up finds; ``undelivered`` is the code it is found with, if it never arrived.
    """

    outcomes: deque[Outcome | None] = field(default_factory=deque)
    attempts: list[OutgoingMessage] = field(default_factory=list)
    refused: dict[str, Exception] = field(default_factory=dict)
    proofs: dict[str, str] = field(default_factory=dict)
    look_up: Exception | None = None
    looked_up: int = 0
    undelivered: str = ""

    def forget(self) -> None:
        self.outcomes.clear()
        self.attempts.clear()
        self.refused.clear()
        self.proofs.clear()
        self.look_up, self.looked_up, self.undelivered = None, 0, ""

    def take(self, message: OutgoingMessage) -> Sent:
        self.attempts.append(message)
        outcome = self.outcomes.popleft() if self.outcomes else self.refused.get(message.text)
        if isinstance(outcome, Exception):
            raise outcome
        if outcome is not None:
            outcome(message)
        return Sent(f"V{len(self.attempts)}", DeliveryStatus.QUEUED)

    def texts(self) -> list[str]:
        return [message.text for message in self.attempts]


VENDOR = Vendor()


class FaultyChannel(WebChannel):
    """Like SMS: no buttons, short texts."""

    name = "faulty"
    capabilities = Capabilities(text_limit=160)

    def send(self, message: OutgoingMessage) -> Sent:
        return VENDOR.take(message)

    def find_sent(self, message: OutgoingMessage, since: datetime) -> Sent | None:
        VENDOR.looked_up += 1
        if VENDOR.look_up is not None:
            raise VENDOR.look_up
        found = VENDOR.proofs.get(message.outbox_id)
        if found and VENDOR.undelivered:
            return Sent(found, DeliveryStatus.FAILED, VENDOR.undelivered)
        return Sent(found, DeliveryStatus.SENT) if found else None


def move(desk: Desk, settings: object) -> Desk:
    """The desk's customer writes over the faulty channel from now on."""
    settings.AITOOLS_CHANNELS["faulty"] = "tests.aitools.faulty.FaultyChannel"  # type: ignore[attr-defined]
    VENDOR.forget()
    desk.channel = "faulty"
    Conversation.objects.create(channel="faulty", address=desk.address)
    return desk
