"""What a menu of 3,000 products costs: one search, and one turn of the offline order taker.

    python -m bakery.local python -m bench.large_menu

Milliseconds, median and worst of 50 after a warm-up, in a database of its own.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bakery.settings")
django.setup()

from django.test.utils import setup_databases, teardown_databases  # noqa: E402 - needs Django

from aitools.providers.base import EndpointConfig  # noqa: E402
from aitools.tools import ToolSet, registry  # noqa: E402
from aitools.types import ModelRequest, UserText  # noqa: E402
from orders import catalogue, prompts  # noqa: E402
from orders.offline.provider import OfflineProvider  # noqa: E402
from orders.search import search  # noqa: E402
from tests.orders import factories  # noqa: E402

WORDS = ["queso", "coco", "leche", "yuca", "maíz", "avena"]
REPEATS = 50


def main() -> None:
    created = setup_databases(verbosity=0, interactive=False)
    try:
        _load()
        menu = catalogue.current()
        _show("search, one misspelt word (goal 20 ms)", lambda: search(menu, "pan de kueso grande"))
        _show("offline turn, three products (goal 50 ms)", _turn())
    finally:
        teardown_databases(created, verbosity=0)


def _load() -> None:
    products = [
        {"key": f"pan-{number}", "category": "todo", "name": f"Pan de {word} {number}", "price": "1000"}
        for number, word in enumerate(WORDS * 500)
    ]
    factories.load_menu(
        factories.menu(products=products, categories=[{"key": "todo", "name": "Todo"}], option_lists=[])
    )


def _turn() -> Callable[[], object]:
    request = ModelRequest(
        system="",
        messages=(UserText("buenas, quiero 3 pan de queso 12, 2 pan de coco 7 y un pan de avena 5"),),
        tools=ToolSet(registry.all()).specs(),
        facts=dict(prompts.build(factories.context(name="Ana")).facts),
    )
    provider = OfflineProvider(EndpointConfig(kind="offline"))
    return lambda: provider.complete(request)


def _show(name: str, act: Callable[[], object]) -> None:
    act()
    taken = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        act()
        taken.append((time.perf_counter() - started) * 1000)
    print(f"{name:<46}{statistics.median(taken):>8.1f} ms{max(taken):>8.1f} ms")


if __name__ == "__main__":
    main()
