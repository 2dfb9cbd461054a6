"""Gemini's generateContent."""

from __future__ import annotations

from typing import Any

from aitools.providers.gemini import GeminiProvider
from tests.aitools.providers.wires.wire import Wire

HOLA = {"text": "Hola."}
MENU = {"functionCall": {"name": "view_menu", "args": {}}}


def answer(*parts: Any, stop: str = "STOP") -> dict[str, Any]:
    """An answer with one candidate."""
    return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, "finishReason": stop}]}


def _status(**fields: Any) -> dict[str, Any]:
    return {"functionCall": {"name": "order_status", **fields}}


WIRE = Wire(
    kind="gemini",
    adapter=GeminiProvider,
    other="anthropic",
    base_url=lambda server: server.url,
    key_variables=("GEMINI_API_KEY",),
    odd={
        "nothing": {},
        "unknown_parts": answer(None, "text", {"hologram": {}}, HOLA, {"text": None}),
        "thinking": answer({"text": "secret thought", "thought": True}, HOLA),
        "unknown_stop": answer(HOLA, stop="SOMETHING_NEW"),
        "unknown_stop_with_call": answer(MENU, stop="SOMETHING_NEW"),
        "plain_stop_with_call": answer(MENU),
        "call_without_id": answer(MENU),
        "equal_calls_without_ids": answer({**MENU, "thoughtSignature": "skip_thought_signature_validator"}, MENU),
        "arguments_left_out": answer({"functionCall": {"name": "view_menu"}}, _status()),
        "arguments_of_another_kind": answer(_status(args=["C-17"])),
        "overloaded": {"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}},
    },
    lacks=frozenset({"refusal"}),
)
