"""Putting a call up for a yes in code: what is asked, who answers and how."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from aitools import results
from aitools.lines import question_lines
from aitools.loop import AskHuman, Previous
from aitools.tools import ToolContext
from aitools.types import Json
from aitools.wording import Wording


class Decision(Enum):
    """What a person may decide; anything else they say is a ``Reply``."""

    APPROVED = "approved"
    DENIED = "denied"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Reply:
    """The person answered with something else than yes or no."""

    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """All that a person needs to decide. ``prompt`` is what a customer would be shown.

    ``args`` are validated, as they will run.  ``description`` is for the model:
    don't show it to customers.  ``previous`` is an earlier success of the same
    call in this chat, None when there is none; ``prompt`` warns of it.
    """

    tool: str
    call_id: str
    args: Mapping[str, Json]
    description: str
    title: str
    prompt: str
    lines: tuple[str, ...]
    previous: Previous | None = None


Answer = Decision | Reply | bool | None
#: Answers by ``Decision`` or ``Reply``; True, False and None stand for approved, denied and cancelled.
Confirmer = Callable[[Question], Answer]


def decided(answer: Answer) -> Decision | Reply:
    """The answer in one form. ``TypeError`` for anything else: what is unclear is no yes."""
    if isinstance(answer, Decision | Reply):
        return answer
    if answer is None:
        return Decision.CANCELLED
    if not isinstance(answer, bool):
        raise TypeError(f"a confirmer answers by a Decision, a Reply, True, False or None, not by {answer!r}")
    return Decision.APPROVED if answer else Decision.DENIED


def compose(
    asked: AskHuman, ctx: ToolContext, *, agreed_before: Json = None, changed: bool = False
) -> tuple[Question, Json]:
    """Check, freeze and word the question; with it the fingerprint of what is agreed to, None without one.

    ``agreed_before`` is what the earlier yes was to: of another thing there is
    nothing to warn of.  Raises what the tool's ``check`` refuses with.
    """
    tool, parsed = asked.bound.tool, asked.valid.parsed
    if tool.check is not None:
        tool.check(parsed, ctx)
    frozen = results.as_json(tool.fingerprint(parsed, ctx)) if tool.fingerprint else None
    previous = asked.previous if frozen is None or frozen == agreed_before else None
    lines = question_lines(tool, asked.valid, ctx)
    own = tool.confirm_message(parsed, ctx) if callable(tool.confirm_message) else tool.confirm_message
    prompt = _prompt(str(own or ""), tool.shown_title, lines, previous, changed=changed)
    question = Question(
        tool.name, asked.call.id, asked.valid.arguments, tool.description, tool.shown_title, prompt, lines, previous
    )
    return question, frozen


def _prompt(own: str, title: str, lines: Sequence[str], previous: Previous | None, *, changed: bool) -> str:
    """As a channel without buttons shows it; in plain English where Django is not set up."""
    words = Wording()
    text = own or words.question(title, lines, hint=True, previous=previous)
    return words.changed(text) if changed else text
