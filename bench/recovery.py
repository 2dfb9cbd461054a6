"""How long a customer waits when a worker is killed: three moments, real time, real processes.

    python -m bakery.local python -m bench.recovery

Each row: what was killed when, seconds from the restart to the answer, and how
many orders and answers there are in the end.  The bound is the lease a dead
worker leaves behind plus one sweep.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import django
import psycopg

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bakery.settings")
django.setup()

from aitools import behaviour, leases  # noqa: E402 - needs Django
from tests.e2e.stack import Stack, running_stack  # noqa: E402
from tests.e2e.texting import Texting  # noqa: E402
from tests.wire.twilio import ACCOUNT_SID, AUTH_TOKEN, twilio_api  # noqa: E402

ORDER = "quiero 2 croissants y un café"
#: The longest lease a dead worker leaves, and one sweep: that of a pass before the worker knew its models (30 s), that
#: of the tool (15 s), both with the grace, or the send lease.
BOUND_SECONDS = max(behaviour.LIKELY_WAIT_SECONDS + leases.GRACE_SECONDS, leases.SENDING_SECONDS) + 15
TWILIO = {
    "TWILIO_ACCOUNT_SID": ACCOUNT_SID,
    "TWILIO_AUTH_TOKEN": AUTH_TOKEN,
    "TWILIO_SMS_FROM": "+15550100199",
    "TWILIO_WHATSAPP_FROM": "whatsapp:+15550100188",
}


def after_the_question(stack: Stack, customer: Texting) -> None:
    _ask(stack, customer, then_kill=True)
    customer.write("sí")


def after_the_yes(stack: Stack, customer: Texting) -> None:
    _ask(stack, customer, then_kill=True)
    customer.write("sí")
    stack.flush_redis()


def during_the_tool(stack: Stack, customer: Texting) -> None:
    _ask(stack, customer, then_kill=False)
    with psycopg.connect(stack.environment["DATABASE_URL"]) as other:
        other.execute("LOCK TABLE orders_order IN SHARE MODE")
        customer.write("sí")
        waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%orders_order%'"
        stack.until(lambda: stack.one(waiting), "the tool to run into the lock")
        _kill_workers(stack)


CASES: dict[str, Callable[[Stack, Texting], None]] = {
    "killed after the question is stored": after_the_question,
    "killed after the sí is stored, Redis flushed": after_the_yes,
    "killed during the tool": during_the_tool,
}


def main() -> int:
    late = 0
    print(f"{'worker':<46}{'answered after':>15}{'orders':>8}{'answers':>9}")
    with twilio_api() as api, _stack(api.base_url) as stack:
        for number, (name, prepare) in enumerate(CASES.items(), start=1):
            customer = Texting(stack, api, f"+1555010{number:04d}")
            prepare(stack, customer)
            stack.start_worker()
            stack.start_beat()
            seconds = stack.until(lambda c=customer: len(c.heard()) == 2, name, 120)  # type: ignore[misc]
            _kill_workers(stack)
            orders, answers = len(customer.orders()), len(customer.heard()) - 1
            print(f"{name:<46}{seconds:>13.1f} s{orders:>8}{answers:>9}")
            late += seconds > BOUND_SECONDS or orders != 1 or answers != 1
    print(f"bound: {BOUND_SECONDS:.0f} s; over it or not exactly one: {late}")
    return int(bool(late))


def _stack(twilio_url: str) -> AbstractContextManager[Stack]:
    logs = Path(tempfile.mkdtemp(prefix="recovery-"))
    return running_stack(logs, TWILIO_API_BASE_URL=twilio_url, **TWILIO)


def _ask(stack: Stack, customer: Texting, *, then_kill: bool) -> None:
    stack.start_worker()
    customer.write(ORDER)
    customer.hears(1)
    settled = "SELECT count(*) = 0 FROM aitools_outboundmessage WHERE state <> 'sent'"
    stack.until(lambda: stack.one(settled), "the question to be marked as sent")
    if then_kill:
        _kill_workers(stack)


def _kill_workers(stack: Stack) -> None:
    for process in stack.workers():
        stack.kill(process)


if __name__ == "__main__":
    sys.exit(main())
