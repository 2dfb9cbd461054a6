"""Webhooks a second, and how long one takes: the desk's beside the floor's (`floor.py`).

    BAKERY_LOCAL_DIR=.local/bench python -m bakery.local python -m bench.webhooks

Both are served by gunicorn with one process of eight threads, on the same
PostgreSQL (with fsync) and Valkey, and no worker takes the tasks.  Eight
clients send as fast as they get answers, in turns so that both see the same
machine; then 100 requests a second by the clock.  What is shown is the median
of the passes, except p99 at 100 a second: all requests together.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from bakery.local.services import free_port
from bench.webhooks.load import APP_SECRET, PHONE_NUMBER_ID, SENDER, Requests, Timed, as_fast_as_it_goes, at_a_rate
from tests.e2e.stack import PROJECT, Stack, running_stack
from tests.wire.twilio import ACCOUNT_SID, AUTH_TOKEN

VENDORS = ("whatsapp", "twilio")
CLIENTS, RATE = 8, 100
LEAST_SHARE, MOST_P99_MS = 0.60, 50.0
SETTINGS = {
    "TWILIO_ACCOUNT_SID": ACCOUNT_SID,
    "TWILIO_AUTH_TOKEN": AUTH_TOKEN,
    "TWILIO_SMS_FROM": SENDER,
    "WHATSAPP_PHONE_NUMBER_ID": PHONE_NUMBER_ID,
    "WHATSAPP_TOKEN": "none",
    "WHATSAPP_APP_SECRET": APP_SECRET,
    "WHATSAPP_VERIFY_TOKEN": "none",
}

TABLE = (
    "CREATE TABLE bench_webhook (id bigserial PRIMARY KEY, provider_id text NOT NULL, body jsonb NOT NULL, "
    "received_at timestamptz NOT NULL)"
)


@dataclass
class Side:
    """The desk or the floor: where it listens, and what was timed."""

    name: str
    port: int
    requests: Mapping[str, Requests]
    fast: dict[str, list[Timed]] = field(default_factory=lambda: {vendor: [] for vendor in VENDORS})
    paced: dict[str, list[Timed]] = field(default_factory=lambda: {vendor: [] for vendor in VENDORS})


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.webhooks")
    parser.add_argument("--requests", type=int, default=2000, help="of one pass")
    parser.add_argument("--passes", type=int, default=5)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, running_stack(Path(folder), **SETTINGS) as stack:
        sides = [_side("floor", _start_floor(stack), stack), _side("desk", stack.port, stack)]
        for vendor in VENDORS:
            _measure(sides, vendor, given.requests, given.passes)
    return _report(*sides)


def _side(name: str, port: int, stack: Stack) -> Side:
    return Side(name, port, {vendor: Requests(vendor, stack.url) for vendor in VENDORS})


def _start_floor(stack: Stack) -> int:
    """The port of the floor's gunicorn, which has the desk's own settings for gunicorn, database and broker."""
    port = free_port()
    stack.sql(TABLE)
    environment = {**stack.environment, "DJANGO_SETTINGS_MODULE": "bench.webhooks.floor_settings", "PORT": str(port)}
    command = [sys.executable, "-m", "gunicorn", "bench.webhooks.floor:application"]
    with (stack.logs / "floor.log").open("wb") as log:
        process = subprocess.Popen(command, env=environment, cwd=PROJECT, stdout=log, stderr=log)
    # Ends with the desk's.
    stack.processes.append(process)
    stack.until(lambda: _answers(port, stack), "the floor to be ready", 60)
    return port


def _answers(port: int, stack: Stack) -> bool:
    try:
        as_fast_as_it_goes(port, Requests("twilio", stack.url).take(1), 1)
    except OSError:
        return False
    return True


def _measure(sides: list[Side], vendor: str, count: int, passes: int) -> None:
    """One pass that is not counted (conversations, connections, caches), then the sides in turns."""
    for number in range(passes + 1):
        for side in sides if number % 2 else sides[::-1]:
            timed = as_fast_as_it_goes(side.port, side.requests[vendor].take(count), CLIENTS)
            if number:
                side.fast[vendor].append(timed)
    for _ in range(passes):
        for side in sides:
            side.paced[vendor].append(at_a_rate(side.port, side.requests[vendor].take(count // 2), CLIENTS, RATE))


def _report(bare: Side, desk: Side) -> int:
    """The table; exit code 1 if a target was missed."""
    missed = 0
    print(f"{CLIENTS} clients at once; then {RATE} requests a second; machine load {os.getloadavg()[0]:.1f}\n")
    print(f"{'':10}{'':7}{'per second':>12}{'p50 ms':>9}{'p99 ms':>9}   at {RATE}/s:{'p50 ms':>9}{'p99 ms':>9}")
    for vendor in VENDORS:
        for side in (bare, desk):
            print(f"{vendor:10}{side.name:7}{_figures(side, vendor)}")
        share = median(t.per_second for t in desk.fast[vendor]) / median(t.per_second for t in bare.fast[vendor])
        p99 = _together(desk.paced[vendor]).percentile(99) * 1000
        met = share >= LEAST_SHARE and p99 <= MOST_P99_MS
        missed += not met
        print(
            f"  {share:.0%} of the floor (at least {LEAST_SHARE:.0%}), p99 {p99:.1f} ms (at most {MOST_P99_MS:.0f}):",
            end=" ",
        )
        print("met" if met else "MISSED")
    return int(missed > 0)


def _figures(side: Side, vendor: str) -> str:
    fast, paced = side.fast[vendor], _together(side.paced[vendor])
    quick = [median(timed.percentile(percent) for timed in fast) * 1000 for percent in (50, 99)]
    by_clock = [paced.percentile(percent) * 1000 for percent in (50, 99)]
    rate = median(timed.per_second for timed in fast)
    return f"{rate:12.0f}{quick[0]:9.1f}{quick[1]:9.1f}{'':11}{by_clock[0]:9.1f}{by_clock[1]:9.1f}"


def _together(runs: list[Timed]) -> Timed:
    return Timed(sum(one.seconds for one in runs), tuple(second for one in runs for second in one.each))


if __name__ == "__main__":
    sys.exit(main())
