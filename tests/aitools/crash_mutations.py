"""Plants bugs, one at a time, in a copy of the project: the crash harness must catch each.

    python -m tests.aitools.crash_mutations [WORD…]

With words, only the bugs that have one of them in their name.  A bug that is
not caught, or whose place in the code is gone, fails the run.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LANES = 2
#: A test that is slower than this hangs, on whatever machine.
MOST_SECONDS = 900
ENGINE = "tests/aitools/test_crash_points.py::"
DEATH = ENGINE + "test_a_death_at_any_point_of_each_act_changes_nothing"
SHOP = "tests/orders/test_crash_points.py::"


@dataclass(frozen=True, slots=True)
class Bug:
    """Texts of a file, what they become, and the test that must fail."""

    name: str
    file: str
    edits: Sequence[tuple[str, str]]
    caught_by: str


class Gone(Exception):
    """The code that a bug is planted in is not there any more."""


BUGS = (
    Bug(
        "the done-mark is a transaction of its own",
        "aitools/execution.py",
        [
            (
                "        value = _value(attempt)\n        _mark_done(attempt, value)\n",
                "        value = _value(attempt)\n    with transaction.atomic():\n        _mark_done(attempt, value)\n",
            )
        ],
        DEATH + "[an order, undone]",
    ),
    Bug(
        "the yes is stored after its effect",
        "aitools/execution.py",
        [
            ("    if attempt.settlement is not None:\n        attempt.settlement.store()\n", ""),
            ("    decided = [attempt.settlement.event] if attempt.settlement else []\n", "    decided = []\n"),
            ("        rows.settlement = None\n", ""),
        ],
        DEATH + "[an order, undone]",
    ),
    Bug(
        "the reply is queued after the turn is stored",
        "aitools/turns.py",
        [
            (
                "        outbox.enqueue(now.conversation, text, turn_id=rows.turn.pk)\n    return False\n",
                "    outbox.enqueue(now.conversation, text, turn_id=rows.turn.pk)\n    return False\n",
            )
        ],
        DEATH + "[an order, undone]",
    ),
    Bug(
        "the lease is given back without a look at what arrived",
        "aitools/leases.py",
        [("epoch = %(epoch)s AND inbox_seq = %(read_seq)s\n", "epoch = %(epoch)s\n")],
        ENGINE + "test_what_comes_at_any_point_is_heard_and_hides_nothing[espera]",
    ),
    Bug(
        "a send leaves no trace before the vendor is called",
        "aitools/sending.py",
        [("            state=OutboundState.SENDING,\n            attempts", "            attempts")],
        DEATH + "[an order, undone]",
    ),
    Bug(
        "a call elsewhere leaves no trace before it begins",
        "aitools/execution.py",
        [
            (
                "        rows.events.append(audit.of_call(events.CALL, call))\n        work.flush()\n",
                "        rows.events.append(audit.of_call(events.CALL, call))\n",
            )
        ],
        ENGINE + "test_what_happens_elsewhere_is_never_repeated_and_never_taken_for_undone[deaths]",
    ),
    Bug(
        "words whose yes was stored with its effect are read again",
        "aitools/answering.py",
        [("    if answered > rows.turn.read_to:\n", "    if answered < 0:\n")],
        DEATH + "[an order, undone]",
    ),
    Bug(
        "an answer that can't be stored counts as read",
        "aitools/failures.py",
        [
            (
                "    if not turn._state.adding:\n        turn.refresh_from_db(",
                "    if turn._state.adding:\n        turn.refresh_from_db(",
            )
        ],
        SHOP + "test_a_connection_lost_at_any_point_changes_no_order[an order, by the network]",
    ),
    Bug(
        "the sweep forgets what is unsent",
        "aitools/sweep.py",
        [("    sends = set(_unsent())\n", "    sends: set[int] = set()\n")],
        DEATH + "[an order, undone]",
    ),
)


def plant(bug: Bug, tree: Path) -> str:
    """Change the file; returns it as it was. Raises ``Gone``."""
    path = tree / bug.file
    before = text = path.read_text()
    for old, new in bug.edits:
        if text.count(old) != 1:
            raise Gone(f"{bug.file} has {text.count(old)} times: {old.strip()}")
        text = text.replace(old, new)
    path.write_text(text)
    return before


def is_caught(bug: Bug, tree: Path) -> str:
    """What came of the bug in this tree; "" when its test failed as it must."""
    try:
        before = plant(bug, tree)
    except Gone as gone:
        return f"no longer applies: {gone}"
    try:
        return _verdict(bug, tree)
    finally:
        (tree / bug.file).write_text(before)


def _verdict(bug: Bug, tree: Path) -> str:
    command = [sys.executable, "-m", "pytest", "-n0", "-x", "-q", "-m", "crash", "--show-capture=no", "--tb=line"]
    environment = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    environment |= {"BAKERY_LOCAL_DIR": str(tree / ".local"), "BAKERY_LOCAL_FSYNC": "off"}
    try:
        ran = subprocess.run(
            [*command, bug.caught_by],
            cwd=tree,
            env=environment,
            capture_output=True,
            text=True,
            timeout=MOST_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "hangs"
    if f"FAILED {bug.caught_by}" in ran.stdout:
        return ""
    return "not caught" if ran.returncode == 0 else f"its test did not run:\n{ran.stdout[-2000:]}{ran.stderr[-2000:]}"


def _lane(bugs: Sequence[Bug]) -> Iterator[tuple[Bug, str]]:
    """Each bug in turn, in one copy of the project, which has servers of its own."""
    with tempfile.TemporaryDirectory(prefix="mutations-", ignore_cleanup_errors=True) as folder:
        tree = Path(folder) / "main"
        _copy(tree)
        for bug in bugs:
            began = time.monotonic()
            verdict = is_caught(bug, tree)
            print(f"{time.monotonic() - began:5.0f} s  {verdict or 'caught':10}  {bug.name}", flush=True)  # noqa: T201
            yield bug, verdict


def _copy(tree: Path) -> None:
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, names.split("\0")):
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tree / name)


def main(words: Sequence[str]) -> int:
    """How many bugs were not caught, or could not be planted."""
    bugs = [bug for bug in BUGS if not words or any(word in bug.name for word in words)]
    with ThreadPoolExecutor(LANES) as lanes:
        results = [pair for lane in lanes.map(lambda n: list(_lane(bugs[n::LANES])), range(LANES)) for pair in lane]
    missed = [bug.name for bug, verdict in results if verdict]
    print(f"{len(results) - len(missed)} of {len(results)} bugs caught.")  # noqa: T201
    return len(missed)


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1:]), 1))
