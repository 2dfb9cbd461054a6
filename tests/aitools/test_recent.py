"""What runs in memory remember of a chat: a little, for a while, and not for ever."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from aitools.recent import MAX_CALLS, MAX_CHATS, Done, Recent
from aitools.tools import Tool

NOW = datetime(2026, 3, 10, 8, tzinfo=UTC)
NOTHING: dict[str, Any] = {"type": "object"}


def tool(name: str = "make", **given: Any) -> Tool:
    fields: dict[str, Any] = {"confirm": True, "effects": "database", **given}
    return Tool(name, "Works.", lambda args, ctx: None, NOTHING, **fields)


def done(name: str = "make", digest: str = "d", ago: int = 0) -> Done:
    return Done(name, digest, f"{name} {ago}", NOW - timedelta(seconds=ago))


def seconds_ago(recent: Recent, asked: Tool, chat: str = "c", digest: str = "d") -> int | None:
    found = recent.find(chat, asked, digest, NOW)
    return found[1].seconds_ago if found else None


@pytest.mark.parametrize(
    ("given", "ago", "found"),
    [
        ({}, 1799, 1799),
        ({}, 1800, None),
        ({"dedupe": 3600}, 3599, 3599),
        ({"confirm": False, "dedupe": "args"}, 599, 599),
        ({"confirm": False, "dedupe": "args"}, 600, None),
    ],
)
def test_a_success_counts_for_half_an_hour_or_for_the_tools_own_window(
    given: dict[str, Any], ago: int, found: int | None
) -> None:
    recent = Recent()
    recent.add("c", tool(**given), done(ago=ago))
    assert seconds_ago(recent, tool(**given)) == found


def test_only_the_same_call_in_the_same_chat_counts_the_newest_first() -> None:
    recent = Recent()
    recent.add("c", tool(), done(ago=60))
    recent.add("c", tool(), done(ago=5))
    assert seconds_ago(recent, tool()) == 5
    assert seconds_ago(recent, tool(), chat="other") is None
    assert seconds_ago(recent, tool(), digest="other") is None
    assert seconds_ago(recent, tool("undo")) is None


def test_what_undoes_a_success_makes_it_forgotten() -> None:
    recent = Recent()
    recent.add("c", tool(), done())
    recent.add("c", tool("other"), done("other"))
    recent.add("c", tool("undo", confirm=False, forgets=("make",)), done("undo"))
    assert seconds_ago(recent, tool()) is None
    assert seconds_ago(recent, tool("other")) == 0
    recent.add("c", tool(), done())
    assert seconds_ago(recent, tool()) == 0


def test_a_tool_that_neither_asks_nor_dedupes_is_not_remembered() -> None:
    recent = Recent()
    recent.add("c", tool(confirm=False), done())
    assert seconds_ago(recent, tool()) is None


def test_memory_is_bounded() -> None:
    recent = Recent()
    for number in range(MAX_CALLS + 1):
        recent.add("c", tool(), done(digest=str(number)))
    assert seconds_ago(recent, tool(), digest="0") is None
    assert seconds_ago(recent, tool(), digest="1") == 0
    for number in range(MAX_CHATS):
        recent.add(f"chat {number}", tool(), done())
    assert seconds_ago(recent, tool(), digest="1") is None
    assert seconds_ago(recent, tool(), chat="chat 0") == 0
