"""`python -m bakery.local COMMAND…`: run the command with PostgreSQL and Valkey, those that are not set."""

import os
import secrets
import sys
from collections.abc import MutableMapping
from pathlib import Path

from bakery.local.keeper import use
from bakery.local.services import SERVICES, LocalServiceError, write_private

_PROJECT = Path(__file__).resolve().parents[2]


def local_folder() -> Path:
    """Where data, passwords and locks are: BAKERY_LOCAL_DIR, or .local in the project."""
    return Path(os.environ.get("BAKERY_LOCAL_DIR", _PROJECT / ".local")).absolute()


def provide(environment: MutableMapping[str, str], folder: Path) -> None:
    """Add what the environment lacks: services and our own keys. The services stay while this process lives."""
    folder.mkdir(parents=True, exist_ok=True)
    for service in (kind(folder) for kind in SERVICES.values()):
        if not environment.get(service.variable):
            environment[service.variable], _ = use(service)
    for name, length in (("SECRET_KEY", 50), ("SECRETS_KEY", 32)):
        if not environment.get(name):
            environment[name] = _key(folder / name.lower(), length)


def _key(path: Path, length: int) -> str:
    """So many random bytes in base64, made once."""
    if not path.exists():
        write_private(path, secrets.token_urlsafe(length))
    return path.read_text()


def main(command: list[str]) -> None:
    """Become the command; its exit code and signals are then its own."""
    if not command:
        sys.exit("usage: python -m bakery.local COMMAND [ARGUMENT…]")
    try:
        provide(os.environ, local_folder())
    except LocalServiceError as error:
        sys.exit(f"bakery.local: {error}")
    try:
        os.execvp(command[0], command)  # noqa: S606 (the point of this program)
    except OSError as error:
        sys.exit(f"bakery.local: {command[0]}: {error.strerror}")


if __name__ == "__main__":
    main(sys.argv[1:])
