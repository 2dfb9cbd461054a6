"""The context a tool or the prompt builder gets, from the conversation's row."""

from __future__ import annotations

from aitools.clock import now
from aitools.models import Conversation, ToolCall
from aitools.tools import ToolContext
from aitools.types import Json


def context_of(
    conversation: Conversation, *, tool: str = "", call: ToolCall | None = None, agreed: Json = None
) -> ToolContext:
    """Who asks, where and when. One query, for the time."""
    return ToolContext(
        tool=tool,
        call_id=str(call.call_id) if call else "",
        chat_key=str(conversation.pk),
        language=conversation.language or "es",
        now=now(),
        channel=conversation.channel,
        address=conversation.address,
        profile_name=conversation.profile_name,
        conversation_id=conversation.pk,
        epoch=conversation.epoch,
        tool_call_id=call.pk if call else None,
        agreed=agreed,
    )
