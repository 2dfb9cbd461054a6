"""The broker: what is published where, and how little its absence costs."""

import ssl
import time
from typing import Any

import pytest
import redis
from django.conf import settings
from kombu.exceptions import OperationalError

from aitools import sweep as sweeping
from aitools import tasks
from bakery import broker
from bakery.celery import SWEEP_SECONDS, app


def test_publishing_without_a_broker_fails_at_once() -> None:
    """A webhook has stored its row by then; the sweep wakes the conversation."""
    started = time.monotonic()
    with app.connection_for_write("redis://127.0.0.1:1/0") as connection, pytest.raises(OperationalError):
        app.send_task("aitools.tasks.advance", args=[1], connection=connection)
    assert time.monotonic() - started < 3


def test_the_sweep_runs_often_and_clocks_that_are_apart_drop_none() -> None:
    """What beat publishes expires by the worker's clock."""
    sweep = app.conf.beat_schedule["sweep"]
    assert sweep["task"] == "aitools.tasks.sweep"
    assert sweep["schedule"] == SWEEP_SECONDS <= 15
    assert sweep["options"]["expires"] >= 3600
    assert tasks.sweep.expires is None


def test_sweeps_that_piled_up_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    swept: list[float] = []
    monkeypatch.setattr(sweeping, "sweep", lambda: swept.append(time.monotonic()))
    monkeypatch.setattr(sweeping, "_last", [-sweeping.LEAST_SECONDS])
    for _ in range(240):
        tasks.sweep()
    assert len(swept) == 1
    monkeypatch.setattr(sweeping, "_last", [time.monotonic() - sweeping.LEAST_SECONDS])
    tasks.sweep()
    assert len(swept) == 2
    assert sweeping.LEAST_SECONDS < SWEEP_SECONDS


def test_sends_do_not_wait_behind_turns() -> None:
    def queue(task: str) -> str:
        route = app.amqp.router.route({}, task)
        assert route
        name: str = route["queue"].name
        return name

    assert queue("aitools.tasks.deliver") != queue("aitools.tasks.advance")


def test_a_task_is_published_once() -> None:
    """Queues that share an exchange and a key would both get it."""
    names = [f"{settings.REDIS_PREFIX}{queue}" for queue in ("turns", "sends")]
    with redis.Redis.from_url(settings.REDIS_URL) as client:
        client.delete(*names)  # what earlier tests of this process woke
        app.send_task("aitools.tasks.advance", args=[1])
        app.send_task("aitools.tasks.deliver", args=[1])
        lengths = [client.llen(name) for name in names]
        client.delete(*names)
    assert lengths == [1, 1]


def test_only_json_is_accepted() -> None:
    assert app.conf.accept_content == ["json"]
    assert app.conf.task_serializer == "json"


def test_keys_in_the_broker_carry_the_prefix() -> None:
    with app.connection_for_write() as connection:
        options = connection.transport_options or {}
    assert options["global_keyprefix"] == settings.REDIS_PREFIX


def test_old_conversations_are_emptied_once_a_day() -> None:
    purge = app.conf.beat_schedule["purge"]
    assert purge["task"] == "aitools.tasks.purge"
    assert purge["task"] == tasks.purge.name
    assert len(purge["schedule"].hour) == len(purge["schedule"].minute) == 1


def test_a_lost_connection_is_told_as_one_and_ends_no_worker() -> None:
    """kombu forgets where it led; what is closed or acknowledged there afterwards must fail as Celery expects."""
    with app.connection_for_write() as connection:
        channel: Any = connection.default_channel
        connection.transport.client = None
        with pytest.raises(connection.connection_errors):
            channel._connparams()


def test_a_secure_address_is_spoken_to_securely() -> None:
    """Celery takes False for a plain connection; the certificate is checked as redis-py checks it."""
    assert broker.tls("redis://h:6379/0") is False
    assert broker.tls("rediss://h:6380/0") == {"ssl_cert_reqs": ssl.CERT_REQUIRED}
    assert app.conf.broker_use_ssl == broker.tls(settings.REDIS_URL)
