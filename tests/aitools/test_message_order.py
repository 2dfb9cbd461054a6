"""What was said first arrives first: the next message waits for the vendor's word on the one before, a little."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

import pytest
from pytest_django import Settings

from aitools import clock, leases, outbox, sending
from aitools.channels.base import Capabilities, DeliveryStatus
from aitools.errors import ChannelPermanent, ChannelTransient
from aitools.models import Conversation, OutboundMessage
from tests.aitools import faulty, paced
from tests.aitools.desk import Desk
from tests.aitools.paced import can, desk_row, say, status_of, told, wait

DELIVERED = DeliveryStatus.DELIVERED
REPORTS = Capabilities(text_limit=5, in_order_after=DELIVERED)


@pytest.fixture
def vendor(desk: Desk, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> faulty.Vendor:
    paced.move(desk, settings)
    can(monkeypatch, REPORTS)
    return faulty.VENDOR


PARTS = ["uno", "dos", "tres"]
LONG = "\n\n".join(PARTS)


def test_each_part_waits_until_the_one_before_has_arrived(desk: Desk, vendor: faulty.Vendor) -> None:
    say(desk, LONG)
    assert vendor.texts() == PARTS[:1]
    told(desk, DeliveryStatus.SENT, "V1")
    assert vendor.texts() == PARTS[:1]
    told(desk, DELIVERED, "V1")
    assert vendor.texts() == PARTS[:2]
    told(desk, DeliveryStatus.READ, "V2")
    assert vendor.texts() == PARTS


def test_a_vendor_that_tells_nothing_is_waited_for_five_seconds(desk: Desk, vendor: faulty.Vendor) -> None:
    say(desk, LONG)
    wait(desk, 3)
    assert vendor.texts() == PARTS[:1]
    wait(desk, 5.5)
    assert vendor.texts() == PARTS[:2]
    wait(desk, 11)
    assert vendor.texts() == PARTS
    states = OutboundMessage.objects.values_list("state", "give_up_at")
    assert {state for state, _ in states} == {"sent"}


def test_an_answer_to_what_the_customer_wrote_since_does_not_wait(desk: Desk, vendor: faulty.Vendor) -> None:
    say(desk, "hola")
    Conversation.objects.update(last_inbound_at=clock.now())
    say(desk, "¡ya!")
    assert vendor.texts() == ["hola", "¡ya!"]


def test_messages_that_follow_each_other_closely_wait_like_parts(desk: Desk, vendor: faulty.Vendor) -> None:
    say(desk, "hola")
    say(desk, "y más")
    assert vendor.texts() == ["hola"]
    told(desk, DELIVERED, "V1")
    assert vendor.texts() == ["hola", "y más"]


def test_other_customers_do_not_wait(desk: Desk, vendor: faulty.Vendor) -> None:
    say(desk, LONG)
    say(desk, "hola", to=paced.another(desk))
    assert vendor.texts() == [PARTS[0], "hola"]


def test_a_channel_that_reports_nothing_waits_for_nothing(
    desk: Desk, vendor: faulty.Vendor, monkeypatch: pytest.MonkeyPatch
) -> None:
    can(monkeypatch, replace(REPORTS, in_order_after=None))
    say(desk, LONG)
    assert vendor.texts() == PARTS


def test_what_failed_is_not_waited_for(desk: Desk, vendor: faulty.Vendor) -> None:
    vendor.outcomes.append(ChannelPermanent("refused", code="30005"))
    say(desk, LONG)
    assert vendor.texts() == PARTS[:2]
    told(desk, DeliveryStatus.FAILED, "V2", "21610")
    assert OutboundMessage.objects.filter(state="withdrawn").count() == 1


def test_a_part_that_fails_at_first_is_the_one_that_goes_on(desk: Desk, vendor: faulty.Vendor) -> None:
    vendor.outcomes.append(ChannelTransient("busy", code="20429"))
    say(desk, LONG)
    wait(desk, 3)
    told(desk, DELIVERED, "V2")
    assert vendor.texts() == [PARTS[0], *PARTS[:2]]


def test_word_that_comes_while_the_sender_decides_to_wait_is_not_missed(
    desk: Desk, vendor: faulty.Vendor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own wake-up finds the conversation held by the sender."""
    release = leases.release_sending

    def late(conversation_id: int, token: UUID) -> None:
        monkeypatch.setattr(leases, "release_sending", release)
        status_of(DELIVERED, "V1")
        desk.published.clear()
        release(conversation_id, token)

    outbox.enqueue(desk_row(desk), LONG)
    monkeypatch.setattr(leases, "release_sending", late)
    sending.deliver(desk_row(desk).pk)
    assert vendor.texts() == PARTS[:2]
