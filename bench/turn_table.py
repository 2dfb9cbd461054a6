"""The table of ``bench.turn_cost``, and which of its targets are met."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from bench.processes import SideName, Spent
from bench.wire import KINDS, Statement, by_kind

DEPTHS = (0, 20, 200, 2000)
YOUNG = 20
#: The shop's own tools are shown for one age of chat only: another than the engine's, so that no
#: chat remembers an order of the other's.
SHOP_DEPTH = 21
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


def show_trace(cell: Cell) -> None:
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


def show(cells: Cells, jobs: int, server: str) -> None:
    print(f"One confirmed order, model time excluded; medians of {jobs} jobs a row, {server}")
    head = ("earlier", "wall ms", "wall ms", "CPU ms", "state-", "WAL kB", "WAL kB after")
    under = ("turns", "no wait", "durable", "", "ments", "", "a checkpoint")
    for titles in (head, under):
        print(" " * 8 + "".join(f"{title:>13}" for title in titles))
    for (side, depth), cell in sorted(cells.items()):
        figures = (median(cell.wall), median(cell.durable), median(cell.cpu))
        wal = (median(cell.wal), median(cell.wal_cold))
        print(
            f"{side:<8}{depth:>13}"
            + "".join(f"{figure:>13.1f}" for figure in figures)
            + f"{len(cell.statements):>13}"
            + "".join(f"{figure:>13.1f}" for figure in wal)
        )
    times = (f"{ratio:.2f} at {depth:,} turns" for depth, ratio in _times_floor(cells).items())
    print(f"CPU as times the floor's: {', '.join(times)}")
    sending = [spent for (side, _), cell in cells.items() if side == "engine" for spent in cell.sending]
    print(
        f"sending, per message: {median(s.wall for s in sending):.1f} ms, CPU {median(s.cpu for s in sending):.1f} ms"
    )
    for side, depth in (("engine", YOUNG), ("floor", YOUNG), ("shop", SHOP_DEPTH)):
        print(f"{side}: {_kinds(cells[side, depth])}")


def judge(cells: Cells) -> int:
    """Say of each target whether it is met; 1 when one is missed."""
    engine = [cells["engine", depth] for depth in DEPTHS]
    young, old = cells["engine", YOUNG], cells["engine", 2000]
    times = list(_times_floor(cells).values())
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


def _times_floor(cells: Cells) -> dict[int, float]:
    return {depth: median(cells["engine", depth].cpu) / median(cells["floor", depth].cpu) for depth in DEPTHS}


def _growth(young: Sequence[float], old: Sequence[float]) -> tuple[str, bool]:
    percent = (median(old) / median(young) - 1) * 100
    return f"{percent:+.1f} %", abs(percent) <= FLAT_PERCENT


def _most(figures: Sequence[float], limit: float) -> tuple[str, bool]:
    return f"{max(figures):.2f}", max(figures) <= limit
