"""What a run prints in the end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bench.chaos.run import Run
from bench.chaos.vendor import Vendor

#: So many violations of one check are printed.
SHOWN = 10


def table(run: Run, vendor: Vendor, found: Mapping[str, list[str]]) -> str:
    """Load, misfortunes, recoveries and the checks, one figure a line."""
    sections: dict[str, Iterable[tuple[str, object]]] = {
        "the crowd": _load(run),
        "how customers left": sorted(run.outcomes().items()),
        "what went wrong at the vendors": sorted(run.journal.counts.items()),
        "what happened to the desk": sorted(run.misfortunes.done.items()),
        "recoveries": [*run.recoveries.counted().items(), ("look-ups of sends at the vendor", vendor.looked_up)],
        "violations (all must be 0)": [(title, len(lines)) for title, lines in found.items()],
    }
    text = "\n\n".join(_section(title, figures) for title, figures in sections.items())
    return "\n".join([text, "", *_violations(found), f"seed {run.plan.seed}"])


def _load(run: Run) -> list[tuple[str, object]]:
    chats = run.journal.chats.values()
    said = sum(bool(one.accepted_at) for chat in chats for one in chat.said)
    heard = sum(len(chat.heard) for chat in chats)
    return [
        ("conversations", len(chats)),
        ("messages in", said),
        ("messages out", heard),
        ("statuses reported", len(run.journal.statuses)),
        ("orders", run.desk.stack.one("SELECT count(*) FROM orders_order")),
        ("questions asked", run.desk.stack.one("SELECT count(*) FROM aitools_pendingconfirmation")),
        ("seconds of talk", round(run.talked_seconds)),
        ("seconds until rest", round(run.seconds)),
        ("messages a second, in and out", f"{(said + heard) / max(run.talked_seconds, 1):.1f}"),
    ]


def _section(title: str, figures: Iterable[tuple[str, object]]) -> str:
    return "\n".join([title, *(f"  {name:<42}{figure!s:>10}" for name, figure in figures)])


def _violations(found: Mapping[str, list[str]]) -> Iterable[str]:
    for title, lines in found.items():
        yield from (f"{title}: {line}" for line in lines[:SHOWN])
