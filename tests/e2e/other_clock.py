"""A Celery process whose own clock is off: ``python -m tests.e2e.other_clock SECONDS celery …``."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta

import time_machine
from celery.__main__ import main

if __name__ == "__main__":
    _, seconds, *sys.argv = sys.argv
    with time_machine.travel(datetime.now(UTC) + timedelta(seconds=float(seconds)), tick=True):
        main()
