"""A stored turn, asked anew of another model, beside what happened then. Nothing is written.

Restored are the talk and the facts of the turn's first request.  Instructions,
tools, menu and prices are those of now.  A tool with effects is never run: what
it said then is said again if the same call was made, else that it was not run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from django.conf import settings
from django.utils import translation
from django.utils.module_loading import import_string

from aitools import behaviour, memory, sandbox
from aitools.contexts import context_of
from aitools.errors import ProviderError, ToolFailed
from aitools.models import Conversation, ToolCall, Turn
from aitools.providers.adapter import load
from aitools.recent import Done, Recent
from aitools.replay import Replay, StepReplay, replay
from aitools.tools import Tool, ToolContext, bind, registry
from aitools.trials import Answered, Trial, TriedCall, TriedStep, endpoint_of, tried
from aitools.types import Json, Prompt, ToolRequest
from aitools.validation import Valid, validate

NOT_RUN = "Not run in a replay: nobody knows what it would have said."


class Incomparable(Exception):
    """No model was asked in this turn, or its words are not kept any more."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What happened then and what came now. ``fault`` is set when the model gave no reply.

    ``facts_restored``: it was told the facts of then, not those of now.
    """

    then: list[TriedStep]
    now: list[TriedStep]
    said_then: str
    says_now: str
    facts_restored: bool
    fault: ProviderError | None = None


def compare(turn: Turn, choice: str) -> Comparison:
    """Ask the model of this choice (see ``trials.endpoint_of``). Never inside a transaction.

    Raises ``Incomparable``, and ``LookupError`` for a choice that is gone.
    """
    shown = replay(turn)
    first = next((step for step in shown.steps if not step.is_ours), None)
    if first is None or not turn.text.strip():
        raise Incomparable
    profile = behaviour.profile()
    ctx = context_of(turn.conversation, turn.started_at, language=turn.language)
    box, prompts = Looking(turn.conversation), _Prompts(first.row.facts)
    endpoint = endpoint_of(profile, choice)
    load(endpoint)
    trial = Trial(endpoint, profile, ctx, box, registry.all(), first.seen, _done_before(turn), prompts.build)
    run = trial.run(_tools(shown, box, ctx), None)
    text, fault = "", None
    with translation.override(ctx.language):
        try:
            text = run.to_the_end().text
        except ProviderError as error:
            fault = error
    now = tried(run.transcript.steps, trial.answered, run.events)
    return Comparison([_then(step) for step in shown.steps], now, turn.reply, text, prompts.restored, fault)


@dataclass(frozen=True, slots=True)
class Looking:
    """The conversation itself, to be read."""

    conversation: Conversation

    @contextmanager
    def entered(self, ctx: ToolContext) -> Iterator[ToolContext]:
        with sandbox.undone():
            yield replace(ctx, conversation_id=self.conversation.pk, epoch=self.conversation.epoch)


class _Prompts:
    """The instructions of now with the facts of then."""

    def __init__(self, facts: Json) -> None:
        self.facts, self.restored = facts, False

    def build(self, ctx: ToolContext) -> Prompt:
        built: Prompt = import_string(settings.AITOOLS_PROMPT_BUILDER)(ctx)
        current = json.dumps(built.facts, ensure_ascii=False)
        if not isinstance(self.facts, Mapping) or current not in built.now:
            return built
        self.restored = True
        told = json.dumps(self.facts, ensure_ascii=False)
        return replace(built, now=built.now.replace(current, told), facts=self.facts)


def _tools(shown: Replay, box: Looking, ctx: ToolContext) -> list[Tool]:
    calls = [call.row for step in shown.steps for call in step.calls if call.row.result]
    return [_replayed(tool, [call for call in calls if call.name == tool.name], box, ctx) for tool in registry.all()]


def _replayed(tool: Tool, calls: Sequence[ToolCall], box: Looking, ctx: ToolContext) -> Tool:
    """The tool with the results of then; one without effects looks again at what nobody asked then."""
    known = [(parsed, call.result) for call in calls if (parsed := _parsed(tool, call, ctx)) is not None]
    look = sandbox.read(box, tool) if tool.effects == "none" else _not_run

    def handler(args: Any, own: ToolContext) -> Json:
        return next((result for parsed, result in known if parsed == args), None) or look(args, own)

    return replace(
        tool,
        handler=handler,
        confirm=False,
        confirm_message=None,
        confirm_lines=None,
        fingerprint=None,
        check=None,
        report=None,
    )


def _not_run(args: Any, ctx: ToolContext) -> Json:
    raise ToolFailed(NOT_RUN)


def _parsed(tool: Tool, call: ToolCall, ctx: ToolContext) -> Any:
    """The arguments of then as a handler gets them; None where they would not pass now."""
    valid = validate(bind(tool, ctx), ToolRequest(tool.name, call.arguments))
    return valid.parsed if isinstance(valid, Valid) else None


def _done_before(turn: Turn) -> Recent:
    recent, chat_key = Recent(), str(turn.conversation_id)
    calls = memory.recall(turn.conversation, turn.started_at, except_turn=turn.pk).calls
    for call in reversed([call for call in calls if call.turn_id < turn.pk]):
        tool = registry.get(call.name)
        if tool is not None and call.finished_at is not None:
            recent.add(chat_key, tool, Done(call.name, call.digest, call.result, call.finished_at))
    return recent


def _then(step: StepReplay) -> TriedStep:
    row = step.row
    answered = Answered(row.model, row.duration_ms, row.cost, by_plan=False, failures=(), facts=None)
    return TriedStep(
        provider=row.provider,
        text=row.text,
        stop=row.stop,
        nudge=row.nudge,
        input_tokens=row.input_tokens,
        cached_tokens=row.cached_tokens,
        output_tokens=row.output_tokens,
        calls=tuple(_call_then(call.row) for call in step.calls),
        answered=None if step.is_ours else answered,
        events=tuple((event.kind, event.error) for event in step.events),
    )


def _call_then(row: ToolCall) -> TriedCall:
    return TriedCall(row.name, row.arguments, row.result, row.is_error, row.duration_ms)


def difference(one: Sequence[TriedStep], other: Sequence[TriedStep]) -> set[str]:
    """The calls of ``one``, by ``key_of``, that ``other`` did not make."""
    made = {key_of(call) for step in other for call in step.calls}
    return {key_of(call) for step in one for call in step.calls} - made


def key_of(call: TriedCall) -> str:
    """What makes two calls the same."""
    return f"{call.name} {json.dumps(call.arguments, sort_keys=True, ensure_ascii=False)}"
