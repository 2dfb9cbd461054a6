"""From rows to what a model is sent: the window of earlier talk and this turn."""

from __future__ import annotations

from collections.abc import Sequence

from django.conf import settings
from django.utils.module_loading import import_string

from aitools.loop import CallStatus, CallView, StepView, Transcript
from aitools.memory import Memory
from aitools.models import BotProfile, CallState, Conversation, Step, ToolCall, Turn
from aitools.tools import ToolContext, ToolSet
from aitools.transcripts import messages_of
from aitools.types import (
    AssistantText,
    Message,
    ModelReply,
    ModelRequest,
    Prompt,
    Stop,
    ToolRequest,
    Usage,
    UserText,
)

#: A customer's message is cut here for the model; the row keeps all of it.
MAX_MESSAGE_CHARACTERS = 4000
MAX_WINDOW_CHARACTERS = 24_000
NEVER_CLAIM = (
    "Call tools to act; never say that something was done, changed or cancelled unless a tool "
    "result in this conversation says so. If no tool fits a request, say so plainly."
)


def transcript(turn: Turn) -> Transcript:
    """The turn's steps and calls as the rules see them. Two queries."""
    steps = list(turn.steps.order_by("index"))
    calls: dict[int, list[ToolCall]] = {step.pk: [] for step in steps}
    for call in turn.calls.order_by("step_id", "position"):
        calls[call.step_id].append(call)
    return Transcript(tuple(_step(step, calls[step.pk]) for step in steps), turn.counted_from)


def request(
    conversation: Conversation,
    turn: Turn,
    so_far: Transcript,
    tools: ToolSet,
    ctx: ToolContext,
    in_force: BotProfile,
    memory: Memory,
    nudge: str = "",
) -> ModelRequest:
    """Everything a provider needs, read from rows; the window bounds what is read."""
    prompt = _prompt(ctx)
    talk = (*window(conversation, turn, in_force.history_turns), UserText(_cut(turn.text)))
    note = system_note(tools, memory)
    return ModelRequest(
        system="\n\n".join(part for part in (prompt.system, in_force.persona, note) if part),
        messages=messages_of(talk, so_far, nudge),
        tools=tools.specs(),
        language=turn.language,
        facts=prompt.facts,
    )


def window(conversation: Conversation, turn: Turn, turns: int) -> list[Message]:
    """Earlier turns as plain talk, oldest first, whole turns only. One query."""
    earlier = (
        conversation.turns.filter(pk__lt=turn.pk, pk__gt=conversation.history_from)
        .order_by("-id")
        .values_list("text", "reply")[:turns]
    )
    talk: list[Message] = []
    room = MAX_WINDOW_CHARACTERS
    for text, reply in earlier:
        room -= len(text) + len(reply)
        if room < 0:
            break
        said: Sequence[Message] = [UserText(_cut(text)), AssistantText(reply)]
        talk = [part for part in said if part.text] + talk
    return talk


def system_note(tools: ToolSet, memory: Memory) -> str:
    """What the model must know about confirmations and what was already done."""
    confirmed = [bound.tool.name for bound in tools if bound.tool.confirm]
    lines = [NEVER_CLAIM]
    if confirmed:
        lines.append(
            f"The system itself asks the customer for a yes before these run: {', '.join(confirmed)}. "
            "Call them as soon as you have the data; do not ask for confirmation yourself and do "
            "not mention this process."
        )
    if memory.calls:
        done = "; ".join(f"{call.name} {call.result[:200]}" for call in memory.calls[:5])
        lines.append(f"Already done in this chat, newest first: {done}")
    return "\n".join(lines)


def _prompt(ctx: ToolContext) -> Prompt:
    built: Prompt = import_string(settings.AITOOLS_PROMPT_BUILDER)(ctx)
    return built


def _step(step: Step, calls: list[ToolCall]) -> StepView:
    views = tuple(_call(call) for call in calls)
    reply = ModelReply(
        text=step.text,
        tool_calls=tuple(view.request for view in views),
        stop=Stop(step.stop),
        usage=Usage(step.input_tokens, step.output_tokens, step.cached_tokens),
        raw=step.raw,
        raw_stop=step.raw_stop,
        model=step.model,
    )
    return StepView(reply, views, step.provider, step.nudge)


def _call(call: ToolCall) -> CallView:
    return CallView(
        id=str(call.call_id),
        request=ToolRequest(call.name, call.arguments, call.vendor_id),
        status=_status(call),
        content=call.result,
        is_error=call.is_error,
        done=call.state == CallState.DONE,
        digest=call.digest,
    )


def _status(call: ToolCall) -> CallStatus:
    if call.is_settled:
        return CallStatus.SETTLED
    started = call.state in (CallState.APPROVED, CallState.RUNNING)
    return CallStatus.APPROVED if started else CallStatus.OPEN


def _cut(text: str) -> str:
    return text if len(text) <= MAX_MESSAGE_CHARACTERS else f"{text[:MAX_MESSAGE_CHARACTERS]}…"
