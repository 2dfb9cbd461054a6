"""What a vendor says later about a message: forward only, whenever it comes."""

from __future__ import annotations

import threading
import uuid
from itertools import permutations

import pytest
from django.db import OperationalError, connections

from aitools import inbox, outbox, statuses
from aitools.channels.base import DeliveryStatus, EventKind, InboundMessage, OutgoingMessage
from aitools.delivery import forward
from aitools.errors import ChannelUnknown
from aitools.models import InboundEvent, OutboundMessage
from tests.aitools import faulty
from tests.aitools.desk import Desk

QUEUED, SENT, DELIVERED, READ, FAILED = DeliveryStatus


@pytest.fixture
def desk(desk: Desk, settings: object) -> Desk:
    return faulty.move(desk, settings)


def told(status: DeliveryStatus, of: str = "V1", **fields: str) -> int:
    made = fields.pop("provider_id", f"{of}:{status}")
    return inbox.receive([InboundMessage(EventKind.STATUS, "faulty", made, status=status, status_of=of, **fields)])  # type: ignore[arg-type]


def sent(desk: Desk) -> OutboundMessage:
    outbox.enqueue(desk.conversation(), "hola")
    desk.drain()
    return newest()


def newest() -> OutboundMessage:
    return OutboundMessage.objects.latest("id")


@pytest.mark.parametrize("order", list(permutations([QUEUED, SENT, DELIVERED, READ])))
def test_any_order_of_statuses_ends_at_the_furthest(order: tuple[DeliveryStatus, ...]) -> None:
    current = ""
    for status in order:
        current = forward(current, status)
    assert current == READ


@pytest.mark.parametrize(
    ("current", "new", "then"),
    [
        (DELIVERED, SENT, DELIVERED),
        (DELIVERED, FAILED, DELIVERED),
        (READ, FAILED, READ),
        (SENT, FAILED, FAILED),
        (FAILED, SENT, FAILED),
        (FAILED, DELIVERED, FAILED),
        ("", QUEUED, QUEUED),
    ],
)
def test_statuses_never_go_back(current: str, new: DeliveryStatus, then: str) -> None:
    assert forward(current, new) == then


def test_a_late_sent_leaves_delivered(desk: Desk) -> None:
    sent(desk)
    for status in (DELIVERED, SENT, QUEUED):
        told(status)
    assert (newest().state, newest().status) == ("sent", "delivered")


def test_the_same_status_twice_is_one_row(desk: Desk) -> None:
    sent(desk)
    assert [told(DELIVERED) for _ in range(3)] == [1, 0, 0]
    assert InboundEvent.objects.filter(kind="status").count() == 1


def test_a_failure_is_shown_with_its_code(desk: Desk) -> None:
    sent(desk)
    told(FAILED, error_code="30005")
    row = newest()
    assert (row.state, row.status, row.error_code) == ("failed", "failed", "30005")
    assert desk.conversation().needs_staff


def test_what_arrived_did_not_fail(desk: Desk) -> None:
    sent(desk)
    told(DELIVERED)
    told(FAILED, error_code="30008")
    assert (newest().state, newest().status) == ("sent", "delivered")
    assert not desk.conversation().needs_staff


def test_an_opt_out_told_by_status_stops_the_sending(desk: Desk) -> None:
    sent(desk)
    told(FAILED, error_code="21610", error_kind="opt_out")
    assert desk.conversation().opted_out_at is not None


def test_an_unknown_id_is_kept_and_harms_nothing(desk: Desk) -> None:
    sent(desk)
    assert told(DELIVERED, of="SM-of-somebody-else") == 1
    assert told(DELIVERED, of="", provider_id="x", outbox_id=str(uuid.uuid4())) == 1
    assert told(DELIVERED, of="", provider_id="y", outbox_id="' OR 1=1") == 1
    assert told(DELIVERED, of="", provider_id="z", outbox_id="-" * 36) == 1
    assert newest().status == "queued"


def test_an_id_of_another_channel_is_not_ours(desk: Desk) -> None:
    sent(desk)
    inbox.receive([InboundMessage(EventKind.STATUS, "web", "V1:read", status=READ, status_of="V1")])
    assert newest().status == "queued"


def test_no_id_belongs_to_no_message(desk: Desk) -> None:
    outbox.enqueue(desk.conversation(), "hola")
    told(DELIVERED, of="", provider_id="z")
    assert newest().state == "queued"


def test_a_status_before_our_own_commit_is_found_by_our_id(desk: Desk) -> None:
    def vendor_is_faster(message: OutgoingMessage) -> None:
        told(DELIVERED, outbox_id=message.outbox_id)

    faulty.VENDOR.outcomes.append(vendor_is_faster)
    row = sent(desk)
    assert (row.state, row.status, row.provider_id) == ("sent", "delivered", "V1")


def test_a_status_before_our_own_commit_is_found_by_the_vendors_id(desk: Desk) -> None:
    faulty.VENDOR.outcomes.append(lambda _: told(DELIVERED))
    row = sent(desk)
    assert (row.state, row.status) == ("sent", "delivered")
    assert InboundEvent.objects.get(kind="status").state == "applied"


@pytest.mark.parametrize("by_key", [True, False])
def test_an_early_failure_is_not_overwritten_by_our_own_success(desk: Desk, by_key: bool) -> None:
    def fails_at_once(message: OutgoingMessage) -> None:
        told(FAILED, error_code="30005", **({"outbox_id": message.outbox_id} if by_key else {}))

    faulty.VENDOR.outcomes.append(fails_at_once)
    row = sent(desk)
    assert (row.state, row.status, row.error_code) == ("failed", "failed", "30005")
    assert desk.conversation().needs_staff


def test_a_status_whose_effect_was_lost_is_applied_by_its_repeat(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def dies(*given: object) -> None:
        raise OperationalError

    sent(desk)
    with monkeypatch.context() as dying:
        dying.setattr(statuses, "apply_status", dies)
        with pytest.raises(OperationalError):
            told(FAILED, error_code="30005")
    assert told(FAILED, error_code="30005") == 0
    assert (newest().state, newest().error_code) == ("failed", "30005")


def test_proof_of_sending_stops_a_repeat_that_waits(desk: Desk) -> None:
    faulty.VENDOR.outcomes.append(ChannelUnknown("timed out"))
    row = sent(desk)
    OutboundMessage.objects.update(state="queued", possibly_repeated=True)
    told(SENT, of="SM9", outbox_id=str(row.key))
    desk.sweep()
    assert (newest().state, len(faulty.VENDOR.attempts)) == ("sent", 1)


def test_statuses_at_once_end_at_the_furthest(desk: Desk) -> None:
    sent(desk)
    barrier = threading.Barrier(4)

    def tell(status: DeliveryStatus) -> None:
        barrier.wait()
        told(status)
        connections.close_all()

    threads = [threading.Thread(target=tell, args=[status]) for status in (SENT, DELIVERED, READ, SENT)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert newest().status == "read"
