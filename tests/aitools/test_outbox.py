"""Sending: in order, once, and with every failure seen by somebody."""

from __future__ import annotations

from datetime import timedelta

import pytest

from aitools import clock, inbox, leases, outbox, queue, sending, staffing
from aitools.channels.base import DeliveryStatus, EventKind, InboundMessage, channel_for
from aitools.errors import ChannelPermanent, ChannelTransient, ChannelUnknown
from aitools.models import Conversation, OutboundMessage
from aitools.providers import scripted
from aitools.providers.scripted import asks, says
from aitools.types import Button
from tests.aitools import desk as parts
from tests.aitools import faulty
from tests.aitools.desk import Desk

Kind = OutboundMessage.Kind
BUSY = ChannelTransient("busy", code="20429")
LOST = ChannelUnknown("timed out")


@pytest.fixture
def desk(desk: Desk, settings: object) -> Desk:
    return faulty.move(desk, settings)


@pytest.fixture
def vendor(desk: Desk) -> faulty.Vendor:
    return faulty.VENDOR


def say(desk: Desk, text: str, kind: str = Kind.REPLY) -> OutboundMessage:
    row = outbox.enqueue(desk.conversation(), text, kind=kind)
    desk.drain()
    row.refresh_from_db()
    return row


def states() -> list[str]:
    return list(OutboundMessage.objects.order_by("id").values_list("state", flat=True))


def wait(desk: Desk, seconds: float) -> None:
    """Let the clock reach ``seconds`` from the start, with a sweep there."""
    clock.shift(seconds)
    desk.sweep()


def status(row: OutboundMessage, kind: DeliveryStatus, **fields: str) -> None:
    fields.setdefault("status_of", row.provider_id)
    made = f"{fields['status_of']}:{kind}:{fields.get('outbox_id', '')}"
    inbox.receive([InboundMessage(EventKind.STATUS, "faulty", made, status=kind, **fields)])  # type: ignore[arg-type]


def test_a_message_is_sent_once_and_known_by_the_vendors_id(desk: Desk, vendor: faulty.Vendor) -> None:
    row = say(desk, "hola")
    assert (row.state, row.provider_id, row.status, row.attempts) == ("sent", "V1", "queued", 1)
    assert row.attempted_at is not None
    assert row.sent_at is not None
    (handed,) = vendor.attempts
    assert (handed.outbox_id, handed.address) == (str(row.key), desk.address)


def test_the_attempt_is_a_committed_row_before_the_vendor_is_called(desk: Desk, vendor: faulty.Vendor) -> None:
    seen: list[tuple[str, int]] = []
    vendor.outcomes.append(lambda _: seen.extend(OutboundMessage.objects.values_list("state", "attempts")))
    say(desk, "hola")
    assert seen == [("sending", 1)]


def test_a_failing_message_holds_up_the_later_ones(desk: Desk, vendor: faulty.Vendor) -> None:
    vendor.outcomes.append(BUSY)
    say(desk, "uno")
    say(desk, "dos")
    assert vendor.texts() == ["uno"]
    wait(desk, 3)
    assert vendor.texts() == ["uno", "uno", "dos"]
    assert states() == ["sent", "sent"]


def test_waits_grow_from_try_to_try(desk: Desk, vendor: faulty.Vendor) -> None:
    vendor.outcomes.extend([BUSY] * 4)
    row = say(desk, "hola")
    waits = []
    passed = 0.0
    while row.state == "queued":
        waits.append(round((row.due_at - clock.now()).total_seconds()))
        passed += waits[-1] + 1
        wait(desk, passed)
        row.refresh_from_db()
    assert waits == [2, 5, 15, 30]
    assert (row.state, row.attempts, row.error_code) == ("sent", 5, "")


def test_the_vendors_own_wait_is_kept(desk: Desk, vendor: faulty.Vendor) -> None:
    vendor.outcomes.append(ChannelTransient("slow down", code="131056", retry_after=40))
    row = say(desk, "hola")
    assert (row.due_at - clock.now()).total_seconds() == pytest.approx(40, abs=1)
    wait(desk, 30)
    assert len(vendor.attempts) == 1


def test_after_five_minutes_a_reply_is_given_up_and_blocks_nothing(desk: Desk, vendor: faulty.Vendor) -> None:
    vendor.refused["uno"] = BUSY
    row = say(desk, "uno")
    say(desk, "dos")
    for seconds in range(0, 240, 20):
        wait(desk, seconds)
    assert states() == ["queued", "queued"]
    for seconds in range(240, 320, 20):
        wait(desk, seconds)
    row.refresh_from_db()
    assert (row.state, row.error_code, row.status) == ("failed", "20429", "failed")
    assert states() == ["failed", "sent"]
    assert desk.conversation().needs_staff


@pytest.mark.parametrize(("kind", "code"), [("permanent", "21211"), ("window", "63016"), ("config", "21606")])
def test_what_will_never_go_is_shown_to_staff_at_once(desk: Desk, vendor: faulty.Vendor, kind: str, code: str) -> None:
    vendor.outcomes.append(ChannelPermanent("refused", code=code, kind=kind))
    row = say(desk, "uno")
    say(desk, "dos")
    assert (row.state, row.error_code, row.attempts) == ("failed", code, 1)
    assert vendor.texts() == ["uno", "dos"]
    assert desk.conversation().needs_staff


def test_an_opt_out_told_by_the_vendor_stops_all_sending(desk: Desk, vendor: faulty.Vendor) -> None:
    vendor.outcomes.append(ChannelPermanent("stopped", code="21610", kind="opt_out"))
    outbox.enqueue(desk.conversation(), "uno")
    outbox.enqueue(desk.conversation(), "dos")
    outbox.enqueue(desk.conversation(), "tres", kind=Kind.STAFF)
    desk.drain()
    assert states() == ["failed", "withdrawn", "withdrawn"]
    assert vendor.texts() == ["uno"]
    assert desk.conversation().opted_out_at is not None
    say(desk, "cuatro")
    assert vendor.texts() == ["uno"]


def test_who_opts_out_is_not_written_to_by_a_retry_or_a_repeat(desk: Desk, vendor: faulty.Vendor) -> None:
    vendor.outcomes.extend([LOST])
    say(desk, "uno")
    say(desk, "dos")
    Conversation.objects.update(opted_out_at=clock.now())
    for seconds in (5, 61, 120, 400):
        wait(desk, seconds)
    assert vendor.texts() == ["uno"]
    assert "queued" not in states()


def test_a_turn_under_way_ends_when_the_vendor_tells_of_an_opt_out(desk: Desk, vendor: faulty.Vendor) -> None:
    with scripted.script([asks(("make", {"name": "pan"}))]):
        vendor.outcomes.append(ChannelPermanent("stopped", code="21610", kind="opt_out"))
        desk.write("pan")
    assert (desk.turn().state, desk.question().state) == ("cancelled", "cancelled")
    desk.write("sí")
    assert parts.things() == []
    assert desk.conversation().needs_staff


def test_an_uncertain_send_is_looked_up_before_anything_else(desk: Desk, vendor: faulty.Vendor) -> None:
    vendor.outcomes.append(LOST)
    row = say(desk, "uno")
    later = say(desk, "dos")
    assert (row.state, later.state) == ("uncertain", "queued")
    vendor.proofs[str(row.key)] = "SM7"
    wait(desk, 3)
    row.refresh_from_db()
    assert (row.state, row.provider_id, row.possibly_repeated) == ("sent", "SM7", False)
    assert vendor.texts() == ["uno", "dos"]


def test_a_status_with_our_own_id_settles_an_uncertain_send(desk: Desk, vendor: faulty.Vendor) -> None:
    vendor.outcomes.append(LOST)
    row = say(desk, "uno")
    status(row, DeliveryStatus.DELIVERED, status_of="SM8", outbox_id=str(row.key))
    row.refresh_from_db()
    assert (row.state, row.status, row.provider_id) == ("sent", "delivered", "SM8")
    wait(desk, 300)
    assert vendor.texts() == ["uno"]


@pytest.mark.parametrize("kind", [Kind.REPLY, Kind.QUESTION])
def test_without_proof_our_own_words_are_sent_once_more_and_marked(
    desk: Desk, vendor: faulty.Vendor, kind: str
) -> None:
    vendor.outcomes.append(LOST)
    row = say(desk, "uno", kind)
    for seconds in (3, 20, 40, 58):
        wait(desk, seconds)
        assert vendor.texts() == ["uno"]
    wait(desk, 72)
    row.refresh_from_db()
    assert vendor.texts() == ["uno", "uno"]
    assert (row.state, row.possibly_repeated) == ("sent", True)


@pytest.mark.parametrize("kind", [Kind.NOTICE, Kind.STAFF])
def test_notices_and_staffs_words_wait_for_staff(desk: Desk, vendor: faulty.Vendor, kind: str) -> None:
    vendor.outcomes.append(LOST)
    row = say(desk, "uno", kind)
    say(desk, "dos")
    for seconds in (3, 30, 61, 80, 300):
        wait(desk, seconds)
    row.refresh_from_db()
    assert (row.state, row.error) == ("failed", "timed out")
    assert vendor.texts() == ["uno", "dos"]
    assert desk.conversation().needs_staff


@pytest.mark.parametrize("noted", ["", "failed"])
def test_proof_that_comes_after_giving_up_settles_the_message(desk: Desk, vendor: faulty.Vendor, noted: str) -> None:
    """Staff would send it again otherwise; rows given up long ago have a status of failure."""
    vendor.outcomes.append(LOST)
    row = say(desk, "uno", Kind.NOTICE)
    for seconds in (3, 30, 61, 80):
        wait(desk, seconds)
    row.refresh_from_db()
    assert (row.state, row.status, row.error_code) == ("failed", "", "unknown")
    OutboundMessage.objects.update(status=noted)
    status(row, DeliveryStatus.DELIVERED, status_of="V9", outbox_id=str(row.key))
    row.refresh_from_db()
    assert (row.state, row.status, row.error_code, row.error) == ("sent", "delivered", "", "")
    assert not outbox.retry(row.pk, anyway=True)


def test_a_repeat_that_is_lost_too_is_not_repeated_again(desk: Desk, vendor: faulty.Vendor) -> None:
    vendor.outcomes.extend([LOST, LOST])
    row = say(desk, "uno")
    for seconds in range(3, 300, 15):
        wait(desk, seconds)
    row.refresh_from_db()
    assert vendor.texts() == ["uno", "uno"]
    assert row.state == "failed"


def test_a_message_that_is_found_undelivered_has_failed(desk: Desk, vendor: faulty.Vendor) -> None:
    vendor.outcomes.append(LOST)
    row = say(desk, "uno")
    vendor.proofs[str(row.key)], vendor.undelivered = "V9", "30005"
    say(desk, "dos")
    wait(desk, 3)
    row.refresh_from_db()
    assert (row.state, row.status, row.provider_id, row.error_code) == ("failed", "failed", "V9", "30005")
    assert vendor.looked_up == 1
    assert vendor.texts() == ["uno", "dos"]
    assert desk.conversation().needs_staff


@pytest.mark.parametrize("fault", [BUSY, KeyError("bug")])
def test_a_broken_look_up_blocks_nothing(desk: Desk, vendor: faulty.Vendor, fault: Exception) -> None:
    vendor.outcomes.append(LOST)
    vendor.look_up = fault
    say(desk, "uno")
    say(desk, "dos")
    for seconds in (3, 20, 61, 75):
        wait(desk, seconds)
    assert vendor.texts() == ["uno", "uno", "dos"]


def test_a_row_left_sending_by_a_dead_worker_is_uncertain_and_never_sent_blindly(
    desk: Desk, vendor: faulty.Vendor
) -> None:
    row = outbox.enqueue(desk.conversation(), "uno")
    token = leases.claim_sending(desk.conversation().pk)
    assert token is not None
    OutboundMessage.objects.update(state="sending", attempts=1, attempted_at=clock.now())
    desk.drain()
    assert vendor.texts() == []
    wait(desk, 62)
    row.refresh_from_db()
    assert vendor.looked_up >= 1
    wait(desk, 75)
    row.refresh_from_db()
    assert (row.state, row.possibly_repeated, vendor.texts()) == ("sent", True, ["uno"])


def test_an_unexpected_fault_of_a_channel_counts_as_unknown(desk: Desk, vendor: faulty.Vendor) -> None:
    vendor.outcomes.append(KeyError("bug"))
    with pytest.raises(KeyError):
        say(desk, "uno")
    assert states() == ["sending"]
    wait(desk, 1)
    assert states() == ["uncertain"]


def test_two_workers_never_send_the_same_conversation(desk: Desk, vendor: faulty.Vendor) -> None:
    pk = desk.conversation().pk
    vendor.outcomes.append(lambda _: sending.deliver(pk))
    say(desk, "uno")
    assert vendor.texts() == ["uno"]


def test_what_is_queued_while_sending_goes_in_the_same_pass(desk: Desk, vendor: faulty.Vendor) -> None:
    def one_more(_: object) -> None:
        outbox.enqueue(desk.conversation(), "dos")
        desk.published.clear()

    vendor.outcomes.append(one_more)
    say(desk, "uno")
    assert vendor.texts() == ["uno", "dos"]


def test_a_reset_takes_back_what_the_vendor_surely_has_not_got(desk: Desk, vendor: faulty.Vendor) -> None:
    vendor.outcomes.append(BUSY)
    say(desk, "uno")
    say(desk, "dos")
    desk.write("/reset")
    wait(desk, 100)
    assert vendor.texts()[1:] == ["Listo, empezamos de nuevo. ¿Qué te gustaría?"]
    assert states()[:2] == ["withdrawn", "withdrawn"]


def test_a_take_over_leaves_staffs_own_words_in_the_queue(desk: Desk, vendor: faulty.Vendor) -> None:
    outbox.enqueue(desk.conversation(), "uno")
    staffing.write_as_staff(desk.conversation().pk, "soy Ana")
    staffing.take_over(desk.conversation().pk)
    desk.drain()
    assert vendor.texts() == ["soy Ana"]


def test_a_long_text_goes_in_parts_and_resumes_at_the_failed_one(desk: Desk, vendor: faulty.Vendor) -> None:
    text = "\n".join(f"Línea {number} del menú de hoy con su precio" for number in range(10))
    vendor.outcomes.extend([None, BUSY])
    say(desk, text)
    wait(desk, 3)
    first, second, third, *_ = OutboundMessage.objects.order_by("id").values_list("text", flat=True)
    assert vendor.texts()[:4] == [first, second, second, third]
    assert " ".join(" ".join(dict.fromkeys(vendor.texts())).split()) == " ".join(text.split())


def test_buttons_go_with_the_last_part_alone(desk: Desk, vendor: faulty.Vendor) -> None:
    outbox.enqueue(desk.conversation(), "pan " * 100, buttons=[Button("b", "Sí")])
    desk.drain()
    assert [len(message.buttons) for message in vendor.attempts] == [0, 0, 1]


def test_a_question_that_cannot_be_sent_is_cancelled_and_staff_are_told(desk: Desk, vendor: faulty.Vendor) -> None:
    vendor.outcomes.append(ChannelPermanent("refused", code="30005"))
    with scripted.script([asks(("make", {"name": "pan"}))]):
        desk.write("pan")
    assert (desk.question().state, desk.turn().state) == ("cancelled", "cancelled")
    assert desk.conversation().needs_staff
    with scripted.script([says("¿Sí a qué?")]):
        desk.write("sí")
    assert parts.things() == []


def test_a_question_that_cannot_be_sent_is_in_the_audit(desk: Desk, vendor: faulty.Vendor) -> None:
    vendor.outcomes.append(ChannelPermanent("refused", code="30005"))
    with scripted.script([asks(("make", {"name": "pan"}))]):
        desk.write("pan")
    assert desk.events() == ["tool.confirm.requested", "tool.confirm.cancelled"]


def test_a_question_that_misses_a_part_is_no_question(
    desk: Desk, vendor: faulty.Vendor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "PRICES", {"each": 5})
    vendor.outcomes.append(ChannelPermanent("refused", code="30005"))
    with scripted.script([asks(("make", {"name": "pan muy largo " * 30}))]):
        desk.write("pan")
    assert desk.question().state == "cancelled"
    assert len(vendor.attempts) == 1
    assert set(states()) == {"failed", "withdrawn"}


def test_an_old_questions_late_failure_leaves_the_new_one_open(desk: Desk, vendor: faulty.Vendor) -> None:
    with scripted.script([asks(("make", {"name": "pan"})), asks(("make", {"name": "té"}))]):
        desk.write("pan")
        first = desk.question().message
        desk.write("mejor té")
    status(first, DeliveryStatus.FAILED, error_code="30005")
    assert desk.question().state == "pending"


def test_the_clock_of_a_question_starts_at_the_first_of_several_attempts(desk: Desk, vendor: faulty.Vendor) -> None:
    vendor.outcomes.append(BUSY)
    with scripted.script([asks(("make", {"name": "pan"}))]):
        desk.write("pan")
    asked_at = desk.question().asked_at
    assert asked_at is not None
    wait(desk, 10)
    question = desk.question()
    assert (question.message.attempts, question.asked_at) == (2, asked_at)
    assert question.expires_at == asked_at + timedelta(seconds=120)


def test_a_retry_by_staff_starts_anew(desk: Desk, vendor: faulty.Vendor) -> None:
    vendor.outcomes.append(ChannelPermanent("refused", code="30005"))
    row = say(desk, "uno")
    outbox.retry(row.pk)
    desk.drain()
    row.refresh_from_db()
    assert (row.state, row.status, row.error_code, row.possibly_repeated) == ("sent", "queued", "", False)


def test_a_retry_of_an_uncertain_message_says_that_it_may_be_a_repeat(desk: Desk, vendor: faulty.Vendor) -> None:
    vendor.outcomes.append(LOST)
    row = say(desk, "uno", Kind.NOTICE)
    assert not outbox.retry(row.pk)
    assert outbox.retry(row.pk, anyway=True)
    desk.drain()
    row.refresh_from_db()
    assert (row.state, row.possibly_repeated, vendor.texts()) == ("sent", True, ["uno", "uno"])


def test_a_lost_wake_up_costs_one_sweep(desk: Desk, vendor: faulty.Vendor) -> None:
    outbox.enqueue(desk.conversation(), "uno")
    desk.published.clear()
    wait(desk, 0)
    assert vendor.texts() == ["uno"]


def test_a_broker_that_is_down_is_no_fault(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise ConnectionError

    monkeypatch.undo()
    monkeypatch.setattr("celery.current_app.send_task", refuse)
    queue.publish(queue.ADVANCE, 1)


def test_of_an_endless_reply_ten_messages_are_sent_and_the_last_one_shows_the_cut(
    desk: Desk, vendor: faulty.Vendor
) -> None:
    say(desk, "Hay pan de queso. " * 4_000)
    texts = list(OutboundMessage.objects.order_by("id").values_list("text", flat=True))

    can = channel_for("faulty").capabilities
    assert len(texts) == outbox.MOST_PARTS
    assert [text.endswith("…") for text in texts] == [False] * 9 + [True]
    assert all(can.measure(text) <= can.limit(beside_buttons=False) for text in texts)


def test_a_question_is_sent_to_its_end(desk: Desk, vendor: faulty.Vendor) -> None:
    last = say(desk, "Pan de queso. " * 200 + "¿Confirmas?", kind=Kind.QUESTION)

    assert last.text.endswith("¿Confirmas?")
