"""Asking the customer before an effect. The row is the authority.

A question and its pending confirmation are stored with the step that led to
them, in one transaction that also gives the lease back: the worker is free while
the customer thinks.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import InterfaceError, OperationalError, connection
from psycopg import IsolationLevel
from psycopg.errors import SerializationFailure

from aitools import audit, events, memory, outbox, results, threads
from aitools.channels.base import channel_for
from aitools.errors import EngineError
from aitools.lines import question_lines
from aitools.loop import AskHuman, Previous
from aitools.models import (
    CallState,
    OutboundMessage,
    PendingConfirmation,
    ToolCall,
    TurnState,
)
from aitools.tools import BoundTool, Tool, ToolContext
from aitools.turnrows import TurnRows
from aitools.types import Json
from aitools.validation import Valid
from aitools.work import Work

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


class Interjected(Exception):
    """The conversation changed while the question was made: nothing is asked, unread talk comes first."""


class Unaskable(Exception):
    """What the tool says about its own question broke; ``args[0]`` is the fault."""


def ask(work: Work, call: ToolCall, action: AskHuman) -> None:
    """Store the question with the turn so far and give the lease back, in one transaction.

    Raises ToolRefusal when the shop's rules refuse the call, Unaskable when the
    tool's own words for it break, and Interjected when there is unread talk;
    nothing is stored then.  One snapshot of the
    database gives prices and lines: they can't come from different moments.
    """
    rows, turn = work.turn_rows, work.turn_rows.turn
    call.arguments, call.digest, call.state = action.valid.arguments, action.valid.digest, CallState.WAITING
    rows.touch(call)
    before, turn.state, rows.turn_changed = turn.state, TurnState.WAITING, True
    rows.events.append(audit.of_call(events.REQUESTED, call))
    try:
        with _one_snapshot(), work.commit():
            asked = _compose(work, call, action)
            _give_back(work)
            turn.reply = asked.text
            rows.store()
            _store(work, call, action, asked)
    except BaseException as error:
        work.is_over, turn.state, call.state = False, before, CallState.REQUESTED
        rows.events.pop()
        if isinstance(error.__cause__, SerializationFailure):
            raise Interjected from error
        raise


def _give_back(work: Work) -> None:
    if not work.try_to_give_back():
        raise Interjected


def _compose(work: Work, call: ToolCall, action: AskHuman) -> Question:
    """Check, freeze and word the question. Raises ToolRefusal when the shop refuses the call."""
    bound, valid = action.bound, action.valid
    tool, ctx = bound.tool, work.ctx(call)
    with connection.execute_wrapper(threads.refuse_writes(tool.name)), _faults_of_the_tool():
        if tool.check is not None:
            tool.check(valid.parsed, ctx)
        frozen = results.as_json(tool.fingerprint(valid.parsed, ctx)) if tool.fingerprint else None
        previous = action.previous
        if previous is not None and frozen is not None and not _agreed_before(work, tool.name, valid, frozen):
            previous = None
        text = _worded(work, tool, valid, ctx, previous)
    return Question(_prefaced(work, text, work.turn_rows.step_of(call).raw_stop), frozen)


def _worded(work: Work, tool: Tool, valid: Valid, ctx: ToolContext, previous: Previous | None) -> str:
    """The tool's own question as it stands, else title and lines with a hint where there are no buttons."""
    own: Any = tool.confirm_message
    own = own(valid.parsed, ctx) if callable(own) else own
    if own:
        return str(own)
    lines = question_lines(tool, valid, ctx)
    return work.wording.question(tool.shown_title, lines, hint=not has_buttons(work), previous=previous)


def has_buttons(work: Work) -> bool:
    return work.profile.buttons_on and channel_for(work.conversation.channel).capabilities.has_buttons(work.language)


def _store(work: Work, call: ToolCall, action: AskHuman, asked: Question) -> None:
    """The pending row and its message; the call's own row is stored."""
    message = outbox.enqueue(
        work.conversation,
        asked.text,
        kind=OutboundMessage.Kind.QUESTION,
        turn_id=call.turn_id,
        call_id=call.pk,
        buttons=work.wording.buttons() if work.profile.buttons_on else (),
    )
    pending = PendingConfirmation(
        call=call,
        conversation=work.conversation,
        message=message,
        schema_hash=action.bound.schema_hash,
        digest=action.valid.digest,
        fingerprint=asked.fingerprint,
        language=work.language,
        long_question="" if message.text == asked.text else asked.text,
        expires_after_seconds=work.profile.confirm_seconds,
    )
    pending.save(force_insert=True)


def _agreed_before(work: Work, tool: str, valid: Valid, frozen: Json) -> bool:
    """Whether the last yes to these arguments was to these values too: "the draft" may be another one now."""
    approved = PendingConfirmation.objects.filter(
        call__turn__in=memory.recent_turns(work.conversation),
        call__name=tool,
        digest=valid.digest,
        state=State.APPROVED,
    )
    last = approved.order_by("-pk").first()
    return last is not None and last.fingerprint == frozen


def still_agreed(rows: TurnRows, call: ToolCall, bound: BoundTool, valid: Valid) -> bool:
    """The tool and the arguments are those that the customer was asked about."""
    pending = rows.question_of(call)
    if pending is None:
        return not bound.tool.confirm
    return pending.schema_hash == bound.schema_hash and pending.digest == valid.digest


def has_expired(pending: PendingConfirmation, now: datetime) -> bool:
    return pending.expires_at is not None and pending.expires_at < now


def _prefaced(work: Work, text: str, why: str) -> str:
    """Why our code asks again; ``why`` is the step's."""
    if why == CHANGED:
        return work.wording.changed(text)
    return work.wording.asked_again(text) if why in (LATE, BURIED) else text


@contextmanager
def _faults_of_the_tool() -> Iterator[None]:
    """A tool's fault is the model's to hear; one of the database or of a lost lease is not the tool's."""
    try:
        yield
    except (EngineError, OperationalError, InterfaceError):
        raise
    except Exception as fault:
        raise Unaskable(fault) from fault


@contextmanager
def _one_snapshot() -> Iterator[None]:
    """The next transaction of this connection sees the database as of one moment."""
    connection.ensure_connection()
    driver = connection.connection
    driver.isolation_level = IsolationLevel.REPEATABLE_READ
    try:
        yield
    finally:
        if not driver.closed:
            driver.isolation_level = None
