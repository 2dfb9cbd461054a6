"""What was done in a chat lately, kept by this process: the memory of runs without rows."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from dataclasses import dataclass
from datetime import datetime

from aitools.loop import Previous
from aitools.tools import Tool
from aitools.types import Json

#: How long a success is remembered; a tool's own ``dedupe`` window may be longer.
REMEMBERED_SECONDS = 1800
MAX_CHATS = 1000
MAX_CALLS = 50


@dataclass(frozen=True, slots=True)
class Done:
    """A success: ``content`` as the model read it, ``agreed`` the fingerprint it was agreed to by."""

    tool: str
    digest: str
    content: str
    at: datetime
    agreed: Json = None


class Recent:
    """Successes by chat, bounded in chats and in calls of each. Safe in threads."""

    def __init__(self) -> None:
        self._chats: OrderedDict[str, deque[Done]] = OrderedDict()
        self._lock = threading.Lock()

    def add(self, chat_key: str, tool: Tool, done: Done) -> None:
        """Remember a call of a tool that asks or dedupes, and forget what it ``forgets``."""
        with self._lock:
            calls = self._chats.setdefault(chat_key, deque(maxlen=MAX_CALLS))
            self._chats.move_to_end(chat_key)
            for undone in [call for call in calls if call.tool in tool.forgets]:
                calls.remove(undone)
            if tool.confirm or tool.dedupe:
                calls.append(done)
            while len(self._chats) > MAX_CHATS:
                self._chats.popitem(last=False)

    def find(self, chat_key: str, tool: Tool, digest: str, now: datetime) -> tuple[Done, Previous] | None:
        """The newest success of this tool with these arguments that still counts."""
        window = max(REMEMBERED_SECONDS if tool.confirm else 0, tool.dedupe_seconds)
        with self._lock:
            calls = list(self._chats.get(chat_key, ()))
        for done in reversed(calls):
            if (done.tool, done.digest) == (tool.name, digest):
                ago = max(int((now - done.at).total_seconds()), 0)
                return (done, Previous(done.content, ago)) if ago < window else None
        return None

    def done(self, chat_key: str, now: datetime) -> list[tuple[str, str]]:
        """What still counts in this chat as (tool, result), newest first."""
        with self._lock:
            calls = list(self._chats.get(chat_key, ()))
        lately = [call for call in reversed(calls) if (now - call.at).total_seconds() < REMEMBERED_SECONDS]
        return [(call.tool, call.content) for call in lately]

    def forget(self, chat_key: str) -> None:
        with self._lock:
            self._chats.pop(chat_key, None)
