"""The reply guard over rows: what this pass knows, for ``aitools.guard``."""

from __future__ import annotations

from aitools import history
from aitools.guard import Done, guard_for
from aitools.loop import Guard, Transcript, no_guard
from aitools.work import Work

#: Our own order taker says what it computed itself, without a tool's result to show.
OWN = "offline"


def guard_of(work: Work) -> Guard:
    """Checks a model's reply against results and facts, unless the profile switched that off."""
    return _Guard(work) if work.profile.guards_replies else no_guard


class _Guard:
    """Made of what the pass knows when there is a reply to check: most actions of a turn have none."""

    def __init__(self, work: Work) -> None:
        self.work = work

    def __call__(self, text: str, transcript: Transcript) -> str:
        if transcript.steps[-1].provider == OWN:
            return ""
        work = self.work
        remembered = [Done(call.name, call.result) for call in work.memory.done]
        check = guard_for(work.prompt.facts, history.talk(work), remembered, work.tools)
        return check(text, transcript)
