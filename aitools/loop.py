"""The tool loop as one pure function.

``decide`` looks at a transcript and says what to do next.  Two drivers obey
it: ``aitools.running.run_tools`` in memory, for code and tests, and ``aitools.turns`` over rows.
Same rules, same events, whoever drives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from aitools import audit, results
from aitools.tools import BoundTool, ToolSet
from aitools.types import ModelReply, Stop, ToolRequest
from aitools.validation import Invalid, Valid, validate

NUDGE_EMPTY = "Your last reply was empty. Answer the customer now, in one short message."
NUDGE_CUT = "Your last reply was cut by the output limit and not sent. Answer the customer again, more briefly."
NUDGE_MALFORMED = "Your last tool call could not be read. Call it again as valid JSON, or answer."


#: The provider of a step that no model made.
OUR_CODE = "code"


class CallStatus(StrEnum):
    """How far a call is, as the rules see it."""

    OPEN = "open"
    APPROVED = "approved"
    SETTLED = "settled"


@dataclass(frozen=True, slots=True)
class CallView:
    """One requested call. ``digest`` and ``content`` exist once it is settled."""

    id: str
    request: ToolRequest
    status: CallStatus = CallStatus.OPEN
    content: str = ""
    is_error: bool = False
    done: bool = False
    digest: str = ""


@dataclass(frozen=True, slots=True)
class StepView:
    """One model turn (or one of our code's) and its calls."""

    reply: ModelReply
    calls: tuple[CallView, ...] = ()
    provider: str = ""

    @property
    def is_cut_text(self) -> bool:
        """Words without an end: neither customer nor model is shown them."""
        return self.reply.stop is Stop.LENGTH and not self.calls and bool(self.reply.text.strip())


@dataclass(frozen=True, slots=True)
class Transcript:
    """A turn so far. Limits count the steps from ``counted_from`` on."""

    steps: tuple[StepView, ...] = ()
    counted_from: int = 0

    @property
    def counted(self) -> tuple[StepView, ...]:
        return self.steps[self.counted_from :]

    def is_spent(self, limits: Limits) -> bool:
        """Whether the model has had all its replies; steps of our own code are none."""
        return sum(step.provider != OUR_CODE for step in self.counted) >= limits.max_steps


@dataclass(frozen=True, slots=True)
class Limits:
    """``max_steps`` model replies since the customer's last message, nudged ones included."""

    max_steps: int = 5


@dataclass(frozen=True, slots=True)
class Previous:
    """A success that still counts: what it gave and how long ago."""

    content: str
    seconds_ago: int


#: Finds an earlier success of (tool name, digest) in this chat, if it still counts.
Memory = Callable[[str, str], Previous | None]


def no_memory(name: str, digest: str) -> Previous | None:
    return None


@dataclass(frozen=True, slots=True)
class CallModel:
    """Ask the model. ``nudge`` is added as a corrective line, "" for none."""

    nudge: str = ""
    more_room: bool = False


@dataclass(frozen=True, slots=True)
class RunCall:
    """Run this call: it is valid, allowed and, where needed, approved."""

    call: CallView
    bound: BoundTool
    valid: Valid


@dataclass(frozen=True, slots=True)
class AskHuman:
    """Ask the customer about this call; it is valid."""

    call: CallView
    bound: BoundTool
    valid: Valid
    previous: Previous | None = None


@dataclass(frozen=True, slots=True)
class Settle:
    """Give the call this result without running it. ``event`` is for the audit."""

    call: CallView
    content: str
    event: str
    is_error: bool = True
    digest: str = ""


class Ending(StrEnum):
    """Why a turn ends; everything but END has a text of our own."""

    END = "end"
    MAX_STEPS = "max_steps"
    EMPTY = "empty"
    REFUSAL = "refusal"
    TRUNCATED = "truncated"


@dataclass(frozen=True, slots=True)
class Finish:
    """The turn is over; ``text`` is the model's, "" when our code must speak."""

    text: str
    ending: Ending = Ending.END


Action = CallModel | RunCall | AskHuman | Settle | Finish


def decide(transcript: Transcript, tools: ToolSet, limits: Limits, memory: Memory = no_memory) -> Action:
    """What to do next. Pure: the same inputs always give the same action."""
    if not transcript.steps:
        return CallModel()
    step = transcript.steps[-1]
    waiting = next((call for call in step.calls if call.status is not CallStatus.SETTLED), None)
    if waiting is not None:
        return _next_for(waiting, step, transcript, tools, limits, memory)
    if step.calls:
        return _after_results(step, transcript, limits)
    return _after_text(step, transcript, limits)


def _next_for(
    call: CallView,
    step: StepView,
    transcript: Transcript,
    tools: ToolSet,
    limits: Limits,
    memory: Memory,
) -> Action:
    """Rules for one unsettled call, strictest first."""
    if step.reply.stop is Stop.LENGTH:
        return Settle(call, results.truncated(), audit.TRUNCATED)
    if step.reply.stop in (Stop.REFUSAL, Stop.CONTENT_FILTER):
        return Settle(call, results.error("Not run: the reply was refused."), audit.ERROR)
    bound = tools.get(call.request.name)
    if bound is None:
        reason = results.unknown_tool(call.request.name, tools.names())
        return Settle(call, reason, audit.UNKNOWN_TOOL)
    valid = validate(bound, call.request)
    if isinstance(valid, Invalid):
        return Settle(call, results.error(valid.reason), audit.INVALID)
    if call.status is CallStatus.APPROVED:
        return RunCall(call, bound, valid)
    if transcript.is_spent(limits):
        return Settle(call, results.not_run_limit(), audit.MAX_STEPS, digest=valid.digest)
    return _first_time(call, step, bound, valid, transcript, tools, memory)


def _first_time(
    call: CallView,
    step: StepView,
    bound: BoundTool,
    valid: Valid,
    transcript: Transcript,
    tools: ToolSet,
    memory: Memory,
) -> Action:
    """A valid call nobody was asked about yet: repeat, ask or run."""
    tool = bound.tool
    twin = _twin(call, step, bound, valid, transcript, tools)
    if twin is not None:
        return Settle(call, twin, audit.DUPLICATE, is_error=False, digest=valid.digest)
    previous = memory(tool.name, valid.digest) if tool.confirm or tool.dedupe else None
    if previous and tool.dedupe and previous.seconds_ago < tool.dedupe_seconds:
        content = results.duplicate(previous.content, previous.seconds_ago)
        return Settle(call, content, audit.DUPLICATE, is_error=False, digest=valid.digest)
    if tool.confirm:
        return AskHuman(call, bound, valid, previous)
    return RunCall(call, bound, valid)


def _twin(
    call: CallView,
    step: StepView,
    bound: BoundTool,
    valid: Valid,
    transcript: Transcript,
    tools: ToolSet,
) -> str | None:
    """The result of an equal earlier call that makes this one pointless.

    Writes: an equal one in the same step.  Reads: an equal one since the
    customer's last message, unless an effect lies between.
    """
    writes = bound.tool.effects != "none"
    earlier = step.calls if writes else tuple(_counted_calls(transcript))
    found: str | None = None
    for other in earlier:
        if other.id == call.id:
            break
        same = other.request.name == call.request.name and other.digest == valid.digest
        if same and (other.done or writes):
            found = other.content if writes else results.repeated(other.content)
        elif other.done and not writes and _has_effect(other, tools):
            found = None
    return found


def _counted_calls(transcript: Transcript) -> Iterator[CallView]:
    for step in transcript.counted:
        yield from step.calls


def _has_effect(call: CallView, tools: ToolSet) -> bool:
    bound = tools.get(call.request.name)
    return bound is not None and bound.tool.effects != "none"


def _after_results(step: StepView, transcript: Transcript, limits: Limits) -> Action:
    if step.reply.stop in (Stop.REFUSAL, Stop.CONTENT_FILTER):
        return Finish("", Ending.REFUSAL)
    if step.reply.stop is Stop.LENGTH:
        return _after_cut(transcript, limits)
    if transcript.is_spent(limits):
        return Finish(step.reply.text, Ending.MAX_STEPS)
    return CallModel()


def _after_text(step: StepView, transcript: Transcript, limits: Limits) -> Action:
    if step.reply.stop in (Stop.REFUSAL, Stop.CONTENT_FILTER):
        return Finish("", Ending.REFUSAL)
    if step.is_cut_text:
        return _after_cut(transcript, limits, NUDGE_CUT)
    if step.reply.text.strip():
        return Finish(step.reply.text.strip())
    silent = _trailing(transcript, lambda other: not other.calls and not other.reply.text.strip())
    if silent > 1 or transcript.is_spent(limits):
        return Finish("", Ending.EMPTY)
    malformed = step.reply.stop is Stop.MALFORMED
    return CallModel(nudge=NUDGE_MALFORMED if malformed else NUDGE_EMPTY, more_room=not malformed)


def _after_cut(transcript: Transcript, limits: Limits, nudge: str = "") -> Action:
    """Once more with more room, then our own words."""
    cut = _trailing(transcript, lambda other: other.reply.stop is Stop.LENGTH)
    if cut > 1 or transcript.is_spent(limits):
        return Finish("", Ending.TRUNCATED)
    return CallModel(nudge=nudge, more_room=True)


def _trailing(transcript: Transcript, test: Callable[[StepView], bool]) -> int:
    """How many counted steps at the end pass the test."""
    count = 0
    for step in reversed(transcript.counted):
        if not test(step):
            break
        count += 1
    return count
