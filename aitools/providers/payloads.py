"""What the vendors' formats have in common: cleaning, pairing, schemas, ids."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import NoReturn

import httpx2

from aitools.errors import ProviderTransient
from aitools.storable import storable
from aitools.types import AssistantStep, CallResult, Json, Message, ModelRequest, Nudge, ToolRequest, UserText

#: Stands for what a cut history no longer shows; vendors want the customer first.
OPENING = "(Earlier messages are left out.)"
#: Thoughts count against the output limit, and some models think before the shortest answer: so many times the limit.
ROOM_FOR_THOUGHTS = 5
#: Longest unusable argument text kept for the audit.
RAW_LIMIT = 2000

_CALL_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_SHORT_ID = re.compile(r"[a-zA-Z0-9]{9}")


def body_of(response: httpx2.Response) -> Mapping[str, Json]:
    """The JSON object of a successful answer, fit for storing.

    Anything else, such as a proxy's page, is ``ProviderTransient``.
    """
    try:
        body = storable(response.json(parse_constant=refuse, parse_float=finite))
    except (ValueError, RecursionError) as error:
        raise ProviderTransient("The reply was not JSON.", kind="server") from error
    if not isinstance(body, Mapping):
        raise ProviderTransient("The reply was no JSON object.", kind="server")
    return body


def events_of(response: httpx2.Response) -> list[Mapping[str, Json]]:
    """The objects of an answer that was streamed though nobody asked for it, a line each; [] of a whole answer."""
    lines = [line.removeprefix("data:") for line in response.text.splitlines() if line.strip()]
    if len(lines) < 2 or arguments_from(lines[0]) is None:
        return []
    return [event for event in map(arguments_from, lines) if event is not None]


def arguments_from(text: str) -> dict[str, Json] | None:
    """The JSON object in ``text``, fit for storing; None when it is anything else."""
    try:
        parsed = storable(json.loads(text, parse_constant=refuse, parse_float=finite))
    except (ValueError, RecursionError):
        return None
    return parsed if isinstance(parsed, dict) else None


def refuse(constant: str) -> NoReturn:
    """For ``parse_constant``: NaN and Infinity are Python's, PostgreSQL refuses them."""
    raise ValueError(f"{constant} is not JSON.")


def finite(number: str) -> float:
    """For ``parse_float``: 1e999 is JSON, and becomes the same Infinity."""
    value = float(number)
    return value if math.isfinite(value) else refuse(number)


def wire_schema(schema: Mapping[str, Json]) -> dict[str, Json]:
    """The schema as vendors take it: an object, without our marks or pydantic's titles."""
    return {"type": "object", "properties": {}, **_bare(schema)}


def talk(messages: Sequence[Message]) -> list[Message]:
    """The messages worth sending: no blank ones, and the customer's side first."""
    kept = [message for message in messages if not _is_blank(message)]
    if kept and isinstance(kept[0], UserText | Nudge):
        return kept
    return [UserText(OPENING), *kept]


def results_in_order(step: AssistantStep) -> list[CallResult]:
    """One result for each call, in the calls' order: vendors refuse anything else."""
    known = {result.call_id: result for result in step.results}
    return [
        known.get(call.call_id) or CallResult(call.call_id, call.name, "No result was recorded.", is_error=True)
        for call in step.calls
    ]


def result_text(result: CallResult) -> str:
    """The result for APIs without an error flag: the text says what failed."""
    if result.is_error and "error" not in (arguments_from(result.content) or {}):
        return json.dumps({"error": result.content}, ensure_ascii=False)
    return result.content.strip() or "(empty)"


def tool_request(request: ModelRequest, name: Json, arguments: Json, vendor_id: Json) -> ToolRequest:
    """A call as a vendor wrote it; ``arguments`` as text of JSON, or as the object itself.

    Arguments left out are none where the tool requires nothing, else unusable.
    """
    named = str(name or "")
    given = arguments if arguments not in (None, "") or not _takes_nothing(request, named) else {}
    text = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    usable = arguments_from(text)
    return ToolRequest(
        named, usable, vendor_id=str(vendor_id or ""), raw="" if usable is not None else text[:RAW_LIMIT]
    )


def raw_turn(step: AssistantStep, kind: str, origin: str) -> list[Json] | None:
    """The vendor's own parts of this turn, None if another model made them.

    Thinking is signed or encrypted for one model of one vendor: ``origin`` is
    what ``wrapped`` stored with it.
    """
    if step.provider != kind or not isinstance(step.raw, Mapping):
        return None
    return list(step.raw["parts"]) if step.raw.get("origin") == origin else None


def wrapped(origin: str, parts: Sequence[Json]) -> Json:
    """A vendor's turn as it is kept on the step, for ``raw_turn``."""
    return {"origin": origin, "parts": list(parts)}


def asks_the_same(step: AssistantStep, ids: Sequence[Json]) -> bool:
    """Whether a raw turn's call ids are usable and those of the calls to be answered."""
    return all(ids) and len(set(ids)) == len(ids) and [c.vendor_id for c in step.calls] == [*ids]


def wire_id(call_id: str) -> str:
    """Our call id in the alphabet and length that almost every vendor takes."""
    if _CALL_ID.fullmatch(call_id):
        return call_id
    return "call_" + hashlib.sha256(call_id.encode()).hexdigest()[:24]


def short_id(call_id: str) -> str:
    """Our call id as nine letters or digits, which Mistral and the templates of its models want."""
    return call_id if _SHORT_ID.fullmatch(call_id) else hashlib.sha256(call_id.encode()).hexdigest()[:9]


def _takes_nothing(request: ModelRequest, name: str) -> bool:
    """Whether empty arguments can be meant: no property of the tool is required."""
    return any(spec.name == name and not spec.schema.get("required") for spec in request.tools)


def _is_blank(message: Message) -> bool:
    return not isinstance(message, AssistantStep) and not message.text.strip()


def _bare(node: Json, *, names: bool = False) -> Json:
    """``names``: the keys of this node are property names, not keywords."""
    if isinstance(node, list):
        return [_bare(item) for item in node]
    if not isinstance(node, Mapping):
        return node
    return {
        key: _bare(item, names=key == "properties" and not names)
        for key, item in node.items()
        if names or not (key.startswith("x-") or key == "title")
    }
