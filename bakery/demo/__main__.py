"""`python -m bakery.demo`: services, sample bakery, web, worker and beat; Ctrl-C ends all of it."""

import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import MutableMapping
from pathlib import Path

from bakery.demo import keepers
from bakery.demo.supervisor import Supervisor
from bakery.local.__main__ import local_folder, provide
from bakery.local.services import LocalServiceError, write_private

_USER = "demo"
_PORT = "8000"
_READY_SECONDS = 60
_PYTHON = sys.executable
_PROJECT = Path(__file__).resolve().parents[2]
# The demo may well run as root, in a container: Celery's warning would be the first thing one reads.
_NO_WARNING = "-Wignore:You're running the worker with superuser privileges"
_CELERY = [_PYTHON, _NO_WARNING, "-m", "celery", "--quiet", "-A", "bakery"]
_COMMANDS = {
    "web": [_PYTHON, "-m", "gunicorn", "bakery.wsgi"],
    "worker": [
        *(*_CELERY, "worker", "--pool=threads", "--concurrency=8"),
        *("--without-gossip", "--without-mingle", "--loglevel=INFO"),
    ],
    "beat": [*_CELERY, "beat", "--loglevel=WARNING"],
}


def main() -> None:
    """Exit code 0 after Ctrl-C, 1 with one line when the demo can't start."""
    os.chdir(_PROJECT)
    try:
        port = _free_port(os.environ.get("PORT") or _PORT)
        folder = local_folder()
        provide(os.environ, folder)
    except LocalServiceError as error:
        sys.exit(f"demo: {error}")
    _set_environment(os.environ, port, _kept_password(folder / "demo_password"))
    _count_together(os.environ, folder / "metrics")
    if subprocess.run([_PYTHON, "manage.py", "prepare_demo"], check=False).returncode:
        sys.exit("demo: the database could not be prepared; the reason is above.")
    supervisor = Supervisor(_COMMANDS)
    threading.Thread(target=_welcome, args=(port,), daemon=True).start()
    threading.Thread(target=keepers.tell, args=(keepers.logs(folder), supervisor.say), daemon=True).start()
    supervisor.run()


def _set_environment(environment: MutableMapping[str, str], port: int, password: str) -> None:
    defaults = {"DEMO": "true", "PORT": str(port), "PUBLIC_URL": f"http://localhost:{port}"}
    for name, value in defaults.items():
        if not environment.get(name):
            environment[name] = value
    environment.update({"DEMO_USER": _USER, "DEMO_PASSWORD": password})


def _count_together(environment: MutableMapping[str, str], folder: Path) -> None:
    """Web and worker count in one folder, from zero at each start."""
    if not environment.get("PROMETHEUS_MULTIPROC_DIR"):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        environment["PROMETHEUS_MULTIPROC_DIR"] = str(folder)


def _free_port(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 65536:
        raise LocalServiceError(f"PORT must be a number from 1 to 65535, not {text!r}")
    host = os.environ.get("HOST") or "127.0.0.1"
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, int(text)))
        except OSError as error:
            raise LocalServiceError(
                f"port {text} can't be used ({error.strerror}); choose another: make demo PORT=8001"
            ) from error
    return int(text)


def _kept_password(path: Path) -> str:
    if not path.exists():
        write_private(path, secrets.token_urlsafe(9))
    return path.read_text()


def _welcome(port: int) -> None:
    """Print where to go once the desk is ready; a person should not meet a page that fails."""
    address = f"http://localhost:{port}"
    deadline = time.monotonic() + _READY_SECONDS
    while (state := _readiness(f"http://127.0.0.1:{port}/health/ready")) is not None:
        if time.monotonic() > deadline:
            print(f"\n  The desk is not ready after {_READY_SECONDS} s: {state}\n", flush=True)
            return
        time.sleep(0.2)
    print(
        f"\n  Chat     {address}/chat/\n  Admin    {address}/admin/   user {_USER}, "
        f"password {os.environ['DEMO_PASSWORD']}\n  Ctrl-C stops everything.\n",
        flush=True,
    )


def _readiness(url: str) -> str | None:
    """None when ready, else why not."""
    try:
        with urllib.request.urlopen(url, timeout=5):  # noqa: S310 (our own address)
            return None
    except urllib.error.HTTPError as error:
        return " ".join(json.load(error).get("reasons", []))
    except OSError as error:
        return str(error)


if __name__ == "__main__":
    main()
