"""A faulty vendor with codes like those of Twilio and Meta, and a customer who writes over it."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from pytest_django import Settings

from aitools import clock, inbox, outbox
from aitools.channels.base import Capabilities, DeliveryStatus, ErrorClass, EventKind, InboundMessage, Pause
from aitools.models import Conversation, OutboundMessage
from tests.aitools import faulty
from tests.aitools.desk import Desk

CODES = {
    "30008": ErrorClass.LATER,
    "20429": ErrorClass.RETRY,
    "131056": ErrorClass.RETRY,
    "63018": ErrorClass.SLOW,
    "63038": ErrorClass.SLOW,
    "63016": ErrorClass.WINDOW,
    "20003": ErrorClass.CONFIG,
    "21610": ErrorClass.OPT_OUT,
}
PAUSES = {"63038": Pause(3600.0), "131056": Pause(6.0, whole_sender=False)}


class PacedChannel(faulty.FaultyChannel):
    def error_class(self, code: str) -> ErrorClass:
        return CODES.get(code, ErrorClass.RECIPIENT)

    def pause(self, code: str) -> Pause | None:
        return PAUSES.get(code)


def move(desk: Desk, settings: Settings) -> Desk:
    """The desk's customer writes over this channel from now on; each test has a sender of its own."""
    moved = faulty.move(desk, settings)
    settings.AITOOLS_CHANNELS["faulty"] = "tests.aitools.paced.PacedChannel"
    Conversation.objects.update(account=str(uuid.uuid4()))
    return moved


def can(monkeypatch: pytest.MonkeyPatch, capabilities: Capabilities) -> None:
    monkeypatch.setattr(PacedChannel, "capabilities", capabilities)


def another(desk: Desk, **fields: Any) -> Conversation:
    """Another customer of the same sender, unless the fields say otherwise."""
    account = desk_row(desk).account
    return Conversation.objects.create(**{"channel": "faulty", "account": account, "address": "visitor-2"} | fields)


def desk_row(desk: Desk) -> Conversation:
    return Conversation.objects.get(channel="faulty", address=desk.address)


def say(
    desk: Desk, text: str, kind: str = OutboundMessage.Kind.REPLY, to: Conversation | None = None, **fields: Any
) -> OutboundMessage:
    row = outbox.enqueue(to or desk_row(desk), text, kind=kind, **fields)
    desk.drain()
    row.refresh_from_db()
    return row


def told(desk: Desk, status: DeliveryStatus, of: str, code: str = "", outbox_id: str = "") -> None:
    """The vendor's status of a message, and whatever is done because of it."""
    status_of(status, of, code, outbox_id)
    desk.drain()


def status_of(status: DeliveryStatus, of: str, code: str = "", outbox_id: str = "") -> None:
    """The same with nothing done."""
    fields = {"status": status, "status_of": of, "error_code": code, "outbox_id": outbox_id}
    fields |= {"error_kind": CODES[code].kind if code else ""}
    inbox.receive([InboundMessage(EventKind.STATUS, "faulty", f"{of}:{status}", **fields)])  # type: ignore[arg-type]


def wait(desk: Desk, seconds: float) -> None:
    """Let the clock reach ``seconds`` from the start, with a sweep there."""
    clock.shift(seconds)
    desk.sweep()
