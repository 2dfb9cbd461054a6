"""What the rows say at a scrape, and that no large table is read for it."""

from __future__ import annotations

import uuid
from datetime import timedelta

import pytest
from django.db import DatabaseError, connection
from django.test.utils import CaptureQueriesContext

from aitools import behaviour, breakers, clock, gauges
from aitools.models import BotProfile, Conversation, ModelEndpoint
from aitools.providers import scripted
from aitools.providers.scripted import asks
from tests.aitools.desk import Desk

#: Tables that grow with every message. Conversations, one a customer, are read by each sweep too.
GROWING = (
    "aitools_inboundevent",
    "aitools_outboundmessage",
    "aitools_turn",
    "aitools_step",
    "aitools_toolcall",
    "aitools_pendingconfirmation",
    "aitools_auditevent",
)


def read() -> dict[str, float]:
    return {metric.name: metric.samples[0].value for metric in gauges.DatabaseGauges().collect()}


def test_a_desk_at_rest_shows_zeros(desk: Desk) -> None:
    assert read() == {"aitools_database_up": 1.0} | dict.fromkeys([name for name, _, _ in gauges.GAUGES], 0)


def test_each_gauge_shows_what_is_open(desk: Desk) -> None:
    with scripted.script([asks(("make", {"name": "pan"}))]):
        desk.receive("pan")
        clock.shift(100)
        assert 100 <= read()["aitools_inbox_oldest_unread_seconds"] < 130
        desk.sweep()
    shown = read()
    assert (shown["aitools_turns_open"], shown["aitools_confirmations_pending"]) == (1, 1)
    assert shown["aitools_inbox_oldest_unread_seconds"] == 0
    desk.conversation().outbound.update(state="queued", created_at=clock.now() - timedelta(seconds=70))
    assert 70 <= read()["aitools_outbox_oldest_unsent_seconds"] < 100


def test_a_breaker_is_shown_by_the_models_row(desk: Desk) -> None:
    row = ModelEndpoint.objects.create(name="far", kind="anthropic", model=str(uuid.uuid4()))
    BotProfile.objects.get().fallbacks.add(row)
    (before,) = breakers_shown()
    for _ in range(breakers.FAILURES):
        breakers.failed(behaviour.from_row(row), "timeout")
    (after,) = breakers_shown()
    assert before == ({"kind": "anthropic", "endpoint": str(row.pk)}, breakers.State.CLOSED)
    assert after == (before[0], breakers.State.OPEN)


def breakers_shown() -> list[tuple[dict[str, str], float]]:
    shown = [metric for metric in gauges.DatabaseGauges().collect() if metric.name == gauges.BREAKER]
    return [(sample.labels, sample.value) for metric in shown for sample in metric.samples]


def test_no_growing_table_need_be_read_in_sequence(desk: Desk) -> None:
    """Sequential reads are made dear, so that a plan has one only where there is no index for it."""
    with CaptureQueriesContext(connection) as asked:
        read()
    plans = []
    with connection.cursor() as cursor:
        cursor.execute("SET enable_seqscan = off")
        try:
            for query in [one["sql"] for one in asked if one["sql"].startswith("SELECT") and "FROM" in one["sql"]]:
                cursor.execute(f"EXPLAIN {query}")
                plans += [line for (line,) in cursor.fetchall()]
        finally:
            cursor.execute("RESET enable_seqscan")
    assert [line for line in plans for table in GROWING if f"Seq Scan on {table}" in line] == []
    assert any("Index" in line for line in plans)


def test_a_database_that_fails_is_told_and_hides_no_counts(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> float:
        raise DatabaseError("gone")

    monkeypatch.setattr(gauges, "GAUGES", (("aitools_turns_open", "", broken),))
    assert read() == {"aitools_database_up": 0.0}


def test_messages_that_were_read_have_no_age(desk: Desk) -> None:
    Conversation.objects.create(channel="web", address="x", first_unread_at=clock.now() - timedelta(days=1))
    assert read()["aitools_inbox_oldest_unread_seconds"] == 0
