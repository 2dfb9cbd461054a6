"""One small file for each adapter; every one of them passes the shared contract suite."""

from __future__ import annotations

from tests.aitools.providers.wires import anthropic, gemini, ollama, openai, openai_chat
from tests.aitools.providers.wires.wire import Wire

WIRES: dict[str, Wire] = {one.WIRE.kind: one.WIRE for one in (anthropic, openai, openai_chat, gemini, ollama)}
