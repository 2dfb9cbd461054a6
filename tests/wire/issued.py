"""What the fake vendors have handed out, to recognise it when it comes back."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Issued:
    """``reasoning`` maps a call's id to the opaque part that preceded it."""

    thinking: bool = True
    reasoning: dict[str, dict[str, Any]] = field(default_factory=dict)
    numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    @property
    def opaque(self) -> list[str]:
        """The signatures and cipher texts handed out before calls."""
        values = (part.get("signature") or part.get("encrypted_content") for part in self.reasoning.values())
        return [value for value in values if value]

    def new_id(self, prefix: str) -> str:
        return f"{prefix}{next(self.numbers):020d}"
