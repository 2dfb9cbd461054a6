"""What the keepers of PostgreSQL and Valkey write while the demo runs: said in its terminal too."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from bakery.local.keeper import log_path
from bakery.local.services import SERVICES

_LOOK_SECONDS = 0.5


@dataclass
class KeeperLog:
    """A keeper's log from where it ended when this began."""

    name: str
    path: Path
    read_to: int

    def new_lines(self) -> list[str]:
        """The whole lines that were added since; from its beginning when another keeper began it anew."""
        written = self.path.read_bytes() if self.path.exists() else b""
        if len(written) < self.read_to:
            self.read_to = 0
        added, newline, _ = written[self.read_to :].rpartition(b"\n")
        self.read_to += len(added) + len(newline)
        return added.decode(errors="replace").splitlines()


def logs(folder: Path) -> list[KeeperLog]:
    """Those of the services that have one in this folder, from now on."""
    paths = {name: log_path(kind(folder)) for name, kind in SERVICES.items()}
    return [KeeperLog(name, path, path.stat().st_size) for name, path in paths.items() if path.exists()]


def tell(found: Iterable[KeeperLog], say: Callable[[str, str], None]) -> None:
    """Say every new line with the service's name; never returns."""
    kept = list(found)
    while kept:
        for log in kept:
            for line in log.new_lines():
                say(log.name, line)
        time.sleep(_LOOK_SECONDS)
