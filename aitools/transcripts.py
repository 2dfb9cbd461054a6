"""From a transcript to the messages a provider gets. Pure, shared by both drivers."""

from __future__ import annotations

from collections.abc import Sequence

from aitools.loop import StepView, Transcript
from aitools.types import AssistantStep, CallResult, Message, Nudge, RequestedCall


def messages_of(talk: Sequence[Message], transcript: Transcript, nudge: str = "") -> tuple[Message, ...]:
    """Talk, then each step with all its results, each after the nudge that asked for it.

    A silent or cut step has nothing to send back: vendors refuse empty turns,
    and turns of the model at the end.
    """
    sent: list[Message] = list(talk)
    for step in transcript.steps:
        if step.nudge:
            sent.append(Nudge(step.nudge))
        if step.calls or step.is_words:
            sent.append(_step(step))
    return (*sent, Nudge(nudge)) if nudge else tuple(sent)


def _step(step: StepView) -> AssistantStep:
    """Calls whose arguments were no JSON object go back as ``{}`` with their error."""
    return AssistantStep(
        text=step.reply.text,
        calls=tuple(
            RequestedCall(c.id, c.request.name, c.request.arguments or {}, c.request.vendor_id) for c in step.calls
        ),
        results=tuple(CallResult(c.id, c.request.name, c.content, c.is_error, c.request.vendor_id) for c in step.calls),
        raw=step.reply.raw,
        provider=step.provider,
    )
