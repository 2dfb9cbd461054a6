"""`python -m bakery.demo`: one command, no key, and a port that answers."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from bakery.local.services import free_port

PROJECT = Path(__file__).parents[2]
PROVIDED = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "SECRETS_KEY", "DJANGO_SETTINGS_MODULE", "REDIS_PREFIX")
READY_SECONDS = 90


def demo(folder: Path, port: str) -> subprocess.Popen[str]:
    variables = {name: value for name, value in os.environ.items() if name not in PROVIDED}
    variables |= {"BAKERY_LOCAL_DIR": str(folder), "BAKERY_LOCAL_FSYNC": "off", "PORT": port}
    return subprocess.Popen(
        [sys.executable, "-m", "bakery.demo"],
        cwd=PROJECT,
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def kill_server(folder: Path, name: str) -> None:
    """`kill -9` of what the service's keeper started."""
    for process in psutil.process_iter(["cmdline"]):
        if ["bakery.local.keeper", name, str(folder)] == (process.info["cmdline"] or [])[-3:]:
            for server in process.children():
                server.kill()


def answers_ready(port: int) -> bool:
    """Whether the desk says that it is ready, within READY_SECONDS."""
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline:
        with suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/health/ready") as response:
            return bool(response.status == 200)
        time.sleep(0.1)
    return False


def lines_until(process: subprocess.Popen[str], word: str) -> Iterator[str]:
    deadline = time.monotonic() + READY_SECONDS
    assert process.stdout
    for line in process.stdout:
        yield line
        if word in line:
            return
        assert time.monotonic() < deadline
    pytest.fail(f"ended with {process.wait()} and never printed {word!r}")


def test_the_demo_says_where_to_go_once_it_is_ready_and_ends_with_ctrl_c(tmp_path: Path) -> None:
    port = free_port()
    process = demo(tmp_path, str(port))
    with process:
        shown = "".join(lines_until(process, "Ctrl-C"))
        assert f"http://localhost:{port}/chat/" in shown
        assert f"user demo, password {(tmp_path / 'demo_password').read_text()}" in shown
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health/ready") as response:
            assert json.load(response)["status"] == "ok"
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as response:
            assert b"aitools_database_up 1.0" in response.read()
        # The web counts there, and the worker, and beat.
        assert len(list((tmp_path / "metrics").glob("counter_*.db"))) >= 2
        for name in ("valkey", "postgres"):
            kill_server(tmp_path, name)
            told = [line for line in lines_until(process, "answers again") if line.startswith(f"{name} |")]
            assert len(told) == 2
            assert told[0].endswith("ended (-9); starts again in 0.5 s\n")
        assert answers_ready(port)
        process.send_signal(signal.SIGINT)
        assert process.stdout
        process.stdout.read()
        assert process.wait(30) == 0
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0


@pytest.mark.parametrize("port", ["eighty", "0", "70000"])
def test_a_port_that_is_none_is_refused_in_one_line(tmp_path: Path, port: str) -> None:
    output, _ = demo(tmp_path, port).communicate(timeout=30)
    assert output == f"demo: PORT must be a number from 1 to 65535, not '{port}'\n"


def test_a_busy_port_is_told_before_anything_starts(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        output, _ = demo(tmp_path, str(other.getsockname()[1])).communicate(timeout=30)
    assert "choose another: make demo PORT=8001" in output
    assert output.count("\n") == 1
    assert not list(tmp_path.iterdir())
