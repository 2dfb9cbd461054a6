"""OpenAI's Responses."""

from __future__ import annotations

from typing import Any

from aitools.providers.openai import OpenAIProvider
from tests.aitools.providers.wires.wire import Wire

HOLA = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hola."}]}
MENU = {"type": "function_call", "call_id": "call_1", "name": "view_menu", "arguments": "{}"}
STATUS = {"type": "function_call", "call_id": "call_2", "name": "order_status"}


def _response(*output: Any, status: str = "completed", **fields: Any) -> dict[str, Any]:
    return {"object": "response", "output": list(output), "status": status, **fields}


WIRE = Wire(
    kind="openai",
    adapter=OpenAIProvider,
    other="anthropic",
    base_url=lambda server: server.openai_url,
    key_variables=("OPENAI_API_KEY",),
    request_id="x-request-id",
    odd={
        "nothing": {},
        "unknown_parts": _response(None, "text", {"type": "hologram"}, HOLA),
        "thinking": _response({"type": "reasoning", "summary": [{"text": "secret thought"}]}, HOLA),
        "unknown_stop": _response(HOLA, status="something_new"),
        "unknown_stop_with_call": _response(MENU, status="something_new"),
        "plain_stop_with_call": _response(MENU),
        "arguments_left_out": _response({**MENU, "arguments": None}, STATUS),
        "arguments_of_another_kind": _response({**STATUS, "arguments": '["C-17"]'}),
        "overloaded": _response(status="failed", error={"code": "overloaded_error", "message": "Overloaded"}),
    },
)
