"""How much of what a model is sent its vendor can keep from one request to the next.

    python -m bakery.local python -m bench.prompt_cache

A talk of 20 messages, a minute between them, whose order grows with each: the
requests as Anthropic's API gets them, cut at the last cache mark.  Vendors keep
tools first, then the system prompt, so the kept part is compared in this order.
Tokens are estimated as four bytes each.
"""

from __future__ import annotations

import json
import os
import sys
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import django
import httpx2

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bakery.settings")
django.setup()

from django.db import connection  # noqa: E402 - needs Django
from django.test.utils import setup_databases, teardown_databases  # noqa: E402 - needs Django

from aitools import clock, inbox, queue, turns  # noqa: E402
from aitools.channels.base import EventKind, InboundMessage  # noqa: E402
from aitools.models import Conversation  # noqa: E402
from aitools.providers import scripted  # noqa: E402
from aitools.providers.anthropic import AnthropicProvider  # noqa: E402
from aitools.providers.base import EndpointConfig  # noqa: E402
from aitools.types import ModelRequest  # noqa: E402
from bench import prompt_size  # noqa: E402
from orders import menu_files  # noqa: E402

SAMPLE = Path(__file__).resolve().parents[1] / "orders" / "samples" / "bakery.json"
TURNS = 20
BYTES_PER_TOKEN = 4
LEAST_SHARE = 0.6


@dataclass(frozen=True, slots=True)
class Sent:
    """One request: what stands before the last cache mark, and all of it."""

    kept: bytes
    whole: bytes

    @property
    def share(self) -> float:
        return len(self.kept) / len(self.whole)


def main() -> int:
    created = setup_databases(verbosity=0, interactive=False)
    queue.publish = lambda *args: None
    try:
        prompt_size.make_profile()
        menu_files.load(menu_files.read(SAMPLE))
        sent = [sent_of(request) for request in talk()]
    finally:
        _end_other_sessions()
        teardown_databases(created, verbosity=0)
    kept, whole = (sum(len(getattr(one, part)) for one in sent[1:]) for part in ("kept", "whole"))
    same = len({one.kept for one in sent}) == 1
    print(f"{len(sent)} requests of {TURNS} messages, about {_tokens(sent[-1].whole):,} tokens in the last")
    print(f"the same before the cache mark: {'yes' if same else 'NO'}, about {_tokens(sent[0].kept):,} tokens")
    print(f"share of input that can be cached, from the second request on: {kept / whole:.0%}")
    return int(not same or kept / whole < LEAST_SHARE)


def _end_other_sessions() -> None:
    """Tools ran in threads whose connections stay open, and a database in use can't be dropped."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


def talk() -> list[ModelRequest]:
    """What the model is sent in 20 turns of two requests each: a quote, and what it says of it."""
    address = str(uuid.uuid4())
    asked: list[ModelRequest] = []
    for turn in range(TURNS):
        clock.shift(60.0 * turn)
        words = f"{turn + 1} croissants"
        event = InboundMessage(EventKind.MESSAGE, "web", f"{address}-{turn}", address=address, text=words)
        inbox.receive([event])
        with scripted.script(list(_lines(turn))) as script:
            turns.advance(Conversation.objects.get(address=address).pk)
        asked += script.calls
    clock.shift(0)
    return asked


def _lines(turn: int) -> Iterator[scripted.Line]:
    items = [{"product": "croissant", "quantity": turn + 1}]
    yield scripted.asks(("quote_order", {"items": items}))
    yield scripted.says("Anotado. ¿Algo más?")


def sent_of(request: ModelRequest) -> Sent:
    """The request as it goes to the vendor, in the order in which it keeps it."""
    bodies: list[Any] = []

    def take(sent: httpx2.Request) -> httpx2.Response:
        bodies.append(json.loads(sent.content))
        return httpx2.Response(200, json={"content": [], "stop_reason": "end_turn", "usage": {}})

    client = httpx2.Client(transport=httpx2.MockTransport(take))
    AnthropicProvider(EndpointConfig("anthropic", "m", api_key="none"), http_client=client).complete(request)
    blocks = [*bodies[0]["tools"], *bodies[0]["system"]]
    marked = max(place for place, block in enumerate(blocks) if "cache_control" in block)
    return Sent(_bytes(blocks[: marked + 1]), _bytes([*blocks, *bodies[0]["messages"]]))


def _tokens(sent: bytes) -> int:
    return len(sent) // BYTES_PER_TOKEN


def _bytes(blocks: list[Any]) -> bytes:
    return b"\n".join(json.dumps(block, ensure_ascii=False).encode() for block in blocks)


if __name__ == "__main__":
    sys.exit(main())
