"""The demo's processes: prefixed lines, restarts, and one end for all."""

import io
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil

from bakery.demo.supervisor import Supervisor

PROJECT = Path(__file__).parents[2]


def supervised(output: io.StringIO, **commands: str) -> str:
    """What two seconds of the shell commands print."""
    words = {name: ["sh", "-c", command] for name, command in commands.items()}
    supervisor = Supervisor(words, output=output, first_wait_seconds=0.2)
    timer = threading.Timer(2.0, supervisor.stop)
    timer.start()
    supervisor.run()
    return output.getvalue()


def test_every_line_says_whose_it_is() -> None:
    shown = supervised(io.StringIO(), web="echo one; sleep 9", worker="echo two >&2; sleep 9").splitlines()
    assert sorted(shown) == ["web    | one", "worker | two"]


def test_a_process_that_ends_starts_again_and_waits_longer_each_time() -> None:
    shown = supervised(io.StringIO(), web="echo up; exit 3")
    assert "web | ended with code 3; starts again in 0.2 s" in shown
    assert "starts again in 0.4 s" in shown
    assert shown.count("up") >= 3


def test_a_killed_process_is_told_by_its_signal() -> None:
    assert "ended with signal SIGKILL" in supervised(io.StringIO(), web="kill -9 $$")


def start(tmp_path: Path) -> tuple[subprocess.Popen[str], list[int]]:
    script = (
        "from bakery.demo.supervisor import Supervisor\n"
        "Supervisor({n: ['sh', '-c', 'echo $$; exec sleep 60'] for n in 'ab'}).run()"
    )
    runner = subprocess.Popen(
        [sys.executable, "-c", script], cwd=PROJECT, stdout=subprocess.PIPE, text=True, env=os.environ
    )
    assert runner.stdout
    with runner.stdout:
        return runner, [int(runner.stdout.readline().rsplit("| ")[1]) for _ in range(2)]


def test_ctrl_c_ends_all_with_code_0(tmp_path: Path) -> None:
    runner, pids = start(tmp_path)
    runner.send_signal(signal.SIGINT)
    assert runner.wait(10) == 0
    assert not any(psutil.pid_exists(pid) for pid in pids)


def test_killing_the_supervisor_leaves_nothing_behind(tmp_path: Path) -> None:
    runner, pids = start(tmp_path)
    runner.kill()
    runner.wait()
    deadline = time.monotonic() + 5
    while any(psutil.pid_exists(pid) and psutil.Process(pid).status() != "zombie" for pid in pids):
        assert time.monotonic() < deadline
        time.sleep(0.05)
