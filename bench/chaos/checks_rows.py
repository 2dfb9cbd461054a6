"""Does any row still wait for somebody, and does the audit tell what happened?"""

from __future__ import annotations

from collections.abc import Iterator

from bench.chaos.journal import Journal
from bench.chaos.rows import Rows

OPEN_CALLS = ("requested", "waiting", "approved", "running")
OPEN_SENDS = ("queued", "sending", "uncertain")


def stuck(rows: Rows, journal: Journal) -> Iterator[str]:
    """Work that nobody does any more, although the desk rests."""
    for row in rows.conversations:
        if row.unread or row.held:
            yield f"{row.address}: {'unread' if row.unread else 'leased'}"
    yield from (f"turn {row.id}: {row.state}" for row in rows.turns if row.state in ("running", "waiting"))
    yield from (f"call {row.id}: {row.state}" for row in rows.calls if row.state in OPEN_CALLS)
    yield from (f"question of call {row.call_id}" for row in rows.questions if row.state == "pending")
    yield from (f"outbound {row.id}: {row.state}" for row in rows.outbound if row.state in OPEN_SENDS)


def statuses_left(rows: Rows, journal: Journal) -> Iterator[str]:
    """Reported by the vendor and accepted, but not stored or never applied."""
    stored = {row.provider_id: row.state for row in rows.inbound if row.kind == "status"}
    for name in journal.statuses:
        if stored.get(name) != "applied":
            yield f"{name}: {stored.get(name, 'not stored')}"


def audit_faults(rows: Rows, journal: Journal) -> Iterator[str]:
    """Calls, questions and orders whose events are missing or doubled."""
    asked = {row.call_id: row for row in rows.questions}
    for call in rows.calls:
        wanted = {"tool.result": call.state == "done"}
        question = asked.get(call.id)
        wanted["tool.confirm.requested"] = question is not None
        wanted["tool.confirm.approved"] = question is not None and question.state == "approved"
        for kind, is_wanted in wanted.items():
            times = rows.audited.get((kind, call.call_id), 0)
            if times != is_wanted:
                yield f"call {call.id} ({call.name}, {call.state}): {kind} × {times}"
    for order in rows.orders:
        call = rows.call.get(order.tool_call_id)
        if call is None or not rows.audited.get(("tool.confirm.approved", call.call_id)):
            yield f"order {order.number}: nobody approved it"
