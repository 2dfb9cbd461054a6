"""The recorded requests of tests/cases/channels, as values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aitools.channels.base import InboundMessage

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


def assert_talk(event: InboundMessage, expected: Mapping[str, Any]) -> None:
    """What every channel says of a message alike."""
    assert event.provider_id == expected["message_id"]
    assert event.address == expected["address"] == event.phone
    assert event.extra.get("user_id") == expected["user_id"]
    assert (event.profile_name or None) == expected["profile_name"]
    assert event.message_kind == expected["kind"]
    assert event.text == expected["text"]
    assert (event.payload or None) == expected["button_payload"]
    assert list(event.media) == expected["media"]
    assert (event.reply_to or None) == expected.get("reply_to")


def samples(name: str) -> list[Sample]:
    content = json.loads((FOLDER / f"{name}.json").read_text())
    return [Sample(one["id"], tuple(one["requests"]), one["expected"]) for one in content["samples"]]


def twilio_signatures() -> list[Mapping[str, Any]]:
    return list(json.loads((FOLDER / "signatures.json").read_text())["twilio"])


def whatsapp_signatures() -> list[Mapping[str, Any]]:
    return list(json.loads((FOLDER / "signatures.json").read_text())["whatsapp_cloud"])
