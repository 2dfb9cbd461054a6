"""An hour-old backup comes back: what the desk does with it by itself, and what after_restore makes of it.

The backups are real: ``pg_dump`` and ``pg_restore`` of the test's own database.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection

from aitools import clock, queue
from aitools.channels.base import EventKind
from aitools.models import BotProfile, Conversation, OutboundMessage, PendingConfirmation
from bakery.local import services
from orders.models import DayCounter, Order
from tests.aitools import faulty
from tests.aitools.desk import Desk
from tests.orders.factories import load_sample

#: Real time between now and a Tuesday morning in Bogotá; set for each connection.
MORNING = "2026-11-24 16:00:00+00"


@pytest.fixture
def desk(transactional_db: None, monkeypatch: pytest.MonkeyPatch, settings: object) -> Iterator[Desk]:
    """A customer by a vendor that sends, on a Tuesday morning."""
    load_sample()
    BotProfile.objects.create(name="test", settle_seconds=0, confirm_seconds=1800)
    made = faulty.move(Desk(), settings)
    monkeypatch.setattr(queue, "publish", made.publish)
    at(0)
    yield made
    clock.shift(0)


def at(minutes: float) -> None:
    """So many minutes after the morning the test begins at."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT extract(epoch FROM %s::timestamptz - clock_timestamp())", [MORNING])
        clock.shift(float(cursor.fetchone()[0]) + 60 * minutes)


@pytest.fixture
def backup(tmp_path: Path) -> Iterator[Callable[[], Callable[[], None]]]:
    """Makes a backup; what it returns restores it."""

    def make() -> Callable[[], None]:
        file = tmp_path / "bakery.dump"
        run("pg_dump", "--format=custom", f"--file={file}", "--schema=public")
        at(1)
        return lambda: run("pg_restore", "--clean", "--if-exists", "--single-transaction", str(file))

    yield make
    connection.close()


def run(program: str, *options: str) -> None:
    given = connection.settings_dict
    connection.close()
    url = f"postgresql://{given['USER']}:{given['PASSWORD']}@{given['HOST']}:{given['PORT']}/{given['NAME']}"
    target = [url] if program == "pg_dump" else ["--dbname", url]
    subprocess.run([services._postgres_programs() / program, *options, *target], check=True, capture_output=True)


def an_hour_later(restore: Callable[[], None]) -> None:
    """The disk is lost at 60 minutes; the backup is of minute 0."""
    restore()
    at(60)


class TestByItself:
    """Without after_restore: nothing is ordered twice, but customers hear the past hour again."""

    def test_an_open_question_expires_and_the_order_of_the_lost_hour_is_gone(
        self, desk: Desk, backup: Callable[[], Callable[[], None]]
    ) -> None:
        desk.write("quiero 2 croissants, a nombre de Ana", profile_name="Ana")
        restore = backup()
        desk.write("sí")
        assert Order.objects.count() == 1
        an_hour_later(restore)
        (told,) = desk.sweep()
        assert told.startswith("Se acabó el tiempo")
        assert Order.objects.count() == 0
        assert PendingConfirmation.objects.get().state == "expired"

    def test_replies_that_waited_are_sent_again(self, desk: Desk, backup: Callable[[], Callable[[], None]]) -> None:
        desk.receive("hola")
        desk.published.clear()
        desk.write("¿a qué hora abren?")
        OutboundMessage.objects.update(state="queued", attempts=0, attempted_at=None, provider_id="", status="")
        restore = backup()
        said = faulty.VENDOR.texts()
        an_hour_later(restore)
        desk.sweep()
        assert faulty.VENDOR.texts() == [*said, *said]

    def test_a_vendor_that_repeats_a_webhook_changes_nothing_twice(
        self, desk: Desk, backup: Callable[[], Callable[[], None]]
    ) -> None:
        """One it had given up repeating is never seen again: its log has it, our rows have not."""
        known = desk.receive("hola", provider_id="SM-known")
        desk.sweep()
        restore = backup()
        desk.write("quiero un café", provider_id="SM-lost")
        an_hour_later(restore)
        assert desk.write("hola", provider_id=known) == []
        assert desk.conversation().inbound.filter(provider_id="SM-lost").count() == 0
        assert desk.write("quiero un café", provider_id="SM-lost") != []

    def test_a_yes_to_a_question_of_the_lost_hour_orders_nothing(
        self, desk: Desk, backup: Callable[[], Callable[[], None]]
    ) -> None:
        desk.write("hola", profile_name="Ana")
        restore = backup()
        desk.write("quiero 2 croissants, a nombre de Ana")
        key = desk.question().key
        an_hour_later(restore)
        desk.write("Sí", kind=EventKind.PRESS, payload=f"confirm:{key}:yes", message_kind="button")
        desk.write("sí")
        assert Order.objects.count() == 0


class TestAfterRestore:
    """With it, customers hear nothing of the past hour; staff see what was under way."""

    @pytest.fixture
    def restored(self, desk: Desk) -> Desk:
        """An hour ago: an open question, a reply in the queue, one in the air, and a message unread."""
        desk.write("quiero 2 croissants, a nombre de Ana", profile_name="Ana")
        talk = desk.conversation()
        for state, text in (("queued", "en cola"), ("sending", "en el aire")):
            OutboundMessage.objects.create(conversation=talk, text=text, state=state, attempted_at=clock.now())
        desk.receive("¿siguen ahí?")
        faulty.VENDOR.forget()
        at(60)
        return desk

    def test_nothing_is_said_and_staff_have_all_of_it(self, restored: Desk, capsys: pytest.CaptureFixture[str]) -> None:
        call_command("after_restore")
        assert capsys.readouterr().out.splitlines() == [
            "conversations: 1",
            "messages unread: 1",
            "turns: 1",
            "questions: 1",
            "messages unsent: 2",
        ]
        restored.sweep()
        assert faulty.VENDOR.texts() == []
        assert (restored.conversation().needs_staff, restored.conversation().has_unread) == (True, False)
        assert (restored.question().state, restored.turn().state) == ("cancelled", "cancelled")
        doubtful = OutboundMessage.objects.filter(state="failed").values_list("text", "error_code")
        assert list(doubtful) == [("en cola", "unknown"), ("en el aire", "unknown")]

    def test_the_next_message_is_answered_as_ever(self, restored: Desk) -> None:
        call_command("after_restore")
        restored.write("quiero 2 croissants, a nombre de Ana")
        restored.write("sí")
        assert Order.objects.count() == 1

    def test_a_second_run_and_a_dry_one_change_nothing(
        self, restored: Desk, capsys: pytest.CaptureFixture[str]
    ) -> None:
        call_command("after_restore", "--dry-run")
        assert restored.question().state == "pending"
        call_command("after_restore")
        capsys.readouterr()
        call_command("after_restore")
        assert "conversations: 0" in capsys.readouterr().out

    def test_who_wrote_a_moment_ago_may_be_left_out(self, restored: Desk) -> None:
        Conversation.objects.update(last_inbound_at=clock.now() - timedelta(minutes=2))
        call_command("after_restore", "--minutes=5")
        assert restored.question().state == "pending"

    def test_order_numbers_of_the_lost_hour_are_not_given_again(self, restored: Desk) -> None:
        call_command("after_restore", "--skip-numbers=50")
        restored.write("quiero 2 croissants, a nombre de Ana")
        restored.write("sí")
        assert Order.objects.get().day_no == 51
        assert DayCounter.objects.filter(last=50).count() == 30


def test_a_database_that_was_never_lost_is_left_alone(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("after_restore")
    assert "conversations: 0" in capsys.readouterr().out
