"""What the fake vendors have handed out, to recognise it when it comes back."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from aitools.types import ModelReply, ToolRequest, Usage

_OPAQUE = ("signature", "encrypted_content", "reasoning_content")


@dataclass
class Issued:
    """``reasoning`` maps a call's id to the opaque part that preceded it."""

    thinking: bool = True
    reasoning: dict[str, dict[str, Any]] = field(default_factory=dict)
    numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    @property
    def opaque(self) -> list[str]:
        """The signatures and cipher texts handed out before calls."""
        return [part[key] for part in self.reasoning.values() for key in _OPAQUE if key in part]

    def new_id(self, prefix: str) -> str:
        return f"{prefix}{next(self.numbers):020d}"


def admits_bearer(headers: Mapping[str, str], key: str) -> bool:
    """Whether the key stands where most vendors take it."""
    return headers.get("Authorization") == f"Bearer {key}"


def usage_of(said: ModelReply) -> Usage:
    """The usage that a test gave, else one that every test knows."""
    return said.usage if said.usage != Usage() else Usage(input=10, output=5)


def text_of(call: ToolRequest) -> str:
    """Arguments as text; to the letter where a test wants them broken."""
    return call.raw if call.arguments is None else json.dumps(dict(call.arguments))
