"""What our code tells the customer about a call that was done, without a model."""

from __future__ import annotations

from aitools import texts
from aitools.contexts import context_of
from aitools.models import Conversation, ToolCall
from aitools.tools import registry


def report_of(call: ToolCall, conversation: Conversation) -> str:
    """The done call in one sentence; "" for calls without an effect to report."""
    tool = registry.get(call.name)
    if tool is None or tool.effects == "none" or not (tool.confirm or tool.report):
        return ""
    if tool.report is not None:
        return tool.report(call.value, context_of(conversation, tool=tool.name, call=call))
    return texts.done(tool.shown_title)
