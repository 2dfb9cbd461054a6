"""The recorded requests of tests/cases/channels, as values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "cases" / "channels"


@dataclass(frozen=True, slots=True)
class Sample:
    """One recorded conversation with a webhook and what it means."""

    id: str
    requests: tuple[Mapping[str, Any], ...]
    expected: Mapping[str, Any]

    @property
    def stored(self) -> int:
        return int(self.expected.get("stored", len(self.expected["events"])))


def samples(name: str) -> list[Sample]:
    content = json.loads((FOLDER / f"{name}.json").read_text())
    return [Sample(one["id"], tuple(one["requests"]), one["expected"]) for one in content["samples"]]


def twilio_signatures() -> list[Mapping[str, Any]]:
    return list(json.loads((FOLDER / "signatures.json").read_text())["twilio"])


def whatsapp_signatures() -> list[Mapping[str, Any]]:
    return list(json.loads((FOLDER / "signatures.json").read_text())["whatsapp_cloud"])
