"""Chat Completions, as DeepSeek serves them: the vendor that wants most back."""

from __future__ import annotations

from typing import Any

from aitools.providers.openai_chat import OpenAIChatProvider
from tests.aitools.providers.wires.wire import Wire


def _called(name: str, **fields: Any) -> dict[str, Any]:
    function = {key: value for key, value in fields.items() if key != "id"}
    return {"id": fields.get("id", "call_1"), "type": "function", "function": {"name": name, **function}}


MENU = _called("view_menu", arguments="{}")


def completion(content: Any = None, *calls: Any, stop: str = "stop", **message: Any) -> dict[str, Any]:
    """A completion with one choice."""
    said = {"role": "assistant", "content": content, **message, **({"tool_calls": list(calls)} if calls else {})}
    return {"object": "chat.completion", "choices": [{"index": 0, "message": said, "finish_reason": stop}]}


WIRE = Wire(
    kind="openai_chat",
    adapter=OpenAIChatProvider,
    other="anthropic",
    base_url=lambda server: server.openai_url,
    key_variables=("DEEPSEEK_API_KEY",),
    vendor="deepseek",
    request_id="x-request-id",
    odd={
        "nothing": {"choices": [{}]},
        "unknown_parts": completion([None, "text", {"type": "hologram"}, {"type": "text", "text": "Hola."}]),
        "thinking": completion("Hola.", reasoning_content="secret thought"),
        "unknown_stop": completion("Hola.", stop="something_new"),
        "unknown_stop_with_call": completion(None, MENU, stop="something_new"),
        "plain_stop_with_call": completion("", MENU),
        "call_without_id": completion(None, {**MENU, "id": None}, stop="tool_calls"),
        "equal_calls_without_ids": completion(None, {**MENU, "id": ""}, {**MENU, "id": ""}, stop="tool_calls"),
        "arguments_left_out": completion(None, _called("view_menu"), _called("order_status"), stop="tool_calls"),
        "arguments_of_another_kind": completion(None, _called("order_status", arguments='["C-17"]')),
        "overloaded": {"choices": None, "error": {"message": "Provider returned error", "code": 503}},
    },
)
