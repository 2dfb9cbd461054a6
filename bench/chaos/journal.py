"""What the crowd said and heard, as the customers themselves could tell it. The checks believe nobody else."""

from __future__ import annotations

import itertools
import json
import threading
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path


@dataclass
class Said:
    """A message of a customer. Times are seconds of the epoch; ``accepted_at`` is the first 200, 0 without one.

    ``agrees_to`` is the key of the question that it answers with a plain yes.
    """

    sid: str
    text: str
    started_at: float
    agrees_to: str = ""
    accepted_at: float = 0


@dataclass(frozen=True, slots=True)
class Heard:
    """A message that reached a customer; ``key`` is the desk's own, ``place`` counts all messages of the run."""

    sid: str
    key: str
    text: str
    at: float
    place: int


@dataclass
class Chat:
    """One customer's side of one conversation."""

    address: str
    scene: str = ""
    said: list[Said] = field(default_factory=list)
    heard: list[Heard] = field(default_factory=list)
    outcome: str = ""


class Journal:
    """The chats by address, and the statuses that were reported and accepted (``sid:word``)."""

    def __init__(self) -> None:
        self.chats: dict[str, Chat] = {}
        self.statuses: set[str] = set()
        self.counts: defaultdict[str, int] = defaultdict(int)
        self._places = itertools.count()
        self._lock = threading.Lock()

    def place(self) -> int:
        return next(self._places)

    def count(self, what: str) -> None:
        with self._lock:
            self.counts[what] += 1

    def write(self, path: Path) -> None:
        """All chats as JSON, to be read beside the rows."""
        path.write_text(json.dumps([asdict(chat) for chat in self.chats.values()], ensure_ascii=False, indent=1))

    def agreed(self) -> Iterator[tuple[Chat, Said]]:
        """Every yes that the desk accepted."""
        for chat in self.chats.values():
            for said in chat.said:
                if said.agrees_to and said.accepted_at:
                    yield chat, said
