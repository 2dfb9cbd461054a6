"""The tool loop as one pure function.

``decide`` looks at a transcript and says what to do next.  Two drivers obey
it: ``aitools.running.run_tools`` in memory, for code and tests, and ``aitools.turns`` over rows.
Same rules, same events, whoever drives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from aitools import events, results
from aitools.tools import BoundTool, ToolSet
from aitools.types import ModelReply, Stop, ToolRequest
from aitools.validation import Invalid, Valid, validate

NUDGE_EMPTY = "Your last reply was empty. Answer the customer now, in one short message."
NUDGE_CUT = "Your last reply was cut by the output limit and not sent. Answer the customer again, more briefly."
NUDGE_MALFORMED = "Your last tool call could not be read. Call it again as valid JSON, or answer."
NUDGE_UNBACKED = (
    "Your last reply was not sent: no tool result or fact confirms this in it: {unbacked}. "
    "Call the tool that does it, or answer again with only what results and facts say."
)
NUDGE_SUMMARY = "No more tools for this message. Tell the customer now, in one short message, what was found and done."


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
    """One model turn (or one of our code's) and its calls. ``nudge`` is the line that asked for it."""

    reply: ModelReply
    calls: tuple[CallView, ...] = ()
    provider: str = ""
    nudge: str = ""

    @property
    def is_cut_text(self) -> bool:
        """Words without an end: neither customer nor model is shown them."""
        return self.reply.stop is Stop.LENGTH and not self.calls and bool(self.reply.text.strip())

    @property
    def is_words(self) -> bool:
        """A whole answer in words: it ends the turn unless something stands against it."""
        return not self.calls and bool(self.reply.text.strip()) and not self.is_cut_text


@dataclass(frozen=True, slots=True)
class Transcript:
    """A turn so far. Limits count the steps from ``counted_from`` on."""

    steps: tuple[StepView, ...] = ()
    counted_from: int = 0

    @property
    def counted(self) -> tuple[StepView, ...]:
        return self.steps[self.counted_from :]

    def is_spent(self, limits: Limits) -> bool:
        """Whether the model has had all its replies."""
        return self.replies >= limits.max_steps

    @property
    def replies(self) -> int:
        """Model replies since the customer's last message; steps of our own code are none."""
        return sum(step.provider != OUR_CODE for step in self.counted)


@dataclass(frozen=True, slots=True)
class Limits:
    """``max_steps`` model replies since the customer's last message, nudged ones included.

    With ``summary`` one more is asked for at the limit, without tools, to sum
    up what was found.
    """

    max_steps: int = 5
    summary: bool = False


@dataclass(frozen=True, slots=True)
class Previous:
    """A success that still counts: what it gave and how long ago."""

    content: str
    seconds_ago: int


#: Finds an earlier success of (tool name, digest) in this chat, if it still counts.
Memory = Callable[[str, str], Previous | None]


def no_memory(name: str, digest: str) -> Previous | None:
    return None


#: What a reply states that neither results nor facts of the turn back, in
#: English for the model and the audit; "" when all of it is backed.
Guard = Callable[[str, Transcript], str]


def no_guard(text: str, transcript: Transcript) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class CallModel:
    """Ask the model. ``nudge`` is added as a corrective line, "" for none.

    ``event`` and ``detail`` are for the audit: why the model is asked once more.
    """

    nudge: str = ""
    more_room: bool = False
    without_tools: bool = False
    event: str = ""
    detail: str = ""


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


@dataclass(frozen=True, slots=True)
class Expire:
    """The call was approved and is no longer what was asked: apologise, run nothing."""

    call: CallView
    reason: str


class Ending(StrEnum):
    """Why a turn ends; everything but END has a text of our own."""

    END = "end"
    MAX_STEPS = "max_steps"
    EMPTY = "empty"
    REFUSAL = "refusal"
    FILTERED = "filtered"
    TRUNCATED = "truncated"
    OVERFLOW = "overflow"
    UNBACKED = "unbacked"


@dataclass(frozen=True, slots=True)
class Finish:
    """The turn is over; ``text`` is the model's, "" when our code must speak."""

    text: str
    ending: Ending = Ending.END
    event: str = ""
    detail: str = ""


Action = CallModel | RunCall | AskHuman | Settle | Expire | Finish


def decide(
    transcript: Transcript,
    tools: ToolSet,
    limits: Limits,
    memory: Memory = no_memory,
    guard: Guard = no_guard,
) -> Action:
    """What to do next. Pure: the same inputs always give the same action."""
    if not transcript.steps:
        return CallModel()
    step = transcript.steps[-1]
    waiting = next((call for call in step.calls if call.status is not CallStatus.SETTLED), None)
    if waiting is not None:
        return _next_for(waiting, step, transcript, tools, limits, memory)
    if step.calls:
        return _after_results(step, transcript, limits)
    return _after_text(step, transcript, limits, guard)


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
        return Settle(call, results.truncated(), events.TRUNCATED)
    if step.reply.stop in (Stop.REFUSAL, Stop.CONTENT_FILTER):
        return Settle(call, results.error("Not run: the reply was refused."), events.ERROR)
    approved = call.status is CallStatus.APPROVED
    bound = tools.get(call.request.name)
    if bound is None:
        reason = results.unknown_tool(call.request.name, tools.names())
        return Expire(call, "the tool is gone") if approved else Settle(call, reason, events.UNKNOWN_TOOL)
    valid = validate(bound, call.request)
    if isinstance(valid, Invalid):
        invalid = Settle(call, results.error(valid.reason), events.INVALID)
        return Expire(call, "the arguments are not valid any more") if approved else invalid
    if approved:
        return RunCall(call, bound, valid)
    if transcript.is_spent(limits):
        return Settle(call, results.not_run_limit(), events.MAX_STEPS, digest=valid.digest)
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
        return Settle(call, twin, events.DUPLICATE, is_error=False, digest=valid.digest)
    previous = memory(tool.name, valid.digest) if tool.confirm or tool.dedupe else None
    if previous and tool.dedupe and previous.seconds_ago < tool.dedupe_seconds:
        content = results.duplicate(previous.content, previous.seconds_ago)
        return Settle(call, content, events.DUPLICATE, is_error=False, digest=valid.digest)
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
        elif not writes and _may_have_changed_something(other, tools):
            found = None
    return found


def _counted_calls(transcript: Transcript) -> Iterator[CallView]:
    for step in transcript.counted:
        yield from step.calls


def _may_have_changed_something(call: CallView, tools: ToolSet) -> bool:
    """An effect that was done; elsewhere also one that failed, since nobody knows how far it came."""
    bound = tools.get(call.request.name)
    if bound is None or bound.tool.effects == "none":
        return False
    return call.done or (bound.tool.effects == "external" and call.is_error)


def _after_results(step: StepView, transcript: Transcript, limits: Limits) -> Action:
    if refused := _refused(step):
        return refused
    if step.reply.stop is Stop.LENGTH:
        return _after_cut(transcript, limits)
    if transcript.is_spent(limits):
        return _at_limit(transcript, limits)
    return CallModel()


def _refused(step: StepView) -> Finish | None:
    if step.reply.stop is Stop.REFUSAL:
        return Finish("", Ending.REFUSAL, events.REFUSED)
    if step.reply.stop is Stop.CONTENT_FILTER:
        return Finish("", Ending.FILTERED, events.FILTERED)
    return None


def _at_limit(transcript: Transcript, limits: Limits) -> Action:
    """No reply is left: our own words, or one more request that can only sum up."""
    if limits.summary and transcript.replies <= limits.max_steps:
        return CallModel(NUDGE_SUMMARY, without_tools=True, event=events.MAX_STEPS)
    summed_up = limits.summary and transcript.replies > limits.max_steps
    return Finish("", Ending.MAX_STEPS, "" if summed_up else events.MAX_STEPS)


def _after_text(step: StepView, transcript: Transcript, limits: Limits, guard: Guard) -> Action:
    if refused := _refused(step):
        return refused
    if step.is_cut_text:
        return _after_cut(transcript, limits, NUDGE_CUT, events.CUT)
    if step.is_words:
        return _after_words(step.reply.text.strip(), transcript, limits, guard)
    silent = _trailing(transcript, lambda other: not other.calls and not other.reply.text.strip())
    if silent > 1 or transcript.is_spent(limits):
        return Finish("", Ending.EMPTY, events.EMPTY)
    malformed = step.reply.stop is Stop.MALFORMED
    nudge = NUDGE_MALFORMED if malformed else NUDGE_EMPTY
    return CallModel(nudge, more_room=not malformed, event=events.EMPTY)


def _after_words(text: str, transcript: Transcript, limits: Limits, guard: Guard) -> Action:
    """The answer, if results back it; else one corrective round, then our own words."""
    unbacked = guard(text, transcript)
    if not unbacked:
        past = transcript.replies > limits.max_steps
        return Finish(text, Ending.MAX_STEPS if past else Ending.END)
    corrected = _trailing(transcript, lambda other: other.is_words) > 1
    if corrected or transcript.is_spent(limits):
        return Finish("", Ending.UNBACKED, events.GUARDED, unbacked)
    nudge = NUDGE_UNBACKED.format(unbacked=unbacked)
    return CallModel(nudge, event=events.GUARDED, detail=unbacked)


def _after_cut(transcript: Transcript, limits: Limits, nudge: str = "", event: str = "") -> Action:
    """Once more with more room, then our own words. Cut calls have events of their own."""
    cut = _trailing(transcript, lambda other: other.reply.stop is Stop.LENGTH)
    if cut > 1 or transcript.is_spent(limits):
        return Finish("", Ending.TRUNCATED, event)
    return CallModel(nudge, more_room=True, event=event)


def _trailing(transcript: Transcript, test: Callable[[StepView], bool]) -> int:
    """How many counted steps at the end pass the test."""
    count = 0
    for step in reversed(transcript.counted):
        if not test(step):
            break
        count += 1
    return count
