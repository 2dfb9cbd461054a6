"""Asking one model by hand: a talk led in memory, with every step kept for staff to look at.

Same loop, prompt, tools and guard as over rows; one endpoint alone, without a
chain behind it.  Nothing is stored, so none of it counts in a day's budget.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import cast

from django.conf import settings
from django.utils.module_loading import import_string

from aitools import behaviour, completion, events
from aitools.asking import Confirmer
from aitools.completion import Completion
from aitools.driving import Run
from aitools.errors import ProviderTransient
from aitools.events import Event
from aitools.guard import Done, guard_for
from aitools.guarding import OWN
from aitools.loop import OUR_CODE, Guard, Limits, StepView, Transcript, no_guard
from aitools.models import BotProfile, ModelEndpoint
from aitools.notes import instructions
from aitools.providers.base import EndpointConfig, Provider
from aitools.recent import Recent
from aitools.sandbox import Box
from aitools.tools import Tool, ToolContext, ToolSet
from aitools.types import Json, Message, ModelReply, ModelRequest, Prompt

#: A person waits before the page, and the thread that serves it takes webhooks too.
MOST_SECONDS = 55.0
AT_ONCE = 2
_turnstile = threading.BoundedSemaphore(AT_ONCE)
#: So much of a text is kept to be shown.
SHOWN_CHARACTERS = 4000
#: What happens with every call is seen at the call.
_USUAL = frozenset({events.CALL, events.RESULT, events.REQUESTED, events.APPROVED})


@dataclass(frozen=True, slots=True)
class Answered:
    """What one request to the model took. ``facts`` are those it was told, None if they were the same as before."""

    model: str
    duration_ms: int
    cost: Decimal | None
    by_plan: bool
    failures: tuple[str, ...]
    facts: Json

    @classmethod
    def by(cls, got: Completion, facts: Json) -> Answered:
        model = got.reply.model or got.endpoint.model
        return cls(model, got.duration_ms, got.cost, got.endpoint.plan, got.failures, facts)


@dataclass(frozen=True, slots=True)
class TriedCall:
    """A call as it was asked for, and what the model was told."""

    name: str
    arguments: Json
    told: str
    is_error: bool
    duration_ms: int | None = None


@dataclass(frozen=True, slots=True)
class TriedStep:
    """One step to be shown. ``answered`` is None for a step of our own code; ``events`` are (kind, detail)."""

    provider: str
    text: str
    stop: str
    nudge: str
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    calls: tuple[TriedCall, ...]
    answered: Answered | None = None
    events: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class Trial:
    """One endpoint, asked as the desk would ask it.

    ``tools`` are what it is told of, ``build`` makes the prompt of the moment,
    ``box`` is where that may read.  ``recent`` is what was done before.
    """

    endpoint: EndpointConfig
    profile: BotProfile
    ctx: ToolContext
    box: Box
    tools: Sequence[Tool]
    talk: Sequence[Message]
    recent: Recent = field(default_factory=Recent)
    build: Callable[[ToolContext], Prompt] | None = None
    answered: list[Answered] = field(default_factory=list)
    until: float = field(default_factory=lambda: time.monotonic() + MOST_SECONDS)
    _prompt: Prompt = field(default_factory=lambda: Prompt(""))
    _facts: Json = None

    @property
    def kind(self) -> str:
        return self.endpoint.kind

    def run(self, tools: Iterable[Tool], confirm: Confirmer | None, so_far: Transcript | None = None) -> Run:
        """The talk, to be led by the caller; ``tools`` are the same, as they are to be run here."""
        return Run(
            tools=ToolSet(tools, self.ctx),
            # A protocol can't say that each of us has a kind of its own.
            provider=cast("Provider", self),
            request=ModelRequest("", tuple(self.talk), (), self.endpoint.max_output_tokens, self.ctx.language),
            confirm=confirm,
            ctx=self.ctx,
            limits=Limits(self.profile.max_steps, self.profile.sums_up),
            guard=self._guard if self.profile.guards_replies else no_guard,
            on_event=None,
            cancelled=None,
            recent=self.recent,
            note=None,
            transcript=so_far or Transcript(),
        )

    def complete(self, request: ModelRequest) -> ModelReply:
        """What the endpoint says within its time and ours. Raises a ``ProviderError``."""
        left = self.until - time.monotonic()
        if left <= 0:
            raise ProviderTransient("All requests together took too long.", kind="timeout")
        told = ToolSet(self.tools, self.ctx)
        self._read_prompt()
        stable, system = self._instructions(told)
        asked = replace(
            request,
            system=system,
            stable=stable,
            tools=told.specs() if request.tools else (),
            facts=self._prompt.facts,
        )
        endpoint = replace(self.endpoint, timeout_seconds=min(self.endpoint.timeout_seconds, left))
        more_room = request.max_output_tokens > self.endpoint.max_output_tokens
        got = completion.ask_one(asked, endpoint, more_room=more_room)
        self.answered.append(Answered.by(got, self._news()))
        return got.reply

    def _read_prompt(self) -> None:
        build = self.build or cast("Callable[[ToolContext], Prompt]", import_string(settings.AITOOLS_PROMPT_BUILDER))
        with self.box.entered(self.ctx) as inside:
            self._prompt = build(inside)

    def _instructions(self, told: ToolSet) -> tuple[str, str]:
        done = self.recent.done(self.ctx.chat_key, self.ctx.now)
        note = self.profile.note if self.profile.note_on else None
        return instructions(self._prompt, self.profile.persona, told, done, note)

    def _news(self) -> Json:
        """The facts, when they are others than those of the request before."""
        facts, before = dict(self._prompt.facts), self._facts
        self._facts = facts
        return None if facts == before else facts

    def _guard(self, text: str, transcript: Transcript) -> str:
        if transcript.steps[-1].provider == OWN:
            return ""
        done = [Done(name, content) for name, content in self.recent.done(self.ctx.chat_key, self.ctx.now)]
        check: Guard = guard_for(self._prompt.facts, self.talk, done, ToolSet(self.tools, self.ctx))
        return check(text, transcript)


def endpoint_of(profile: BotProfile, choice: str) -> EndpointConfig:
    """The model that was chosen: "" for the profile's first, "offline", or a row's number. ``LookupError`` for others.

    Without its row's number: whatever comes of it, the row learns nothing.
    """
    if not choice:
        found = behaviour.endpoints(profile)[0]
    elif choice == OWN:
        found = behaviour.offline()
    else:
        row = ModelEndpoint.objects.filter(pk=int(choice), active=True).first() if choice.isdecimal() else None
        if row is None:
            raise LookupError(choice)
        found = behaviour.from_row(row)
    return replace(found, endpoint_id=0)


class Busy(Exception):
    """Others are trying something just now."""


@contextmanager
def one_of_few() -> Iterator[None]:
    """A trial keeps one of the threads that also take webhooks: only few at once. Raises ``Busy``."""
    if not _turnstile.acquire(blocking=False):
        raise Busy
    try:
        yield
    finally:
        _turnstile.release()


def tried(steps: Sequence[StepView], answered: Sequence[Answered], reported: Sequence[Event]) -> list[TriedStep]:
    """Steps with what each request took and what was reported of it; each model's step has one of ``answered``."""
    took = iter(answered)
    return [
        _tried(step, next(took, None) if step.provider != OUR_CODE else None, [e for e in reported if e.step == index])
        for index, step in enumerate(steps, 1)
    ]


def _tried(step: StepView, answered: Answered | None, reported: Sequence[Event]) -> TriedStep:
    durations: Mapping[str, int | None] = {
        event.call_id: event.duration_ms for event in reported if event.duration_ms is not None
    }
    reply = step.reply
    return TriedStep(
        provider=step.provider,
        text=reply.text[:SHOWN_CHARACTERS],
        stop=str(reply.stop),
        nudge=step.nudge,
        input_tokens=reply.usage.input,
        cached_tokens=reply.usage.cached_input,
        output_tokens=reply.usage.output,
        calls=tuple(
            TriedCall(
                call.request.name,
                call.request.arguments,
                call.content[:SHOWN_CHARACTERS],
                call.is_error,
                durations.get(call.id),
            )
            for call in step.calls
        ),
        answered=answered,
        events=tuple((e.kind, e.error[:SHOWN_CHARACTERS]) for e in reported if e.kind not in _USUAL),
    )
