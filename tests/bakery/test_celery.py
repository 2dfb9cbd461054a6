"""The broker: what is published where, and how little its absence costs."""

import time

import pytest
from django.conf import settings
from kombu.exceptions import OperationalError

from bakery.celery import SWEEP_SECONDS, app


def test_publishing_without_a_broker_fails_at_once() -> None:
    """A webhook has stored its row by then; the sweep wakes the conversation."""
    started = time.monotonic()
    with app.connection_for_write("redis://127.0.0.1:1/0") as connection, pytest.raises(OperationalError):
        app.send_task("aitools.tasks.advance", args=[1], connection=connection)
    assert time.monotonic() - started < 3


def test_the_sweep_runs_often_and_never_piles_up() -> None:
    sweep = app.conf.beat_schedule["sweep"]
    assert sweep["task"] == "aitools.tasks.sweep"
    assert sweep["schedule"] == SWEEP_SECONDS <= 15
    assert sweep["options"]["expires"] <= SWEEP_SECONDS


def test_sends_do_not_wait_behind_turns() -> None:
    route = app.amqp.router.route
    assert route({}, "aitools.tasks.deliver")["queue"].name != route({}, "aitools.tasks.advance")["queue"].name


def test_only_json_is_accepted() -> None:
    assert app.conf.accept_content == ["json"]
    assert app.conf.task_serializer == "json"


def test_keys_in_the_broker_carry_the_prefix() -> None:
    with app.connection_for_write() as connection:
        assert connection.transport_options["global_keyprefix"] == settings.REDIS_PREFIX
