"""Keepers and their users: who starts a service, who shares it, and when it stops."""

import fcntl
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

from bakery.local.services import SERVICES, LocalServiceError, Service, write_private


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
    """Be the keeper: start the server, publish its URL, stop it when the last user is gone."""
    keeping = _lock(service.folder / "keeper.lock", fcntl.LOCK_EX)
    process, url = service.start()
    write_private(_url_path(service), url)
    with _lock(service.folder / "users.lock", fcntl.LOCK_EX):
        _url_path(service).unlink()
        service.stop(process)
        # Before the users' lock is free: the next one must not take this keeper for one that still keeps.
        keeping.close()


def _start_keeper(service: Service) -> None:
    _url_path(service).unlink(missing_ok=True)
    command = [sys.executable, "-m", "bakery.local.keeper", service.name, str(service.folder.parent)]
    project = Path(__file__).resolve().parents[2]
    with (service.folder / "keeper.log").open("wb") as log:
        keeper = subprocess.Popen(
            command, cwd=project, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )
    while not _url_path(service).exists():
        if keeper.poll() is not None:
            raise LocalServiceError((service.folder / "keeper.log").read_text().strip() or f"{service.name}: killed")
        time.sleep(0.02)
    # It outlives this process on purpose; without this Python warns that nobody waited for it.
    keeper.returncode = 0


def _kept(service: Service) -> bool:
    with (service.folder / "keeper.lock").open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


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
