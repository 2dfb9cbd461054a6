"""What a model said, out of what servers leave in its text: thoughts, marks of templates, calls."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from aitools.providers.loose_json import CutError
from aitools.providers.plans import Plan, plan_of, without_thoughts
from aitools.types import Json, ModelReply, ModelRequest, Stop

#: Tokens that end a turn in the chat templates of open models. What follows is made up, and never for a customer.
_ENDS = re.compile(
    r"<\|(?:im_end|im_start|eot_id|eom_id|end|endoftext|end_of_text|eos|return|call|user|start_header_id)\|>"
    r"|</s>|<eos>|<(?:end|start)_of_turn>|<｜end▁of▁sentence｜>"
)


def text_in(content: Json) -> str:
    """The text of a message: a string, or the text parts of a list. Thinking is no text."""
    if isinstance(content, list):
        parts = (part for part in content if isinstance(part, Mapping) and part.get("type") == "text")
        return "".join(str(part.get("text") or "") for part in parts)
    return content if isinstance(content, str) else ""


def cleaned(text: str) -> str:
    """The text without thoughts and without what comes after the end of the turn."""
    kept = next((part for part in _ENDS.split(text) if part.strip()), "") if _ENDS.search(text) else text
    if "think" not in kept.lower():
        return kept
    try:
        return without_thoughts(kept)
    except CutError:  # a thought that never ends says nothing
        return ""


def with_calls_in_text(reply: ModelReply, request: ModelRequest) -> ModelReply:
    """The reply with the calls that its text holds, as local servers pass them on when they can't read them.

    A text that is an answer stays as it is; JSON or marks that are no call are
    ``MALFORMED``, and a call without an end is a cut.
    """
    if reply.tool_calls or not request.tools or reply.stop not in (Stop.END, Stop.LENGTH):
        return reply
    planned = with_plan(reply, request)
    is_talk = planned.stop is reply.stop and planned.text == reply.text.strip()
    return reply if is_talk else planned


def with_plan(reply: ModelReply, request: ModelRequest) -> ModelReply:
    """The reply with what its text asks for. A cut reply stays cut: no call of it runs, however complete it looks."""
    try:
        plan: Plan | None = plan_of(reply.text, frozenset(spec.name for spec in request.tools))
    except CutError:
        return replace(reply, stop=Stop.LENGTH)
    if plan is None:
        return replace(reply, text="", stop=Stop.MALFORMED)
    if isinstance(plan, str):
        return replace(reply, text=plan)
    return replace(reply, text="", tool_calls=plan, stop=Stop.LENGTH if reply.stop is Stop.LENGTH else Stop.TOOL_CALLS)
