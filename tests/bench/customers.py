"""Customers who keep a journal, for the judge of the chaos run."""

from __future__ import annotations

import time

from aitools.models import OutboundMessage
from bench.chaos.journal import Chat, Heard, Journal, Said
from tests.aitools.desk import Desk


class Customer:
    """A customer on the chat page who keeps a journal."""

    def __init__(self, desk: Desk, journal: Journal) -> None:
        self.desk, self.journal = desk, journal
        self.chat = journal.chats.setdefault(desk.address, Chat(desk.address))

    def write(self, text: str, *, agrees: bool = False) -> None:
        said = Said("", text, time.time(), self.chat.heard[-1].key if agrees else "")
        self.chat.said.append(said)
        said.sid = self.desk.receive(text, profile_name="Ana")
        said.accepted_at = time.time()
        self.desk.drain()
        known = {one.key for one in self.chat.heard}
        for row in OutboundMessage.objects.order_by("id"):
            if str(row.key) not in known:
                self.chat.heard.append(Heard("", str(row.key), row.text, time.time(), self.journal.place()))
