"""Rows for the admin to show, made directly."""

from __future__ import annotations

import itertools
from datetime import timedelta
from typing import Any

from aitools import clock
from aitools.models import (
    AuditEvent,
    Conversation,
    InboundEvent,
    OutboundMessage,
    PendingConfirmation,
    Step,
    ToolCall,
    Turn,
)

_numbers = itertools.count(1)


def conversation(**fields: Any) -> Conversation:
    number = next(_numbers)
    given = {"channel": "web", "address": f"visitor-{number}", "language": "es", "last_inbound_at": clock.now()}
    return Conversation.objects.create(**given | fields)


def said(talk: Conversation, text: str, *, minutes_ago: float = 0, **fields: Any) -> InboundEvent:
    at = clock.now() - timedelta(minutes=minutes_ago)
    talk.inbox_seq += 1
    talk.save(update_fields=["inbox_seq"])
    given = {"channel": talk.channel, "provider_id": f"in-{next(_numbers)}", "kind": "message", "received_at": at}
    given |= {"seq": talk.inbox_seq, "state": "bot"}
    return InboundEvent.objects.create(conversation=talk, text=text, **given | fields)


def answered(talk: Conversation, text: str, *, minutes_ago: float = 0, **fields: Any) -> OutboundMessage:
    at = clock.now() - timedelta(minutes=minutes_ago)
    return OutboundMessage.objects.create(conversation=talk, text=text, **{"created_at": at, "state": "sent"} | fields)


def worked(talk: Conversation) -> ToolCall:
    """A finished turn with a step, a call, its question and its audit event."""
    turn = Turn.objects.create(conversation=talk, state="done", text="quiero pan", reply="Listo.")
    Step.objects.create(turn=turn, index=1, provider="offline", stop="tool_calls")
    call = ToolCall.objects.create(turn=turn, step=1, position=0, name="create_order", arguments={"name": "Ana"})
    question = answered(talk, "¿Confirmas?", kind="question", call=call)
    PendingConfirmation.objects.create(conversation=talk, call=call, message=question, language="es", state="approved")
    AuditEvent.objects.create(kind="tool.call", turn=turn, tool_call=call, step=1)
    return call
