"""What Chat Completions and Ollama's /api/chat have in common."""

from __future__ import annotations

from collections.abc import Mapping

from aitools.providers.payloads import raw_turn, tool_request
from aitools.providers.schema_subset import plain
from aitools.types import AssistantStep, Json, ModelRequest, ToolRequest, ToolSpec


def system_message(request: ModelRequest) -> list[Json]:
    return [{"role": "system", "content": request.system}] if request.system.strip() else []


def function_tool(spec: ToolSpec) -> dict[str, Json]:
    wanted = {"name": spec.name, "description": spec.description, "parameters": plain(spec.schema)}
    return {"type": "function", "function": wanted}


def mapping(value: Json) -> Mapping[str, Json]:
    """The value if it is an object: servers give null and worse in its place."""
    return value if isinstance(value, Mapping) else {}


def calls_of(message: Mapping[str, Json]) -> list[Mapping[str, Json]]:
    """The calls of a message as the vendor wrote them."""
    given = message.get("tool_calls")
    return [call for call in given if isinstance(call, Mapping)] if isinstance(given, list) else []


def request_of(call: Mapping[str, Json], request: ModelRequest) -> ToolRequest:
    asked = mapping(call.get("function"))
    return tool_request(request, asked.get("name"), asked.get("arguments"), call.get("id"))


def raw_message(step: AssistantStep, kind: str, origin: str) -> Mapping[str, Json] | None:
    """The message that this very model sent for the step; None if another made it."""
    kept = raw_turn(step, kind, origin)
    return kept[0] if kept and isinstance(kept[0], Mapping) else None
