"""Retention: old words and arguments are gone from every table, rows and live work stay."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, connections, transaction
from django.db.models import Model
from django.test.utils import CaptureQueriesContext

from aitools import clock, outbox, retention, tasks
from aitools.channels.base import EventKind
from aitools.models import (
    AuditEvent,
    BotProfile,
    Conversation,
    InboundEvent,
    OutboundMessage,
    PendingConfirmation,
    Step,
    ToolCall,
    Turn,
)
from aitools.providers import scripted
from aitools.providers.scripted import asks, says
from tests.aitools.desk import Desk, things
from tests.aitools.threads import together

NAME, NUMBER, WORDS = "Ximena", "+573004445566", "almojábana"
PERSONAL = (NAME, NUMBER, WORDS)
YEAR = timedelta(days=366)


@pytest.fixture
def old(desk: Desk) -> Desk:
    """A customer who ordered more than a year ago, with personal data in every place that takes any."""
    who = {"profile_name": NAME, "phone": NUMBER, "extra": {"contacts": [{"wa_id": NUMBER, "name": NAME}]}}
    order = asks(("make", {"name": WORDS, "count": 2}), text=f"Para {NAME}")
    with scripted.script([order, says(f"Listo, {NAME}: tu {WORDS}.")]):
        desk.write(f"soy {NAME}, quiero 2 {WORDS}", media=[{"caption": NAME}], **who)
        desk.press("yes")
    Step.objects.update(raw={"said": NAME}, facts={"name": NAME}, nudge=f"Not {WORDS}.")
    PendingConfirmation.objects.update(fingerprint={"for": NAME})
    Turn.objects.update(failure=f"ValueError: {NAME}")
    OutboundMessage.objects.update(error=f"{NUMBER} is not a mobile number")
    AuditEvent.objects.update(error=f"no {WORDS}")
    clock.shift(YEAR.total_seconds())
    return desk


def later() -> datetime:
    """A year on, for processes whose clock is not shifted."""
    return datetime.now().astimezone() + YEAR


def places(words: str) -> list[str]:
    """Tables of ours with a row that has these words in any column, JSON included."""
    tables = [name for name in connection.introspection.table_names() if name.startswith("aitools_")]
    found = []
    with connection.cursor() as cursor:
        for table in tables:
            cursor.execute(f"SELECT 1 FROM {table} AS r WHERE to_jsonb(r)::text ILIKE %s LIMIT 1", [f"%{words}%"])
            found += [table] if cursor.fetchone() else []
    return found


def written(queries: CaptureQueriesContext) -> list[str]:
    """Tables that were written to, once per statement."""
    return [query["sql"].split('"')[1] for query in queries if query["sql"].startswith(("UPDATE", "DELETE", "INSERT"))]


class TestWhatGoes:
    def test_nothing_personal_is_found_in_any_column_but_the_address(self, old: Desk) -> None:
        full = {table for words in PERSONAL for table in places(words)}
        assert full >= {part.model._meta.db_table for part in retention.PARTS}

        retention.purge()

        assert (places(NAME), places(WORDS)) == ([], ["aitools_modelendpoint"])  # the thing made: the shop's own fact
        assert places(NUMBER) == ["aitools_conversation"]

    def test_an_event_of_no_conversation_is_emptied_too(self, old: Desk) -> None:
        at = clock.now() - YEAR
        InboundEvent.objects.create(
            channel="web", provider_id="s-1", kind="status", extra={"to": NUMBER}, received_at=at
        )

        retention.purge()

        assert places(NUMBER) == ["aitools_conversation"]

    def test_what_belongs_to_no_turn_is_emptied_too(self, old: Desk) -> None:
        at, talk = clock.now() - YEAR, old.conversation()
        OutboundMessage.objects.create(conversation=talk, text=f"¡Feliz día, {NAME}!", created_at=at, state="sent")
        AuditEvent.objects.create(kind="tool.error", error=f"no {NAME}", at=at)

        retention.purge()

        assert places(NAME) == []

    def test_rows_keep_ids_states_times_tools_and_tokens(self, old: Desk) -> None:
        kept: Mapping[type[Model], tuple[str, ...]] = {
            InboundEvent: ("id", "provider_id", "kind", "seq", "state", "received_at"),
            OutboundMessage: ("id", "kind", "state", "buttons", "turn_id", "sent_at", "provider_id"),
            PendingConfirmation: ("call_id", "state", "digest", "asked_at", "answered_by_id"),
            ToolCall: ("id", "name", "state", "digest", "duration_ms", "finished_at"),
            Step: ("turn_id", "index", "model", "stop", "input_tokens", "output_tokens", "created_at"),
            Turn: ("id", "state", "started_at", "finished_at"),
            AuditEvent: ("id", "at", "kind", "tool_call_id", "step"),
        }
        before = {model: list(model._default_manager.order_by("pk").values_list(*kept[model])) for model in kept}

        retention.purge()

        assert before == {
            model: list(model._default_manager.order_by("pk").values_list(*kept[model])) for model in kept
        }
        assert all(before.values())

    def test_the_shops_own_tables_are_not_touched(self, old: Desk) -> None:
        with CaptureQueriesContext(connection) as queries:
            retention.purge()

        assert written(queries)
        assert all(table.startswith("aitools_") for table in written(queries))
        assert len(things()) == 1

    def test_an_opt_out_holds_and_the_customer_stays_one(self, old: Desk) -> None:
        old.receive("BAJA", kind=EventKind.OPT_OUT)
        clock.shift(2 * YEAR.total_seconds())

        retention.purge()
        said = old.write("hola")

        assert said == []
        assert Conversation.objects.get().opted_out_at is not None

    def test_the_model_sees_nothing_of_an_emptied_turn(self, old: Desk) -> None:
        retention.purge()

        with scripted.script([says("¡Hola!")]) as script:
            old.write("hola")

        assert [message.text for message in script.calls[0].messages if hasattr(message, "text")] == ["hola"]

    def test_a_late_yes_to_an_emptied_question_runs_nothing(self, desk: Desk) -> None:
        with scripted.script([asks(("make", {"name": WORDS}))]):
            desk.write(f"quiero {WORDS}")
        clock.shift(130)
        desk.sweep()
        clock.shift(YEAR.total_seconds())
        retention.purge()

        with scripted.script([says("¿En qué te ayudo?")]):
            assert desk.write("sí")[-1] == "¿En qué te ayudo?"
        assert things() == []

    def test_an_emptied_message_is_never_sent_again(self, old: Desk) -> None:
        OutboundMessage.objects.update(state="failed")
        retention.purge()

        outbox.retry(OutboundMessage.objects.filter(call=None).latest("id").pk)

        assert set(OutboundMessage.objects.values_list("state", flat=True)) == {"failed"}


class TestWhatStays:
    def test_what_is_younger_than_the_setting(self, old: Desk) -> None:
        clock.shift(timedelta(days=364).total_seconds())

        assert not any(retention.purge().values())

    def test_everything_when_the_setting_is_for_ever(self, old: Desk, profile: BotProfile) -> None:
        BotProfile.objects.update(retention_days=0)

        assert retention.purge() == {}
        assert places(NAME)

    @pytest.mark.parametrize("state", ["running", "waiting"])
    def test_everything_of_an_open_turn(self, state: str, old: Desk) -> None:
        Turn.objects.update(state=state)
        kept = {words: places(words) for words in PERSONAL}

        retention.purge()

        assert {words: places(words) for words in PERSONAL} == kept

    def test_an_open_question(self, old: Desk) -> None:
        PendingConfirmation.objects.update(state="pending")

        retention.purge()

        assert PendingConfirmation.objects.get().arguments["name"] == WORDS

    @pytest.mark.parametrize("state", ["queued", "sending", "uncertain"])
    def test_a_message_that_is_not_sent_yet(self, state: str, old: Desk) -> None:
        OutboundMessage.objects.update(state=state)

        retention.purge()

        assert WORDS in OutboundMessage.objects.latest("id").text

    def test_what_nobody_has_read_yet_and_its_writers_name(self, desk: Desk) -> None:
        desk.receive(f"quiero {WORDS}", profile_name=NAME)
        clock.shift(YEAR.total_seconds())

        retention.purge()

        assert WORDS in InboundEvent.objects.get().text
        assert Conversation.objects.get().profile_name == NAME

    def test_the_name_of_a_customer_who_still_writes(self, old: Desk) -> None:
        with scripted.script([says("¡Hola!")]):
            old.write("hola")

        retention.purge()

        assert places(NAME) == ["aitools_conversation"]


class TestRunning:
    def test_a_second_run_writes_nothing(self, old: Desk) -> None:
        retention.purge()

        with CaptureQueriesContext(connection) as queries:
            again = retention.purge()

        assert not any(again.values())
        assert written(queries) == []

    def test_young_rows_are_not_even_read(self, old: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(retention, "BATCH", 2)
        for number in range(20):
            old.receive(f"hola {number}")

        with CaptureQueriesContext(connection) as queries:
            retention.purge()

        reads = [query for query in queries if 'FROM "aitools_inboundevent"' in query["sql"]]
        old_pages = 1
        assert len(reads) == 2 * old_pages + 1

    def test_each_transaction_takes_a_batch_and_a_stopped_run_is_gone_on_with(
        self, old: Desk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(retention, "BATCH", 1)
        empty, done = retention._empty, list[int]()

        def stops(*args: object, **kwargs: object) -> int:
            if len(done) == 1:
                raise InterruptedError
            done.append(empty(*args, **kwargs))  # type: ignore[arg-type]
            return done[-1]

        monkeypatch.setattr(retention, "_empty", stops)
        with pytest.raises(InterruptedError):
            retention.purge()
        assert InboundEvent.objects.filter(text="").count() == 1

        monkeypatch.setattr(retention, "_empty", empty)
        assert retention.purge()["aitools_inboundevent"] == InboundEvent.objects.count() - 1

    def test_two_at_once_share_the_work(self, old: Desk) -> None:
        wanted, counts = retention.purge(dry_run=True), []
        now = later()

        together(*[lambda: counts.append(retention.purge(now))] * 2)

        assert {table: sum(count[table] for count in counts) for table in wanted} == wanted
        assert places(NAME) == []

    def test_a_row_that_somebody_holds_is_left_to_the_next_run(self, old: Desk) -> None:
        now = later()
        held = Turn.objects.select_for_update().order_by("pk")

        with transaction.atomic():
            assert held.first() is not None
            in_a_thread(lambda: retention.purge(now))
            assert Turn.objects.exclude(text="").count() == 1

        assert retention.purge()["aitools_turn"] == 1

    def test_beats_task_does_it(self, old: Desk) -> None:
        tasks.purge()

        assert places(NAME) == []


class TestCommand:
    def test_a_dry_run_counts_and_changes_nothing(self, old: Desk) -> None:
        told = run("--dry-run")

        assert "aitools_turn: 1" in told
        assert places(NAME)
        assert run() == told
        assert places(NAME) == []

    def test_days_can_be_fewer_than_the_setting(self, old: Desk) -> None:
        clock.shift(timedelta(days=9).total_seconds())

        assert "aitools_turn: 0" in run("--days", "10")
        assert "aitools_turn: 1" in run("--days", "8")

    @pytest.mark.parametrize("days", ["0", "-1"])
    def test_no_days_at_all_is_a_mistake(self, days: str, old: Desk) -> None:
        with pytest.raises(CommandError):
            run("--days", days)

    def test_for_ever_is_said(self, old: Desk) -> None:
        BotProfile.objects.update(retention_days=0)

        assert "for ever" in run()


def run(*arguments: str) -> str:
    told = StringIO()
    call_command("purge_conversations", *arguments, stdout=told)
    return told.getvalue()


def in_a_thread(act: Callable[[], object]) -> None:
    """With a connection of its own, to its end."""

    def run() -> None:
        try:
            act()
        finally:
            connections.close_all()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(30)
    assert not thread.is_alive(), "It waited for the row."
