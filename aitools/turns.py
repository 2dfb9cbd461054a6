"""The conductor: takes the lease and moves one conversation on, row by row.

``advance`` may be called by anybody at any time and any number of times.  It
holds no transaction open while a model, a tool or a channel works, and every
transaction begins with the conversation's row, lease and epoch unchanged.
"""

from __future__ import annotations

import logging

from django.utils import translation

from aitools import (
    answering,
    attention,
    audit,
    behaviour,
    completion,
    confirmations,
    events,
    execution,
    failures,
    floods,
    guarding,
    history,
    leases,
    metrics,
    openings,
    outbox,
    reports,
    results,
    spending,
    texts,
    turnrows,
    work,
)
from aitools.errors import AgreementChanged, LeaseLost, ProviderPermanent, Stale, ToolRefusal
from aitools.interruptions import interrupt
from aitools.loop import (
    Action,
    AskHuman,
    CallModel,
    Ending,
    Expire,
    Finish,
    Limits,
    RunCall,
    Settle,
    Transcript,
    decide,
)
from aitools.models import CallState, ToolCall, TurnState
from aitools.models.turns import OPEN_TURN
from aitools.work import Work

log = logging.getLogger(__name__)

#: Rows that change under every reading, or that never agree, are left to the next sweep.
MOST_REREADS = 5
#: These endings mean that a person should look.
FOR_STAFF = (Ending.REFUSAL, Ending.FILTERED, Ending.OVERFLOW)


def advance(conversation_id: int) -> None:
    """Do all there is to do for this conversation now, or leave it to its holder.

    Raises whatever broke, after recording it; the sweep tries again.
    """
    rereads = 0
    while rereads <= MOST_REREADS and (claim := leases.claim(conversation_id, *behaviour.likely())) is not None:
        now = _begin(claim)
        try:
            if _one_pass(now):
                return
            rereads += not now.is_over
        except Stale as stale:
            log.info("conversation %s is read again: %s", conversation_id, stale)
            leases.drop(now.lease)
            rereads += 1


def _begin(claim: leases.Claim) -> Work:
    try:
        return work.begin(claim)
    except Exception as error:
        failures.unreadable(claim.lease, error)
        raise


def _one_pass(now: Work) -> bool:
    """Act on what was read; True when nothing is left to do here."""
    try:
        with translation.override(now.language):
            _pass_over(now)
    except Stale:
        raise
    except LeaseLost:
        log.info("lease of conversation %s was lost", now.conversation.pk)
        metrics.lease_lost()
        return True
    except Exception as error:
        failures.record(now, error)
        raise
    return _is_finished(now)


def _is_finished(now: Work) -> bool:
    """Whether the lease is given back and nothing is left to read."""
    if now.is_over:
        return not now.has_more
    seen = now.burst.last_seq or now.conversation.read_seq
    if leases.release(now.lease, seen):
        return True
    leases.drop(now.lease)
    return False


def _pass_over(now: Work) -> None:
    """Read what is unread, then act until the customer, a clock or nobody is waited for."""
    if floods.stops(now):
        return
    newest = now.burst.events[-1] if now.burst else None
    if now.open_turn_id is None:
        runs = openings.open_turn(now)
    elif now.conversation.opted_out_at is not None:
        _stop(now)
        return
    else:
        runs = _resume(now, now.open_turn_id)
    if runs:
        attention.show(now.conversation, newest)
    with translation.override(now.language):
        while runs:
            runs = _act(now)


def _resume(now: Work, turn_id: int) -> bool:
    """Take up the open turn; False when it waits on."""
    now.rows = turnrows.load(turn_id)
    if now.rows is None or now.rows.turn.state not in OPEN_TURN:
        raise Stale(f"turn {turn_id} is closed")
    asked = now.rows.open_question
    if asked is not None:
        return answering.take_answer(now, asked)
    if now.rows.turn.state == TurnState.WAITING:
        answering.absorb_answer(now)
    return True


def _stop(now: Work) -> None:
    """A vendor told us that they opted out while the turn was under way."""
    with leases.fenced(now.lease) as conversation:
        interrupt(conversation, "opted out", tell_effects=False)
        conversation.save()
    now.is_over = True


def _act(now: Work) -> bool:
    """Decide and do the turn's next action; False when the pass is over."""
    so_far = turnrows.transcript(now.turn_rows)
    limits = Limits(now.profile.max_steps, now.profile.sums_up)
    recalled = now.memory.with_turn(now.turn_rows.calls)
    action = decide(so_far, now.tools, limits, recalled.find, guarding.guard_of(now))
    return _do(now, so_far, action)


def _do(now: Work, so_far: Transcript, action: Action) -> bool:
    match action:
        case CallModel():
            return _call_model(now, so_far, action)
        case RunCall():
            return _run_call(now, action)
        case AskHuman():
            return _ask(now, action)
        case Settle():
            return _settle(now, action)
        case Expire():
            return _expire_changed(now, now.turn_rows.call(action.call), action.reason)
        case Finish():
            return _finish(now, action)


def _call_model(now: Work, so_far: Transcript, action: CallModel) -> bool:
    """One reply becomes a step and its calls, whatever they are."""
    endpoints, why = spending.chain(now.behaviour, now.now)
    leases.cover(now.lease, completion.longest_wait(endpoints))
    request = history.request(now, so_far, action)
    try:
        got = completion.complete(request, endpoints, more_room=action.more_room)
    except ProviderPermanent as error:
        if error.kind != "context_overflow":
            raise
        return _finish(now, Finish("", Ending.OVERFLOW, events.OVERFLOW, str(error)))
    step = now.turn_rows.add_step(got, action.nudge, dict(request.facts))
    if action.event:
        now.turn_rows.report(action.event, step=step.index, error=action.detail)
    spending.spent(got.cost)
    for failure in (*why, *got.failures):
        now.turn_rows.report(events.FALLBACK, step=step.index, error=failure)
    return True


def _run_call(now: Work, action: RunCall) -> bool:
    rows = now.turn_rows
    call = rows.call(action.call)
    if action.bound.tool.confirm and not confirmations.still_agreed(rows, call, action.bound, action.valid):
        return _expire_changed(now, call, "the tool or the arguments changed")
    asked = rows.question_of(call)
    try:
        execution.run(now, call, action, asked.fingerprint if asked else None)
    except AgreementChanged as changed:
        _ask_again(now, call, changed)
    return True


def _ask_again(now: Work, call: ToolCall, changed: AgreementChanged) -> None:
    """What was agreed is not so any more: ask about it anew, if it was asked about at all."""
    rows = now.turn_rows
    if rows.question_of(call) is None:
        rows.settle(call, CallState.FAILED, results.crashed(changed), now.now, is_error=True)
        rows.events.append(audit.of_call(events.ERROR, call, error="changed, but nobody had agreed"))
        return
    rows.settle(call, CallState.REFUSED, results.changed(), now.now, is_error=True)
    rows.events.append(audit.of_call(events.CHANGED, call))
    rows.supersede_siblings(call, now.now)
    rows.add_own_step(call, confirmations.CHANGED)


def _ask(now: Work, action: AskHuman) -> bool:
    """Ask the customer, unless the shop refuses it or the customer wrote meanwhile."""
    call = now.turn_rows.call(action.call)
    try:
        confirmations.ask(now, call, action)
    except confirmations.Interjected:
        answering.interject(now, call)
        return True
    except confirmations.Unaskable as broken:
        # Not the error's own words: they may be the customer's.
        log.error("the question of tool %s failed: %s", call.name, type(broken.args[0]).__name__)  # noqa: TRY400
        content = results.crashed(broken.args[0])
        return _settle(now, Settle(action.call, content, events.ERROR, digest=action.valid.digest))
    except ToolRefusal as refusal:
        content = results.refused_unasked(refusal)
        return _settle(now, Settle(action.call, content, events.INVALID, digest=action.valid.digest))
    return False


def _settle(now: Work, action: Settle) -> bool:
    rows = now.turn_rows
    call = rows.call(action.call)
    rows.settle(call, CallState.REFUSED, action.content, now.now, is_error=action.is_error, digest=action.digest)
    rows.events.append(audit.of_call(action.event, call, error=action.content if action.is_error else ""))
    if action.event == events.TRUNCATED:
        log.warning("a reply of conversation %s was cut: call of %s not run", now.conversation.pk, call.name)
    return True


def _expire_changed(now: Work, call: ToolCall, reason: str) -> bool:
    """A deploy changed the tool while the customer thought: apologise, run nothing."""
    rows = now.turn_rows
    rows.close(CallState.EXPIRED, now.now)
    rows.events.append(audit.of_call(events.CHANGED, call, error=reason))
    return _end(now, texts.tool_gone(), TurnState.CANCELLED, tell_effects=True)


def _finish(now: Work, action: Finish) -> bool:
    """Reply and end; our code speaks when the model has no words for it."""
    if action.event:
        now.turn_rows.report(action.event, step=len(now.turn_rows.steps), error=action.detail)
    return _end(now, _words_for(now, action), TurnState.DONE, needs_staff=action.ending in FOR_STAFF)


def _words_for(now: Work, action: Finish) -> str:
    """The model's text; without one, what was done, else why there is no answer."""
    if action.text:
        return action.text
    if told := _reports(now):
        return "\n".join(told)
    undone = (CallState.FAILED, CallState.UNKNOWN)
    rows = now.turn_rows
    if any(call.state in undone and rows.question_of(call) for call in rows.calls):
        return texts.apology()
    if rows.calls and rows.calls[-1].state == CallState.DECLINED:
        return now.wording.declined()
    return texts.ending(action.ending)


def _reports(now: Work) -> list[str]:
    return reports.reports_of(now.turn_rows.calls, now.conversation, now.now)


def _end(now: Work, text: str, state: TurnState, *, tell_effects: bool = False, needs_staff: bool = False) -> bool:
    """Close the turn with a reply and give the lease back, in one transaction."""
    rows = now.turn_rows
    rows.end(state, text, now.now)
    with now.commit():
        now.give_back(needs_staff=needs_staff)
        rows.store()
        if tell_effects:
            reports.tell_effects(rows.calls, rows.turn.pk, now.conversation, now.now)
        outbox.enqueue(now.conversation, text, turn_id=rows.turn.pk)
    return False
