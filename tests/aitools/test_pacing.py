"""How fast and how late we write: caps shared by all workers, stopped senders, the 24 hours, second tries."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from pytest_django import Settings

from aitools import caps, clock, inbox, leases, outbox, pacing, sending
from aitools.channels.base import Capabilities, DeliveryStatus, EventKind, InboundMessage
from aitools.errors import ChannelPermanent, ChannelTransient
from aitools.models import Conversation, OutboundMessage
from tests.aitools import faulty, paced
from tests.aitools.desk import Desk
from tests.aitools.paced import another, can, desk_row, say, told, wait

Kind = OutboundMessage.Kind
PACED = Capabilities(text_limit=160, per_second=50)
LATE = Capabilities(text_limit=160, window_hours=24)


@pytest.fixture
def desk(desk: Desk, settings: Settings) -> Desk:
    return paced.move(desk, settings)


@pytest.fixture
def vendor(desk: Desk) -> faulty.Vendor:
    return faulty.VENDOR


def test_one_recipient_gets_no_more_than_the_channel_allows(
    desk: Desk, vendor: faulty.Vendor, monkeypatch: pytest.MonkeyPatch
) -> None:
    can(monkeypatch, replace(PACED, pair_rate=(2, 60)))
    rows = [say(desk, text) for text in ("uno", "dos", "tres")]

    assert vendor.texts() == ["uno", "dos"]
    assert (rows[2].state, rows[2].attempts) == ("queued", 0)
    assert 0 < (rows[2].due_at - clock.now()).total_seconds() <= 120
    say(desk, "hola", to=another(desk))
    assert vendor.texts()[-1] == "hola"


def test_all_conversations_of_a_sender_share_its_cap(
    desk: Desk, vendor: faulty.Vendor, monkeypatch: pytest.MonkeyPatch
) -> None:
    can(monkeypatch, replace(PACED, per_second=1, pair_rate=None))
    monkeypatch.setattr(caps, "wait_for", for_a_day)
    say(desk, "uno")
    say(desk, "dos", to=another(desk))
    say(desk, "tres", to=another(desk, account="our-other-number"))

    assert vendor.texts() == ["uno", "tres"]


_wait_for = caps.wait_for


def for_a_day(*asked: caps.Cap) -> float:
    """A second is too short for a test to rely on."""
    return _wait_for(*(replace(cap, seconds=86_400) for cap in asked))


def test_waiting_for_a_cap_is_no_failure(desk: Desk, vendor: faulty.Vendor, monkeypatch: pytest.MonkeyPatch) -> None:
    can(monkeypatch, replace(PACED, pair_rate=(1, 3600)))
    say(desk, "uno")
    row = say(desk, "dos")
    for seconds in (400, 800, 1200):
        wait(desk, seconds)
    row.refresh_from_db()

    assert (row.state, row.give_up_at) == ("queued", None)


def test_a_sender_that_is_set_up_wrongly_is_left_alone_for_a_minute(
    desk: Desk, vendor: faulty.Vendor, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    can(monkeypatch, PACED)
    vendor.outcomes.append(ChannelPermanent("Authenticate", code="20003", kind="config"))
    first = say(desk, "uno")
    second = say(desk, "dos", to=another(desk))
    say(desk, "tres", to=another(desk, account="our-other-number"))

    assert (first.state, first.error_code) == ("failed", "20003")
    assert (second.state, second.attempts) == ("queued", 0)
    assert vendor.texts() == ["uno", "tres"]
    assert "set up wrongly" in caplog.text


def test_what_waits_for_a_stopped_sender_goes_when_it_works_again(
    desk: Desk, vendor: faulty.Vendor, monkeypatch: pytest.MonkeyPatch
) -> None:
    can(monkeypatch, PACED)
    caps.stop("20003 Authenticate", 60, "faulty", desk_row(desk).account)
    row = say(desk, "uno")
    assert row.state == "queued"

    monkeypatch.setattr(caps, "stopped", lambda *name: ("", 0.0))
    wait(desk, 61)
    row.refresh_from_db()
    assert row.state == "sent"


def test_who_waits_five_minutes_for_a_stopped_sender_is_shown_to_staff(
    desk: Desk, vendor: faulty.Vendor, monkeypatch: pytest.MonkeyPatch
) -> None:
    can(monkeypatch, PACED)
    monkeypatch.setattr(caps, "stopped", lambda *name: ("20003 Authenticate", 60.0))
    row = say(desk, "uno")
    for seconds in range(60, 400, 61):
        wait(desk, seconds)
    row.refresh_from_db()

    assert (row.state, row.error_code, row.attempts) == ("failed", "20003", 0)
    assert desk_row(desk).needs_staff


def test_without_redis_sending_goes_on_uncapped_with_one_line(
    desk: Desk,
    vendor: faulty.Vendor,
    without_redis: None,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    can(monkeypatch, replace(PACED, per_second=1, pair_rate=(1, 60)))
    for text in ("uno", "dos", "tres"):
        say(desk, text)

    assert vendor.texts() == ["uno", "dos", "tres"]
    assert caplog.text.count("Redis does not answer") == 1


@pytest.mark.parametrize(
    ("kind", "hours", "state"),
    [
        (Kind.STAFF, 23, "sent"),
        (Kind.STAFF, 25, "failed"),
        (Kind.NOTICE, 25, "failed"),
        (Kind.REPLY, 25, "sent"),
        (Kind.STAFF, None, "failed"),
    ],
)
def test_free_text_is_for_a_day_after_the_customers_last_message(
    kind: str, hours: int | None, state: str, desk: Desk, vendor: faulty.Vendor, monkeypatch: pytest.MonkeyPatch
) -> None:
    can(monkeypatch, LATE)
    wrote_at = None if hours is None else clock.now() - timedelta(hours=hours)
    Conversation.objects.update(last_inbound_at=wrote_at)
    row = say(desk, "tu torta está lista", kind)

    assert row.state == state
    assert len(vendor.attempts) == int(state == "sent")
    assert row.error_code == ("" if state == "sent" else "window")


def test_a_late_text_goes_as_a_template_where_there_is_one(
    desk: Desk, vendor: faulty.Vendor, monkeypatch: pytest.MonkeyPatch
) -> None:
    can(monkeypatch, replace(LATE, templates=frozenset({"es"})))
    Conversation.objects.update(last_inbound_at=clock.now() - timedelta(hours=30), language="es-mx")
    say(desk, "tu torta está lista", Kind.STAFF)
    Conversation.objects.update(last_inbound_at=clock.now())
    say(desk, "de nada", Kind.STAFF)

    assert [message.as_template for message in vendor.attempts] == [True, False]


def test_a_phone_out_of_reach_is_tried_once_more_two_minutes_later(desk: Desk, vendor: faulty.Vendor) -> None:
    say(desk, "uno")
    told(desk, DeliveryStatus.FAILED, "V1", "30008")
    row = OutboundMessage.objects.get()
    assert (row.state, row.error_code) == ("queued", "30008")
    assert (row.due_at - clock.now()).total_seconds() == pytest.approx(120, abs=2)
    assert not desk_row(desk).needs_staff

    told(desk, DeliveryStatus.SENT, "V1")
    wait(desk, 121)
    row.refresh_from_db()
    assert (row.state, row.provider_id, row.attempts, row.error_code) == ("sent", "V2", 2, "")

    told(desk, DeliveryStatus.FAILED, "V2", "30008")
    row.refresh_from_db()
    assert (row.state, row.error_code, vendor.texts()) == ("failed", "30008", ["uno", "uno"])
    assert desk_row(desk).needs_staff


def test_a_second_try_holds_up_no_newer_reply(desk: Desk, vendor: faulty.Vendor) -> None:
    """Order is kept: it goes at once, before the newer one; and once more is once."""
    say(desk, "uno")
    told(desk, DeliveryStatus.FAILED, "V1", "30008")
    desk.sweep()
    assert vendor.texts() == ["uno"]
    say(desk, "dos")
    assert vendor.texts() == ["uno", "uno", "dos"]
    wait(desk, 121)
    assert vendor.texts() == ["uno", "uno", "dos"]


def test_a_second_try_that_finds_no_room_waits_as_long_as_any_other(
    desk: Desk, vendor: faulty.Vendor, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(desk, "uno")
    told(desk, DeliveryStatus.FAILED, "V1", "30008")
    holds = [pacing.Hold(30.0)]
    monkeypatch.setattr(pacing, "held", lambda row: holds.pop())
    say(desk, "dos")
    assert (holds, vendor.texts()) == ([], ["uno"])

    monkeypatch.setattr(pacing, "held", lambda row: None)
    wait(desk, 31)
    assert vendor.texts() == ["uno", "uno", "dos"]


def test_what_is_queued_while_a_second_try_is_looked_at_goes_too(
    desk: Desk, vendor: faulty.Vendor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own wake-up finds the conversation held by the sender that looked."""
    say(desk, "uno")
    told(desk, DeliveryStatus.FAILED, "V1", "30008")
    release = leases.release_sending

    def late(*given: Any) -> None:
        monkeypatch.setattr(leases, "release_sending", release)
        outbox.enqueue(desk_row(desk), "dos")
        release(*given)

    monkeypatch.setattr(leases, "release_sending", late)
    sending.deliver(desk_row(desk).pk)
    assert vendor.texts() == ["uno", "uno", "dos"]


def test_a_late_word_about_the_first_try_does_not_touch_the_second(desk: Desk, vendor: faulty.Vendor) -> None:
    row = say(desk, "uno")
    told(desk, DeliveryStatus.FAILED, "V1", "30008")
    wait(desk, 121)
    fields = {"status": DeliveryStatus.FAILED, "status_of": "V1", "outbox_id": str(row.key), "error_code": "30003"}
    inbox.receive([InboundMessage(EventKind.STATUS, "faulty", "V1:undelivered", **fields)])  # type: ignore[arg-type]

    row.refresh_from_db()
    assert (row.state, row.provider_id, row.status) == ("sent", "V2", "queued")


def test_what_was_overtaken_by_a_newer_message_is_not_sent_again(desk: Desk, vendor: faulty.Vendor) -> None:
    row = say(desk, "uno")
    say(desk, "dos")
    told(desk, DeliveryStatus.FAILED, "V1", "30008")

    row.refresh_from_db()
    assert row.state == "failed"


def test_a_limit_that_lasts_for_hours_is_told_to_staff_at_once(desk: Desk, vendor: faulty.Vendor) -> None:
    vendor.outcomes.append(ChannelTransient("limit", code="63018"))
    row = say(desk, "uno")

    assert (row.state, row.error_code) == ("failed", "63018")


DAILY = ChannelTransient("daily limit", code="63038")


def test_a_sender_that_the_vendor_holds_back_is_left_alone_and_the_operator_told_once(
    desk: Desk, vendor: faulty.Vendor, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    can(monkeypatch, PACED)
    vendor.outcomes.append(DAILY)
    rows = [say(desk, "uno"), say(desk, "dos", to=another(desk)), say(desk, "tres", to=another(desk, address="v3"))]
    say(desk, "cuatro", to=another(desk, account="our-other-number"))

    assert vendor.texts() == ["uno", "cuatro"]
    assert [(row.state, row.error_code) for row in rows] == [("failed", "63038")] * 3
    assert desk_row(desk).needs_staff
    assert caplog.text.count("is stopped for 3600 s") == 1


def test_who_waits_for_a_sender_goes_if_its_pause_ends_in_time(
    desk: Desk, vendor: faulty.Vendor, monkeypatch: pytest.MonkeyPatch
) -> None:
    can(monkeypatch, PACED)
    monkeypatch.setattr(caps, "stopped", lambda *name: ("63038 daily limit", 200.0))
    row = say(desk, "uno")
    assert (row.state, row.attempts) == ("queued", 0)

    monkeypatch.setattr(caps, "stopped", lambda *name: ("", 0.0))
    wait(desk, 201)
    assert vendor.texts() == ["uno"]


@pytest.mark.parametrize(("seconds_ago", "reached"), [(0, ["uno"]), (4000, ["uno", "dos"])])
def test_a_pause_that_a_status_tells_of_counts_while_it_lasts(
    seconds_ago: int, reached: list[str], desk: Desk, vendor: faulty.Vendor, monkeypatch: pytest.MonkeyPatch
) -> None:
    can(monkeypatch, PACED)
    say(desk, "uno")
    OutboundMessage.objects.update(attempted_at=clock.now() - timedelta(seconds=seconds_ago))
    told(desk, DeliveryStatus.FAILED, "V1", "63038")
    say(desk, "dos", to=another(desk))

    assert vendor.texts() == reached


def test_too_many_messages_to_one_customer_make_only_that_one_wait(
    desk: Desk, vendor: faulty.Vendor, monkeypatch: pytest.MonkeyPatch
) -> None:
    can(monkeypatch, PACED)
    row = say(desk, "uno")
    told(desk, DeliveryStatus.FAILED, "V1", "131056")
    row.refresh_from_db()
    assert (row.due_at - clock.now()).total_seconds() == pytest.approx(6, abs=1)
    say(desk, "dos", to=another(desk))
    wait(desk, 7)
    assert vendor.texts() == ["uno", "dos", "uno"]
