"""The system note: what a model must know about confirmations and what was already done, in the chat's language."""

from __future__ import annotations

from collections.abc import Sequence

from django.apps import apps
from django.utils.translation import gettext

from aitools.tools import ToolSet
from aitools.types import Prompt

#: So many done actions are told, the newest, each cut to so many characters.
DONE_TOLD = 5
DONE_CHARACTERS = 200


def instructions(
    prompt: Prompt, persona: str, tools: ToolSet, done: Sequence[tuple[str, str]], note: str | None
) -> tuple[str, str]:
    """(what stays the same, all of it): what changes comes last, so that vendors may keep what is before it.

    ``note`` is the profile's own, "" for the built-in one, None for no note at all.
    """
    standing = "" if note is None else note or _built_in(tools)
    stable = _together(prompt.system, persona, standing)
    return stable, _together(stable, prompt.now, "" if note is None else _already(done))


def system_note(tools: ToolSet, done: Sequence[tuple[str, str]], own: str = "") -> str:
    """The note; ``done`` are (tool, result) newest first, ``own`` replaces the built-in words.

    The caller activates the language.  English where Django is not set up.
    """
    lines = [own or _built_in(tools)]
    return "\n".join(filter(None, [*lines, _already(done)]))


def _already(done: Sequence[tuple[str, str]]) -> str:
    told = "; ".join(f"{name} {result[:DONE_CHARACTERS]}" for name, result in done[:DONE_TOLD])
    return _("Already done in this chat, newest first: %(done)s") % {"done": told} if done else ""


def _together(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)


def _built_in(tools: ToolSet) -> str:
    confirmed = ", ".join(bound.tool.name for bound in tools if bound.tool.confirm)
    asks = [_system_confirms() % {"tools": confirmed}] if confirmed else []
    return "\n".join([never_claim(), *asks])


def never_claim() -> str:
    return _(
        "Call tools to act; never say that something was done, changed or cancelled unless a tool "
        "result in this conversation says so. If no tool fits a request, say so plainly."
    )


def _system_confirms() -> str:
    return _(
        "The system itself asks the customer for a yes before these run: %(tools)s. Call them as soon "
        "as you have the data; do not ask for confirmation yourself and do not mention this process."
    )


def _(text: str) -> str:
    return gettext(text) if apps.ready else text
