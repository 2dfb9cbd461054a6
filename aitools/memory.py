"""What was already done in a chat: recent successes, read from their rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import QuerySet

from aitools import results
from aitools.clock import DbNow
from aitools.loop import Previous
from aitools.models import CallState, Conversation, ToolCall, Turn
from aitools.tools import registry

#: How long a success is remembered; a tool's own ``dedupe`` window may be longer.
REMEMBERED_SECONDS = 1800
#: So many turns and successes are looked at, the newest.
MOST = 50


@dataclass(frozen=True, slots=True)
class Memory:
    """Successes of earlier turns that still count, newest first, as of ``now``."""

    calls: tuple[ToolCall, ...]
    now: datetime

    def with_turn(self, calls: Sequence[ToolCall]) -> Memory:
        """The same with what this turn has done so far."""
        done = [call for call in reversed(calls) if _counts(call)]
        return Memory(tuple(_unforgotten([*done, *self.calls])), self.now)

    def find(self, name: str, digest: str) -> Previous | None:
        """The newest success of this tool with these arguments, or None."""
        tool = registry.get(name)
        window = max(REMEMBERED_SECONDS if tool and tool.confirm else 0, tool.dedupe_seconds if tool else 0)
        for call in self.calls:
            if call.name == name and call.digest == digest and call.finished_at:
                ago = int((self.now - call.finished_at).total_seconds())
                return Previous(call.result, ago) if ago < window else None
        return None

    @property
    def done(self) -> list[ToolCall]:
        """What the model is told was already done, newest first."""
        since = self.now - timedelta(seconds=REMEMBERED_SECONDS)
        return [call for call in self.calls if call.finished_at and call.finished_at > since]

    @staticmethod
    def has_done_now(calls: Sequence[ToolCall]) -> bool:
        """Whether this turn has done something to remember."""
        return any(_counts(call) for call in calls)


def recall(conversation: Conversation, now: datetime, *, except_turn: int | None = None) -> Memory:
    """Successful confirmed or deduplicated calls that still count, without those of one turn.

    A success is forgotten when a later tool declares that it ``forgets`` it, and
    when the conversation was reset since.  One query; none for a conversation
    that has done nothing lately.
    """
    since = now - timedelta(seconds=_longest_window())
    if conversation.last_done_at is None or conversation.last_done_at < since:
        return Memory((), now)
    done = ToolCall.objects.filter(
        turn__in=recent_turns(conversation, except_turn),
        state=CallState.DONE,
        name__in=_remembered(),
        finished_at__gt=max(since, conversation.forgotten_at or since),
    )
    return Memory(tuple(_unforgotten(done.order_by("-id")[:MOST])), now)


def recent_turns(conversation: Conversation, except_turn: int | None = None) -> QuerySet[Turn, Any]:
    """The ids of the newest turns since the last reset, without one of them, for a query to look in."""
    turns = conversation.turns.filter(pk__gt=conversation.history_from).exclude(pk=except_turn or 0)
    return turns.order_by("-id").values("pk")[:MOST]


def clear_tool_history(chat_key: str) -> None:
    """Forget what was done in this chat: the same call is no repeat any more."""
    Conversation.objects.filter(pk=chat_key).update(forgotten_at=DbNow())


def _remembered() -> list[str]:
    """Tools whose successes count, and those that make others count no more."""
    return [tool.name for tool in registry.all() if tool.confirm or tool.dedupe or tool.forgets]


def _longest_window() -> int:
    return max(REMEMBERED_SECONDS, *(tool.dedupe_seconds for tool in registry.all()), 0)


def _counts(call: ToolCall) -> bool:
    return call.state == CallState.DONE and call.name in _remembered()


def _unforgotten(newest_first: Iterable[ToolCall]) -> list[ToolCall]:
    """Without what a later success forgot; a result that reports an error is no success."""
    forgotten: set[str] = set()
    kept = []
    for call in newest_first:
        tool = registry.get(call.name)
        if tool is None or results.is_error(call.value):
            continue
        if (tool.confirm or tool.dedupe) and call.name not in forgotten:
            kept.append(call)
        forgotten.update(tool.forgets)
    return kept
