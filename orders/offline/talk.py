"""A request's messages as what matters here: who said what last, what was done since."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from aitools import locations
from aitools.mediamarks import kinds_in, unmarked
from aitools.types import AssistantStep, AssistantText, CallResult, Message, RequestedCall, UserText


@dataclass(frozen=True, slots=True)
class Exchange:
    """What the customer wrote in an earlier turn and what we answered.

    ``near`` is what the shop said of the place that they shared.
    """

    text: str
    answer: str = ""
    near: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Talk:
    """``text`` is the turn to answer, ``steps`` what was already done for it.

    ``unseen`` are the kinds of things besides words that came with it, ``near``
    is what the shop says of the place that came with it.
    """

    text: str
    earlier: tuple[Exchange, ...] = ()
    steps: tuple[AssistantStep, ...] = ()
    unseen: frozenset[str] = frozenset()
    near: tuple[str, ...] = ()

    def with_text(self, text: str) -> Talk:
        """The same with other words as the turn to answer, marks of what came besides taken out."""
        near = tuple(locations.told_in(text))
        return replace(self, text=_words(text), unseen=kinds_in(text), near=near, steps=())

    @property
    def last_line(self) -> str:
        """The newest message of the turn: answers to a question are added to its text."""
        return self.text.rsplit("\n", 1)[-1]

    @property
    def last_answer(self) -> str:
        return self.earlier[-1].answer if self.earlier else ""


def _words(text: str) -> str:
    return unmarked(locations.without(text))


def talk_of(messages: Sequence[Message]) -> Talk:
    """Split the messages at the customer's last turn."""
    at = max((i for i, message in enumerate(messages) if isinstance(message, UserText)), default=-1)
    turn = messages[at]
    text = turn.text if at >= 0 and isinstance(turn, UserText) else ""
    steps = tuple(message for message in messages[at + 1 :] if isinstance(message, AssistantStep))
    talk = Talk("", tuple(_exchanges(messages[: max(at, 0)]))).with_text(text)
    return replace(talk, steps=steps)


def _exchanges(messages: Sequence[Message]) -> list[Exchange]:
    found: list[Exchange] = []
    for message in messages:
        if isinstance(message, UserText):
            found.append(Exchange(_words(message.text), near=tuple(locations.told_in(message.text))))
        elif isinstance(message, AssistantText):
            asked = found.pop() if found and not found[-1].answer else Exchange("")
            found.append(replace(asked, answer=message.text))
    return found


@dataclass(frozen=True, slots=True)
class Outcome:
    """One call with its result read as JSON ({} when it was no object)."""

    call: RequestedCall
    result: Mapping[str, Any]
    is_error: bool

    @property
    def say(self) -> str:
        """What a customer may be told of it as it stands, "" when nothing."""
        said = self.result.get("say")
        if isinstance(said, str):
            return said
        inner = self.result.get("result") or _mapping(self.result.get("previous")).get("result")
        return str(_read(inner).get("say") or "") if isinstance(inner, str) else ""

    @property
    def reason(self) -> str:
        """Why it was not executed, "" when it was."""
        return str(self.result.get("reason") or "") if self.result.get("executed") is False else ""


def outcomes(step: AssistantStep) -> list[Outcome]:
    """The step's calls with their results, in order."""
    return [_outcome(call, result) for call, result in zip(step.calls, step.results, strict=True)]


def _outcome(call: RequestedCall, result: CallResult) -> Outcome:
    return Outcome(call, _read(result.content), result.is_error)


def _read(content: str) -> Mapping[str, Any]:
    try:
        return _mapping(json.loads(content))
    except ValueError:
        return {}


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
