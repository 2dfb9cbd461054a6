"""One conversation driven from the terminal, without a worker."""

from __future__ import annotations

import logging
import time
import uuid
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from django.db.models import Model

from aitools import inbox, outbox, sending, turns
from aitools.channels.base import EventKind, InboundMessage
from aitools.channels.console import ConsoleChannel
from aitools.clock import DbNow
from aitools.models import Conversation, OutboundMessage, OutboundState, Step, ToolCall, Turn, TurnState

log = logging.getLogger(__name__)

LOOK_AGAIN_SECONDS = 0.1
PATIENCE_SECONDS = 120.0
LOOKED_AT = 20

News = OutboundMessage | Step | ToolCall

_TOLD = (OutboundState.SENT, OutboundState.FAILED)


@dataclass
class ConsoleChat:
    """A conversation at the console; it goes on where the last run stopped.

    ``say`` works the conversation in this process.  A worker that is running as
    well may take it first: the lease lets one of them work, and the rows say
    the same either way.
    """

    conversation: Conversation
    name: str = ""
    _told: set[tuple[type[Model], int, str]] = field(default_factory=set)

    def __post_init__(self) -> None:
        # What earlier runs have told is no news.
        deque(self._news(), maxlen=0)

    def say(self, text: str) -> Iterator[News]:
        """What comes of it as it comes: model steps, tool calls at each change of state, messages.

        Ends when nothing is due any more, or with ``TimeoutError``.
        """
        message = InboundMessage(
            kind=EventKind.MESSAGE,
            channel=ConsoleChannel.name,
            provider_id=str(uuid.uuid4()),
            address=self.conversation.address,
            text=text,
            profile_name=self.name,
        )
        inbox.receive([message])
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not self._is_quiet():
            if time.monotonic() > deadline:
                raise TimeoutError(f"No answer within {PATIENCE_SECONDS:.0f} s.")
            self._work()
            yield from self._news()
        yield from self._news()

    def _work(self) -> None:
        # A line at a console is never half a burst, so nothing is waited for.
        Conversation.objects.filter(pk=self.conversation.pk, wake_at__gt=DbNow()).update(wake_at=DbNow())
        try:
            turns.advance(self.conversation.pk)
            sending.deliver(self.conversation.pk)
        except Exception:
            # As in a worker: the failure is on the turn, and another pass tries again.
            log.exception("conversation %s could not go on", self.conversation.pk)
        if not self._is_quiet():
            time.sleep(LOOK_AGAIN_SECONDS)

    def _is_quiet(self) -> bool:
        self.conversation.refresh_from_db()
        running = Turn.objects.filter(conversation=self.conversation, state=TurnState.RUNNING)
        unsent = self.conversation.outbound.filter(state__in=outbox.OPEN)
        return not (self.conversation.has_unread or running.exists() or unsent.exists())

    def _news(self) -> Iterator[News]:
        """Rows in a state that was not told yet; the newest are enough, one line makes few."""
        steps = Step.objects.filter(turn__conversation=self.conversation)
        messages = self.conversation.outbound.filter(state__in=_TOLD)
        newest: list[News] = []
        calls = ToolCall.objects.filter(turn__conversation=self.conversation)
        for rows in (steps, calls, messages):
            newest += reversed(rows.order_by("-pk")[:LOOKED_AT])
        for row in newest:
            key = (type(row), row.pk, "" if isinstance(row, Step) else row.state)
            if key not in self._told:
                self._told.add(key)
                yield row


def open_chat(address: str, *, name: str = "", language: str = "") -> ConsoleChat:
    """The console conversation of this address; ``language`` fixes its language."""
    conversation, _ = Conversation.objects.get_or_create(channel=ConsoleChannel.name, account="", address=address)
    if language:
        conversation.language, conversation.language_fixed = language, True
        conversation.save(update_fields=["language", "language_fixed"])
    return ConsoleChat(conversation, name)
