"""The driver in memory: obeys ``aitools.loop.decide`` and keeps the transcript itself."""

from __future__ import annotations

import logging
import threading
import time
import traceback
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from aitools import asking, attempts, events, results, texts
from aitools.asking import Confirmer, Decision, Question, Reply
from aitools.errors import AgreementChanged, ToolRefusal
from aitools.events import Event
from aitools.loop import (
    OUR_CODE,
    AskHuman,
    CallModel,
    CallStatus,
    CallView,
    Ending,
    Expire,
    Finish,
    Guard,
    Limits,
    Previous,
    RunCall,
    Settle,
    StepView,
    Transcript,
    decide,
)
from aitools.notes import system_note
from aitools.providers.base import Provider
from aitools.recent import Done, Recent
from aitools.runs import RunCancelled, RunResult, ToolCancelled
from aitools.tools import BoundTool, Tool, ToolContext, ToolSet
from aitools.transcripts import messages_of
from aitools.types import Json, ModelReply, ModelRequest, Stop

log = logging.getLogger(__name__)

#: A confirmer that is code may answer for ever: then nobody is asked any more.
MAX_QUESTIONS = 20


class _Unknown(Exception):
    """A handler with effects elsewhere broke: they may have happened."""


def step_from(reply: ModelReply, provider: str, nudge: str = "") -> StepView:
    """A step with an id of our own for every call."""
    calls = tuple(CallView(str(uuid.uuid4()), request) for request in reply.tool_calls)
    return StepView(reply, calls, provider, nudge)


@dataclass(slots=True)
class Run:
    """One run under way. ``request`` is the model's first, without tools."""

    tools: ToolSet
    provider: Provider
    request: ModelRequest
    confirm: Confirmer | None
    ctx: ToolContext
    limits: Limits
    guard: Guard
    on_event: Callable[[Event], None] | None
    cancelled: threading.Event | None
    recent: Recent
    note: str | None = None
    transcript: Transcript = field(default_factory=Transcript)
    events: list[Event] = field(default_factory=list)
    values: dict[str, Json] = field(default_factory=dict)
    questions: int = 0
    started: float = field(default_factory=time.monotonic)

    def to_the_end(self) -> RunResult:
        while True:
            self._stop_if_cancelled()
            action = decide(self.transcript, self.tools, self.limits, self._previous, self.guard)
            if isinstance(action, Finish):
                return self._finish(action)
            self._obey(action)

    def _obey(self, action: CallModel | RunCall | AskHuman | Settle | Expire) -> None:
        match action:
            case CallModel():
                self._ask_model(action)
            case RunCall():
                self._run(action)
            case AskHuman():
                self._ask_human(action)
            case Settle():
                self._settle(action)
            case Expire(call=call, reason=reason):
                self._settle(Settle(call, results.error(reason), events.CHANGED))

    def _ask_model(self, action: CallModel) -> None:
        request = replace(
            self.request,
            system="\n\n".join(filter(None, [self.request.system, self._system_note()])),
            messages=messages_of(self.request.messages, self.transcript, action.nudge),
            tools=() if action.without_tools else self.tools.specs(),
            max_output_tokens=self.request.max_output_tokens * (2 if action.more_room else 1),
        )
        reply = self.provider.complete(request)
        if reply.stop is Stop.LENGTH and reply.tool_calls:
            log.warning("the output limit cut a reply: %d calls are not run", len(reply.tool_calls))
        self._add(step_from(reply, self.provider.kind, action.nudge))
        if action.event:
            self._report(action.event, error=action.detail)

    def _system_note(self) -> str:
        if self.note is None:
            return ""
        return system_note(self.tools, self.recent.done(self.ctx.chat_key, self._latest()), self.note)

    def _ask_human(self, action: AskHuman) -> None:
        call, digest = action.call, action.valid.digest
        if self.confirm is None or self.questions >= MAX_QUESTIONS:
            self._settle(Settle(call, results.no_confirmer(), events.DENIED, digest=digest))
            return
        try:
            question, agreed = self._question(action)
        except ToolRefusal as refused:
            self._settle(Settle(call, results.refused_unasked(refused), events.INVALID, digest=digest))
            return
        except Exception as error:  # noqa: BLE001 - whatever a tool's own words raise, the model is told and nobody asked
            self._settle(Settle(call, _crashed(action.bound.tool, error), events.ERROR, digest=digest))
            return
        self.questions += 1
        self._report(events.REQUESTED, call)
        self._apply(asking.decided(self.confirm(question)), action, agreed)

    def _question(self, action: AskHuman) -> tuple[Question, Json]:
        tool = action.bound.tool
        ctx = replace(self.ctx, tool=tool.name, call_id=action.call.id)
        known = self.recent.find(self.ctx.chat_key, tool, action.valid.digest, self._latest())
        changed = self.transcript.steps[-1].provider == OUR_CODE
        return asking.compose(action, ctx, agreed_before=known[0].agreed if known else None, changed=changed)

    def _apply(self, answer: Decision | Reply, action: AskHuman, agreed: Json) -> None:
        call = action.call
        if answer is Decision.CANCELLED:
            self._report(events.CANCELLED, call)
            raise ToolCancelled(call.request.name, self._so_far())
        self.transcript = replace(self.transcript, counted_from=len(self.transcript.steps))
        if isinstance(answer, Reply):
            self._settle(Settle(call, results.user_replied(answer.text), events.REPLIED, is_error=False))
            self._supersede_siblings()
        elif answer is Decision.DENIED:
            denied = Settle(call, results.declined(), events.DENIED, is_error=False, digest=action.valid.digest)
            self._settle(denied)
        else:
            self._report(events.APPROVED, call)
            self._stop_if_cancelled()
            self._run(RunCall(call, action.bound, action.valid), agreed)

    def _supersede_siblings(self) -> None:
        """The step's other calls were asked for before the person spoke: unasked."""
        for sibling in self.transcript.steps[-1].calls:
            if sibling.status is not CallStatus.SETTLED:
                self._settle(Settle(sibling, results.superseded(), events.CANCELLED, is_error=False))

    def _run(self, action: RunCall, agreed: Json = None) -> None:
        call, tool = action.call, action.bound.tool
        self._report(events.CALL, call)
        started = time.monotonic()
        try:
            value = self._handled(action, agreed)
        except AgreementChanged as changed:
            if tool.confirm:
                self._ask_again(call)
                return
            # Nobody agreed to anything: asking again would only run it again.
            fault, event = results.crashed(changed), events.ERROR
        except attempts.TooSlow:
            fault, event = self._too_slow(tool), events.TIMEOUT
        except ToolRefusal as refused:
            fault, event = results.refusal(refused), events.ERROR
        except _Unknown:
            fault, event = results.unknown_outcome(), events.ERROR
        except Exception as error:  # noqa: BLE001 - whatever a handler raises, the model is told and the run goes on
            fault, event = _crashed(tool, error), events.ERROR
        else:
            self._done(action, value, started, agreed)
            return
        self._settle(Settle(call, fault, event, digest=action.valid.digest), started)

    def _handled(self, action: RunCall, agreed: Json) -> Json:
        """The handler's result as JSON, when what was agreed is still so."""
        tool, parsed = action.bound.tool, action.valid.parsed
        own = threading.Event()
        ctx = replace(
            self.ctx,
            tool=tool.name,
            call_id=action.call.id,
            deadline=self._deadline(tool),
            agreed=agreed,
            cancelled=own,
        )
        if agreed is not None and tool.fingerprint and results.as_json(tool.fingerprint(parsed, ctx)) != agreed:
            raise AgreementChanged(tool.name)
        try:
            return results.as_json(attempts.run(tool, parsed, ctx, self.cancelled))
        except (attempts.TooSlow, ToolRefusal, AgreementChanged):
            raise
        except Exception as error:
            if tool.effects != "external":
                raise
            _crashed(tool, error)
            raise _Unknown from error

    def _deadline(self, tool: Tool) -> float | None:
        """The tool's own limit, or the caller's if that comes first."""
        ends = [time.monotonic() + tool.timeout_s] if tool.timeout_s else []
        ends += [self.ctx.deadline] if self.ctx.deadline is not None else []
        return min(ends, default=None)

    def _too_slow(self, tool: Tool) -> str:
        """What the handler still does is not undone here: only of a read is it known that nothing happened."""
        return results.timed_out(tool.timeout_s) if tool.effects == "none" else results.unknown_outcome()

    def _ask_again(self, call: CallView) -> None:
        """What was agreed is not so any more: settle the call and put it up anew, alone."""
        self._settle(Settle(call, results.changed(), events.CHANGED))
        self._supersede_siblings()
        again = ModelReply(tool_calls=(call.request,), stop=Stop.TOOL_CALLS)
        self._add(step_from(again, OUR_CODE))

    def _done(self, action: RunCall, value: Json, started: float, agreed: Json) -> None:
        call, tool, content = action.call, action.bound.tool, results.as_text(value)
        self.values[call.id] = value
        settled = Settle(call, content, events.RESULT, is_error=False, digest=action.valid.digest)
        self._settle(settled, started, done=True)
        if not results.is_error(value):
            done = Done(tool.name, action.valid.digest, content, self._latest(), agreed)
            self.recent.add(self.ctx.chat_key, tool, done)

    def _settle(self, action: Settle, started: float | None = None, *, done: bool = False) -> None:
        took = None if started is None else int((time.monotonic() - started) * 1000)
        self._report(action.event, action.call, action.content if action.is_error else "", took)
        settled = replace(
            action.call,
            status=CallStatus.SETTLED,
            content=action.content,
            is_error=action.is_error,
            digest=action.digest,
            done=done,
        )
        *before, last = self.transcript.steps
        calls = tuple(settled if call.id == settled.id else call for call in last.calls)
        self.transcript = replace(self.transcript, steps=(*before, replace(last, calls=calls)))

    def _add(self, step: StepView) -> None:
        self.transcript = replace(self.transcript, steps=(*self.transcript.steps, step))

    def _previous(self, name: str, digest: str) -> Previous | None:
        bound = self.tools.get(name)
        known = self.recent.find(self.ctx.chat_key, bound.tool, digest, self._latest()) if bound else None
        return known[1] if known else None

    def _report(self, kind: str, call: CallView | None = None, error: str = "", took: int | None = None) -> None:
        event = Event(
            kind,
            self._now(),
            len(self.transcript.steps),
            call.request.name if call else "",
            call.id if call else "",
            self.ctx.chat_key,
            call.request.arguments if call else None,
            took,
            error,
        )
        self.events.append(event)
        if self.on_event is not None:
            try:
                self.on_event(event)
            except Exception:
                log.exception("a listener to %s failed", kind)

    def _stop_if_cancelled(self) -> None:
        if self.cancelled is not None and self.cancelled.is_set():
            raise RunCancelled("the run was cancelled", self._so_far())

    def _so_far(self, text: str = "", ending: Ending | None = None) -> RunResult:
        return RunResult(text, ending, self.transcript.steps, tuple(self.events))

    def _finish(self, action: Finish) -> RunResult:
        if action.event:
            self._report(action.event, error=action.detail)
        return self._so_far(action.text or self._own_words(action.ending), action.ending)

    def _own_words(self, ending: Ending) -> str:
        """What was done, else why there is no answer."""
        calls = [call for step in self.transcript.steps for call in step.calls if call.done]
        told = [told for call in calls if (told := self._report_of(call, self.tools.get(call.request.name)))]
        return "\n".join(told) or texts.ending(ending)

    def _report_of(self, call: CallView, bound: BoundTool | None) -> str:
        if bound is None or bound.tool.effects == "none" or not (bound.tool.confirm or bound.tool.report):
            return ""
        ctx = replace(self.ctx, tool=bound.tool.name, call_id=call.id)
        try:
            if bound.tool.report:
                return bound.tool.report(self.values[call.id], ctx)
        except Exception as error:  # noqa: BLE001 - what was done is told, if only by its title
            _crashed(bound.tool, error)
        return texts.done(bound.tool.shown_title)

    def _latest(self) -> datetime:
        """What memory goes by: a ``ctx`` that is used again says an old moment."""
        return max(self._now(), datetime.now(UTC))

    def _now(self) -> datetime:
        return self.ctx.now + timedelta(seconds=time.monotonic() - self.started)


def _crashed(tool: Tool, error: Exception) -> str:
    """A crash for the model; the log says where. Not the error's own words: they may be the customer's."""
    fault = error.fault if isinstance(error, attempts.Died) else error
    frames = traceback.extract_tb(fault.__traceback__)
    where = f"{frames[-1].name}, line {frames[-1].lineno}" if frames else "no frame"
    log.error("tool %s: %s in %s", tool.name, type(fault).__name__, where)
    return results.crashed(fault)
