"""What a model is sent with a menu of 3,000 products, and how fast a wrong key gets the nearest right ones.

    python -m bakery.local python -m bench.prompt_size

Bytes of one request of a real turn (tool definitions and system prompt, as JSON
in UTF-8), beside menus of 50 and of 200 products cut from the same file; then
milliseconds to refuse an order with a wrong key, median and worst of 100.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
import uuid
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bakery.settings")
django.setup()

from django.test.utils import setup_databases, teardown_databases  # noqa: E402 - needs Django

from aitools import inbox, queue, turns  # noqa: E402
from aitools.channels.base import EventKind, InboundMessage  # noqa: E402
from aitools.models import BotProfile, Conversation, ModelEndpoint  # noqa: E402
from aitools.providers import scripted  # noqa: E402
from aitools.tools import BoundTool, ToolSet, registry  # noqa: E402
from aitools.types import ModelRequest, ToolRequest  # noqa: E402
from aitools.validation import Invalid, validate  # noqa: E402
from orders import menu_files, sources  # noqa: E402

LARGE = Path(__file__).resolve().parents[2] / "shared" / "cases" / "menus" / "large-3000.json"
SIZES = (50, 200, 3000)
MOST_TIMES, MOST_MILLISECONDS = 1.5, 20.0


def main() -> int:
    if not LARGE.exists():
        print(f"{LARGE.name} is not beside this checkout.")
        return 0
    created = setup_databases(verbosity=0, interactive=False)
    queue.publish = lambda *args: None
    try:
        make_profile()
        sizes = {}
        for products in SIZES:
            load(products)
            sizes[products] = bytes_of(one_request())
            print(f"{products:>5} products: {sizes[products]:>7,} bytes of tools and system prompt")
        taken = [_milliseconds(word) for word in wrong_keys()]
        times = sizes[3000] / sizes[50]
        middle = statistics.median(taken)
        return _judge(times, middle, max(taken))
    finally:
        teardown_databases(created, verbosity=0)


def make_profile() -> None:
    """A scripted model that answers at once."""
    endpoint = ModelEndpoint.objects.create(name="script", kind="scripted")
    BotProfile.objects.create(name="bench", endpoint=endpoint, settle_seconds=0)


def load(products: int) -> None:
    """The shop's menu becomes the large one's first ``products``."""
    menu = json.loads(LARGE.read_text())
    menu_files.load(menu_files.parse(menu | {"products": menu["products"][:products]}))


def one_request() -> ModelRequest:
    """What the model is sent when somebody new says hello."""
    address = str(uuid.uuid4())
    event = InboundMessage(EventKind.MESSAGE, "web", address, address=address, text="hola, quiero dos galletas")
    inbox.receive([event])
    with scripted.script([scripted.says("¡Hola! ¿De cuáles?")]) as script:
        turns.advance(Conversation.objects.get(address=address).pk)
    return script.calls[0]


def bytes_of(request: ModelRequest) -> int:
    """Tool definitions and system prompt as every vendor is sent them, give or take the names of fields."""
    tools = [{"name": tool.name, "description": tool.description, "parameters": tool.schema} for tool in request.tools]
    return len(json.dumps({"system": request.system, "tools": tools}, ensure_ascii=False).encode())


def wrong_keys() -> dict[str, str]:
    """Keys that do not exist, each made from a real one by a slip of the hand; wrong to right."""
    keys = sources.products.keys()
    slipped = {key[:3] + key[4:]: key for key in keys[:: max(len(keys) // 100, 1)]}
    return {wrong: right for wrong, right in slipped.items() if wrong not in keys}


def refusal(key: str, bound: BoundTool | None = None) -> str:
    """What the model is told when it orders by this key."""
    bound = bound or _ordering()
    outcome = validate(bound, ToolRequest("create_order", {"items": [{"product": key, "quantity": 1}], "name": "Ana"}))
    return outcome.reason if isinstance(outcome, Invalid) else ""


def _ordering() -> BoundTool:
    bound = ToolSet(registry.all()).get("create_order")
    assert bound is not None
    return bound


def _milliseconds(key: str) -> float:
    bound = _ordering()
    started = time.perf_counter()
    told = refusal(key, bound)
    taken = (time.perf_counter() - started) * 1000
    assert "nearest" in told, told
    return taken


def _judge(times: float, middle: float, worst: float) -> int:
    targets = (
        (f"3,000 products, at most {MOST_TIMES} × the bytes of 50", f"{times:.2f} ×", times <= MOST_TIMES),
        (
            f"nearest keys in under {MOST_MILLISECONDS:.0f} ms (worst {worst:.1f} ms)",
            f"{middle:.1f} ms",
            middle < MOST_MILLISECONDS,
        ),
    )
    for name, figure, met in targets:
        print(f"{name:<50}{figure:>12}  {'yes' if met else 'NO'}")
    return int(not all(met for *_, met in targets))


if __name__ == "__main__":
    sys.exit(main())
