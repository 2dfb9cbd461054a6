"""Worker processes of the bench: one asks, another answers, each tells what it spent."""

from __future__ import annotations

import multiprocessing
import os
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from bench.wire import Statement, Tap

SideName = Literal["engine", "floor", "shop"]
#: Whether a worker's statements are traced, or traced and weighed; both take time of their own.
Watched = Literal["", "traced", "weighed"]


@dataclass(frozen=True, slots=True)
class Spent:
    """What one phase took in its process: wall and CPU milliseconds, and its statements if traced."""

    wall: float
    cpu: float
    statements: tuple[Statement, ...] = ()

    def __add__(self, other: Spent) -> Spent:
        return Spent(self.wall + other.wall, self.cpu + other.cpu, self.statements + other.statements)


class Job(Protocol):
    """One side of the bench, inside a process. ``ids`` are its conversations by address."""

    def prepare(self, ids: Mapping[str, int]) -> None: ...
    def ask(self, address: str) -> None: ...
    def send(self, address: str) -> None: ...
    def answer(self, address: str) -> None: ...


#: Workers are forked from a process that has imported everything, so that starting one takes no time.
_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(["bench.processes", "bench.preloaded"])


class Worker:
    """One process of one side, connected with ``options`` for libpq; its start is no part of any figure."""

    def __init__(self, side: SideName, ids: dict[str, int], options: str, *, watched: Watched = "") -> None:
        self._pipe, there = _context.Pipe()
        self._process = _context.Process(target=serve, args=(there, side, ids, options, watched), daemon=True)
        self._process.start()

    def do(self, phase: str, address: str) -> Spent:
        """Have the process do ``ask``, ``send`` or ``answer`` for this chat. Raises what it raised."""
        self._pipe.send((phase, address))
        outcome = self._pipe.recv()
        if isinstance(outcome, BaseException):
            raise outcome
        spent: Spent = outcome
        return spent

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pipe.send(None)
        self._process.join(30)


def serve(pipe: Connection, side: SideName, ids: dict[str, int], options: str, watched: Watched) -> None:
    """Do what comes over the pipe until ``None`` comes."""
    os.environ["PGOPTIONS"] = options
    from bench.wire import Tap

    job = _job(side)
    job.prepare(ids)
    with tempfile.TemporaryDirectory() as folder:
        tap = Tap(Path(folder), weighed=watched == "weighed") if watched else None
        # Whoever gives the orders may be gone, stopped by hand.
        with suppress(EOFError, ConnectionError):
            while (order := pipe.recv()) is not None:
                pipe.send(_outcome(job, tap, *order))


def _outcome(job: Job, tap: Tap | None, phase: str, address: str) -> Spent | RuntimeError:
    """What it took, or what it raised, to be raised where the order came from."""
    try:
        return _measured(job, tap, phase, address)
    except Exception as error:  # noqa: BLE001 - whatever it is
        return RuntimeError(f"{phase} of {address}: {type(error).__name__}: {error}")


def _measured(job: Job, tap: Tap | None, phase: str, address: str) -> Spent:
    act = getattr(job, phase)
    wall, cpu = time.perf_counter(), time.process_time()
    act(address)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    return Spent(wall * 1000, cpu * 1000, tuple(tap.statements()) if tap else ())


def _job(side: SideName) -> Job:
    from bench import engine_side, floor

    jobs: dict[SideName, type[Job]] = {
        "engine": engine_side.EngineJob,
        "shop": engine_side.ShopJob,
        "floor": floor.FloorJob,
    }
    return jobs[side]()
