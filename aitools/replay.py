"""A finished or open turn, step by step, from rows: what the model saw, asked and got.

What a model saw is rebuilt with the code that sends it, so the page can't say
something else.  Not stored and not shown: the instructions, which are the
running version's; and the window of earlier talk is cut as the profile says now.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from aitools import behaviour, history, turnrows
from aitools.bursts import Burst
from aitools.channels.base import EventKind
from aitools.loop import OUR_CODE, StepView, Transcript
from aitools.models import (
    AuditEvent,
    CallState,
    InboundEvent,
    OutboundMessage,
    PendingConfirmation,
    Step,
    ToolCall,
    Turn,
)
from aitools.models.turns import OPEN_TURN
from aitools.transcripts import messages_of
from aitools.turnrows import TurnRows
from aitools.types import Json, Message, UserText


@dataclass(frozen=True, slots=True)
class CallReplay:
    """One call. ``question`` has its message and the event that answered it at hand."""

    row: ToolCall
    question: PendingConfirmation | None
    events: Sequence[AuditEvent]

    @property
    def waited(self) -> timedelta | None:
        """How long the customer took to answer; None while, or because, nobody was asked."""
        asked = self.question
        if asked is None or asked.asked_at is None:
            return None
        end = asked.answered_by.received_at if asked.answered_by else asked.settled_at
        return end - asked.asked_at if end else None


@dataclass(frozen=True, slots=True)
class StepReplay:
    """One step. ``seen`` is what the model was sent, oldest first, empty for a step of our code.

    ``facts`` are those in force; ``facts_changed`` when this step brought them.
    ``events`` are those of the step itself.
    """

    row: Step
    seen: Sequence[Message]
    facts: Json
    facts_changed: bool
    calls: Sequence[CallReplay]
    events: Sequence[AuditEvent]

    @property
    def is_ours(self) -> bool:
        return self.row.provider == OUR_CODE


@dataclass(frozen=True, slots=True)
class Replay:
    """A turn: what was heard, each step, what was said; ``events`` are of no step."""

    turn: Turn
    heard: Sequence[InboundEvent]
    steps: Sequence[StepReplay]
    said: Sequence[OutboundMessage]
    events: Sequence[AuditEvent]


def replay(turn: Turn) -> Replay:
    """Everything of one turn; eight queries, however many steps it has."""
    rows = _rows(turn)
    heard = _heard(turn)
    events = list(turn.events.select_related("tool_call").order_by("id"))
    said = turn.outbound.select_related("call__confirmation", "conversation").order_by("id")
    return Replay(turn, heard, _steps(rows, heard, events), list(said), [one for one in events if one.step is None])


def _rows(turn: Turn) -> TurnRows:
    """The turn as a worker would have it."""
    calls = turn.calls.select_related("confirmation__message", "confirmation__answered_by")
    return TurnRows(turn, list(turn.steps.order_by("index")), list(calls.order_by("step", "position")))


def _heard(turn: Turn) -> list[InboundEvent]:
    """The talk that this turn read and no earlier one had."""
    # A second try read what the turn before it had read.
    before = turn.conversation.turns.filter(pk__lt=turn.pk, read_to__lt=turn.read_to)
    earlier = before.order_by("-id").values_list("read_to", flat=True).first()
    talk = turn.conversation.inbound.filter(seq__gt=earlier or 0, seq__lte=turn.read_to)
    return list(talk.order_by("seq"))


def _steps(rows: TurnRows, heard: Sequence[InboundEvent], events: Sequence[AuditEvent]) -> list[StepReplay]:
    views = turnrows.transcript(rows).steps
    earlier = _earlier(rows.turn)
    replays, facts = [], None
    for place, (step, text) in enumerate(zip(rows.steps, _texts(rows, heard), strict=True)):
        facts = facts if step.facts is None else step.facts
        mine = [event for event in events if event.step == step.index]
        replays.append(
            StepReplay(
                row=step,
                seen=_seen(step, [*earlier, UserText(text)], views[:place]),
                facts=facts,
                facts_changed=step.facts is not None,
                calls=[_call(call, mine) for call in rows.calls if call.step == step.index],
                events=[event for event in mine if not event.call_id],
            )
        )
    return replays


def _seen(step: Step, talk: Sequence[Message], before: tuple[StepView, ...]) -> Sequence[Message]:
    return () if step.provider == OUR_CODE else messages_of(talk, Transcript(before), step.nudge)


def _call(call: ToolCall, events: Iterable[AuditEvent]) -> CallReplay:
    return CallReplay(call, _question(call), [event for event in events if event.call_id == str(call.call_id)])


def _question(call: ToolCall) -> PendingConfirmation | None:
    asked: PendingConfirmation | None = getattr(call, "confirmation", None)
    return asked


def _earlier(turn: Turn) -> list[Message]:
    """The window before this turn. A reset that came after it does not count."""
    profile = behaviour.profile()
    reset = turn.conversation.history_from
    earlier = turn.conversation.turns.filter(pk__lt=turn.pk, pk__gt=reset if reset < turn.pk else 0)
    talk = earlier.exclude(state__in=OPEN_TURN).order_by("-id").values_list("text", "reply")
    return history.window(list(talk[: profile.history_turns]), profile.history_tokens)


def _texts(rows: TurnRows, heard: Sequence[InboundEvent]) -> list[str]:
    """The customer's text as each step saw it: answers were added to it as they came."""
    text, texts = rows.turn.text, []
    for step in reversed(rows.steps):
        for call in reversed([call for call in rows.calls if call.step == step.index]):
            if words := _answered(call, heard):
                text = text.removesuffix(words).removesuffix("\n")
        texts.append(history.cut(text))
    return texts[::-1]


def _answered(call: ToolCall, heard: Sequence[InboundEvent]) -> str:
    """What the customer said to a call, as it was added to the turn's text."""
    if call.state == CallState.REPLIED:
        return str(_json(call.result).get("userReply", ""))
    asked = _question(call)
    if asked is None or asked.answered_by is None:
        return ""
    if asked.answered_by.kind == EventKind.PRESS:
        return asked.answered_by.text
    first, last = asked.answered_by.seq or 0, asked.answered_seq or 0
    return Burst(tuple(event for event in heard if first <= (event.seq or 0) <= last)).text


def _json(text: str) -> Mapping[str, Json]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
