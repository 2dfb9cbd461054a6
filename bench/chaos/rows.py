"""What the database says in the end, by plain SQL: tables and columns are known by name only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import psycopg
from psycopg.rows import namedtuple_row

QUERIES = {
    "conversations": """
        SELECT id, CASE channel WHEN 'twilio_whatsapp' THEN 'whatsapp:' ELSE '' END || address AS address,
               read_seq < inbox_seq AS unread, coalesce(lease_until > aitools_now(), false) AS held, needs_staff
        FROM aitools_conversation""",
    "inbound": """
        SELECT conversation_id, provider_id, kind, seq, state, received_at FROM aitools_inboundevent ORDER BY id""",
    "outbound": """
        SELECT id, key::text AS key, conversation_id, turn_id, kind, state, text, possibly_repeated, created_at
        FROM aitools_outboundmessage ORDER BY id""",
    "turns": "SELECT id, conversation_id, state, read_to FROM aitools_turn ORDER BY id",
    "calls": """
        SELECT c.id, c.call_id::text AS call_id, c.name, c.state, c.is_error, t.id AS turn_id, t.conversation_id
        FROM aitools_toolcall c JOIN aitools_turn t ON t.id = c.turn_id
        ORDER BY c.id""",
    "questions": """
        SELECT p.call_id, o.id AS message_id, o.key::text AS key, o.conversation_id, p.state, o.created_at AS stored_at,
               p.asked_at, p.expires_at, p.settled_at, p.answered_seq
        FROM aitools_pendingconfirmation p JOIN aitools_outboundmessage o ON o.id = p.message_id ORDER BY o.id""",
    "orders": """
        SELECT o.id, b.letter || '-' || o.day_no AS number, o.state, o.total, o.subtotal, o.version, o.tool_call_id,
               o.customer_id
        FROM orders_order o JOIN orders_branch b ON b.id = o.branch_id ORDER BY o.id""",
    "lines": """
        SELECT l.order_id, l.name, l.quantity, l.unit_price, l.line_total FROM orders_orderline l""",
    "order_events": "SELECT order_id, what, count(*) AS times FROM orders_orderevent GROUP BY 1, 2",
    "stock": """
        SELECT p.name, sum(s.taken) AS taken FROM orders_daystock s JOIN orders_product p ON p.id = s.product_id
        GROUP BY 1""",
    "audit": """
        SELECT e.kind, c.call_id::text AS call_id, count(*) AS times
        FROM aitools_auditevent e LEFT JOIN aitools_toolcall c ON c.id = e.tool_call_id GROUP BY 1, 2""",
}

Row = Any


@dataclass(frozen=True)
class Rows:
    """All rows the checks read, by the names of ``QUERIES``."""

    tables: dict[str, list[Row]]

    @classmethod
    def read(cls, connection: psycopg.Connection[Any]) -> Rows:
        cursor = connection.cursor(row_factory=namedtuple_row)
        return cls({name: cursor.execute(query.encode()).fetchall() for name, query in QUERIES.items()})

    def __getattr__(self, name: str) -> list[Row]:
        try:
            return self.tables[name]
        except KeyError:
            raise AttributeError(name) from None

    @cached_property
    def address(self) -> dict[int, str]:
        """conversation id → the customer's address at the vendor."""
        return {row.id: row.address for row in self.tables["conversations"]}

    @cached_property
    def call(self) -> dict[int, Row]:
        return {row.id: row for row in self.tables["calls"]}

    @cached_property
    def audited(self) -> dict[tuple[str, str], int]:
        """How often each (event, call id) was recorded."""
        return {(row.kind, row.call_id): row.times for row in self.tables["audit"]}

    @cached_property
    def order_of_call(self) -> dict[int, list[Row]]:
        return grouped(self.tables["orders"], "tool_call_id")

    @cached_property
    def lines_of(self) -> dict[int, list[Row]]:
        return grouped(self.tables["lines"], "order_id")

    @cached_property
    def sent_by_turn(self) -> dict[int, list[Row]]:
        return grouped(self.tables["outbound"], "turn_id")

    @cached_property
    def sent_to(self) -> dict[int, list[Row]]:
        return grouped(self.tables["outbound"], "conversation_id")


def grouped(rows: Iterable[Row], column: str) -> dict[Any, list[Row]]:
    """Rows by one column's value, in their order; a value without rows has an empty list."""
    groups: defaultdict[Any, list[Row]] = defaultdict(list)
    for row in rows:
        groups[getattr(row, column)].append(row)
    return groups
