"""One turn in memory: rows that are stored, and rows that will be with the next commit.

A pass over a conversation changes these objects and stores them at its
barriers: before an effect, with a question, at the end, and when it fails.
What lies between two barriers (asking the model, reading tools) has no effect,
so a process that dies there loses nothing but that work.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime

from django.db import connection
from django.db.models import Model

from aitools import audit, events, results
from aitools.completion import Completion
from aitools.errors import Stale
from aitools.jsonrows import instance
from aitools.loop import OUR_CODE, CallStatus, CallView, StepView, Transcript
from aitools.models import (
    AuditEvent,
    CallState,
    InboundEvent,
    OutboundMessage,
    OutboundState,
    PendingConfirmation,
    Step,
    ToolCall,
    Turn,
    TurnState,
)
from aitools.models.turns import UNSETTLED_CALL
from aitools.storable import storable
from aitools.tools import registry
from aitools.types import Json, ModelReply, Stop, ToolRequest, Usage

Asked = PendingConfirmation.State

_OUTCOME = ("state", "attempt", "result", "value", "is_error", "digest", "duration_ms", "finished_at")
_TURN = ("state", "text", "reply", "counted_from", "read_to", "failures", "failure", "finished_at")


_SETTLE = """
UPDATE aitools_pendingconfirmation
SET state = %s, settled_at = %s, answered_by_id = %s, answered_seq = %s
WHERE call_id = %s AND state = 'pending'
"""
#: A turn with all that hangs on it: as JSON, since the ORM would need a query each.
_LOAD = """
SELECT to_jsonb(t)::text, to_jsonb(s)::text, to_jsonb(c)::text, to_jsonb(p)::text
FROM aitools_turn t
LEFT JOIN aitools_step s ON s.turn_id = t.id
LEFT JOIN aitools_toolcall c ON c.turn_id = s.turn_id AND c.step = s.index
LEFT JOIN aitools_pendingconfirmation p ON p.call_id = c.id
WHERE t.id = %s ORDER BY s.index, c.position
"""


@dataclass(frozen=True, slots=True)
class Settlement:
    """What becomes of the open question, with the next commit, and the event that reports it.

    ``choice`` is the title of the button chosen, "" for none.
    """

    pending: PendingConfirmation
    state: PendingConfirmation.State
    event: AuditEvent
    at: datetime
    by: InboundEvent | None = None
    seq: int = 0
    choice: str = ""

    def store(self) -> None:
        """Close the question, once; Stale when somebody closed it before. Needs a transaction.

        The caller stores ``event`` in the same one.
        """
        by = self.by.pk if self.by is not None else None
        if self.pending.asked_at is None:
            self._withdraw()
        with connection.cursor() as cursor:
            cursor.execute(_SETTLE, [self.state.value, self.at, by, self.seq or None, self.pending.pk])
            closed = cursor.rowcount
        if not closed:
            raise Stale(f"confirmation {self.pending.pk} was settled before")
        if self.choice:
            OutboundMessage.objects.filter(pk=self.pending.message_id).update(choice=self.choice)

    def _withdraw(self) -> None:
        """What waits behind a paused sender is not asked any more. Before the question's row, as senders lock them."""
        asked = OutboundMessage.objects.filter(conversation=self.pending.conversation_id, call=self.pending.call_id)
        asked.filter(state=OutboundState.QUEUED).update(state=OutboundState.WITHDRAWN)


@dataclass
class TurnRows:
    """A turn with its steps and calls in order, and what of it is not stored yet."""

    turn: Turn
    steps: list[Step] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    events: list[AuditEvent] = field(default_factory=list)
    settlement: Settlement | None = None
    questions: dict[int, PendingConfirmation] = field(default_factory=dict)
    changed: dict[int, ToolCall] = field(default_factory=dict)
    turn_changed: bool = False

    @property
    def is_ready_for_effect(self) -> bool:
        """Whether all that an effect rests on is stored; a yes is stored with the effect itself."""
        waits = self.unsaved().rows or self.events
        return not (waits or (self.changed and self.settlement is None))

    def call(self, view: CallView) -> ToolCall:
        return next(call for call in self.calls if str(call.call_id) == view.id)

    def question_of(self, call: ToolCall) -> PendingConfirmation | None:
        """The question that was asked about a call, if any."""
        return None if _is_new(call) else self.questions.get(call.pk)

    @property
    def open_question(self) -> PendingConfirmation | None:
        """The question that waits for its answer."""
        return next((asked for asked in self.questions.values() if asked.state == Asked.PENDING), None)

    def step_of(self, call: ToolCall) -> Step:
        return next(step for step in self.steps if step.index == call.step)

    def add_step(self, got: Completion, nudge: str, facts: Json) -> Step:
        """One reply becomes a step and its calls, whatever they are."""
        reply = got.reply
        step = Step(
            turn=self.turn,
            index=self._next_index(),
            provider=got.endpoint.kind,
            model=reply.model[:120],
            nudge=nudge,
            facts=facts if facts != self._last_facts() else None,
            text=storable(reply.text),
            raw=storable(reply.raw),
            stop=reply.stop,
            raw_stop=reply.raw_stop[:60],
            request_id=reply.request_id[:120],
            input_tokens=reply.usage.input,
            output_tokens=reply.usage.output,
            cached_tokens=reply.usage.cached_input,
            cost=got.cost,
            duration_ms=got.duration_ms,
        )
        self.steps.append(step)
        self.calls += [self._requested(step, place, asked) for place, asked in enumerate(reply.tool_calls)]
        return step

    def add_own_step(self, call: ToolCall, why: str) -> None:
        """Ask about a call anew, as a step of our own code; ``why`` words the question's first line."""
        step = Step(turn=self.turn, index=self._next_index(), provider=OUR_CODE, stop=Stop.TOOL_CALLS, raw_stop=why)
        self.steps.append(step)
        self.calls.append(self._requested(step, 0, ToolRequest(call.name, call.arguments)))

    def settle(
        self,
        call: ToolCall,
        state: CallState,
        content: str,
        at: datetime,
        *,
        is_error: bool = False,
        digest: str | None = None,
        value: Json = None,
        duration_ms: int | None = None,
    ) -> None:
        """Give a call its one result."""
        call.state, call.result, call.is_error, call.value = state, content, is_error, value
        call.digest = call.digest if digest is None else digest
        call.duration_ms, call.finished_at = duration_ms, at
        self.touch(call)

    def touch(self, call: ToolCall) -> None:
        """The call's outcome goes with the next commit."""
        if not _is_new(call):
            self.changed[call.pk] = call

    def supersede_siblings(self, call: ToolCall, at: datetime) -> None:
        """The step's other calls were asked for before the customer spoke: unasked."""
        for sibling in self.calls:
            if sibling.step == call.step and sibling is not call and not sibling.is_settled:
                self.settle(sibling, CallState.REFUSED, results.superseded(), at)
                self.events.append(audit.of_call(events.CANCELLED, sibling, error="superseded"))

    def close(self, state: CallState, at: datetime) -> None:
        """Settle what the turn still has open; what runs outside can't be called back, so nobody knows."""
        for call in self.calls:
            if not call.is_settled:
                self.settle(call, CallState.UNKNOWN if _runs_outside(call) else state, call.result, at)

    def report(self, kind: str, *, step: int = 0, error: str = "") -> None:
        self.events.append(audit.of_turn(kind, self.turn, step=step, error=error))

    def go_on(self, text: str, read_to: int) -> None:
        """The customer spoke: the turn runs on, and limits count from here."""
        turn = self.turn
        turn.text = "\n".join(filter(None, [turn.text, text]))
        turn.state, turn.counted_from, turn.read_to = TurnState.RUNNING, len(self.steps), read_to
        self.turn_changed = True

    def end(self, state: TurnState, reply: str, at: datetime) -> None:
        self.turn.state, self.turn.reply, self.turn.finished_at = state, reply, at
        self.turn_changed = True

    def store(self) -> None:
        """Write what is not stored yet. Needs a transaction that holds the conversation's row."""
        if self.settlement is not None:
            self.settlement.store()
        self._store_turn()
        Step.objects.bulk_create([step for step in self.steps if _is_new(step)])
        ToolCall.objects.bulk_create([call for call in self.calls if _is_new(call)])
        for call in self.changed.values():
            _update(call)
        audit.store([*self._decided(), *self.events])

    def stored(self) -> None:
        """The transaction is committed: nothing of it is written again."""
        self.settlement, self.turn_changed = None, False
        self.changed.clear()
        self.events.clear()

    def unstored(self, before: Unsaved) -> None:
        """The transaction was undone: rows it had inserted have no keys, and nothing refers to them by key."""
        for row in (*before.rows, *self._decided(), *self.events):
            row._state.adding = True
            if not isinstance(row, Step):
                row.pk = None
        for step in self.steps:
            step.turn = self.turn
        for call in self.calls:
            call.turn = self.turn
        for event in self.events:
            event.turn, event.tool_call = self.turn, event.tool_call

    def forget_unstored(self) -> None:
        """Keep the turn and what is stored of it; steps and events that are not stored are lost."""
        self.steps = [step for step in self.steps if not _is_new(step)]
        self.calls = [call for call in self.calls if not _is_new(call)]
        self.settlement = None
        self.changed.clear()
        self.events.clear()

    def unsaved(self) -> Unsaved:
        """The rows that a coming transaction would insert."""
        rows: list[Turn | Step | ToolCall] = [self.turn, *self.steps, *self.calls]
        return Unsaved(tuple(row for row in rows if _is_new(row)))

    def _decided(self) -> list[AuditEvent]:
        return [self.settlement.event] if self.settlement else []

    def _store_turn(self) -> None:
        if _is_new(self.turn):
            self.turn.save(force_insert=True)
        elif self.turn_changed:
            self.turn.save(update_fields=_TURN)

    def _requested(self, step: Step, position: int, asked: ToolRequest) -> ToolCall:
        return ToolCall(
            turn=self.turn,
            step=step.index,
            position=position,
            vendor_id=asked.vendor_id[:255],
            name=storable(asked.name)[:128],
            arguments=storable(asked.arguments),
        )

    def _next_index(self) -> int:
        return self.steps[-1].index + 1 if self.steps else 1

    def _last_facts(self) -> Json:
        told = (step.facts for step in reversed(self.steps) if step.facts is not None)
        return next(told, None)


@dataclass(frozen=True, slots=True)
class Unsaved:
    """Rows without keys, to give them back that state when a transaction fails."""

    rows: tuple[Turn | Step | ToolCall, ...]


def load(turn_id: int) -> TurnRows | None:
    """The open turn with its steps, calls and questions; None when it is gone. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_LOAD, [turn_id])
        found = cursor.fetchall()
    if not found:
        return None
    rows = TurnRows(instance(Turn, json.loads(found[0][0])))
    for _turn, step, call, asked in found:
        _take(rows, *(json.loads(one) if one else None for one in (step, call, asked)))
    return rows


def _take(rows: TurnRows, step: Json, call: Json, asked: Json) -> None:
    """Add one row of the join: a step, the first time it comes, and a call with its question."""
    if step is None:
        return
    if not rows.steps or rows.steps[-1].index != step["index"]:
        rows.steps.append(instance(Step, step))
        rows.steps[-1].turn = rows.turn
    if call is None:
        return
    rows.calls.append(instance(ToolCall, call))
    rows.calls[-1].turn = rows.turn
    if asked is not None:
        question = instance(PendingConfirmation, asked)
        question.call = rows.calls[-1]
        rows.questions[question.call.pk] = question


def transcript(rows: TurnRows) -> Transcript:
    """The turn's steps and calls as the rules see them."""
    views = tuple(_step_view(step, [call for call in rows.calls if call.step == step.index]) for step in rows.steps)
    return Transcript(views, rows.turn.counted_from)


def _step_view(step: Step, calls: list[ToolCall]) -> StepView:
    views = tuple(_call_view(call) for call in calls)
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


def _call_view(call: ToolCall) -> CallView:
    return CallView(
        id=str(call.call_id),
        request=ToolRequest(call.name, call.arguments, call.vendor_id),
        status=_status(call),
        content=call.result,
        is_error=call.is_error,
        done=call.state == CallState.DONE,
        digest=call.digest,
    )


def _is_new(row: Model) -> bool:
    return row._state.adding


def _runs_outside(call: ToolCall) -> bool:
    tool = registry.get(call.name)
    return call.state == CallState.RUNNING and tool is not None and tool.effects == "external"


def _status(call: ToolCall) -> CallStatus:
    if call.is_settled:
        return CallStatus.SETTLED
    started = call.state in (CallState.APPROVED, CallState.RUNNING)
    return CallStatus.APPROVED if started else CallStatus.OPEN


def _update(call: ToolCall) -> None:
    """Store a call's outcome unless another worker settled it; Stale if so."""
    open_or_mine = ToolCall.objects.filter(pk=call.pk, state__in=UNSETTLED_CALL)
    if not open_or_mine.update(**{name: getattr(call, name) for name in _OUTCOME}):
        raise Stale(f"call {call.pk} was settled before")
