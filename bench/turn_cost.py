"""What one confirmed order costs, model time excluded, beside the floor: the same by hand.

    python -m bakery.local python -m bench.turn_cost [--quick] [--trace]

The job: the customer asks, the model calls a read tool, then ``create_order``;
the question is stored and the worker gone; another process takes the "sí", the
tool runs, the model answers, the reply is stored.  Each job has a conversation
of its own; rounds of engine and floor, and of young and old chats, take turns.
Sending is measured apart.  There is no broker.

Figures are medians over the jobs of a cell: milliseconds of wall and CPU (both
processes summed), statements on the wire, kilobytes of WAL.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bakery.settings")
django.setup()

from django.db import connection  # noqa: E402 - needs Django
from django.test.utils import setup_databases, teardown_databases  # noqa: E402

from bakery.local.__main__ import local_folder  # noqa: E402
from bench import engine_side, floor, seeding, turn_table  # noqa: E402
from bench.processes import SideName, Spent, Watched, Worker  # noqa: E402
from bench.turn_table import DEPTHS, SHOP_DEPTH, YOUNG, Cell, Cells  # noqa: E402
from tests.orders.factories import load_sample  # noqa: E402

SIDES: tuple[SideName, ...] = ("engine", "floor")
ALL_SIDES: tuple[SideName, ...] = (*SIDES, "shop")
WARM_UP = 10


def main() -> int:
    options = _options()
    with _database():
        jobs = 20 if options.quick else 200
        each = 2 if options.trace else jobs + WARM_UP
        chats = {depth: seeding.seed(each, depth) for depth in (*DEPTHS, SHOP_DEPTH)}
        seeding.settle()
        cells: Cells = {(side, depth): Cell() for depth in DEPTHS for side in SIDES}
        cells["shop", SHOP_DEPTH] = Cell()
        _trace(cells, chats, "weighed" if options.trace else "traced")
        if options.trace:
            turn_table.show_trace(cells["engine", YOUNG])
            return 0
        _time(cells, chats)
        _weigh(cells, chats)
        server = f"PostgreSQL {_ask('SHOW server_version')}, fsync {_ask('SHOW fsync')}"
        turn_table.show(cells, jobs, server)
        return turn_table.judge(cells)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="The cost of one confirmed order, beside the same by hand.")
    parser.add_argument("--quick", action="store_true", help="20 jobs a cell instead of 200")
    parser.add_argument("--trace", action="store_true", help="print one job's statements, and stop")
    return parser.parse_args()


@contextmanager
def _database() -> Iterator[None]:
    """A database of its own, named to the worker processes by the environment."""
    created = setup_databases(verbosity=0, interactive=False)
    try:
        url = urlsplit(os.environ["DATABASE_URL"])
        os.environ["DATABASE_URL"] = urlunsplit(url._replace(path=f"/{connection.settings_dict['NAME']}"))
        floor.create_tables()
        engine_side.make_profile()
        load_sample()
        yield
    finally:
        teardown_databases(created, verbosity=0)


@contextmanager
def _workers(hour: int, *, durable: bool = False, watched: Watched = "") -> Iterator[Callable[..., Spent]]:
    """Two processes a side. Passes are hours apart by the engine's clock, so that none remembers the former."""
    commit = "on" if durable else "off"
    options = f"-c synchronous_commit={commit} -c aitools.clock_shift={hour}h"
    ids = engine_side.ids()
    with ExitStack() as stack:
        pairs = {
            side: [stack.enter_context(Worker(side, ids, options, watched=watched)) for _ in range(2)]
            for side in ALL_SIDES
        }

        def do(side: SideName, phase: str, address: str) -> Spent:
            return pairs[side][phase == "answer"].do(phase, address)

        yield do


def _rounds(cells: Cells, chats: dict[int, list[str]]) -> Iterator[tuple[SideName, int, str, Cell | None]]:
    """Every job, one chat after another; sides and ages take turns. Warm-up jobs have no cell."""
    for number in range(len(chats[0])):
        for side, depth in sorted(cells, reverse=bool(number % 2)):
            yield side, depth, chats[depth][-1 - number], None if number < WARM_UP else cells[side, depth]


def _job(do: Callable[..., Spent], side: SideName, address: str) -> tuple[Spent, list[Spent]]:
    """One whole order; what it took, and apart from it the sending of question and reply."""
    asked = do(side, "ask", address)
    question = do(side, "send", address)
    answered = do(side, "answer", address)
    return asked + answered, [question, do(side, "send", address)]


def _trace(cells: Cells, chats: dict[int, list[str]], watched: Watched) -> None:
    """Count statements apart: tracing costs time of its own."""
    with _workers(0, watched=watched) as do:
        for side, depth in cells:
            _job(do, side, chats[depth][-1])
            cells[side, depth].statements = _job(do, side, chats[depth][0])[0].statements


def _time(cells: Cells, chats: dict[int, list[str]]) -> None:
    """Both ways of committing take turns too: the machine drifts more than they differ."""
    with _workers(2) as do, _workers(4, durable=True) as do_durably:
        for side, _, address, cell in _rounds(cells, chats):
            spent, sending = _job(do, side, address)
            durable, _ = _job(do_durably, side, address)
            if cell is not None:
                cell.wall.append(spent.wall)
                cell.cpu.append(spent.cpu)
                cell.durable.append(durable.wall)
                cell.sending += sending


def _weigh(cells: Cells, chats: dict[int, list[str]]) -> None:
    """WAL without images of pages, and with them right after a checkpoint, when each page is logged whole once."""
    with _no_page_images():
        _weigh_all(cells, chats, 6, "wal")
    _run("CHECKPOINT")
    _weigh_all(cells, chats, 8, "wal_cold")


def _weigh_all(cells: Cells, chats: dict[int, list[str]], hour: int, name: str) -> None:
    with _workers(hour) as do:
        for side, _, address, cell in _rounds(cells, chats):
            taken = _weighed(do, side, address)
            if cell is not None:
                getattr(cell, name).append(taken)


@contextmanager
def _no_page_images() -> Iterator[None]:
    """Page images depend on checkpoints and not on the job. Only a server of our own can be told to leave them out."""
    is_ours = Path(_ask("SHOW data_directory")).is_relative_to(local_folder())
    if not is_ours:
        print("This server is not the bench's own: its WAL holds images of pages.")
        yield
        return
    _run("ALTER SYSTEM SET full_page_writes = off")
    try:
        _run("SELECT pg_reload_conf()")
        yield
    finally:
        _run("ALTER SYSTEM RESET full_page_writes")
        _run("SELECT pg_reload_conf()")


def _weighed(do: Callable[..., Spent], side: SideName, address: str) -> float:
    """Kilobytes of WAL of one job, without the sending."""
    start = _position()
    do(side, "ask", address)
    middle = _position() - start
    do(side, "send", address)
    start = _position()
    do(side, "answer", address)
    taken = middle + _position() - start
    do(side, "send", address)
    return taken / 1000


def _position() -> float:
    return float(_ask("SELECT pg_current_wal_insert_lsn() - '0/0'"))


def _ask(query: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute(query)
        return str(cursor.fetchone()[0])


def _run(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


if __name__ == "__main__":
    sys.exit(main())
