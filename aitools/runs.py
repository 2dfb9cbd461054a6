"""How a run in memory ended."""

from __future__ import annotations

from dataclasses import dataclass

from aitools.events import Event
from aitools.loop import Ending, StepView
from aitools.types import Stop, Usage


@dataclass(frozen=True, slots=True)
class RunResult:
    """How it ended. ``text`` is for the customer: the model's, or else our code's.

    Our code speaks in the language of ``ctx``, in plain English where Django is
    not set up; ``ending`` says what happened (None: it was cancelled).
    """

    text: str
    ending: Ending | None
    steps: tuple[StepView, ...]
    events: tuple[Event, ...]

    @property
    def tool_results(self) -> list[tuple[str, str]]:
        """(tool, result text as the model read it), in order."""
        return [(call.request.name, call.content) for step in self.steps for call in step.calls]

    @property
    def max_steps_reached(self) -> bool:
        return self.ending is Ending.MAX_STEPS

    @property
    def truncated_tool_calls(self) -> list[str]:
        """The tools of calls that the output limit cut off; none of them was run or asked about."""
        return [call.request.name for step in self.steps if step.reply.stop is Stop.LENGTH for call in step.calls]

    @property
    def usage(self) -> Usage:
        """Tokens of all replies together."""
        used = [step.reply.usage for step in self.steps]
        return Usage(
            sum(one.input for one in used),
            sum(one.output for one in used),
            sum(one.cached_input for one in used),
        )


class RunCancelled(Exception):
    """``cancelled`` was set. ``result`` is what was done until then: it is not undone."""

    def __init__(self, said: str, result: RunResult) -> None:
        super().__init__(said)
        self.result = result


class ToolCancelled(RunCancelled):
    """The confirmer cancelled; ``str`` is the tool's name."""
