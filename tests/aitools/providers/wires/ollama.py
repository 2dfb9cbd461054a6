"""Ollama's own /api/chat."""

from __future__ import annotations

from typing import Any

from aitools.providers.ollama import OllamaProvider
from tests.aitools.providers.wires.wire import Wire

MENU = {"function": {"name": "view_menu", "arguments": {}}}


def answer(content: Any = "", *calls: Any, stop: str = "stop", **message: Any) -> dict[str, Any]:
    """An answer that is done."""
    said = {"role": "assistant", "content": content, **message, **({"tool_calls": list(calls)} if calls else {})}
    return {"model": "m", "message": said, "done": True, "done_reason": stop}


WIRE = Wire(
    kind="ollama",
    adapter=OllamaProvider,
    other="openai",
    base_url=lambda server: server.url,
    key_variables=("OLLAMA_API_KEY",),
    keyless=True,
    odd={
        "nothing": {"done": True},
        "unknown_parts": answer("Hola.", hologram={"type": "hologram"}),
        "thinking": answer("Hola.", thinking="secret thought"),
        "unknown_stop": answer("Hola.", stop="something_new"),
        "unknown_stop_with_call": answer("", MENU, stop="something_new"),
        "plain_stop_with_call": answer("", MENU),
        "call_without_id": answer("", MENU),
        "equal_calls_without_ids": answer("", MENU, MENU),
        "arguments_left_out": answer("", {"function": {"name": "view_menu"}}, {"function": {"name": "order_status"}}),
        "arguments_of_another_kind": answer("", {"function": {"name": "order_status", "arguments": ["C-17"]}}),
        "overloaded": {"error": "server busy, please try again.  maximum pending requests exceeded"},
    },
    lacks=frozenset({"content_filter", "refusal", "cached"}),
)
