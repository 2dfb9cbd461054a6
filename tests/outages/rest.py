"""When everything is done: nothing waits, nothing is held, nothing is unsent."""

from __future__ import annotations

from tests.e2e.stack import Stack

#: What is left to do, by plain SQL: each row is a conversation and why.
UNDONE = """
SELECT id, 'unread' FROM aitools_conversation WHERE read_seq < inbox_seq
UNION ALL SELECT id, 'leased' FROM aitools_conversation WHERE lease_until > aitools_now()
UNION ALL SELECT id, 'sending' FROM aitools_conversation WHERE send_until > aitools_now()
UNION ALL SELECT conversation_id, 'turn ' || state FROM aitools_turn WHERE state IN ('running', 'waiting')
UNION ALL SELECT conversation_id, 'question' FROM aitools_pendingconfirmation WHERE state = 'pending'
UNION ALL SELECT conversation_id, 'message ' || state FROM aitools_outboundmessage
  WHERE state NOT IN ('sent', 'withdrawn')
"""
#: Longer than the longest lease that a dead worker leaves, and two sweeps of a busy machine.
REST_SECONDS = 110


def undone(stack: Stack) -> list[tuple[int, str]]:
    return [(key, why) for key, why in stack.sql(UNDONE)]


def assert_at_rest(stack: Stack, seconds: float = REST_SECONDS) -> None:
    """Wait until nothing is left to do; fails with what is."""
    try:
        stack.until(lambda: not undone(stack), "rest", seconds)
    except AssertionError:
        raise AssertionError(f"still to do: {undone(stack)}\n{stack.log_tail()}") from None
