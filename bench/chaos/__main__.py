"""`python -m bench.chaos`: a crowd orders while processes die and vendors fail; nothing may be lost or done twice.

    python -m bench.chaos --conversations 10000 --seed 7

Prints one table; exit code 1 if any check found something.  Its servers and
data are its own, in a temporary folder that stays if something was found.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import secrets
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import django
import psycopg

PROJECT = Path(__file__).parents[2]
MENU = PROJECT / "orders" / "samples" / "bakery.json"


def main() -> int:
    plan = _plan()
    # Ended from outside, the processes end with us.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    print(f"seed {plan.seed}, {plan.conversations} conversations", flush=True)
    with _running(plan) as (run, vendor, model):
        run.to_the_end(vendor)
        with psycopg.connect(run.desk.stack.environment["DATABASE_URL"]) as connection:
            found = judge(Rows.read(connection), run.journal, run.wares)
        found["requests the vendors refused"] = [*vendor.refused, *model.refused]
        found["time to rest ran out"] = [] if run.rested else [str(run.desk.open_work())]
        print(table(run, vendor, found))
        if any(found.values()):
            keep(run.desk)
            run.journal.write(run.desk.folder / "journal.json")
            print(f"kept: logs, journal.json and rows; BAKERY_LOCAL_DIR={run.desk.folder} python -m bakery.local …")
    return int(any(found.values()))


@contextlib.contextmanager
def _running(plan: Plan) -> Iterator[tuple[Run, Vendor, Model]]:
    """Vendors, desk and crowd, ready to begin."""
    dice, journal, agenda, wares = Dice(plan.seed, plan.calm), Journal(), Agenda(), Wares.read(plan.menu)
    vendor = Vendor(dice, agenda, journal)
    with contextlib.ExitStack() as opened:
        opened.enter_context(twilio_api(vendor))
        model = opened.enter_context(model_server(Model(wares, dice, journal)))
        desk = opened.enter_context(running_desk(environment(vendor), model.url))
        desk.start()
        opened.enter_context(agenda.working(THREADS))
        yield Run(plan, desk, journal, wares, agenda), vendor, model


def _plan() -> Plan:
    parser = argparse.ArgumentParser(prog="bench.chaos", description=__doc__)
    parser.add_argument("--conversations", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(1_000_000))
    parser.add_argument("--at-once", type=int, default=80, help="customers in talk at one time")
    parser.add_argument("--every", type=int, default=55, help="one misfortune for so many conversations")
    parser.add_argument("--calm", action="store_true", help="nothing goes wrong: shows what the crowd alone does")
    given = parser.parse_args()
    return Plan(given.conversations, given.seed, given.at_once, given.every, MENU, given.calm)


os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bakery.settings")
for _name in ("DATABASE_URL", "REDIS_URL"):
    # Never those of anybody else; the desk's processes get their own.
    os.environ[_name] = {"DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none", "REDIS_URL": "redis://127.0.0.1:1"}[
        _name
    ]
os.environ.setdefault("SECRET_KEY", secrets.token_urlsafe(50))
os.environ.setdefault("BAKERY_LOCAL_FSYNC", "off")
django.setup()

from bench.chaos.agenda import Agenda  # noqa: E402 - needs Django
from bench.chaos.checks import judge  # noqa: E402
from bench.chaos.desk import keep, running_desk  # noqa: E402
from bench.chaos.dice import Dice  # noqa: E402
from bench.chaos.journal import Journal  # noqa: E402
from bench.chaos.model import Model, model_server  # noqa: E402
from bench.chaos.rows import Rows  # noqa: E402
from bench.chaos.run import THREADS, Plan, Run, environment  # noqa: E402
from bench.chaos.table import table  # noqa: E402
from bench.chaos.vendor import Vendor  # noqa: E402
from bench.chaos.wares import Wares  # noqa: E402
from tests.wire.twilio import twilio_api  # noqa: E402

if __name__ == "__main__":
    sys.exit(main())
