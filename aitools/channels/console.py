"""The terminal as a channel: `manage.py chat` writes the inbox and reads the outbox."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import ClassVar

from django.http import HttpRequest

from aitools.channels.base import Capabilities, DeliveryStatus, InboundMessage, OutgoingMessage, Sent
from aitools.errors import SignatureError


class ConsoleChannel:
    """No buttons, no web requests; what is sent is printed by whoever chats."""

    name: ClassVar[str] = "console"
    capabilities = Capabilities()

    def verify(self, request: HttpRequest) -> None:
        """Always raises: nothing comes to the console over the network."""
        raise SignatureError("The console takes no requests.")

    def parse(self, request: HttpRequest) -> Sequence[InboundMessage]:
        return []

    def send(self, message: OutgoingMessage) -> Sent:
        return Sent(provider_id=message.outbox_id, status=DeliveryStatus.DELIVERED)

    def find_sent(self, message: OutgoingMessage, since: datetime) -> Sent | None:
        return self.send(message)
