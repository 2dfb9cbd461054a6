"""Asking the customer, and reading what they answer. The row is the authority."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from django.db import connection, transaction

from aitools import audit, results, texts
from aitools.answers import Answer, Words, read
from aitools.channels.base import EventKind, channel_for
from aitools.clock import DbNow
from aitools.lines import question_lines
from aitools.loop import OUR_CODE, Previous
from aitools.models import (
    CallState,
    Conversation,
    InboundEvent,
    OutboundMessage,
    OutboundState,
    PendingConfirmation,
    Step,
    ToolCall,
    Turn,
)
from aitools.outbox import enqueue
from aitools.tools import BoundTool, ToolContext
from aitools.types import Json, Stop
from aitools.validation import Valid

State = PendingConfirmation.State

#: Why our code asks a question again; stored on its step, decides the first line.
CHANGED = "changed"
LATE = "late"
BURIED = "buried"


@dataclass(frozen=True, slots=True)
class Question:
    """What the customer will read, and the values it was made from."""

    text: str
    fingerprint: Json


def compose(
    bound: BoundTool,
    valid: Valid,
    ctx: ToolContext,
    conversation: Conversation,
    *,
    previous: Previous | None = None,
    why: str = "",
) -> Question:
    """Check, freeze and word the question from one snapshot of the database.

    Raises ``ToolRetry`` or ``ToolFailed`` when the shop's rules refuse the call.
    Opens its own read-only transaction.
    """
    tool, parsed = bound.tool, valid.parsed
    with _snapshot():
        if tool.check is not None:
            tool.check(parsed, ctx)
        frozen = tool.fingerprint(parsed, ctx) if tool.fingerprint else None
        lines = question_lines(tool, valid, ctx)
        own = tool.confirm_message
        own = own(parsed, ctx) if callable(own) else own
        if previous is not None and frozen is not None and not _agreed_before(conversation, tool.name, valid, frozen):
            previous = None
    hint = not channel_for(conversation.channel).capabilities.buttons
    text = (
        texts.with_hint(str(own), hint=hint)
        if own
        else texts.question(tool.shown_title, lines, hint=hint, previous=previous)
    )
    return Question(_prefaced(text, why), results.as_json(frozen) if frozen is not None else None)


def _agreed_before(conversation: Conversation, tool: str, valid: Valid, frozen: Json) -> bool:
    """Whether the last yes to these arguments was to these values too: "the draft" may be another one now."""
    approved = PendingConfirmation.objects.filter(
        conversation=conversation, tool=tool, digest=valid.digest, state=State.APPROVED
    )
    last = approved.order_by("-id").first()
    return last is not None and last.fingerprint == results.as_json(frozen)


def store(
    conversation: Conversation,
    call: ToolCall,
    bound: BoundTool,
    valid: Valid,
    asked: Question,
    expires_after_seconds: int,
) -> PendingConfirmation:
    """Store the question and its message. Needs the fenced transaction."""
    pending = PendingConfirmation(
        conversation=conversation,
        call=call,
        tool=bound.tool.name,
        schema_hash=bound.schema_hash,
        arguments=valid.arguments,
        digest=valid.digest,
        fingerprint=asked.fingerprint,
        language=conversation.language,
        question=asked.text,
        expires_after_seconds=expires_after_seconds,
    )
    pending.message = enqueue(
        conversation,
        asked.text,
        kind=OutboundMessage.Kind.QUESTION,
        turn_id=call.turn_id,
        buttons=texts.buttons(str(pending.key)),
    )
    pending.save()
    call.arguments, call.digest, call.state = valid.arguments, valid.digest, CallState.WAITING
    call.save(update_fields=["arguments", "digest", "state"])
    audit.record_call(audit.REQUESTED, call)
    return pending


def repeat(turn: Turn, call: ToolCall, why: str) -> None:
    """Ask about the same call anew, as a step of our own code.

    Needs the fenced transaction.  ``why`` (changed, late, buried) words the
    first line of the question.
    """
    index = turn.steps.count() + 1
    step = Step.objects.create(turn=turn, index=index, provider=OUR_CODE, stop=Stop.TOOL_CALLS, raw_stop=why)
    ToolCall.objects.create(
        turn=turn,
        step=step,
        conversation_id=turn.conversation_id,
        position=0,
        name=call.name,
        arguments=call.arguments,
    )


def pending_of(conversation_id: int) -> PendingConfirmation | None:
    """The one open question of a conversation, with its call and step."""
    return (
        PendingConfirmation.objects.filter(conversation_id=conversation_id, state=State.PENDING)
        .select_related("call__step", "call__turn", "message")
        .first()
    )


@dataclass(frozen=True, slots=True)
class Read:
    """What a burst says to a question. ``late``: it came after the expiry."""

    answer: Answer
    text: str
    by: InboundEvent | None = None
    late: bool = False
    ignored: bool = False


def read_burst(pending: PendingConfirmation, events: Sequence[InboundEvent], words: Words) -> Read:
    """Read the joined unread burst as one answer to this question.

    ``ignored`` when it holds only presses of other questions.
    """
    mine = [event for event in events if pressed(event, pending) is not None]
    texts_said = [event for event in events if event.kind != EventKind.PRESS]
    text = joined(texts_said)
    if not mine and not texts_said:
        return Read(Answer.OTHER, "", ignored=True)
    first = (mine or texts_said)[0]
    if _too_late(pending, [*mine, *texts_said]):
        return Read(_plain(mine, text, pending, words), text, first, late=True)
    contradictory = len({pressed(event, pending) for event in mine}) > 1
    if contradictory or (mine and texts_said):
        return Read(Answer.OTHER, joined([*mine, *texts_said]), first)
    if mine:
        return Read(pressed(first, pending) or Answer.OTHER, first.text, first)
    if any(not pending.is_timely(event.received_at) for event in texts_said):
        return Read(Answer.OTHER, text, first)
    return Read(read(" ".join(text.split()), words), text, first)


def joined(events: Sequence[InboundEvent]) -> str:
    """A burst as one text; a picture or voice note is named in brackets."""
    named = (event.text or (f"[{event.message_kind}]" if event.message_kind != "text" else "") for event in events)
    return "\n".join(filter(None, named))


def pressed(event: InboundEvent, pending: PendingConfirmation) -> Answer | None:
    """YES or NO if this event presses a button of exactly this question."""
    if event.kind != EventKind.PRESS:
        return None
    for answer in (Answer.YES, Answer.NO):
        if event.payload == f"confirm:{pending.key}:{answer}":
            return answer
    return None


def settle(pending: PendingConfirmation, state: State, by: InboundEvent | None = None) -> bool:
    """Close the question once; False when somebody closed it before.

    Needs the transaction that acts on it: only the caller that gets True may.
    """
    changed = PendingConfirmation.objects.filter(pk=pending.pk, state=State.PENDING).update(
        state=state, settled_at=DbNow(), answered_by=by
    )
    return bool(changed)


def is_newest_said(pending: PendingConfirmation) -> bool:
    """Whether nothing else was said after the question (a notice, a person)."""
    return (
        not OutboundMessage.objects.filter(conversation_id=pending.conversation_id, pk__gt=pending.message_id)
        .exclude(state=OutboundState.WITHDRAWN)
        .exists()
    )


def has_expired(pending: PendingConfirmation, now: datetime) -> bool:
    return pending.expires_at is not None and pending.expires_at < now


def _too_late(pending: PendingConfirmation, events: Sequence[InboundEvent]) -> bool:
    """Late when nothing of the burst came in time: the earliest decides."""
    expires_at = pending.expires_at
    return expires_at is not None and all(event.received_at > expires_at for event in events)


def _plain(mine: Sequence[InboundEvent], text: str, pending: PendingConfirmation, words: Words) -> Answer:
    if mine and text:
        return Answer.OTHER
    answers = {pressed(event, pending) or Answer.OTHER for event in mine}
    if len(answers) > 1:
        return Answer.OTHER
    return answers.pop() if answers else read(" ".join(text.split()), words)


def _prefaced(text: str, why: str) -> str:
    if why == CHANGED:
        return texts.changed(text)
    return texts.asked_again(text) if why in (LATE, BURIED) else text


@contextmanager
def _snapshot() -> Iterator[None]:
    """One consistent read: prices and lines can't come from different moments."""
    with transaction.atomic(durable=True):
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        yield
