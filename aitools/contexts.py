"""The context a tool or the prompt builder gets, from the conversation's row."""

from __future__ import annotations

from datetime import datetime

from aitools.models import Conversation, ToolCall
from aitools.tools import ToolContext
from aitools.types import Json


def context_of(
    conversation: Conversation,
    now: datetime,
    *,
    call: ToolCall | None = None,
    agreed: Json = None,
    language: str = "",
) -> ToolContext:
    """Who asks, where and when; ``now`` is database time."""
    return ToolContext(
        tool=call.name if call else "",
        call_id=str(call.call_id) if call else "",
        chat_key=str(conversation.pk),
        language=language or conversation.language or "es",
        now=now,
        channel=conversation.channel,
        address=conversation.address,
        phone=conversation.phone,
        profile_name=conversation.profile_name,
        conversation_id=conversation.pk,
        epoch=conversation.epoch,
        tool_call_id=call.pk if call else None,
        agreed=agreed,
    )
