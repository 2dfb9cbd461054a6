"""The conductor: takes the lease and moves one conversation on, row by row.

``advance`` may be called by anybody at any time and any number of times.  It
holds no transaction open while a model, a tool or a channel works, and every
write goes through ``leases.fence``.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import cached_property

from django.db import transaction
from django.utils import translation

from aitools import (
    answering,
    audit,
    behaviour,
    completion,
    confirmations,
    execution,
    failures,
    history,
    leases,
    memory,
    openings,
    outbox,
    reports,
    results,
    texts,
)
from aitools.clock import DbNow
from aitools.contexts import context_of
from aitools.errors import LeaseLost, ToolFailed, ToolRetry
from aitools.interruptions import interrupt
from aitools.leases import Lease
from aitools.loop import (
    AskHuman,
    CallModel,
    CallView,
    Ending,
    Expire,
    Finish,
    Limits,
    RunCall,
    Settle,
    Transcript,
    decide,
)
from aitools.models import (
    BotProfile,
    CallState,
    Conversation,
    PendingConfirmation,
    Step,
    ToolCall,
    Turn,
    TurnState,
)
from aitools.models.turns import OPEN_TURN
from aitools.tools import ToolContext, ToolSet, registry

log = logging.getLogger(__name__)


@dataclass
class Work:
    """What one pass over a conversation needs, read once."""

    lease: Lease
    conversation: Conversation
    turn: Turn
    profile: BotProfile

    @cached_property
    def tools(self) -> ToolSet:
        return ToolSet(registry.all())

    @cached_property
    def memory(self) -> memory.Memory:
        return memory.recall(self.conversation, self.ctx.now)

    @cached_property
    def ctx(self) -> ToolContext:
        return context_of(self.conversation)


def advance(conversation_id: int) -> None:
    """Do all there is to do for this conversation now, or leave it to its holder.

    Raises whatever broke, after recording it; the sweep tries again.
    """
    while (lease := leases.claim(conversation_id)) is not None:
        try:
            seen_seq = _work(lease)
        except LeaseLost:
            log.info("lease of conversation %s was lost", conversation_id)
            return
        except Exception as error:
            failures.record(lease, error)
            raise
        if leases.release(lease, seen_seq):
            return
        leases.drop(lease)


def _work(lease: Lease) -> int:
    """Act until nothing is due; returns the inbox count that was seen last."""
    profile = behaviour.profile()
    while True:
        conversation = Conversation.objects.get(pk=lease.conversation_id)
        with translation.override(conversation.language or profile.language):
            if not _move_on(lease, conversation, profile):
                return conversation.inbox_seq


def _move_on(lease: Lease, conversation: Conversation, profile: BotProfile) -> bool:
    """One thing that is due; False when there is none."""
    turn = Turn.objects.filter(conversation=conversation, state__in=OPEN_TURN).first()
    if turn is not None and conversation.opted_out_at is not None:
        _stop(lease)
        return True
    if turn is None:
        return openings.open_turn(lease, conversation, profile)
    if turn.state == TurnState.WAITING:
        return answering.take_answer(lease, conversation, turn, profile)
    leases.renew(lease, 0)
    _run(Work(lease, conversation, turn, profile))
    return True


def _stop(lease: Lease) -> None:
    """A vendor told us that they opted out while the turn was under way."""
    with transaction.atomic(durable=True):
        conversation = leases.fence(lease)
        interrupt(conversation, "opted out", tell_effects=False)
        conversation.save()


def _run(work: Work) -> None:
    """Decide and do the turn's next action."""
    so_far = history.transcript(work.turn)
    limits = Limits(work.profile.max_steps)
    action = decide(so_far, work.tools, limits, work.memory.find)
    match action:
        case CallModel():
            _call_model(work, so_far, action)
        case RunCall():
            _run_call(work, action)
        case AskHuman():
            _ask(work, action)
        case Settle():
            _settle(work, action)
        case Expire():
            _expire_changed_tool(work, _row(action.call))
        case Finish():
            _finish(work, action)


def _call_model(work: Work, so_far: Transcript, action: CallModel) -> None:
    """One reply becomes a step and its calls, whatever they are."""
    endpoints = behaviour.endpoints(work.profile)
    leases.renew(work.lease, completion.longest_wait(endpoints))
    request = history.request(
        work.conversation,
        work.turn,
        so_far,
        work.tools,
        work.ctx,
        work.profile,
        work.memory,
        nudge=action.nudge,
    )
    got = completion.complete(request, endpoints, more_room=action.more_room)
    with transaction.atomic(durable=True):
        leases.fence(work.lease)
        step = _store_step(work.turn, len(so_far.steps) + 1, got, action.nudge)
        if action.event:
            _report(work, action.event, step.index, action.detail)
        for failure in got.failures:
            _report(work, audit.FALLBACK, step.index, failure)


def _store_step(turn: Turn, index: int, got: completion.Completion, nudge: str) -> Step:
    reply = got.reply
    step = Step.objects.create(
        turn=turn,
        index=index,
        provider=got.endpoint.kind,
        model=reply.model[:120],
        nudge=nudge,
        text=reply.text,
        raw=reply.raw,
        stop=reply.stop,
        raw_stop=reply.raw_stop[:60],
        request_id=reply.request_id[:120],
        input_tokens=reply.usage.input,
        output_tokens=reply.usage.output,
        cached_tokens=reply.usage.cached_input,
        duration_ms=got.duration_ms,
    )
    ToolCall.objects.bulk_create(
        ToolCall(
            turn=turn,
            step=step,
            conversation_id=turn.conversation_id,
            position=position,
            vendor_id=asked.vendor_id[:255],
            name=asked.name[:128],
            arguments=asked.arguments,
        )
        for position, asked in enumerate(reply.tool_calls)
    )
    return step


def _run_call(work: Work, action: RunCall) -> None:
    call = _row(action.call)
    pending = PendingConfirmation.objects.filter(call=call).first()
    if pending is not None and not _still_agreed(pending, action):
        _expire_changed_tool(work, call)
        return
    agreed = pending.fingerprint if pending else None
    ctx = context_of(work.conversation, tool=call.name, call=call, agreed=agreed)
    outcome = execution.run(work.lease, call, action.bound.tool, action.valid, ctx)
    if isinstance(outcome, execution.Changed):
        _ask_again(work, call, confirmations.CHANGED)


def _still_agreed(pending: PendingConfirmation, action: RunCall) -> bool:
    """The tool and the arguments are those the customer was asked about."""
    return pending.schema_hash == action.bound.schema_hash and pending.digest == action.valid.digest


def _expire_changed_tool(work: Work, call: ToolCall) -> None:
    """A deploy changed the tool while the customer thought: apologise, run nothing."""
    with transaction.atomic(durable=True):
        conversation = leases.fence(work.lease)
        failures.close_calls(work.turn, CallState.EXPIRED)
        audit.record_call(audit.CHANGED, call, error="the tool changed")
        reports.tell_effects(work.turn, conversation)
        _end(work, conversation, texts.tool_gone(), TurnState.CANCELLED)


def _ask_again(work: Work, call: ToolCall, why: str) -> None:
    """What was agreed is not so any more: settle the call and ask about it anew."""
    with transaction.atomic(durable=True):
        leases.fence(work.lease)
        ToolCall.objects.filter(pk=call.pk).update(
            state=CallState.REFUSED,
            result=results.changed(),
            is_error=True,
            finished_at=DbNow(),
        )
        audit.record_call(audit.CHANGED, call)
        confirmations.repeat(work.turn, call, why)


def _ask(work: Work, action: AskHuman) -> None:
    """Store the question, unless the shop refuses it or the customer wrote meanwhile."""
    call = _row(action.call)
    ctx = context_of(work.conversation, tool=call.name, call=call)
    try:
        asked = confirmations.compose(
            action.bound,
            action.valid,
            ctx,
            work.conversation,
            previous=action.previous,
            why=call.step.raw_stop,
        )
    except (ToolRetry, ToolFailed) as refusal:
        content = results.refused_unasked(refusal)
        _settle(work, Settle(action.call, content, audit.INVALID, digest=action.valid.digest))
        return
    with transaction.atomic(durable=True):
        conversation = leases.fence(work.lease)
        if answering.take_interjection(conversation, work.turn, call):
            return
        confirmations.store(conversation, call, action.bound, action.valid, asked, work.profile.confirm_seconds)
        Turn.objects.filter(pk=work.turn.pk).update(state=TurnState.WAITING, reply=asked.text)


def _settle(work: Work, action: Settle) -> None:
    call = _row(action.call)
    with transaction.atomic(durable=True):
        leases.fence(work.lease)
        call.state = CallState.REFUSED
        call.result, call.is_error, call.digest = action.content, action.is_error, action.digest
        call.finished_at = work.ctx.now
        call.save(update_fields=["state", "result", "is_error", "digest", "finished_at"])
        audit.record_call(action.event, call, error=action.content if action.is_error else "")


def _finish(work: Work, action: Finish) -> None:
    """Reply and end; our code speaks when the model has no words for it."""
    with transaction.atomic(durable=True):
        conversation = leases.fence(work.lease)
        if action.event:
            _report(work, action.event, error=action.detail)
        if action.ending is Ending.REFUSAL:
            conversation.needs_staff = True
            conversation.save(update_fields=["needs_staff"])
        _end(work, conversation, _words_for(work, action), TurnState.DONE)


def _words_for(work: Work, action: Finish) -> str:
    """The model's text; without one, what was done, else why there is no answer."""
    if action.text:
        return action.text
    if told := reports.reports_of(work.turn, work.conversation):
        return "\n".join(told)
    undone = work.turn.calls.filter(state__in=(CallState.FAILED, CallState.UNKNOWN), confirmation__isnull=False)
    return texts.apology() if undone.exists() else texts.ending(action.ending)


def _end(work: Work, conversation: Conversation, text: str, state: TurnState) -> None:
    """Close the turn with a reply. Needs the fenced transaction."""
    Turn.objects.filter(pk=work.turn.pk).update(state=state, reply=text, finished_at=DbNow())
    outbox.enqueue(conversation, text, turn_id=work.turn.pk)


def _row(view: CallView) -> ToolCall:
    return ToolCall.objects.select_related("step").get(call_id=view.id)


def _report(work: Work, kind: str, step: int = 0, error: str = "") -> None:
    audit.record_turn(
        kind,
        conversation_id=work.conversation.pk,
        turn_id=work.turn.pk,
        step=step,
        error=error,
    )
