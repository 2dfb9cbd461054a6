"""What the migration to slim rows keeps: a talk from before it goes on after it, there and back."""

from __future__ import annotations

import pytest
from django.core.management import call_command
from django.db import connection

from aitools.models import AuditEvent, OutboundMessage, PendingConfirmation, Step, ToolCall
from aitools.providers import scripted
from aitools.providers.scripted import asks, says
from tests.aitools import desk as parts
from tests.aitools.desk import Desk

ORDER = asks(("look", {}), ("make", {"name": "pan"}))
BEFORE = "0006_lighter_rows"


@pytest.fixture
def moved(desk: Desk) -> Desk:
    """One order that was confirmed and a question that waits, stored as they were before, and then as they are now."""
    with scripted.script([ORDER, says("Listo."), asks(("make", {"name": "té"}))]):
        desk.write("pan")
        desk.press("yes")
        desk.write("y un té")
    known = rows()
    try:
        call_command("migrate", "aitools", BEFORE, verbosity=0)
        old = columns("aitools_pendingconfirmation")
    finally:
        call_command("migrate", "aitools", verbosity=0)
    assert {"arguments", "question", "key"} <= old
    assert rows() == known
    return desk


def rows() -> dict[str, list[object]]:
    """What the tables say that were rewritten."""
    return {
        "steps": list(Step.objects.order_by("pk").values_list("turn_id", "index", "stop", "facts")),
        "calls": list(ToolCall.objects.order_by("pk").values_list("turn_id", "step", "name", "arguments", "digest")),
        "questions": [
            (row.pk, row.key, row.tool, row.question, row.digest, row.state, row.fingerprint, row.expires_at)
            for row in PendingConfirmation.objects.order_by("pk")
        ],
        "messages": [(row.pk, row.key, row.call_id, row.choices) for row in OutboundMessage.objects.order_by("pk")],
        "events": [
            (row.pk, row.at, row.kind, row.step, row.call_id, row.chat_key, row.duration_ms)
            for row in AuditEvent.objects.order_by("pk")
        ],
    }


def columns(table: str) -> set[str]:
    with connection.cursor() as cursor:
        return {column.name for column in connection.introspection.get_table_description(cursor, table)}


def test_a_question_from_before_is_answered_after_and_what_follows_lies_beside_it(moved: Desk) -> None:
    with scripted.script([says("Hecho."), asks(("make", {"name": "torta"})), says("Listo.")]):
        assert moved.press("yes") == ["Hecho."]
        moved.write("y una torta")
        assert moved.press("yes") == ["Listo."]
    assert {thing.split()[0] for thing in parts.things()} == {"pan", "té", "torta"}
    assert ToolCall.objects.order_by("pk").last() == AuditEvent.objects.latest("id").tool_call
