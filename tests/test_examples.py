"""The examples run as their first lines say: without settings, without a database."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]


def ran(name: str, typed: str = "") -> list[str]:
    environment = {
        key: value for key, value in os.environ.items() if key not in ("DJANGO_SETTINGS_MODULE", "DATABASE_URL")
    }
    command = [sys.executable, "-W", "error", "-m", f"docs.examples.{name}"]
    done = subprocess.run(
        command, cwd=PROJECT, env=environment, input=typed, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.stderr == ""
    assert done.returncode == 0
    return done.stdout.splitlines()


def test_the_hardware_shop_refuses_asks_and_reserves() -> None:
    assert ran("hardware_shop") == [
        "customer  20 bolts and nuts, M6, please",
        "shop      I am about to: Reserve part",
        "• Part: M6 bolt",
        "• Quantity: 20",
        "Do you confirm? (yes/no)",
        "customer  yes",
        "shop      Your 20 bolts wait at the counter. Of the nuts there are only 3.",
        "          1 tool.call find_part",
        "          1 tool.result find_part",
        "          2 tool.invalid_args reserve_part",
        "          3 tool.confirm.requested reserve_part",
        "          3 tool.confirm.approved reserve_part",
        "          3 tool.call reserve_part",
        "          3 tool.result reserve_part",
    ]


@pytest.mark.parametrize(
    ("typed", "last"),
    [
        ("yes\n", "The desk says: Booked: Dr. Ríos, 2026-03-10."),
        ("with Dr. Vega please\nyes\n", "The desk says: Booked: Dr. Vega, 2026-03-10."),
        ("stop\n", "Stopped before book_visit."),
        ("", "Stopped before book_visit."),
    ],
)
def test_the_clinic_takes_the_typed_answer(typed: str, last: str) -> None:
    said = ran("clinic", typed)
    assert said[:3] == ["Please check:", "  Doctor: Dr. Ríos", "  Day: 2026-03-10"]
    assert said[-1].endswith(last)


def test_a_no_at_the_clinic_books_nothing() -> None:
    assert '"executed": false, "reason": "denied"' in ran("clinic", "no\n")[-1]
