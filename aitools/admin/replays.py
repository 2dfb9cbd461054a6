"""A replayed turn as finished values for its page: words, times and tones, no rows to ask."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from aitools.admin import talk
from aitools.admin.columns import Tones
from aitools.admin.confirmations import TONES as ANSWER_TONES
from aitools.admin.links import linked
from aitools.confirmations import BURIED, CHANGED, LATE
from aitools.models import AuditEvent, CallState, InboundEvent, PendingConfirmation, Step
from aitools.prices import dollars
from aitools.replay import CallReplay, Replay, StepReplay
from aitools.tools import registry
from aitools.types import AssistantStep, AssistantText, Json, Message, Nudge, UserText

CALL_TONES = Tones(
    {
        CallState.WAITING.value: "warning",
        CallState.DONE.value: "success",
        CallState.FAILED.value: "danger",
        CallState.REFUSED.value: "danger",
        CallState.UNKNOWN.value: "danger",
    }
)


@dataclass(frozen=True, slots=True)
class Line:
    """One thing the model was sent, and whose it was."""

    who: str
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """What the customer was asked about a call, and what came back, by which message."""

    text: str
    state: str
    tone: str
    asked_at: datetime | None
    expires_at: datetime | None
    answer: InboundEvent | None
    waited: str


@dataclass(frozen=True, slots=True)
class Call:
    """One call; ``told`` is what the model read as its result."""

    name: str
    title: str
    state: str
    tone: str
    arguments: str
    told: str
    is_error: bool
    attempts: int
    took: str
    question: Question | None
    events: Sequence[AuditEvent]


@dataclass(frozen=True, slots=True)
class Card:
    """One step. ``by`` is who made it; ``facts`` are "" when they were those of the step before."""

    row: Step
    by: str
    took: str
    tokens: str
    cost: str
    facts: str
    seen: Sequence[Line]
    seen_count: str
    calls: Sequence[Call]
    events: Sequence[AuditEvent]


@dataclass(frozen=True, slots=True)
class Page:
    """The whole turn. ``took`` is from its start to its end."""

    heard: Sequence[InboundEvent]
    cards: Sequence[Card]
    said: Sequence[talk.Bubble]
    events: Sequence[AuditEvent]
    took: str
    cost: str


def page_of(shown: Replay) -> Page:
    turn = shown.turn
    took = turn.finished_at - turn.started_at if turn.finished_at else None
    return Page(
        shown.heard,
        [_card(step) for step in shown.steps],
        list(talk.answered(shown.said)),
        shown.events,
        span(took),
        _cost(shown),
    )


def _cost(shown: Replay) -> str:
    """What all steps cost, "" where no price is known."""
    known = [step.row.cost for step in shown.steps if step.row.cost is not None]
    return dollars(sum(known, Decimal(0))) if known else ""


def span(time: timedelta | int | None) -> str:
    """A time, or milliseconds, as people say it; "" for None."""
    if time is None:
        return ""
    seconds = time / 1000 if isinstance(time, int) else time.total_seconds()
    if seconds < 1:
        return f"{round(seconds * 1000)} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def _card(step: StepReplay) -> Card:
    row = step.row
    lines = list(_lines(step.seen))
    return Card(
        row=row,
        by=_ours(row) if step.is_ours else f"{row.model or row.provider} ({row.provider})",
        took="" if step.is_ours else span(row.duration_ms),
        tokens="" if step.is_ours else _tokens(row),
        cost=dollars(row.cost) if row.cost is not None else "",
        facts=pretty(step.facts) if step.facts_changed else "",
        seen=lines,
        seen_count=ngettext("%(count)d line", "%(count)d lines", len(lines)) % {"count": len(lines)},
        calls=[_call(call) for call in step.calls],
        events=step.events,
    )


def _ours(row: Step) -> str:
    """Why our code asked again, without the model."""
    reasons = {
        CHANGED: _("Our code: asked again, what was agreed had changed"),
        LATE: _("Our code: asked again, the answer came too late"),
        BURIED: _("Our code: asked again, something else was said in between"),
    }
    return reasons.get(row.raw_stop, _("Our code"))


def _tokens(row: Step) -> str:
    return _("%(input)d tokens in, %(cached)d of them cached, %(output)d out") % {
        "input": row.input_tokens,
        "cached": row.cached_tokens,
        "output": row.output_tokens,
    }


def _call(call: CallReplay) -> Call:
    row = call.row
    tool = registry.get(row.name)
    return Call(
        name=linked(row, row.name),
        title=str(tool.shown_title) if tool else "",
        state=row.get_state_display(),
        tone=CALL_TONES.get(row.state, "info"),
        arguments=pretty(row.arguments) if row.arguments is not None else "",
        told=row.result,
        is_error=row.is_error,
        attempts=row.attempt,
        took=span(row.duration_ms),
        question=_question(call, call.question) if call.question else None,
        events=call.events,
    )


def _question(call: CallReplay, asked: PendingConfirmation) -> Question:
    return Question(
        text=asked.question,
        state=asked.get_state_display(),
        tone=ANSWER_TONES.get(asked.state, "info"),
        asked_at=asked.asked_at,
        expires_at=asked.expires_at,
        answer=asked.answered_by,
        waited=span(call.waited),
    )


def _lines(messages: Iterable[Message]) -> Iterator[Line]:
    """What the model was sent, in order, as lines."""
    for message in messages:
        match message:
            case UserText():
                yield Line(_("Customer"), message.text)
            case AssistantText():
                yield Line(_("Desk"), message.text)
            case Nudge():
                yield Line(_("Corrective line"), message.text)
            case AssistantStep():
                yield from _step_lines(message)


def _step_lines(step: AssistantStep) -> Iterator[Line]:
    if step.text:
        yield Line(_("Model"), step.text)
    for call in step.calls:
        yield Line(_("Model asks"), f"{call.name} {_plain(call.arguments)}")
    for result in step.results:
        yield Line(_("Result of %(tool)s") % {"tool": result.name}, result.content)


def pretty(value: Json) -> str:
    """JSON as people read it."""
    return json.dumps(value, ensure_ascii=False, indent=2)


def _plain(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)
