"""Opening a turn from unread talk; some bursts need no model at all."""

from __future__ import annotations

from django.db.models import Exists, OuterRef
from django.utils import translation

from aitools import answering, bursts, confirmations, languages, leases, media, outbox, reports, texts, transcription
from aitools.answers import Answer, read
from aitools.bursts import Burst
from aitools.channels.base import channel_for
from aitools.interruptions import read_all
from aitools.models import CallState, InboundState, PendingConfirmation, Step, Turn, TurnState
from aitools.turnrows import TurnRows
from aitools.work import Work

#: A second yes is told "already done" this long; later it is new talk.
DONE_REMEMBERED_SECONDS = 1800


def open_turn(work: Work) -> bool:
    """Turn unread talk that is due into a turn in memory; False when this pass is over.

    Nothing is stored yet, but for bursts that our code answers at once.
    """
    if not work.burst or not answering.is_due(work):
        return False
    if is_for_staff(work):
        _leave_to_staff(work)
        return False
    transcription.hear(work, work.burst)
    _set_language(work)
    burst, work.rows = work.burst, turn_of(work)
    work.burst = Burst()
    return _needs_model(work, burst)


def turn_of(work: Work) -> TurnRows:
    """What is unread as a turn in memory."""
    conversation, burst = work.conversation, work.burst
    with translation.override(work.language):
        text = burst.text
    return TurnRows(Turn(conversation=conversation, language=work.language, text=text, read_to=burst.last_seq))


def is_for_staff(work: Work) -> bool:
    """Whether a person, or nobody, answers what is unread."""
    conversation = work.conversation
    return conversation.is_with_person(work.now) or bool(conversation.opted_out_at) or not work.profile.bot_on


def _needs_model(work: Work, burst: Burst) -> bool:
    """Whether the turn runs; False when our code has answered it."""
    last = _last_question(work, burst)
    if last is not None:
        if last.state == PendingConfirmation.State.EXPIRED:
            work.turn_rows.add_own_step(last.call, confirmations.LATE)
            return True
        if not _may_answer_the_model(burst, last) and (told := _done_report(work, last)):
            return _answer(work, texts.already_done(told))
    if burst.is_only_presses:
        return _answer(work, _for_settled_press(work))
    if burst.is_wordless:
        return _answer(work, texts.unseen(burst.unseen))
    return True


def _leave_to_staff(work: Work) -> None:
    with leases.fenced(work.lease) as conversation:
        read_all(conversation, InboundState.STAFF)
        conversation.needs_staff = True
        conversation.save()


def _last_question(work: Work, burst: Burst) -> PendingConfirmation | None:
    """The question that this burst plainly says yes to: the newest of the last turn in which a model has spoken."""
    if not burst.has_press and read(burst.line, work.behaviour.words) is not Answer.YES:
        return None
    since_reset = Turn.objects.filter(conversation=work.conversation, pk__gt=work.conversation.history_from)
    spoken = since_reset.filter(Exists(Step.objects.filter(turn=OuterRef("pk")))).order_by("-id")
    last = (
        PendingConfirmation.objects.filter(call__turn=spoken.values("pk")[:1])
        .select_related("call__turn", "message")
        .order_by("-pk")
        .first()
    )
    return last if last is not None and bursts.is_plain_yes(burst, last, work.behaviour.words) else None


def _may_answer_the_model(burst: Burst, last: PendingConfirmation) -> bool:
    """A typed yes to what the model itself asked after the effect is the model's to read."""
    return not burst.has_press and "?" in last.call.turn.reply


def _done_report(work: Work, last: PendingConfirmation) -> str:
    """What the approved call did, when that was a moment ago; "" otherwise."""
    finished = last.call.finished_at
    if last.call.state != CallState.DONE or finished is None:
        return ""
    recent = (work.now - finished).total_seconds() < DONE_REMEMBERED_SECONDS
    return reports.report_of(last.call, work.conversation, work.now) if recent else ""


def _for_settled_press(work: Work) -> str:
    """A short notice where old buttons stay on the screen, nothing elsewhere."""
    edits = channel_for(work.conversation.channel).capabilities.edit
    return "" if edits else work.wording.settled()


def _answer(work: Work, reply: str) -> bool:
    """Close the turn at once, without a word when there is nothing to say."""
    rows = work.turn_rows
    rows.end(TurnState.DONE, reply, work.now)
    with work.commit():
        work.give_back()
        rows.store()
        if reply:
            outbox.enqueue(work.conversation, reply, turn_id=rows.turn.pk)
    return False


def _set_language(work: Work) -> None:
    """The first clear message sets the language; staff's choice stays."""
    conversation = work.conversation
    if conversation.language_fixed:
        return
    clear = languages.detect(" ".join(map(media.words_of, work.burst.events)))
    conversation.language = clear or conversation.language or work.profile.language
