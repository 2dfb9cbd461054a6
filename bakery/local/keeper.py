"""Keepers and their users: who starts a service, who shares it, and when it stops."""

import fcntl
import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

from bakery.local.services import SERVICES, LocalServiceError, Service, write_private

_LOOK_SECONDS = 0.1
_FIRST_PAUSE_SECONDS = 0.5
_LONGEST_PAUSE_SECONDS = 30.0
#: A server that ran this long was healthy: its next end is followed by the short pause again.
_HEALTHY_SECONDS = 60.0


def use(service: Service) -> tuple[str, int]:
    """Make sure that the service runs and stays while this process, or what it becomes by exec, lives.

    Returns its URL and the descriptor that holds it, inheritable by the command. Raises LocalServiceError.
    """
    service.folder.mkdir(parents=True, exist_ok=True)
    # Waits here while a keeper stops the server: it holds this lock until it has.
    with _lock(service.folder / "users.lock", fcntl.LOCK_SH) as users:
        with _lock(service.folder / "start.lock", fcntl.LOCK_EX):
            if not _kept(service):
                _start_keeper(service)
        # The lock belongs to the open file, which the copy keeps open.
        held = os.dup(users.fileno())
    os.set_inheritable(held, True)
    return _url_path(service).read_text(), held


def keep(service: Service) -> None:
    """Be the keeper: start the server, publish its URL, start it again when it dies, stop it when nobody uses it."""
    keeping = _lock(service.folder / "keeper.lock", fcntl.LOCK_EX)
    server = _Server(service, *service.start())
    write_private(_url_path(service), server.url)
    with (service.folder / "users.lock").open("a") as users:
        while not _try_lock(users):
            server.look_after()
            time.sleep(_LOOK_SECONDS)
        _url_path(service).unlink()
        service.stop(server.process)
        # Before the users' lock is free: the next one must not take this keeper for one that still keeps.
        keeping.close()


@dataclass
class _Server:
    """The server while it is used. All of it runs in one thread: the server dies with the thread that started it."""

    service: Service
    process: subprocess.Popen[bytes]
    url: str
    started_at: float = field(default_factory=time.monotonic)
    pause: float = _FIRST_PAUSE_SECONDS
    again_at: float | None = None

    def look_after(self) -> None:
        """Start the server again on its port when it has ended, after a pause that grows as long as it keeps ending."""
        if self.process.poll() is None:
            return
        if self.again_at is None:
            self._plan_start(f"ended ({self.process.returncode})")
        elif time.monotonic() >= self.again_at:
            self._start_again()

    def _plan_start(self, why: str) -> None:
        if time.monotonic() - self.started_at > _HEALTHY_SECONDS:
            self.pause = _FIRST_PAUSE_SECONDS
        _log(f"{why}; starts again in {self.pause:g} s")
        self.again_at = time.monotonic() + self.pause
        self.pause = min(2 * self.pause, _LONGEST_PAUSE_SECONDS)

    def _start_again(self) -> None:
        self.started_at = time.monotonic()
        try:
            self.process, _ = self.service.start(urlsplit(self.url).port)
        except (LocalServiceError, OSError) as error:
            self._plan_start(str(error))
        else:
            self.again_at = None
            _log("answers again")


def _start_keeper(service: Service) -> None:
    _url_path(service).unlink(missing_ok=True)
    command = [sys.executable, "-m", "bakery.local.keeper", service.name, str(service.folder.parent)]
    project = Path(__file__).resolve().parents[2]
    with log_path(service).open("wb") as log:
        keeper = subprocess.Popen(
            command, cwd=project, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )
    while not _url_path(service).exists():
        if keeper.poll() is not None:
            raise LocalServiceError(log_path(service).read_text().strip() or f"{service.name}: killed")
        time.sleep(0.02)
    # It outlives this process on purpose; without this Python warns that nobody waited for it.
    keeper.returncode = 0


def _kept(service: Service) -> bool:
    with (service.folder / "keeper.lock").open("a") as file:
        return not _try_lock(file)


def _try_lock(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def log_path(service: Service) -> Path:
    """Where the service's keeper writes when its server ended and when it answers again, a line each."""
    return service.folder / "keeper.log"


def _log(line: str) -> None:
    sys.stderr.write(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {line}\n")


def _lock(path: Path, kind: int) -> IO[str]:
    file = path.open("a")
    fcntl.flock(file, kind)
    return file


def _url_path(service: Service) -> Path:
    return service.folder / "url"


if __name__ == "__main__":
    try:
        keep(SERVICES[sys.argv[1]](Path(sys.argv[2])))
    except (LocalServiceError, OSError) as error:
        sys.exit(f"{sys.argv[1]}: {error}")
