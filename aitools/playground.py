"""Talking to a profile without a customer: everything is done for real and undone (``aitools.sandbox``).

A talk is a value that the caller keeps, such as in a session; the database keeps nothing.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from django.utils import translation
from pydantic import TypeAdapter, ValidationError

from aitools import behaviour, clock, history
from aitools.answers import Answer, read
from aitools.asking import Decision, Question, Reply
from aitools.channels.console import ConsoleChannel
from aitools.driving import Run
from aitools.errors import ProviderError
from aitools.events import Event
from aitools.loop import Transcript
from aitools.models import BotProfile
from aitools.providers.adapter import load
from aitools.recent import Done, Recent
from aitools.sandbox import Effect, Sandbox
from aitools.tools import ToolContext, registry
from aitools.trials import Answered, Trial, TriedStep, endpoint_of, tried
from aitools.types import Json, Message, UserText

#: A talk is kept whole, so it ends somewhere.
MOST_EXCHANGES = 20
LONGEST_TEXT = 1000


class Who(StrEnum):
    """Whose a line is; a question is the desk's as well."""

    CUSTOMER = "customer"
    DESK = "desk"
    QUESTION = "question"


@dataclass(slots=True)
class Line:
    who: Who
    text: str


@dataclass(slots=True)
class Exchange:
    """What was said from a customer's message to its answer. ``fault`` is (kind, the vendor's words)."""

    lines: list[Line]
    steps: list[TriedStep] = field(default_factory=list)
    fault: tuple[str, str] | None = None

    def said(self, *who: Who) -> str:
        return "\n".join(line.text for line in self.lines if line.who in who)


@dataclass(slots=True)
class Waiting:
    """A question that was asked, and the turn around it."""

    question: str
    at: datetime
    transcript: Transcript
    answered: list[Answered]
    events: list[Event]


@dataclass(slots=True)
class Chat:
    """A talk with a profile (None: the one in force). ``endpoint`` is as ``trials.endpoint_of`` takes it."""

    profile_id: int | None
    endpoint: str
    language: str
    address: str = field(default_factory=lambda: f"playground-{uuid.uuid4()}")
    exchanges: list[Exchange] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)
    waiting: Waiting | None = None

    @property
    def is_full(self) -> bool:
        return len(self.exchanges) >= MOST_EXCHANGES and self.waiting is None


_adapter = TypeAdapter(Chat)


def to_json(chat: Chat) -> Json:
    return _adapter.dump_python(chat, mode="json")


def from_json(kept: Json) -> Chat | None:
    """The talk; None when there is none, or one that another version of the desk has kept."""
    try:
        return _adapter.validate_python(kept)
    except ValidationError:
        return None


def profile_of(chat: Chat) -> BotProfile:
    """The profile that is talked to. ``LookupError`` when it is gone."""
    if chat.profile_id is None:
        return behaviour.profile()
    found = BotProfile.objects.select_related("endpoint").filter(pk=chat.profile_id).first()
    if found is None:
        raise LookupError(chat.profile_id)
    return found


def say(chat: Chat, text: str) -> None:
    """The customer writes, or answers what was asked; the talk grows by what comes of it.

    Never inside a transaction.  A vendor's fault is kept in the exchange, a talk
    that is full takes no more.  ``LookupError`` when profile or model are gone.
    """
    if chat.is_full:
        return
    profile, waiting = profile_of(chat), chat.waiting
    endpoint = endpoint_of(profile, chat.endpoint)
    line = Line(Who.CUSTOMER, history.cut(text))
    talk = _talk(chat, profile, line.text)
    if waiting is None:
        chat.exchanges.append(Exchange([line]))
        person = _Person()
    else:
        chat.exchanges[-1].lines.append(line)
        person = _Person(waiting.question, _meant(text, profile))
    ctx = _ctx(chat, waiting.at if waiting else clock.now())
    box = Sandbox(chat.address, {tool.name: tool for tool in registry.all()}, chat.effects)
    load(endpoint)
    trial = Trial(endpoint, profile, ctx, box, registry.all(), talk, _recent(chat))
    trial.answered += waiting.answered if waiting else []
    run = trial.run(map(box.boxed, registry.all()), person, waiting.transcript if waiting else None)
    run.events += waiting.events if waiting else []
    chat.waiting = None
    with translation.override(chat.language):
        _lead(chat, run, trial)


def _lead(chat: Chat, run: Run, trial: Trial) -> None:
    """To the answer, the next question or the fault."""
    exchange = chat.exchanges[-1]
    try:
        exchange.lines.append(Line(Who.DESK, run.to_the_end().text))
    except _Waits as waits:
        exchange.lines.append(Line(Who.QUESTION, waits.question))
        chat.waiting = Waiting(waits.question, trial.ctx.now, run.transcript, trial.answered, run.events)
    except ProviderError as error:
        exchange.fault = error.kind, str(error)
    exchange.steps = tried(run.transcript.steps, trial.answered, run.events)
    chat.effects = list(_completed(chat.effects, run.transcript))


class _Waits(Exception):
    """A question nobody has answered yet."""

    def __init__(self, question: str) -> None:
        super().__init__()
        self.question = question


class _Person:
    """Answers the one question that was shown; any other has to be shown first."""

    def __init__(self, question: str = "", answer: Decision | Reply = Decision.DENIED) -> None:
        self.question, self.answer = question, answer

    def __call__(self, asked: Question) -> Decision | Reply:
        if asked.prompt != self.question:
            raise _Waits(asked.prompt)
        self.question = ""
        return self.answer


def _meant(text: str, profile: BotProfile) -> Decision | Reply:
    decisions = {Answer.YES: Decision.APPROVED, Answer.NO: Decision.DENIED}
    return decisions.get(read(text, behaviour.words(profile))) or Reply(text)


def _ctx(chat: Chat, now: datetime) -> ToolContext:
    """Whoever writes is nobody the shop knows."""
    return ToolContext("", "", chat.address, chat.language, now, ConsoleChannel.name, chat.address)


def _talk(chat: Chat, profile: BotProfile, text: str) -> list[Message]:
    """The window of earlier exchanges as plain talk, as the desk keeps it, and what is said in this one."""
    *before, now = chat.exchanges if chat.waiting else [*chat.exchanges, Exchange([Line(Who.CUSTOMER, text)])]
    earlier = [(one.said(Who.CUSTOMER), one.said(Who.DESK)) for one in reversed(before)]
    window = history.window(earlier[: profile.history_turns], profile.history_tokens)
    return [*window, UserText(now.lines[0].text)]


def _recent(chat: Chat) -> Recent:
    recent = Recent()
    for effect in chat.effects:
        tool = registry.get(effect.tool)
        if tool is not None:
            recent.add(chat.address, tool, Done(tool.name, effect.digest, effect.content, effect.at, effect.agreed))
    return recent


def _completed(effects: Sequence[Effect], transcript: Transcript) -> Iterator[Effect]:
    """Effects with what the model read of them."""
    calls = {call.id: call for step in transcript.steps for call in step.calls}
    for effect in effects:
        call = calls.get(effect.call_id)
        yield replace(effect, digest=call.digest, content=call.content) if call else effect
