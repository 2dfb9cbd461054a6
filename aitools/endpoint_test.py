"""Trying an endpoint out: a real round trip with a tool call.

The first request must bring the call, we answer it, the second must bring words.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from aitools import caps, clock, endpointmarks
from aitools.errors import ProviderError
from aitools.models import BotProfile
from aitools.providers.adapter import load
from aitools.providers.base import EndpointConfig
from aitools.tools import Tool, ToolContext
from aitools.trials import Busy, Trial, TriedStep, tried
from aitools.types import Prompt, UserText

SYSTEM = "You calculate. Call the tool add for every sum, then answer in one short sentence with its result."
QUESTION = "How much is 17 plus 25?"
REQUESTS = 2


class Numbers(BaseModel):
    """What is added."""

    model_config = ConfigDict(extra="forbid")
    a: int
    b: int


def _add(args: Numbers, ctx: ToolContext) -> str:
    return str(args.a + args.b)


ADD = Tool("add", "Adds two whole numbers. Use it for every sum.", _add, Numbers)


class Verdict(StrEnum):
    """How it went. FAULT: the report has the error."""

    WELL = "well"
    NO_CALL = "no_call"
    BAD_CALL = "bad_call"
    NO_WORDS = "no_words"
    FAULT = "fault"


@dataclass(frozen=True, slots=True)
class TestReport:
    """What came, step by step. ``by_plan``: the model refuses tools, so that it was asked for a JSON plan."""

    __test__ = False
    verdict: Verdict
    steps: list[TriedStep]
    fault: ProviderError | None = None

    @property
    def by_plan(self) -> bool:
        return any(step.answered is not None and step.answered.by_plan for step in self.steps)


def try_out(endpoint: EndpointConfig) -> TestReport:
    """Two requests at most, each within the endpoint's time. Never inside a transaction.

    Success clears what marks the endpoint as broken; a refusal of tools is
    remembered as with any other request.  Raises ``Busy`` while somebody else
    tries the same endpoint.
    """
    load(endpoint)
    with _alone(endpoint):
        report = _round_trip(endpoint)
        if report.verdict is Verdict.WELL:
            endpointmarks.mark_mended(endpoint)
        return report


@contextmanager
def _alone(endpoint: EndpointConfig) -> Iterator[None]:
    name = ("endpoint-test", str(endpoint.endpoint_id))
    if not caps.stop("being tried", int(REQUESTS * endpoint.timeout_seconds) + 5, *name):
        raise Busy
    try:
        yield
    finally:
        caps.go_on(*name)


class _Nowhere:
    """The sum needs no database."""

    @contextmanager
    def entered(self, ctx: ToolContext) -> Iterator[ToolContext]:
        yield ctx


def _round_trip(endpoint: EndpointConfig) -> TestReport:
    trial = Trial(
        endpoint,
        BotProfile(max_steps=REQUESTS, note_on=False, guards_replies=False),
        ToolContext("", "", "endpoint-test", "en", clock.now()),
        _Nowhere(),
        [ADD],
        [UserText(QUESTION)],
        build=lambda ctx: Prompt(SYSTEM),
        until=time.monotonic() + REQUESTS * endpoint.timeout_seconds,
    )
    run = trial.run([ADD], None)
    fault: ProviderError | None = None
    try:
        run.to_the_end()
    except ProviderError as error:
        fault = error
    steps = tried(run.transcript.steps, trial.answered, run.events)
    return TestReport(Verdict.FAULT if fault else _verdict(steps), steps, fault)


def _verdict(steps: list[TriedStep]) -> Verdict:
    calls = [call for step in steps for call in step.calls]
    if not calls:
        return Verdict.NO_CALL
    if all(call.is_error for call in calls):
        return Verdict.BAD_CALL
    return Verdict.WELL if steps[-1].text.strip() and not steps[-1].calls else Verdict.NO_WORDS
