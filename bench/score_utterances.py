"""Score the offline order taker on the collected customer messages.

    python bench/score_utterances.py [--case ID …] [--show wrong|clarified|all] [CASES]

Every case runs through the real tools over a database of its own: the draft,
the last bot message and placed orders of its context first, then its messages.
Prints right / clarified / wrong per intent.  Exits 1 when an order other than
the one wanted was put up for the customer's yes.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import django
from django.conf import settings

ROOT = Path(__file__).resolve().parent.parent
CASES = ROOT.parent / "shared" / "cases" / "utterances.jsonl"
VERDICTS = ("right", "clarified", "wrong")


def main() -> int:
    asked = _arguments()
    if not asked.cases.exists():
        print(f"no cases at {asked.cases}; nothing scored")
        return 0
    _set_up()
    from django.test.utils import setup_databases, teardown_databases

    databases = setup_databases(verbosity=0, interactive=False)
    try:
        scored = list(_score(_chosen(asked.cases, asked.case), asked.cases.parent / "menus"))
    finally:
        teardown_databases(databases, verbosity=0)
    _show(scored, asked.show)
    return _summarise(scored)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Score the offline order taker.")
    parser.add_argument("cases", nargs="?", type=Path, default=CASES)
    parser.add_argument("--case", nargs="*", default=[], help="only these ids")
    parser.add_argument("--show", choices=["none", "wrong", "clarified", "all"], default="wrong")
    return parser.parse_args()


def _set_up() -> None:
    """Services and settings; logs would drown the score."""
    sys.path.insert(0, str(ROOT))
    from bakery.local.__main__ import provide

    os.environ.setdefault("BAKERY_LOCAL_FSYNC", "off")
    provide(os.environ, Path(os.environ.get("BAKERY_LOCAL_DIR", ROOT / ".local" / "bench")))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bakery.settings")
    django.setup()
    settings.LOGGING_CONFIG = None


def _chosen(path: Path, ids: Sequence[str]) -> list[dict[str, Any]]:
    cases = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    return [case for case in cases if not ids or case["id"] in ids]


def _score(cases: Sequence[dict[str, Any]], menus: Path) -> Iterator[tuple[dict[str, Any], Any, str, str]]:
    """Each case with its run, verdict and the reason, menu by menu."""
    from django.utils import translation

    from bench import utterance_judge, utterance_run
    from orders import menu_files

    by_menu: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for case in cases:
        by_menu[case["menu"]].append(case)
    for menu, same in by_menu.items():
        menu_files.load(menu_files.read(menus / f"{menu}.json"))
        for case in same:
            run = utterance_run.run(case)
            with translation.override(case["lang"][:2]):
                yield case, run, *utterance_judge.judge(case, run)


def _show(scored: Sequence[tuple[dict[str, Any], Any, str, str]], which: str) -> None:
    shown = {"none": (), "wrong": ("wrong",), "clarified": ("wrong", "clarified"), "all": VERDICTS}[which]
    for case, run, verdict, why in scored:
        if verdict in shown:
            print(f"{verdict:9} {case['id']} {case['intent']} {case['messages']} — {why}")
            print(f"          calls {run.calls}\n          said  {run.text!r}")


def _summarise(scored: Sequence[tuple[dict[str, Any], Any, str, str]]) -> int:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for case, _run, verdict, _why in scored:
        counts[case["intent"]][verdict] += 1
        counts["total"][verdict] += 1
    print(f"{'intent':22}{'right':>7}{'clarified':>11}{'wrong':>7}")
    for intent, seen in sorted(counts.items(), key=lambda pair: (pair[0] == "total", pair[0])):
        print(f"{intent:22}{seen['right']:>7}{seen['clarified']:>11}{seen['wrong']:>7}")
    misplaced = [case["id"] for case, run, verdict, _why in scored if verdict == "wrong" and run.proposed is not None]
    total = counts["total"].total() or 1
    print(f"right {counts['total']['right'] / total:.1%}; wrong orders put up for a yes: {len(misplaced)} {misplaced}")
    return 1 if misplaced else 0


if __name__ == "__main__":
    sys.exit(main())
