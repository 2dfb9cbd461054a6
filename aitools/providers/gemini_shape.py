"""Gemini's contents and parts, finish reasons and faults, as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from aitools.providers.counts import counted
from aitools.providers.gemini_schema import gemini_schema
from aitools.providers.payloads import raw_turn, results_in_order, talk, tool_request
from aitools.types import (
    AssistantStep,
    AssistantText,
    CallResult,
    Json,
    Message,
    ModelRequest,
    Stop,
    ToolRequest,
    ToolSpec,
    Usage,
)

KIND = "gemini"

#: Stands for the signature of a call that another model made. It goes as it is written here: where an SDK puts it
#: into base64, it is refused (langchain-google pull 1972).
FOREIGN_SIGNATURE = "skip_thought_signature_validator"
#: These sign nothing that they check.
_UNSIGNED_MODELS = ("gemini-1", "gemini-2")

_FILTERS = (
    "SAFETY",
    "PROHIBITED_CONTENT",
    "BLOCKLIST",
    "SPII",
    "RECITATION",
    "LANGUAGE",
    "MODEL_ARMOR",
    "ESCALATION",
    "PUP_LIMITED_DISABLED",
    "IMAGE_SAFETY",
    "IMAGE_PROHIBITED_CONTENT",
    "IMAGE_RECITATION",
)
#: Every word that means more than "done"; after the others the parts tell what it was.
STOPS: Mapping[str, Stop] = {
    "MAX_TOKENS": Stop.LENGTH,
    "CONTINUATION": Stop.LENGTH,
    "MALFORMED_FUNCTION_CALL": Stop.MALFORMED,
    "MALFORMED_RESPONSE": Stop.MALFORMED,
    "UNEXPECTED_TOOL_CALL": Stop.MALFORMED,
    "TOO_MANY_TOOL_CALLS": Stop.MALFORMED,
    **dict.fromkeys(_FILTERS, Stop.CONTENT_FILTER),
}

Part = Mapping[str, Json]

# Request


def contents(messages: Sequence[Message], model: str, origin: str) -> list[Json]:
    """The talk. A call may only follow the user's side, so turns of the model in a row become one."""
    signed = not model.removeprefix("models/").startswith(_UNSIGNED_MODELS)
    said: list[dict[str, Json]] = []
    for role, parts in (turn for message in talk(messages) for turn in _turns(message, origin, signed=signed)):
        if said and role == "model" == said[-1]["role"]:
            said[-1]["parts"] += parts
        else:
            said.append({"role": role, "parts": list(parts)})
    return list(said)


def declaration(spec: ToolSpec) -> dict[str, Json]:
    return {"name": spec.name, "description": spec.description, "parametersJsonSchema": gemini_schema(spec.schema)}


def _turns(message: Message, origin: str, *, signed: bool) -> Iterator[tuple[str, list[Json]]]:
    if not isinstance(message, AssistantStep):
        yield "model" if isinstance(message, AssistantText) else "user", [{"text": message.text}]
        return
    raw = _raw_parts(message, origin)
    parts = _plain_parts(message, signed=signed) if raw is None else raw
    if parts:
        yield "model", parts
    if message.calls:
        yield "user", _responses(message, with_ids=raw is not None)


def _raw_parts(step: AssistantStep, origin: str) -> list[Json] | None:
    """The turn as this very model sent it, None where its calls are not those that were answered."""
    kept = [_resent(part) for part in raw_turn(step, KIND, origin) or [] if not _is_empty(part)]
    asked = [(str(call.get("name") or ""), str(call.get("id") or "")) for call in _function_calls(kept)]
    return kept if kept and asked == [(call.name, call.vendor_id) for call in step.calls] else None


def _plain_parts(step: AssistantStep, *, signed: bool) -> list[Json]:
    """The turn of another model. Only the first call of a turn is looked at for a signature."""
    text = [{"text": step.text}] if step.text.strip() else []
    calls: list[dict[str, Json]] = [
        {"functionCall": {"name": call.name, "args": dict(call.arguments)}} for call in step.calls
    ]
    if calls and signed:
        calls[0]["thoughtSignature"] = FOREIGN_SIGNATURE
    return [*text, *calls]


def _responses(step: AssistantStep, *, with_ids: bool) -> list[Json]:
    """All results in one content, in the order of the calls: anything else is a 400."""
    return [
        {"functionResponse": _response(result, call.vendor_id if with_ids else "")}
        for call, result in zip(step.calls, results_in_order(step), strict=True)
    ]


def _response(result: CallResult, vendor_id: str) -> dict[str, Json]:
    # As text: numbers inside an object become floating ones on Google's side.
    said = {"error" if result.is_error else "output": result.content.strip() or "(empty)"}
    return {**({"id": vendor_id} if vendor_id else {}), "name": result.name, "response": said}


def _resent(part: Part) -> Part:
    """A call whose arguments are no object would make the whole history a 400."""
    call = part.get("functionCall")
    if not isinstance(call, Mapping) or isinstance(call.get("args", {}), Mapping):
        return part
    return {**part, "functionCall": {**call, "args": {}}}


def _is_empty(part: Json) -> bool:
    """Nothing that may go back: a blank text is refused, unless it carries the turn's signature."""
    if not isinstance(part, Mapping) or not part:
        return True
    return part.keys() <= {"text", "thought"} and not str(part.get("text") or "").strip()


# Reply


def word_of(body: Mapping[str, Json]) -> str:
    """The vendor's own word for why it stopped; a prompt that was blocked has no answer, and a word of its own."""
    candidate = _candidate(body)
    blocked = _mapping(body.get("promptFeedback")).get("blockReason")
    if blocked and not candidate:
        return f"promptFeedback:{blocked}"
    return str(candidate.get("finishReason") or "")


def parts_of(body: Mapping[str, Json]) -> list[Part]:
    """The answer's parts; content, parts or the whole candidate may be missing."""
    parts = _mapping(_candidate(body).get("content")).get("parts")
    return [part for part in parts if isinstance(part, Mapping)] if isinstance(parts, list) else []


def stop_of(word: str, parts: Sequence[Part]) -> Stop:
    if word.startswith("promptFeedback:"):
        return Stop.CONTENT_FILTER
    return STOPS.get(word, Stop.TOOL_CALLS if _function_calls(parts) else Stop.END)


def text_of(parts: Sequence[Part]) -> str:
    return "".join(str(part.get("text") or "") for part in parts if not part.get("thought"))


def calls_of(parts: Sequence[Part], word: str, stop: Stop, request: ModelRequest) -> tuple[ToolRequest, ...]:
    """The calls for us; those of Google's own tools are parts of another name.

    Of a reply that was malformed only calls of tools that nobody offered are
    left: they can't run, and their results name the real ones.
    """
    asked = [
        tool_request(request, call.get("name"), call.get("args"), call.get("id")) for call in _function_calls(parts)
    ]
    if stop is Stop.CONTENT_FILTER or (stop is Stop.MALFORMED and word != "UNEXPECTED_TOOL_CALL"):
        return ()
    offered = {spec.name for spec in request.tools} if stop is Stop.MALFORMED else set()
    return tuple(call for call in asked if call.name not in offered)


def usage_of(body: Mapping[str, Json]) -> Usage:
    """Any count may be absent; thoughts are counted apart from the answer."""
    counts = body.get("usageMetadata")
    return Usage(
        input=counted(counts, "promptTokenCount") + counted(counts, "toolUsePromptTokenCount"),
        output=counted(counts, "candidatesTokenCount") + counted(counts, "thoughtsTokenCount"),
        cached_input=counted(counts, "cachedContentTokenCount"),
    )


# Faults


def fault_of(body: Json) -> Json:
    """An error body in the form that ``failures`` reads, with a code in words. The SDK took it out of its list."""
    error = _mapping(_mapping(body).get("error"))
    if not error:
        return body
    code = {"code": "invalid_api_key"} if "API_KEY_INVALID" in _details(error, "reason") else {}
    return {"error": {**error, **code}}


def retry_delay(body: Json) -> str:
    """Seconds to wait as the body says it ("34.4s"), "" if it does not: there is no header for it."""
    error = _mapping(_mapping(body).get("error"))
    return next((delay.removesuffix("s") for delay in _details(error, "retryDelay")), "")


def _details(error: Mapping[str, Json], key: str) -> list[str]:
    details = error.get("details")
    listed = details if isinstance(details, list) else []
    return [detail[key] for detail in listed if isinstance(detail, Mapping) and isinstance(detail.get(key), str)]


def _candidate(body: Mapping[str, Json]) -> Mapping[str, Json]:
    candidates = body.get("candidates")
    return _mapping(candidates[0]) if isinstance(candidates, list) and candidates else {}


def _function_calls(parts: Sequence[Part]) -> list[Mapping[str, Json]]:
    return [part["functionCall"] for part in parts if isinstance(part.get("functionCall"), Mapping)]


def _mapping(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, Mapping) else {}
