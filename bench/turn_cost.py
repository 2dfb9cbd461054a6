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
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit, urlunsplit

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bakery.settings")
django.setup()

from django.db import connection  # noqa: E402 - needs Django
from django.test.utils import setup_databases, teardown_databases  # noqa: E402

from bakery.local.__main__ import local_folder  # noqa: E402
from bench import engine_side, floor, seeding  # noqa: E402
from bench.processes import SideName, Spent, Watched, Worker  # noqa: E402
from bench.wire import KINDS, Statement, by_kind  # noqa: E402
from tests.orders.factories import load_sample  # noqa: E402

DEPTHS = (0, 20, 200, 2000)
#: The shop's own tools are shown for this age of chat only.
SHOP_DEPTH = 20
SIDES: tuple[SideName, ...] = ("engine", "floor")
WARM_UP = 10
FLAT_PERCENT, MOST_STATEMENTS, MOST_WAL_KB, MOST_TIMES_FLOOR = 15, 30, 8.0, 2.5


@dataclass
class Cell:
    """What the jobs of one side and age took, in lists of one entry a job."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    durable: list[float] = field(default_factory=list)
    wal: list[float] = field(default_factory=list)
    wal_cold: list[float] = field(default_factory=list)
    sending: list[Spent] = field(default_factory=list)
    statements: tuple[Statement, ...] = ()


Cells = dict[tuple[SideName, int], Cell]


def main() -> int:
    options = _options()
    with _database():
        jobs = 20 if options.quick else 200
        chats = {depth: seeding.seed(2 if options.trace else jobs + WARM_UP, depth) for depth in DEPTHS}
        seeding.settle()
        cells: Cells = {(side, depth): Cell() for depth in DEPTHS for side in SIDES}
        cells["shop", SHOP_DEPTH] = Cell()
        _trace(cells, chats, "weighed" if options.trace else "traced")
        if options.trace:
            _show_trace(cells["engine", SHOP_DEPTH])
            return 0
        _time(cells, chats)
        _weigh(cells, chats)
        _show(cells, jobs)
        return _judge(cells)


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
            for side in ("engine", "floor", "shop")
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
    for hour, durable in ((2, False), (4, True)):
        with _workers(hour, durable=durable) as do:
            for side, _, address, cell in _rounds(cells, chats):
                spent, sending = _job(do, side, address)
                if cell is not None and durable:
                    cell.durable.append(spent.wall)
                elif cell is not None:
                    cell.wall.append(spent.wall)
                    cell.cpu.append(spent.cpu)
                    cell.sending += sending


def _weigh(cells: Cells, chats: dict[int, list[str]]) -> None:
    """WAL without images of whole pages, and with them, right after a checkpoint, when each page is logged whole once."""
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


def _show_trace(cell: Cell) -> None:
    print("   #  bytes  statement")
    for number, statement in enumerate(cell.statements, start=1):
        print(f"{number:>4}{statement.wal:>7}  {_short(statement.text)}")
    print(f"{_kinds(cell)}; {sum(statement.wal for statement in cell.statements)} bytes of WAL before the commits")


def _short(statement: str) -> str:
    """On one line, without what is selected or returned."""
    line = " ".join(statement.split())
    return re.sub(r' RETURNING .*|(?<=SELECT) "\w+"\."\w+"(?: AS "\w+")?,.*? (?=FROM)', " … ", line)[:300]


def _kinds(cell: Cell) -> str:
    counted = by_kind(cell.statements)
    return ", ".join(f"{counted[kind]} {kind}" for kind in (*KINDS, "other") if counted[kind])


def _show(cells: Cells, jobs: int) -> None:
    print(f"One confirmed order, model time excluded; medians of {jobs} jobs a row, {_server()}")
    head = ("earlier", "wall ms", "wall ms", "CPU ms", "state-", "com-", "WAL kB", "WAL kB after")
    under = ("turns", "no wait", "durable", "", "ments", "mits", "", "a checkpoint")
    for titles in (head, under):
        print(" " * 8 + "".join(f"{title:>13}" for title in titles))
    for (side, depth), cell in sorted(cells.items()):
        figures = (median(cell.wall), median(cell.durable), median(cell.cpu))
        counts = (len(cell.statements), by_kind(cell.statements)["COMMIT"])
        wal = (median(cell.wal), median(cell.wal_cold))
        print(
            f"{side:<8}{depth:>13}"
            + "".join(f"{figure:>13.1f}" for figure in figures)
            + "".join(f"{count:>13}" for count in counts)
            + "".join(f"{figure:>13.1f}" for figure in wal)
        )
    sending = [spent for (side, _), cell in cells.items() if side == "engine" for spent in cell.sending]
    print(
        f"sending, per message: {median(s.wall for s in sending):.1f} ms, CPU {median(s.cpu for s in sending):.1f} ms"
    )
    for side, depth in (("engine", SHOP_DEPTH), ("floor", SHOP_DEPTH), ("shop", SHOP_DEPTH)):
        print(f"{side}: {_kinds(cells[side, depth])}")


def _server() -> str:
    return f"PostgreSQL {_ask('SHOW server_version')}, fsync {_ask('SHOW fsync')}"


def _judge(cells: Cells) -> int:
    """Say of each target whether it is met; how many are missed."""
    engine = [cells["engine", depth] for depth in DEPTHS]
    young, old = cells["engine", 20], cells["engine", 2000]
    times = [median(cells["engine", depth].cpu) / median(cells["floor", depth].cpu) for depth in DEPTHS]
    targets = (
        (f"flat from 20 to 2,000 turns, CPU (±{FLAT_PERCENT} %)", *_growth(young.cpu, old.cpu)),
        (f"flat from 20 to 2,000 turns, wall (±{FLAT_PERCENT} %)", *_growth(young.wall, old.wall)),
        (f"at most {MOST_STATEMENTS} statements", *_most([len(cell.statements) for cell in engine], MOST_STATEMENTS)),
        (f"at most {MOST_WAL_KB:.0f} kB of WAL", *_most([median(cell.wal) for cell in engine], MOST_WAL_KB)),
        (f"at most {MOST_TIMES_FLOOR} × the floor's CPU", *_most(times, MOST_TIMES_FLOOR)),
    )
    for name, figure, met in targets:
        print(f"{name:<50}{figure:>12}  {'yes' if met else 'NO'}")
    return int(not all(met for *_, met in targets))


def _growth(young: Sequence[float], old: Sequence[float]) -> tuple[str, bool]:
    percent = (median(old) / median(young) - 1) * 100
    return f"{percent:+.1f} %", abs(percent) <= FLAT_PERCENT


def _most(figures: Sequence[float], limit: float) -> tuple[str, bool]:
    return f"{max(figures):.2f}", max(figures) <= limit


if __name__ == "__main__":
    sys.exit(main())
