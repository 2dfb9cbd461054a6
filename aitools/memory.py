"""What was already done in a chat: recent successes, read from their rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import F

from aitools.loop import Previous
from aitools.models import CallState, Conversation, ToolCall
from aitools.tools import registry

#: How long a success is remembered.
REMEMBERED_SECONDS = 1800


@dataclass(frozen=True, slots=True)
class Memory:
    """Successes that still count, newest first, as of ``now``."""

    calls: tuple[ToolCall, ...]
    now: datetime

    def find(self, name: str, digest: str) -> Previous | None:
        """The newest success of this tool with these arguments, or None."""
        for call in self.calls:
            if call.name == name and call.digest == digest and call.finished_at:
                ago = int((self.now - call.finished_at).total_seconds())
                return Previous(call.result, ago)
        return None


def recall(conversation: Conversation, now: datetime) -> Memory:
    """Successful confirmed or deduplicated calls of the last half hour. One query.

    A success is forgotten when a later tool declares that it ``forgets`` it,
    and when the conversation was reset since.
    """
    remembered = [tool.name for tool in registry.all() if tool.confirm or tool.dedupe]
    done = ToolCall.objects.filter(
        conversation=conversation,
        state=CallState.DONE,
        name__in=remembered,
        turn_id__gt=conversation.history_from,
        finished_at__gt=now - timedelta(seconds=REMEMBERED_SECONDS),
    ).order_by(F("id").desc())[:50]
    return Memory(tuple(_unforgotten(done)), now)


def _unforgotten(newest_first: Iterable[ToolCall]) -> list[ToolCall]:
    forgotten: set[str] = set()
    kept = []
    for call in newest_first:
        tool = registry.get(call.name)
        if call.name not in forgotten and not _reported_error(call):
            kept.append(call)
        forgotten.update(tool.forgets if tool else ())
    return kept


def _reported_error(call: ToolCall) -> bool:
    return isinstance(call.value, dict) and bool(call.value.get("error"))
