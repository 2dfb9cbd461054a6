"""Values that travel between the engine, providers and channels.

Everything here is immutable and knows nothing of the database, of a vendor or
of a shop.  Vendors' own shapes stay inside ``aitools.providers``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aitools.choices import ChoiceSource

#: Anything `json.dumps` takes without help.
Json = Any


class Stop(StrEnum):
    """Why a model stopped, in one vocabulary for all vendors."""

    END = "end"
    TOOL_CALLS = "tool_calls"
    LENGTH = "length"
    REFUSAL = "refusal"
    CONTENT_FILTER = "content_filter"
    PAUSED = "paused"
    MALFORMED = "malformed_tool_call"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """One call a model asks for.

    ``arguments`` is None when the vendor's text was not a JSON object; ``raw``
    then holds that text (never shown to a customer, never sent back).
    ``vendor_id`` is the vendor's call id, "" when it gave none.
    """

    name: str
    arguments: Mapping[str, Json] | None
    vendor_id: str = ""
    raw: str = ""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one reply. ``input`` includes cached ones, ``output`` reasoning."""

    input: int = 0
    output: int = 0
    cached_input: int = 0


@dataclass(frozen=True, slots=True)
class ModelReply:
    """One model turn, normalised.

    ``raw`` is the vendor's own assistant turn as JSON (``None`` when there is
    none); it is sent back unchanged to the same provider kind.
    """

    text: str = ""
    tool_calls: tuple[ToolRequest, ...] = ()
    stop: Stop = Stop.END
    usage: Usage = Usage()
    raw: Json = None
    raw_stop: str = ""
    model: str = ""
    request_id: str = ""


@dataclass(frozen=True, slots=True)
class UserText:
    """What the customer wrote."""

    text: str


@dataclass(frozen=True, slots=True)
class AssistantText:
    """What we said in an earlier turn, as plain text."""

    text: str


@dataclass(frozen=True, slots=True)
class CallResult:
    """The answer to one call, as text for the model."""

    call_id: str
    name: str
    content: str
    is_error: bool = False
    vendor_id: str = ""


@dataclass(frozen=True, slots=True)
class RequestedCall:
    """A call of an earlier step, with our id and the vendor's."""

    call_id: str
    name: str
    arguments: Mapping[str, Json]
    vendor_id: str = ""


@dataclass(frozen=True, slots=True)
class AssistantStep:
    """A model turn with its calls and all their results, in the calls' order.

    ``raw`` may be sent back only to ``provider`` (the kind that made it).
    Every call has exactly one result; a step is never sent half-answered.
    """

    text: str
    calls: tuple[RequestedCall, ...]
    results: tuple[CallResult, ...]
    raw: Json = None
    provider: str = ""


@dataclass(frozen=True, slots=True)
class Nudge:
    """A corrective line to the model, from our code and not from the customer."""

    text: str


Message = UserText | AssistantText | AssistantStep | Nudge


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """What a model may call, as of this turn.

    ``schema`` is JSON Schema (object, closed sets inlined up to 200 keys).
    ``choices`` gives the closed sets by source name, with labels and aliases,
    for providers that match words themselves.
    """

    name: str
    description: str
    schema: Mapping[str, Json]
    title: str = ""
    confirm: bool = False
    choices: Mapping[str, ChoiceSource] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """All a provider needs for one reply. ``facts`` is ``system``'s data as JSON.

    ``system`` begins with ``stable``, which is the same with every request of the
    profile: what vendors may keep of it.
    ``text_schema`` is the JSON Schema that the text is to fit, for vendors that
    can see to it; the others leave it out.
    """

    system: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    max_output_tokens: int = 1024
    language: str = "es"
    facts: Mapping[str, Json] = field(default_factory=dict)
    text_schema: Mapping[str, Json] | None = None
    stable: str = ""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What the shop tells a model: ``system`` is always the same, ``now`` what is true at this moment.

    ``facts`` are those of ``now`` as data.
    """

    system: str
    facts: Mapping[str, Json] = field(default_factory=dict)
    now: str = ""


@dataclass(frozen=True, slots=True)
class Button:
    """A reply button: ``id`` comes back in the press, ``title`` is shown."""

    id: str
    title: str
