"""Audit events: rows in the transaction of what they report, a signal for each once it is committed."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import ProtectedError
from django.test import RequestFactory
from django.test.utils import CaptureQueriesContext

import aitools
from aitools import audit, events
from aitools.models import AuditEvent, Conversation, Step, ToolCall, Turn
from aitools.providers import scripted
from aitools.providers.scripted import asks, says
from tests.aitools.desk import Desk
from tests.aitools.threads import together

ORDER = asks(("make", {"name": "pan", "count": 2}))


@pytest.fixture
def heard() -> Iterator[list[AuditEvent]]:
    """What a receiver of the signal is given, in order."""
    got: list[AuditEvent] = []

    def receiver(sender: type[AuditEvent], event: AuditEvent, **kwargs: Any) -> None:
        got.append(event)

    audit.tool_event.connect(receiver)
    yield got
    audit.tool_event.disconnect(receiver)


@pytest.fixture
def failing() -> Iterator[None]:
    """A receiver that always breaks, connected before any other."""

    def receiver(**kwargs: Any) -> None:
        raise RuntimeError("quiero pan")

    audit.tool_event.connect(receiver)
    yield
    audit.tool_event.disconnect(receiver)


@pytest.fixture
def call(transactional_db: None) -> ToolCall:
    talk = Conversation.objects.create(channel="web", address="v")
    turn = Turn.objects.create(conversation=talk)
    Step.objects.create(turn=turn, index=3, provider="scripted", stop="tool_calls")
    return ToolCall.objects.create(turn=turn, step=3, position=0, name="make", arguments={"name": "pan"})


def kinds(happened: list[AuditEvent]) -> list[str]:
    return [event.kind for event in happened]


class TestRows:
    def test_an_event_tells_which_call_of_which_step_in_which_chat(self, call: ToolCall) -> None:
        audit.record_call(events.CALL, call, error="x" * 600)

        row, talk = AuditEvent.objects.get(), call.turn.conversation
        assert (row.kind, row.tool, row.step, row.call_id) == ("tool.call", "make", 3, str(call.call_id))
        assert (row.turn, row.conversation, row.chat_key) == (call.turn, talk, str(talk.pk))
        assert (row.arguments, len(row.error)) == ({"name": "pan"}, 500)

    def test_an_event_of_the_loop_has_no_tool(self, call: ToolCall) -> None:
        audit.store([audit.of_turn(events.MAX_STEPS, call.turn)])

        row = AuditEvent.objects.get()
        assert (row.kind, row.tool, row.step, row.arguments) == ("loop.max_steps", "", None, None)

    def test_many_are_one_statement_and_keep_their_order(self, call: ToolCall) -> None:
        wanted = [events.REQUESTED, events.APPROVED, events.CALL, events.RESULT]
        with CaptureQueriesContext(connection) as queries:
            audit.store([audit.of_call(kind, call) for kind in wanted])

        assert len([query for query in queries if query["sql"].startswith("INSERT")]) == 1
        assert kinds(list(AuditEvent.objects.order_by("id"))) == wanted

    def test_nothing_to_store_costs_nothing(self, call: ToolCall) -> None:
        with CaptureQueriesContext(connection) as queries:
            audit.store([])

        assert not queries.captured_queries


class TestSignal:
    def test_a_whole_order_is_heard_as_it_is_stored(self, desk: Desk, heard: list[AuditEvent]) -> None:
        with scripted.script([ORDER, says("Listo.")]):
            desk.write("2 panes")
            desk.press("yes")

        assert kinds(heard) == desk.events()
        assert kinds(heard)[:2] == [events.REQUESTED, events.APPROVED]
        assert [event.pk for event in heard] == sorted({event.pk for event in heard})

    def test_it_comes_after_the_commit_when_everybody_can_read_the_row(
        self, call: ToolCall, heard: list[AuditEvent]
    ) -> None:
        seen: list[bool] = []

        def receiver(event: AuditEvent, **kwargs: Any) -> None:
            together(lambda: seen.append(AuditEvent.objects.filter(pk=event.pk).exists()))

        audit.tool_event.connect(receiver)
        with transaction.atomic():
            audit.record_call(events.CALL, call)
            assert heard == []
        audit.tool_event.disconnect(receiver)

        assert (kinds(heard), seen) == ([events.CALL], [True])

    def test_what_is_rolled_back_is_neither_stored_nor_heard(self, call: ToolCall, heard: list[AuditEvent]) -> None:
        with transaction.atomic():
            audit.record_call(events.CALL, call)
            transaction.set_rollback(True)

        assert (heard, AuditEvent.objects.count()) == ([], 0)

    @pytest.mark.usefixtures("failing")
    def test_a_receiver_that_breaks_harms_nobody(
        self, desk: Desk, heard: list[AuditEvent], caplog: pytest.LogCaptureFixture
    ) -> None:
        with caplog.at_level(logging.ERROR), scripted.script([ORDER, says("Listo.")]):
            desk.write("2 panes")
            said = desk.press("yes")

        assert said == ["Listo."]
        assert kinds(heard) == desk.events()
        ours = [record for record in caplog.records if record.name == "aitools.audit"]
        assert len(ours) == len(heard)
        assert not any("pan" in record.getMessage() for record in ours)


class TestAppendOnly:
    """What holds it: no page of the admin, no code but retention, and foreign keys that protect."""

    @pytest.mark.usefixtures("db")
    def test_no_superuser_can_add_change_or_delete_one_in_the_admin(self) -> None:
        request = RequestFactory().get("/")
        request.user = User.objects.create_superuser("olga")
        page = admin.site._registry[AuditEvent]
        row = AuditEvent.objects.create(kind=events.CALL)

        allowed = [
            page.has_add_permission(request),
            page.has_change_permission(request, row),
            page.has_delete_permission(request, row),
            bool(page.get_actions(request)),
        ]
        assert (allowed, page.has_view_permission(request, row)) == ([False] * 4, True)

    def test_only_retention_changes_one_and_nothing_deletes_any(self) -> None:
        changing = re.compile(r"AuditEvent\.objects[^\n]*\.(?:update|delete|bulk_update)\(|event\.(?:save|delete)\(")
        engine = Path(aitools.__file__).parent
        assert [path.name for path in engine.rglob("*.py") if changing.search(path.read_text())] == []

    def test_a_turn_with_events_can_not_be_deleted_under_them(self, call: ToolCall) -> None:
        audit.store([audit.of_turn(events.MAX_STEPS, call.turn)])
        ToolCall.objects.all().delete()
        Step.objects.all().delete()

        with pytest.raises(ProtectedError):
            call.turn.delete()
