"""What the vendor refuses because the customer wrote too long ago goes once more, as a template, or to staff."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from pytest_django import Settings

from aitools import clock, sending
from aitools.channels.base import Capabilities, DeliveryStatus, OutgoingMessage
from aitools.errors import ChannelPermanent, ChannelUnknown
from aitools.models import Conversation, OutboundMessage
from aitools.providers import scripted
from aitools.providers.scripted import asks, says
from tests.aitools import desk as parts
from tests.aitools import faulty, paced
from tests.aitools.desk import Desk
from tests.aitools.paced import can, desk_row, say, status_of, told

Kind = OutboundMessage.Kind
FAILED = DeliveryStatus.FAILED
CLOSED = ChannelPermanent("outside the allowed window", code="63016", kind="window")
LATE = Capabilities(text_limit=160, window_hours=24, templates=frozenset({"es"}))
BUTTONS = replace(LATE, buttons=True)


@pytest.fixture
def desk(desk: Desk, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Desk:
    can(monkeypatch, LATE)
    return paced.move(desk, settings)


@pytest.fixture
def vendor(desk: Desk) -> faulty.Vendor:
    Conversation.objects.update(last_inbound_at=clock.now(), language="es-mx", account="")
    return faulty.VENDOR


def went(vendor: faulty.Vendor) -> list[tuple[str, bool]]:
    return [(message.text, message.as_template) for message in vendor.attempts]


def at_once(desk: Desk, vendor: faulty.Vendor) -> OutboundMessage:
    vendor.outcomes.append(CLOSED)
    return say(desk, "hola")


def by_a_status(desk: Desk, vendor: faulty.Vendor) -> OutboundMessage:
    row = say(desk, "hola")
    told(desk, FAILED, "V1", "63016")
    return row


def by_a_status_before_our_commit(desk: Desk, vendor: faulty.Vendor) -> OutboundMessage:
    vendor.outcomes.append(lambda message: status_of(FAILED, "V1", "63016", message.outbox_id))
    return say(desk, "hola")


def by_a_look_up(desk: Desk, vendor: faulty.Vendor) -> OutboundMessage:
    vendor.outcomes.append(ChannelUnknown("timed out"))
    row = say(desk, "hola")
    vendor.proofs[str(row.key)], vendor.undelivered = "V0", "63016"
    paced.wait(desk, 3)
    return row


Refused = Callable[[Desk, faulty.Vendor], OutboundMessage]
WAYS = pytest.mark.parametrize("refused", [at_once, by_a_status, by_a_status_before_our_commit, by_a_look_up])


@WAYS
def test_what_was_refused_goes_as_a_template_however_one_hears_of_it(
    refused: Refused, desk: Desk, vendor: faulty.Vendor
) -> None:
    row = refused(desk, vendor)
    row.refresh_from_db()

    assert went(vendor) == [("hola", False), ("hola", True)]
    assert (row.state, row.status, row.provider_id) == ("sent", "queued", "V2")
    assert not desk_row(desk).needs_staff
    told(desk, DeliveryStatus.DELIVERED, "V2")
    row.refresh_from_db()
    assert row.status == "delivered"


@WAYS
def test_without_a_template_in_the_language_staff_are_told(refused: Refused, desk: Desk, vendor: faulty.Vendor) -> None:
    Conversation.objects.update(language="en")
    row = refused(desk, vendor)
    row.refresh_from_db()

    assert went(vendor) == [("hola", False)]
    assert (row.state, row.error_code) == ("failed", "63016")
    assert desk_row(desk).needs_staff


@pytest.mark.parametrize("kind", Kind.values)
@pytest.mark.parametrize("again", [CLOSED, None])
def test_a_template_that_is_refused_too_is_not_tried_again(
    again: Exception | None, kind: str, desk: Desk, vendor: faulty.Vendor
) -> None:
    if kind == Kind.QUESTION:
        with scripted.script([asks(("make", {"name": "pan"}))]):
            vendor.outcomes.extend([CLOSED, again])
            desk.write("pan")
    else:
        vendor.outcomes.extend([CLOSED, again])
        say(desk, "hola", kind)
    if again is None:
        told(desk, FAILED, "V2", "63016")

    assert [message.as_template for message in vendor.attempts] == [False, True]
    row = OutboundMessage.objects.get()
    assert (row.state, row.error_code) == ("failed", "63016")
    assert desk_row(desk).needs_staff


def test_a_late_notice_whose_template_is_refused_is_not_tried_again(desk: Desk, vendor: faulty.Vendor) -> None:
    Conversation.objects.update(last_inbound_at=None)
    vendor.outcomes.append(CLOSED)
    row = say(desk, "tu torta está lista", Kind.NOTICE)

    assert went(vendor) == [("tu torta está lista", True)]
    assert row.state == "failed"


def test_a_question_goes_with_the_words_to_type_and_can_be_answered(
    desk: Desk, vendor: faulty.Vendor, monkeypatch: pytest.MonkeyPatch
) -> None:
    can(monkeypatch, BUTTONS)
    vendor.outcomes.append(CLOSED)
    with scripted.script([asks(("make", {"name": "pan"}))]):
        desk.write("pan")

    asked, late = vendor.attempts
    assert len(asked.buttons) == 2
    assert (late.buttons, late.as_template) == ((), True)
    assert late.text == f"{asked.text} (Sí/No)"
    with scripted.script([says("Listo.")]):
        desk.write("sí")
    assert len(parts.things()) == 1


def test_a_question_that_is_closed_by_now_is_not_asked_again(desk: Desk, vendor: faulty.Vendor) -> None:
    with scripted.script([asks(("make", {"name": "pan"})), says("Bien.")]):
        desk.write("pan")
        desk.write("no")
    told(desk, FAILED, "V1", "63016")

    assert [message.as_template for message in vendor.attempts] == [False, False]
    assert OutboundMessage.objects.earliest("id").state == "failed"


def test_what_a_newer_message_has_overtaken_is_not_sent_after_it(desk: Desk, vendor: faulty.Vendor) -> None:
    row = say(desk, "hola")
    say(desk, "¿qué tal?")
    told(desk, DeliveryStatus.DELIVERED, "V2")
    told(desk, FAILED, "V1", "63016")
    row.refresh_from_db()

    assert (row.state, len(vendor.attempts)) == ("failed", 2)


def test_parts_that_were_refused_one_after_the_other_go_again_in_order(desk: Desk, vendor: faulty.Vendor) -> None:
    say(desk, "uno")
    say(desk, "dos")
    for refused in ("V1", "V2"):
        told(desk, FAILED, refused, "63016")

    assert went(vendor)[2:] == [("uno", True), ("dos", True)]


def test_who_wrote_meanwhile_gets_free_text(desk: Desk, vendor: faulty.Vendor, monkeypatch: pytest.MonkeyPatch) -> None:
    row = say(desk, "hola")
    monkeypatch.setattr(sending, "deliver", lambda pk: None)
    told(desk, FAILED, "V1", "63016")
    monkeypatch.undo()
    can(monkeypatch, LATE)
    Conversation.objects.update(last_inbound_at=clock.now())
    sending.deliver(row.conversation_id)

    assert went(vendor) == [("hola", False), ("hola", False)]
    status_of(FAILED, "V2", "63016")
    row.refresh_from_db()
    assert row.state == "failed"


def test_who_opted_out_gets_no_template(desk: Desk, vendor: faulty.Vendor) -> None:
    def leaves(message: OutgoingMessage) -> None:
        Conversation.objects.update(opted_out_at=clock.now())
        raise CLOSED

    vendor.outcomes.append(leaves)
    row = say(desk, "hola")

    assert (row.state, len(vendor.attempts)) == ("withdrawn", 1)


def test_a_sender_that_was_thought_dead_does_not_take_the_refused_try_for_the_template(
    desk: Desk, vendor: faulty.Vendor
) -> None:
    def stalls(message: OutgoingMessage) -> None:
        OutboundMessage.objects.update(state="uncertain")
        status_of(FAILED, "V1", "63016", message.outbox_id)

    vendor.outcomes.append(stalls)
    row = say(desk, "hola")

    assert went(vendor) == [("hola", False), ("hola", True)]
    assert (row.state, row.provider_id) == ("sent", "V2")
