"""Driving the loop in memory, for code and tests: no database, no channel.

Same rules as over rows (``aitools.loop.decide``), so what holds here holds there.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from aitools import audit, results
from aitools.errors import ToolRefusal
from aitools.lines import question_lines
from aitools.loop import (
    AskHuman,
    CallModel,
    CallStatus,
    CallView,
    Ending,
    Expire,
    Finish,
    Limits,
    RunCall,
    Settle,
    StepView,
    Transcript,
    decide,
)
from aitools.providers.base import Provider
from aitools.tools import BoundTool, Tool, ToolContext, ToolSet
from aitools.transcripts import messages_of
from aitools.types import Json, Message, ModelReply, ModelRequest, Usage, UserText
from aitools.validation import Valid

log = logging.getLogger(__name__)


class ToolCancelled(Exception):
    """The confirmer cancelled; ``str`` is the tool's name."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a confirmer is given: everything a person needs to decide."""

    tool: str
    call_id: str
    title: str
    description: str
    arguments: Any
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reply:
    """The person answered with something else than yes or no."""

    text: str


#: True approves, False declines, ``Reply`` is neither, None cancels everything.
Confirmer = Callable[[Question], "bool | Reply | None"]


@dataclass(frozen=True, slots=True)
class RunResult:
    """How it ended. ``tool_results`` are (tool, result text) in order."""

    text: str
    ending: Ending
    steps: tuple[StepView, ...]
    events: tuple[tuple[str, str], ...]

    @property
    def tool_results(self) -> list[tuple[str, str]]:
        return [(call.request.name, call.content) for step in self.steps for call in step.calls]

    @property
    def max_steps_reached(self) -> bool:
        return self.ending is Ending.MAX_STEPS

    @property
    def usage(self) -> Usage:
        used = [step.reply.usage for step in self.steps]
        return Usage(
            sum(one.input for one in used),
            sum(one.output for one in used),
            sum(one.cached_input for one in used),
        )


def run_tools(
    messages: str | Sequence[Message],
    *,
    tools: Iterable[Tool],
    provider: Provider,
    system: str = "",
    confirm: Confirmer | None = None,
    ctx: ToolContext | None = None,
    max_steps: int = 5,
    facts: dict[str, Json] | None = None,
    on_event: Callable[[str, str], None] | None = None,
) -> RunResult:
    """Run the loop until a text for the customer. Raises what the provider raises.

    Without ``confirm`` no tool that needs a yes runs, and the model is told so.
    """
    talk = (UserText(messages),) if isinstance(messages, str) else tuple(messages)
    run = _Run(ToolSet(tools), provider, system, talk, confirm, ctx or _context(), facts or {})
    run.limits = Limits(max_steps)
    run.on_event = on_event
    return run.to_the_end()


@dataclass(slots=True)
class _Run:
    tools: ToolSet
    provider: Provider
    system: str
    talk: tuple[Message, ...]
    confirm: Confirmer | None
    ctx: ToolContext
    facts: dict[str, Json]
    limits: Limits = field(default_factory=Limits)
    transcript: Transcript = field(default_factory=Transcript)
    events: list[tuple[str, str]] = field(default_factory=list)
    on_event: Callable[[str, str], None] | None = None

    def to_the_end(self) -> RunResult:
        while True:
            action = decide(self.transcript, self.tools, self.limits)
            if isinstance(action, Finish):
                if action.event:
                    self._report(action.event, "")
                steps, events = self.transcript.steps, tuple(self.events)
                return RunResult(action.text, action.ending, steps, events)
            self._obey(action)

    def _obey(self, action: CallModel | RunCall | AskHuman | Settle | Expire) -> None:
        match action:
            case CallModel():
                self._ask_model(action)
            case Settle(call=call, content=content, event=event):
                self._report(event, call.request.name)
                self._settle(call, content, is_error=action.is_error, digest=action.digest)
            case Expire(call=call, reason=reason):
                self._settle(call, results.error(reason), is_error=True)
            case RunCall(call=call, bound=bound, valid=valid):
                self._run(call, bound, valid)
            case AskHuman(call=call, bound=bound, valid=valid):
                self._ask_human(call, bound, valid)

    def _ask_model(self, action: CallModel) -> None:
        request = ModelRequest(
            system=self.system,
            messages=messages_of(self.talk, self.transcript, action.nudge),
            tools=() if action.without_tools else self.tools.specs(),
            language=self.ctx.language,
            facts=self.facts,
            max_output_tokens=4096 if action.more_room else 1024,
        )
        reply = self.provider.complete(request)
        if action.event:
            self._report(action.event, "")
        steps = (*self.transcript.steps, step_from(reply, self.provider.kind, action.nudge))
        self.transcript = replace(self.transcript, steps=steps)

    def _run(self, call: CallView, bound: BoundTool, valid: Valid) -> None:
        self._report(audit.CALL, call.request.name)
        ctx = replace(self.ctx, tool=bound.tool.name, call_id=call.id)
        try:
            content = results.as_text(results.as_json(bound.tool.handler(valid.parsed, ctx)))
        except ToolRefusal as refused:
            self._fail(call, valid, results.refusal(refused))
            return
        except Exception as error:
            log.exception("tool %s failed", bound.tool.name)
            self._fail(call, valid, results.crashed(error))
            return
        self._report(audit.RESULT, call.request.name)
        self._settle(call, content, is_error=False, digest=valid.digest, done=True)

    def _fail(self, call: CallView, valid: Valid, content: str) -> None:
        self._report(audit.ERROR, call.request.name)
        self._settle(call, content, is_error=True, digest=valid.digest)

    def _ask_human(self, call: CallView, bound: BoundTool, valid: Valid) -> None:
        if self.confirm is None:
            self._report(audit.DENIED, call.request.name)
            self._settle(call, results.no_confirmer(), is_error=True, digest=valid.digest)
            return
        try:
            asked = _question(call, bound, valid, self.ctx)
        except ToolRefusal as refused:
            self._report(audit.INVALID, call.request.name)
            self._settle(call, results.refused_unasked(refused), is_error=True, digest=valid.digest)
            return
        self._report(audit.REQUESTED, call.request.name)
        self._apply(self.confirm(asked), call, bound, valid)

    def _apply(self, answer: bool | Reply | None, call: CallView, bound: BoundTool, valid: Valid) -> None:
        if answer is None:
            self._report(audit.CANCELLED, call.request.name)
            raise ToolCancelled(call.request.name)
        self.transcript = replace(self.transcript, counted_from=len(self.transcript.steps))
        if isinstance(answer, Reply):
            self._report(audit.REPLIED, call.request.name)
            self._settle(call, results.user_replied(answer.text), is_error=False)
            self._supersede_siblings(call)
        elif answer:
            self._report(audit.APPROVED, call.request.name)
            self._run(call, bound, valid)
        else:
            self._report(audit.DENIED, call.request.name)
            self._settle(call, results.declined(), is_error=False, digest=valid.digest)

    def _supersede_siblings(self, call: CallView) -> None:
        """The step's other calls were asked for before the person spoke: unasked."""
        (siblings,) = (step.calls for step in self.transcript.steps if any(c.id == call.id for c in step.calls))
        for sibling in siblings:
            if sibling.status is not CallStatus.SETTLED and sibling.id != call.id:
                self._settle(sibling, results.superseded(), is_error=False)

    def _settle(self, call: CallView, content: str, *, is_error: bool, digest: str = "", done: bool = False) -> None:
        settled = replace(
            call,
            status=CallStatus.SETTLED,
            content=content,
            is_error=is_error,
            digest=digest,
            done=done,
        )
        steps = tuple(
            replace(step, calls=tuple(settled if c.id == call.id else c for c in step.calls))
            for step in self.transcript.steps
        )
        self.transcript = replace(self.transcript, steps=steps)

    def _report(self, kind: str, tool: str) -> None:
        self.events.append((kind, tool))
        if self.on_event is not None:
            self.on_event(kind, tool)


def step_from(reply: ModelReply, provider: str, nudge: str = "") -> StepView:
    """A step with an id of our own for every call."""
    calls = tuple(CallView(str(uuid.uuid4()), request) for request in reply.tool_calls)
    return StepView(reply, calls, provider, nudge)


def _question(call: CallView, bound: BoundTool, valid: Valid, ctx: ToolContext) -> Question:
    tool = bound.tool
    if tool.check is not None:
        tool.check(valid.parsed, ctx)
    lines = question_lines(tool, valid, ctx)
    return Question(tool.name, call.id, tool.shown_title, tool.description, valid.arguments, lines)


def _context() -> ToolContext:
    return ToolContext("", "", "memory", "es", datetime.now(UTC))
