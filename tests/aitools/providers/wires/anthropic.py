"""Anthropic's Messages."""

from __future__ import annotations

from typing import Any

from aitools.providers.anthropic import AnthropicProvider
from tests.aitools.providers.wires.wire import Wire

HOLA = {"type": "text", "text": "Hola."}
MENU = {"type": "tool_use", "id": "toolu_1", "name": "view_menu", "input": {}}
STATUS = {"type": "tool_use", "id": "toolu_2", "name": "order_status"}


def _turn(*content: Any, stop: str = "end_turn") -> dict[str, Any]:
    return {"type": "message", "role": "assistant", "content": list(content), "stop_reason": stop}


WIRE = Wire(
    kind="anthropic",
    adapter=AnthropicProvider,
    other="openai",
    base_url=lambda server: server.url,
    key_variables=("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
    request_id="request-id",
    odd={
        "nothing": {},
        "unknown_parts": _turn(None, "text", {"type": "hologram"}, HOLA, {"type": "text", "text": None}),
        "thinking": _turn({"type": "thinking", "thinking": "secret thought", "signature": "s"}, HOLA),
        "unknown_stop": _turn(HOLA, stop="something_new"),
        "unknown_stop_with_call": _turn(MENU, stop="something_new"),
        "plain_stop_with_call": _turn(MENU),
        "arguments_of_another_kind": _turn({**STATUS, "input": ["C-17"]}, stop="tool_use"),
        "overloaded": {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
    },
    lacks=frozenset({"content_filter"}),
)
