"""`/metrics`: for whom it opens, what it shows, and that processes of one machine are seen together."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from prometheus_client.mmap_dict import MmapedDict
from prometheus_client.multiprocess import MultiProcessCollector
from pytest_django import Settings

from aitools import metrics
from bakery.metric_files import merge_ended

COUNT = "import os, django; django.setup(); from aitools import metrics; "


def scrape(client: Client, **headers: str) -> int:
    return client.get("/metrics", headers=headers).status_code


@pytest.mark.django_db
def test_it_shows_counts_and_gauges_to_this_machine(client: Client) -> None:
    metrics.turn_ended("done")
    answer = client.get("/metrics")
    text = answer.content.decode()
    assert (answer.status_code, answer["Content-Type"][:10]) == (200, "text/plain")
    assert 'aitools_turns_total{outcome="done"}' in text
    assert "aitools_inbox_oldest_unread_seconds 0.0" in text
    assert "aitools_database_up 1.0" in text


@pytest.mark.parametrize("address", ["10.0.0.7", "203.0.113.9", "2001:db8::1", "", "localhost"])
def test_nobody_else_sees_it_without_a_token(address: str) -> None:
    assert Client(REMOTE_ADDR=address).get("/metrics").status_code == 404


@pytest.mark.parametrize("header", ["x-forwarded-for", "x-forwarded-proto", "x-real-ip", "forwarded", "via"])
def test_a_proxy_on_this_machine_speaks_for_strangers(client: Client, header: str) -> None:
    assert scrape(client, **{header: "1.2.3.4"}) == 404


@pytest.mark.django_db
def test_with_a_token_who_has_it_sees_it_from_anywhere(settings: Settings) -> None:
    settings.METRICS_TOKEN = "seguro-7"
    far = Client(REMOTE_ADDR="10.0.0.7")
    assert scrape(far, authorization="Bearer seguro-7") == 200


@pytest.mark.parametrize(
    "given", ["", "seguro-7", "Bearer", "Bearer ", "Bearer seguro-8", "Basic seguro-7", "Bearer ñ"]
)
def test_with_a_token_nobody_without_it(client: Client, settings: Settings, given: str) -> None:
    settings.METRICS_TOKEN = "seguro-7"
    assert scrape(client, authorization=given) == 403


def test_it_is_for_reading(client: Client) -> None:
    assert client.post("/metrics").status_code == 405


def test_processes_that_share_a_folder_are_seen_together_alive_or_dead(tmp_path: Path) -> None:
    """Two workers count and end; a third process shows both, and its own."""
    for _ in range(2):
        python(COUNT + "metrics.turn_ended('done'); metrics.model_replied('offline', 0.2); os._exit(9)", tmp_path)
    shown = python(
        COUNT + "metrics.turn_ended('done')\n"
        "from prometheus_client import CollectorRegistry, generate_latest\n"
        "registry = CollectorRegistry(); registry.register(metrics.counted())\n"
        "print(generate_latest(registry).decode())",
        tmp_path,
    )
    assert 'aitools_turns_total{outcome="done"} 3.0' in shown
    assert 'aitools_model_seconds_count{kind="offline"} 2.0' in shown
    assert 'aitools_turns_total{outcome="failed"} 0.0' in shown


def test_files_of_ended_processes_become_one_and_no_counter_falls(tmp_path: Path) -> None:
    for _ in range(3):
        python(COUNT + "metrics.turn_ended('done'); metrics.model_replied('offline', 0.2)", tmp_path)
    alive = tmp_path / f"counter_{socket.gethostname()}-{os.getpid()}.db"
    elsewhere = tmp_path / "counter_another-machine-7.db"
    for path in (alive, elsewhere):
        MmapedDict(str(path)).close()  # type: ignore[no-untyped-call]
    before = together(tmp_path)
    assert merge_ended(str(tmp_path)) == 6
    assert together(tmp_path) == before
    assert before["aitools_turns_total"] == 3
    names = {path.name for path in tmp_path.glob("*.db")}
    ended = {f"{kind}_{socket.gethostname()}-ended.db" for kind in ("counter", "histogram")}
    assert names == ended | {alive.name, elsewhere.name}
    python(COUNT + "metrics.turn_ended('done')", tmp_path)
    assert merge_ended(str(tmp_path)) == 1
    assert together(tmp_path)["aitools_turns_total"] == 4


@pytest.mark.parametrize("step", ["replace", "unlink"])
@pytest.mark.parametrize("steps_done", range(4))
def test_a_start_that_is_killed_while_it_merges_counts_nothing_twice(
    step: str, steps_done: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for ended in (2**22 + 1, 2**22 + 2):
        file = MmapedDict(str(tmp_path / f"counter_{socket.gethostname()}-{ended}.db"))  # type: ignore[no-untyped-call]
        file.write_value(json.dumps(["a", "a_total", {}, ""]), 2.0, 0.0)  # type: ignore[no-untyped-call]
        file.close()  # type: ignore[no-untyped-call]
    done, act = [0], getattr(Path, step)

    def killed(*given: Any, **options: Any) -> Any:
        if done[0] == steps_done:
            raise KeyboardInterrupt
        done[0] += 1
        return act(*given, **options)

    with monkeypatch.context() as killing, suppress(KeyboardInterrupt):
        killing.setattr(Path, step, killed)
        merge_ended(str(tmp_path))
    merge_ended(str(tmp_path))
    assert together(tmp_path) == {"a_total": 4}
    assert {path.name for path in tmp_path.iterdir()} == {"lock", f"counter_{socket.gethostname()}-ended.db"}


def together(folder: Path) -> dict[str, float]:
    """Each series that is not 0, summed over its labels, as a scrape sees it."""
    collector = MultiProcessCollector(None, path=str(folder))  # type: ignore[no-untyped-call]
    summed: dict[str, float] = {}
    for metric in collector.collect():  # type: ignore[no-untyped-call]
        for sample in metric.samples:
            summed[sample.name] = summed.get(sample.name, 0) + sample.value
    return {name: value for name, value in summed.items() if value}


def test_a_folder_that_will_not_do_is_named_and_not_used(tmp_path: Path) -> None:
    problem = "import django; django.setup(); from django.conf import settings; print(*settings.ENVIRONMENT_PROBLEMS)"
    assert "PROMETHEUS_MULTIPROC_DIR must be a folder that this user can write to" in python(
        problem, tmp_path / "missing"
    )


def python(code: str, folder: Path) -> str:
    """What a process with this folder prints."""
    given = os.environ | {"PROMETHEUS_MULTIPROC_DIR": str(folder)}
    ran = subprocess.run([sys.executable, "-c", code], env=given, capture_output=True, text=True, check=False)
    assert ran.returncode in (0, 9), ran.stderr
    return ran.stdout
