"""What unread talk does to a turn that waits for an answer: approve, decline, or talk on."""

from __future__ import annotations

from django.utils import translation

from aitools import audit, bursts, confirmations, events, outbox, queue, reports, results, transcription
from aitools.answers import Answer
from aitools.bursts import Burst, Read
from aitools.channels.base import channel_for
from aitools.models import CallState, OutboundMessage, PendingConfirmation, ToolCall, TurnState
from aitools.turnrows import Settlement
from aitools.work import Work

State = PendingConfirmation.State


def take_answer(work: Work, pending: PendingConfirmation) -> bool:
    """Read the burst as an answer; True when the turn runs on, False when this pass is over.

    What the answer decides is in the turn's rows and stored with the next
    commit: an approved tool stores the yes together with what it did.
    """
    if not work.burst:
        return _expire_if_due(work, pending)
    if not is_due(work):
        return False
    transcription.hear(work, work.burst)
    got = bursts.read_burst(pending, work.burst, work.behaviour.words)
    if got.late:
        expire(work, pending, tell=False)
        return False
    if got.ignored:
        _ignore(work)
        return False
    _apply(work, pending, got)
    if work.profile.answered_notice and pending.state in (State.APPROVED, State.DECLINED):
        _notice(work, pending)
    return True


def absorb_answer(work: Work) -> None:
    """A worker died after the yes was stored with its effect: the burst that said it counts as read."""
    rows = work.turn_rows
    answered = max((asked.answered_seq or 0 for asked in rows.questions.values()), default=0)
    if answered > rows.turn.read_to:
        rows.go_on(work.burst.up_to(answered).text, answered)
        work.burst = work.burst.after(answered)


def interject(work: Work, call: ToolCall) -> None:
    """The customer wrote while the model thought: it hears that before any question."""
    burst = bursts.unread(work.conversation.pk, work.read_to)
    rows = work.turn_rows
    transcription.hear(work, burst)
    if burst.written:
        text = bursts.joined(burst.written)
        rows.settle(call, CallState.REPLIED, results.user_replied(text), work.now)
        rows.supersede_siblings(call, work.now)
        rows.events.append(audit.of_call(events.REPLIED, call))
        rows.go_on(text, burst.last_seq)
    elif burst:
        rows.turn.read_to, rows.turn_changed = burst.last_seq, True


def is_due(work: Work) -> bool:
    """Whether the burst has settled; a wake-up is asked for if not."""
    wake_at = work.conversation.wake_at
    if wake_at is None or wake_at <= work.now:
        return True
    queue.publish_later(work.conversation, work.now)
    return False


def _apply(work: Work, pending: PendingConfirmation, got: Read) -> None:
    rows, call = work.turn_rows, pending.call
    if got.answer is Answer.YES and not got.is_press and work.newest_said_id != pending.message_id:
        _ask_anew(work, pending, got)
    elif got.answer is Answer.YES:
        _decide(work, pending, got, State.APPROVED, events.APPROVED)
        call.state = CallState.APPROVED
        rows.touch(call)
    elif got.answer is Answer.NO:
        _decide(work, pending, got, State.DECLINED, events.DENIED)
        rows.settle(call, CallState.DECLINED, results.declined(), work.now)
    else:
        _decide(work, pending, got, State.REPLIED, events.REPLIED)
        rows.settle(call, CallState.REPLIED, results.user_replied(got.text), work.now)
        rows.supersede_siblings(call, work.now)
    rows.go_on(got.text, work.burst.last_seq)
    work.burst = Burst()


def _ask_anew(work: Work, pending: PendingConfirmation, got: Read) -> None:
    """A typed yes under a newer message of ours may mean that one: ask again."""
    rows = work.turn_rows
    _decide(work, pending, got, State.CANCELLED, events.CANCELLED, confirmations.BURIED)
    rows.settle(pending.call, CallState.REFUSED, results.superseded(), work.now)
    rows.supersede_siblings(pending.call, work.now)
    rows.add_own_step(pending.call, confirmations.BURIED)


def _decide(work: Work, pending: PendingConfirmation, got: Read, state: State, event: str, error: str = "") -> None:
    """The question closes with the next commit; on channels that can edit, it then shows what was chosen."""
    work.turn_rows.settlement = Settlement(
        pending,
        state,
        audit.of_call(event, pending.call, error=error),
        work.now,
        by=got.by,
        seq=work.burst.last_seq,
        choice=_choice(work, pending, state),
    )
    pending.state = state


def _choice(work: Work, pending: PendingConfirmation, state: State) -> str:
    if state not in (State.APPROVED, State.DECLINED):
        return ""
    if not channel_for(work.conversation.channel).capabilities.edit:
        return ""
    with translation.override(pending.language):
        yes, no = work.behaviour.wording(pending.language).buttons()
    return (yes if state == State.APPROVED else no).title


def _notice(work: Work, pending: PendingConfirmation) -> None:
    """Tell that the answer was understood, before the work that may take a while."""
    yes, no = work.wording.buttons()
    title = (yes if pending.state == State.APPROVED else no).title
    with work.commit() as rows:
        work.hold()
        rows.store()
        outbox.enqueue(work.conversation, work.wording.answered(title), kind=OutboundMessage.Kind.NOTICE)


def _ignore(work: Work) -> None:
    """Presses of other questions: read, and told so where old buttons stay on the screen."""
    rows = work.turn_rows
    rows.turn.read_to, rows.turn_changed = work.burst.last_seq, True
    with work.commit():
        work.give_back()
        rows.store()
        if not channel_for(work.conversation.channel).capabilities.edit:
            outbox.enqueue(work.conversation, work.wording.settled(), kind=OutboundMessage.Kind.NOTICE)


def _expire_if_due(work: Work, pending: PendingConfirmation) -> bool:
    if confirmations.has_expired(pending, work.now):
        silent = not work.profile.bot_on or work.conversation.is_with_person(work.now)
        expire(work, pending, tell=work.profile.expired_notice and not silent)
    return False


def expire(work: Work, pending: PendingConfirmation, *, tell: bool) -> None:
    """Close question, call and turn; an effect that the turn had is told. Gives the lease back."""
    rows = work.turn_rows
    event = audit.of_call(events.CANCELLED, pending.call, error="expired")
    rows.settlement = Settlement(pending, State.EXPIRED, event, work.now)
    rows.settle(pending.call, CallState.EXPIRED, results.expired(), work.now)
    rows.close(CallState.CANCELLED, work.now)
    rows.turn.failure = "the question expired"
    rows.end(TurnState.CANCELLED, rows.turn.reply, work.now)
    with work.commit():
        work.give_back()
        rows.store()
        reports.tell_effects(rows.calls, rows.turn.pk, work.conversation, work.now)
        if tell and not work.has_more:
            outbox.enqueue(work.conversation, work.wording.expired(), kind=OutboundMessage.Kind.NOTICE)
