"""From a transcript to the messages a provider gets. Pure, shared by both drivers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aitools.errors import IllPaired
from aitools.loop import StepView, Transcript
from aitools.types import AssistantStep, AssistantText, CallResult, Message, Nudge, RequestedCall, UserText


def messages_of(talk: Sequence[Message], transcript: Transcript, nudge: str = "") -> tuple[Message, ...]:
    """Talk, then each step with all its results, each after the nudge that asked for it.

    A silent or cut step has nothing to send back: vendors refuse empty turns,
    and turns of the model at the end.  What comes out passes ``check_pairs`` if
    the customer says anything in ``talk``: what we said before their first words
    is left out, several texts of ours in a row become one, and a customer who
    wrote nothing that can be read wrote "…".
    """
    sent: list[Message] = _orderly(talk)
    for step in transcript.steps:
        if step.nudge:
            sent.append(Nudge(step.nudge))
        if step.calls or step.is_words:
            sent.append(_step(step))
    return (*sent, Nudge(nudge)) if nudge else tuple(sent)


def _orderly(talk: Sequence[Message]) -> list[Message]:
    sent: list[Message] = []
    for place, message in enumerate(talk, 1):
        if isinstance(message, AssistantStep):
            sent.append(message)
        elif place == len(talk) and isinstance(message, UserText) and not message.text.strip():
            sent.append(UserText("…"))
        elif not message.text.strip() or (not sent and not isinstance(message, UserText)):
            continue
        elif isinstance(message, AssistantText) and sent and isinstance(sent[-1], AssistantText):
            sent[-1] = AssistantText(f"{sent[-1].text}\n{message.text}")
        else:
            sent.append(message)
    return sent


def _step(step: StepView) -> AssistantStep:
    """Calls whose arguments were no JSON object go back as ``{}`` with their error."""
    return AssistantStep(
        text=step.reply.text if step.reply.text.strip() else "",
        calls=tuple(
            RequestedCall(c.id, c.request.name, c.request.arguments or {}, c.request.vendor_id) for c in step.calls
        ),
        results=tuple(CallResult(c.id, c.request.name, c.content, c.is_error, c.request.vendor_id) for c in step.calls),
        raw=step.reply.raw,
        provider=step.provider,
    )


def check_pairs(messages: Sequence[Message]) -> None:
    """Refuse what some vendor would refuse, or worse, take: raises ``IllPaired`` with the first fault.

    Right is: the customer speaks first; every call has exactly one result, of
    its name and in its place; no call id comes twice; the model says no two
    things in a row (a step with calls is followed by its results, a nudge speaks
    for us); no text is empty.
    """
    fault = next(_faults(messages), "")
    if fault:
        raise IllPaired(fault)


def _faults(messages: Sequence[Message]) -> Iterator[str]:
    if not messages or not isinstance(messages[0], UserText):
        yield "the talk does not begin with the customer"
    seen: set[str] = set()
    spoke = False
    for place, message in enumerate(messages):
        where = f"message {place}"
        if isinstance(message, AssistantStep):
            yield from _step_faults(message, where, seen)
        elif not message.text.strip():
            yield f"{where} is empty"
        if spoke and isinstance(message, AssistantText | AssistantStep):
            yield f"{where} follows a text of the model's"
        spoke = isinstance(message, AssistantText) or (isinstance(message, AssistantStep) and not message.calls)


def _step_faults(step: AssistantStep, where: str, seen: set[str]) -> Iterator[str]:
    asked = [(call.call_id, call.name) for call in step.calls]
    if asked != [(result.call_id, result.name) for result in step.results]:
        yield f"{where} has calls and results that do not pair"
    if not step.calls and not step.text.strip():
        yield f"{where} is empty"
    for call_id, _ in asked:
        if not call_id or call_id in seen:
            yield f"{where} has a call id that is empty or comes twice"
        seen.add(call_id)
