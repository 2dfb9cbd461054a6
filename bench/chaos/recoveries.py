"""How often the desk had to recover, from rows and logs."""

from __future__ import annotations

import re
from collections import Counter

import psycopg

from bench.chaos.desk import Desk

_DEAD = """
    SELECT 'turn', id, lease_token::text FROM aitools_conversation WHERE lease_until < aitools_now()
    UNION ALL SELECT 'send', id, send_token::text FROM aitools_conversation WHERE send_until < aitools_now()"""
_SWEPT = re.compile(r"A sweep woke (\d+) turns and (\d+) deliveries")


class Recoveries:
    """Looked at while the crowd talks; ``dead`` are leases that their workers left behind."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self.dead: set[tuple[str, int, str]] = set()

    def look(self) -> None:
        try:
            self.dead |= {(kind, one, token) for kind, one, token in self._desk.stack.sql(_DEAD)}
        except psycopg.OperationalError:  # PostgreSQL restarts just now
            return

    def counted(self) -> dict[str, int]:
        """Kind → how often, in the order of the table."""
        swept = [_SWEPT.search(line) for line in self._desk.logged("A sweep woke")]
        woken = [(int(found[1]), int(found[2])) for found in swept if found]
        kinds = Counter(kind for kind, _, _ in self.dead)
        one = self._desk.stack.one
        return {
            "leases of turns taken over": kinds["turn"],
            "leases of sends taken over": kinds["send"],
            "sweeps that found work": len(woken),
            "turns woken by sweeps": sum(turns for turns, _ in woken),
            "deliveries woken by sweeps": sum(sends for _, sends in woken),
            "turns tried again after an error": one("SELECT coalesce(sum(failures), 0) FROM aitools_turn"),
            "turns given up, told": one("SELECT count(*) FROM aitools_turn WHERE state = 'failed'"),
            "tool runs repeated": one("SELECT count(*) FROM aitools_toolcall WHERE attempt > 1"),
            "sends tried again": one("SELECT count(*) FROM aitools_outboundmessage WHERE attempts > 1"),
            "sends repeated with the mark": one("SELECT count(*) FROM aitools_outboundmessage WHERE possibly_repeated"),
            "sends given up, shown to staff": one(
                "SELECT count(*) FROM aitools_outboundmessage WHERE state = 'failed'"
            ),
        }
