"""The examples in deploy/ are valid, say the same as each other and the documentation, and name what there is."""

from __future__ import annotations

import re
import shutil
import subprocess
from configparser import ConfigParser
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.validators import MaxValueValidator
from prometheus_client import Counter, Histogram

from aitools import gauges, metrics
from aitools.models import ModelEndpoint
from bakery.demo import __main__ as demo

PROJECT = Path(__file__).parents[1]
DEPLOY = PROJECT / "deploy"
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
OPERATIONS = (PROJECT / "docs" / "operations.md").read_text()
ALARMS = (PROJECT / "docs" / "alarms.md").read_text()
RULES = [rule for group in yaml.safe_load((DEPLOY / "alerts.yml").read_text())["groups"] for rule in group["rules"]]


def unit(path: Path) -> ConfigParser:
    parser = ConfigParser(interpolation=None, strict=False)
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read_string(path.read_text())
    return parser


def service(name: str) -> dict[str, Any]:
    services: dict[str, dict[str, Any]] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    return services[name]


def commands_of_units() -> set[str]:
    """What each unit starts, as a shell would write it; the worker's once for each queue."""
    lines = [unit(path)["Service"]["ExecStart"].removeprefix("/srv/bakery/.venv/bin/") for path in UNITS]
    queues = ("turns", "sends")
    return {line.replace("%i", queue).replace("%H", "%h") for line in lines for queue in queues}


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_systemd_takes_the_unit(path: Path, tmp_path: Path) -> None:
    """With this checkout in the place of the installed one: systemd looks whether the program is there."""
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd is not installed here")
    copy = tmp_path / path.name
    copy.write_text(path.read_text().replace("/srv/bakery", str(PROJECT)))
    checked = subprocess.run(["systemd-analyze", "verify", copy], capture_output=True, text=True, check=False)
    told = [line for line in checked.stderr.splitlines() if path.stem.rstrip("@") in line]
    assert told == []


def test_units_containers_and_page_start_the_same() -> None:
    in_compose = {service(name)["command"] for name in ("web", "turns", "sends", "beat")}
    on_page = set(re.findall(r"^\| \w+ \| `(python [^`]+)` \|", OPERATIONS, re.MULTILINE))
    assert commands_of_units() == in_compose == on_page


def test_the_demo_runs_the_same_programs() -> None:
    programs = {" ".join(command.split()[:3]) for command in commands_of_units()}
    assert programs == {"python -m gunicorn", "python -m celery"}
    for command in demo._COMMANDS.values():
        words = [word for word in command[1:] if not word.startswith("-W")]
        assert " ".join(["python", *words[:2]]) in programs
    assert {"--pool=threads", "--concurrency=8"} <= set(demo._COMMANDS["worker"])


def test_who_counts_together_counts_in_one_folder() -> None:
    counting = [path for path in UNITS if "beat" not in path.name]
    folders = {unit(path)["Service"]["Environment"] for path in counting}
    assert folders == {"PROMETHEUS_MULTIPROC_DIR=/run/bakery-metrics"}
    assert all(unit(path)["Service"]["ReadWritePaths"] == "/run/bakery-metrics" for path in counting)
    assert "d /run/bakery-metrics 0750 bakery bakery" in (DEPLOY / "systemd" / "bakery-metrics.conf").read_text()
    assert {str(service(name)["volumes"]) for name in ("web", "turns", "sends")} == {"['metrics:/metrics']"}
    assert service("web")["environment"] == {"PROMETHEUS_MULTIPROC_DIR": "/metrics"}


def test_a_stop_is_given_longer_than_the_longest_call() -> None:
    bounds = ModelEndpoint._meta.get_field("timeout_seconds").validators
    (longest,) = [bound.limit_value for bound in bounds if isinstance(bound, MaxValueValidator)]
    (worker,) = [unit(path)["Service"]["TimeoutStopSec"] for path in UNITS if "worker" in path.name]
    assert int(worker) > int(str(longest))
    assert service("turns")["stop_grace_period"] == service("sends")["stop_grace_period"] == f"{worker}s"
    graceful = re.search(r"^graceful_timeout = (\d+)$", (PROJECT / "gunicorn.conf.py").read_text(), re.MULTILINE)
    assert graceful
    (web,) = [unit(path)["Service"]["TimeoutStopSec"] for path in UNITS if "web" in path.name]
    assert int(web) > int(graceful[1])
    assert service("web")["stop_grace_period"] == f"{web}s"


def known() -> dict[str, set[str]]:
    """Every series there can be, with its labels."""
    series: dict[str, set[str]] = {name: set() for name in ("aitools_database_up", *(row[0] for row in gauges.GAUGES))}
    series[gauges.BREAKER] = set(gauges.BREAKER_LABELS)
    for metric in vars(metrics).values():
        if isinstance(metric, Counter):
            series[f"{metric._name}_total"] = set(metric._labelnames)
        elif isinstance(metric, Histogram):
            labels = set(metric._labelnames)
            series |= {f"{metric._name}_bucket": labels | {"le"}, f"{metric._name}_count": labels}
    return series


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["alert"])
def test_each_alarm_reads_what_is_counted(rule: dict[str, Any]) -> None:
    expression, series = rule["expr"], known()
    named = re.findall(r"(aitools_\w+)(?:\{([^}]*)\})?", expression)
    assert [name for name, _ in named if name not in series] == []
    assert named or expression.startswith("up{")
    labels = {label for _, given in named for label in re.findall(r"(\w+)=", given)}
    grouped = {label for given in re.findall(r"by \(([^)]*)\)", expression) for label in given.split(", ")}
    assert labels | grouped <= set().union(*(series[name] for name, _ in named))
    assert rule["labels"]["severity"] in ("page", "staff", "operator")


def test_the_page_says_of_each_alarm_and_of_each_metric_what_it_means() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", ALARMS, re.MULTILINE)
    alarms = [row for row in rows if not row.startswith("aitools_")]
    assert alarms == [rule["alert"] for rule in RULES]
    described = {row for row in rows if row.startswith("aitools_")}
    assert described == {re.sub(r"_(bucket|count)$", "", name) for name in known()}


def test_nothing_in_deploy_is_a_secret() -> None:
    text = "".join(path.read_text() for path in DEPLOY.rglob("*") if path.is_file())
    assert re.findall(r"(?:KEY|TOKEN|PASSWORD)=(\S+)", text) == ["build"]
