"""The files in which processes of this machine counted: those of ended ones become one, at each start of the web."""

import fcntl
import json
import os
import socket
from collections import defaultdict
from pathlib import Path

from prometheus_client.mmap_dict import MmapedDict

_KINDS = ("counter", "histogram")


def merge_ended(folder: str) -> int:
    """Add what ended processes counted into one file a kind, so that no counter falls; how many files went.

    Another machine's or container's files are left alone: whether their
    processes live can't be seen from here.
    """
    with (Path(folder) / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return sum(_merge(Path(folder), kind) for kind in _KINDS)


def _merge(folder: Path, kind: str) -> int:
    mine = f"{kind}_{socket.gethostname()}-"
    _finish(folder, mine)
    ended = [path for path in folder.glob(f"{mine}*.db") if _has_ended(path.stem.removeprefix(mine))]
    if not ended:
        return 0
    total = folder / f"{mine}ended.db"
    counts: dict[str, float] = defaultdict(float)
    for path in [*ended, *folder.glob(total.name)]:
        for key, value, _, _ in MmapedDict.read_all_values_from_file(str(path)):  # type: ignore[no-untyped-call]
            counts[key] += value
    _write(folder / f"{mine}new", counts)
    names = folder / f"{mine}names"
    names.write_text(json.dumps([path.name for path in ended]))
    names.replace(folder / f"{mine}merged")
    _finish(folder, mine)
    return len(ended)


def _finish(folder: Path, mine: str) -> None:
    """Put the new total in the place of the files it counts; again after a kill, it adds nothing twice.

    The list of names stands for the decision: without it, nothing was merged yet.
    """
    new, merged = folder / f"{mine}new", folder / f"{mine}merged"
    if not merged.exists():
        return
    if new.exists():
        new.replace(folder / f"{mine}ended.db")
    for name in json.loads(merged.read_text()):
        (folder / name).unlink(missing_ok=True)
    merged.unlink()


def _has_ended(process: str) -> bool:
    if not process.isdecimal():
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


def _write(path: Path, counts: dict[str, float]) -> None:
    path.unlink(missing_ok=True)
    file = MmapedDict(str(path))  # type: ignore[no-untyped-call]
    for key, value in counts.items():
        file.write_value(key, value, 0.0)  # type: ignore[no-untyped-call]
    file.close()  # type: ignore[no-untyped-call]
