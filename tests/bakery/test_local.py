"""`python -m bakery.local COMMAND`: real servers for the command, and for no longer than somebody needs them."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import psycopg
import pytest
import redis

from bakery.local.services import write_private

PROJECT = Path(__file__).parents[2]
RUN = [sys.executable, "-m", "bakery.local"]
SHOW_URLS = ["sh", "-c", 'echo "$DATABASE_URL"; echo "$REDIS_URL"']
WAIT_SECONDS = 20


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """One folder for the module: initdb runs once, and every test starts on what the one before left."""
    folder = tmp_path_factory.mktemp("local")
    # pytest's folders are private; the server runs as nobody when the tests run as root.
    for path in (folder, folder.parent):
        path.chmod(0o711)
    yield folder
    eventually(lambda: not servers(folder))


def environment(folder: Path, **changes: str) -> dict[str, str]:
    provided = {"DATABASE_URL", "REDIS_URL", "SECRET_KEY", "SECRETS_KEY"}
    kept = {name: value for name, value in os.environ.items() if name not in provided}
    return kept | {"BAKERY_LOCAL_DIR": str(folder), "BAKERY_LOCAL_FSYNC": "off"} | changes


def run(folder: Path, *command: str, **changes: str) -> subprocess.CompletedProcess[str]:
    variables = environment(folder, **changes)
    return subprocess.run(
        [*RUN, *command], check=False, cwd=PROJECT, env=variables, capture_output=True, text=True, timeout=60
    )


@contextmanager
def running(folder: Path, script: str, *, first: str = ":") -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """A shell script under the runner, once it did ``first`` and printed the two URLs it was given."""
    words = [*RUN, "sh", "-c", f'{first}; echo "$DATABASE_URL"; echo "$REDIS_URL"; {script}']
    user = subprocess.Popen(
        words, cwd=PROJECT, env=environment(folder), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert user.stdout
    assert user.stdin
    try:
        yield user, user.stdout.readline().strip(), user.stdout.readline().strip()
    finally:
        user.kill()
        user.wait()
        user.stdout.close()
        user.stdin.close()


def answers(database_url: str, redis_url: str) -> bool:
    try:
        with psycopg.connect(database_url, connect_timeout=2) as connection:
            connection.execute("SELECT 1")
        with redis.Redis.from_url(redis_url) as client:
            return bool(client.ping())
    except (psycopg.OperationalError, redis.RedisError):
        return False


def servers(folder: Path) -> list[psutil.Process]:
    """Every process that works in the folder: both servers with their children."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.cwd().startswith(str(folder)):
                found.append(process)
        except psutil.Error:
            continue
    return found


def server(folder: Path, name: str) -> list[psutil.Process]:
    """The one process that the service's keeper started."""
    return [child for keeper in keepers(folder) if name in keeper.cmdline() for child in keeper.children()]


def keepers(folder: Path) -> list[psutil.Process]:
    return [
        process
        for process in psutil.process_iter(["cmdline"])
        if "bakery.local.keeper" in (process.info["cmdline"] or []) and str(folder) in process.info["cmdline"]
    ]


def eventually(fact: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while not fact():
        assert time.monotonic() < deadline, "it did not come true"
        time.sleep(0.05)


def test_the_command_gets_servers_that_answer(folder: Path) -> None:
    with running(folder, "read _") as (_, database_url, redis_url):
        assert answers(database_url, redis_url)


def test_the_servers_stop_when_the_command_ends(folder: Path) -> None:
    assert run(folder, *SHOW_URLS).returncode == 0
    eventually(lambda: not servers(folder) and not keepers(folder))


def test_the_exit_code_is_the_commands(folder: Path) -> None:
    assert run(folder, "sh", "-c", "exit 7").returncode == 7


def test_signals_reach_the_command(folder: Path) -> None:
    with running(folder, "while :; do sleep 0.1; done", first="trap 'exit 9' TERM") as (user, *_):
        user.send_signal(signal.SIGTERM)
        assert user.wait(10) == 9


def test_a_second_command_shares_the_running_servers(folder: Path) -> None:
    with running(folder, "read _") as (_, database_url, redis_url):
        assert run(folder, *SHOW_URLS).stdout.split() == [database_url, redis_url]
        assert answers(database_url, redis_url), "the first command still needs them"


def test_the_starter_may_leave_before_the_others(folder: Path) -> None:
    with running(folder, "read _") as (first, *_), running(folder, "read _") as (_, database_url, redis_url):
        first.kill()
        first.wait()
        time.sleep(0.5)
        assert answers(database_url, redis_url)


def test_commands_that_start_together_share_one_set(folder: Path) -> None:
    with running(folder, "read _") as (_, *first), running(folder, "read _") as (_, *second):
        assert first == second
        assert len(keepers(folder)) == 2


def test_a_killed_command_leaves_no_server(folder: Path) -> None:
    with running(folder, "read _") as (user, *_):
        user.kill()
    eventually(lambda: not servers(folder) and not keepers(folder))


def test_killed_keepers_and_servers_do_not_block_the_next_start(folder: Path) -> None:
    with running(folder, "read _"):
        for process in [*keepers(folder), *servers(folder)]:
            process.kill()
        with running(folder, "read _") as (_, database_url, redis_url):
            assert answers(database_url, redis_url)


@pytest.mark.parametrize("name", ["postgres", "valkey"])
def test_a_killed_server_comes_back_where_it_was_with_its_data(folder: Path, name: str) -> None:
    with running(folder, "read _") as (_, database_url, redis_url):
        with psycopg.connect(database_url) as connection:
            connection.execute("CREATE TABLE IF NOT EXISTS stored (id int)")
        for process in server(folder, name):
            process.kill()
            process.wait(WAIT_SECONDS)
        eventually(lambda: "answers again" in (folder / name / "keeper.log").read_text())
        with psycopg.connect(database_url) as connection:
            assert connection.execute("SELECT count(*) FROM stored").fetchone() == (0,)
        assert answers(database_url, redis_url)
        assert run(folder, *SHOW_URLS).stdout.split() == [database_url, redis_url]
    eventually(lambda: not servers(folder) and not keepers(folder))


def test_a_server_that_can_not_come_back_is_tried_again_after_longer_and_longer(folder: Path) -> None:
    with running(folder, "read _") as (_, database_url, redis_url):
        program = folder / "valkey" / "valkey.conf"
        for process in server(folder, "valkey"):
            program.unlink()
            program.mkdir()  # in the way of the configuration
            process.kill()
        log = folder / "valkey" / "keeper.log"
        eventually(lambda: "starts again in 1 s" in log.read_text())
        program.rmdir()
        eventually(lambda: answers(database_url, redis_url))
        assert [line.rpartition("; ")[2] for line in log.read_text().splitlines()[:2]] == [
            "starts again in 0.5 s",
            "starts again in 1 s",
        ]


def test_a_pid_file_with_the_number_of_another_process_does_not_block_the_start(folder: Path) -> None:
    eventually(lambda: not servers(folder))
    (folder / "postgres" / "data" / "postmaster.pid").write_text(f"{os.getpid()}\n{folder}\n")
    with running(folder, "read _") as (_, database_url, redis_url):
        assert answers(database_url, redis_url)


def test_data_stays_and_passwords_too(folder: Path) -> None:
    with running(folder, "read _") as (_, database_url, _url), psycopg.connect(database_url) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS kept (id int)")
    with running(folder, "read _") as (_, database_url, _url), psycopg.connect(database_url) as connection:
        assert connection.execute("SELECT count(*) FROM kept").fetchone() == (0,)


def test_only_what_is_not_set_is_started(folder: Path) -> None:
    eventually(lambda: not servers(folder))
    given = "postgresql://bakery:secret@127.0.0.1:1/other"
    shown = run(folder, *SHOW_URLS, DATABASE_URL=given).stdout.split()
    assert shown[0] == given
    assert shown[1].startswith("redis://")
    assert not (folder / "postgres" / "data" / "postmaster.pid").exists()


def test_secrets_are_readable_by_their_owner_only(folder: Path) -> None:
    secrets = [folder / "secret_key", *folder.glob("*/password"), folder / "valkey" / "valkey.conf"]
    assert len(secrets) == 4
    assert {path.stat().st_mode & 0o777 for path in secrets} == {0o600}


def test_a_file_that_somebody_waits_for_appears_whole(tmp_path: Path) -> None:
    path = tmp_path / "url"
    seen: set[str] = set()

    def write() -> None:
        for _ in range(500):
            write_private(path, "postgresql://…")

    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(write)
        while not writing.done():
            with suppress(FileNotFoundError):
                seen.add(path.read_text())
    assert (writing.exception(), seen) == (None, {"postgresql://…"})


def test_a_server_that_cannot_start_is_told_in_one_line(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "valkey").mkdir()
    (tmp_path / "valkey" / "valkey.conf").mkdir()  # in the way of the configuration
    failed = run(tmp_path, "true", DATABASE_URL="postgresql://set/set")
    assert failed.returncode == 1
    assert failed.stderr.startswith("bakery.local: valkey: ")
    assert failed.stderr.count("\n") == 1


def test_it_works_in_a_folder_that_is_closed_to_others(tmp_path: Path) -> None:
    """As in a clone below /root, where the user that PostgreSQL runs as may not go."""
    tmp_path.chmod(0o700)
    with running(tmp_path, "read _") as (_, database_url, redis_url):
        assert answers(database_url, redis_url)
    eventually(lambda: not servers(tmp_path))


def test_an_unknown_command_is_told_in_one_line(folder: Path) -> None:
    failed = run(folder, "no-such-command")
    assert failed.returncode == 1
    assert failed.stderr == "bakery.local: no-such-command: No such file or directory\n"
