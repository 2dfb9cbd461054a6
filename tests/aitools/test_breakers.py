"""Breakers: a model that keeps failing is left alone by all workers, and tried by one."""

from __future__ import annotations

import subprocess
import sys
import uuid
from collections.abc import Iterator
from dataclasses import replace

import pytest
from django.conf import settings as in_force

from aitools import breakers, caps
from aitools.breakers import FAILURES, LONGEST_OPEN_SECONDS, OPEN_SECONDS, Leave, State
from aitools.providers.base import EndpointConfig
from tests.aitools.threads import together


@pytest.fixture
def endpoint() -> Iterator[EndpointConfig]:
    """A model nobody has asked before."""
    made = EndpointConfig(kind="anthropic", model=str(uuid.uuid4()), endpoint_id=7, timeout_seconds=3)
    yield made
    breakers.reset(made)


def fail(endpoint: EndpointConfig, times: int = FAILURES) -> None:
    for _ in range(times):
        breakers.failed(endpoint, "timeout")


def seconds_open(endpoint: EndpointConfig) -> int:
    left: int = caps.client_of(in_force.REDIS_URL).ttl(breakers._key(endpoint, "open"))
    return left


def wait_out(endpoint: EndpointConfig) -> None:
    """The time that it stays open is over."""
    caps.client_of(in_force.REDIS_URL).delete(breakers._key(endpoint, "open"))


def test_it_opens_with_the_last_failure_and_not_before(endpoint: EndpointConfig) -> None:
    fail(endpoint, FAILURES - 1)
    assert breakers.leave_for(endpoint) == Leave(clean=False)
    fail(endpoint, 1)
    assert breakers.leave_for(endpoint).why_not
    assert breakers.state_of(endpoint) is State.OPEN


def test_a_reply_in_between_starts_the_count_anew(endpoint: EndpointConfig) -> None:
    fail(endpoint, FAILURES - 1)
    breakers.answered(endpoint, breakers.leave_for(endpoint))
    fail(endpoint, 1)
    assert not breakers.leave_for(endpoint).why_not


@pytest.mark.parametrize("kind", ["context_overflow", "invalid_request", "tools_unsupported", "auth"])
def test_what_is_no_fault_of_the_endpoint_does_not_count(endpoint: EndpointConfig, kind: str) -> None:
    for _ in range(FAILURES):
        breakers.failed(endpoint, kind)
    assert breakers.leave_for(endpoint) == Leave()


def test_then_one_request_tries_and_the_others_wait_for_it(endpoint: EndpointConfig) -> None:
    fail(endpoint)
    wait_out(endpoint)
    assert breakers.state_of(endpoint) is State.HALF_OPEN
    leaves: list[Leave] = []
    together(*[lambda: leaves.append(breakers.leave_for(endpoint))] * 4)
    assert sorted(leave.is_probe for leave in leaves) == [False, False, False, True]
    assert sum(bool(leave.why_not) for leave in leaves) == 3


def test_a_probe_that_is_answered_closes_it(endpoint: EndpointConfig) -> None:
    fail(endpoint)
    wait_out(endpoint)
    breakers.answered(endpoint, breakers.leave_for(endpoint))
    assert breakers.leave_for(endpoint) == Leave()


def test_each_failed_probe_doubles_the_time_up_to_the_longest(endpoint: EndpointConfig) -> None:
    fail(endpoint)
    seconds = [seconds_open(endpoint)]
    for _ in range(5):
        wait_out(endpoint)
        assert breakers.leave_for(endpoint).is_probe
        fail(endpoint, 1)
        seconds.append(seconds_open(endpoint))
    expected = [min(OPEN_SECONDS * 2**n, LONGEST_OPEN_SECONDS) for n in range(6)]
    assert all(given - 2 <= left <= given for given, left in zip(expected, seconds, strict=True))


def test_failures_at_the_same_instant_open_it_once(endpoint: EndpointConfig) -> None:
    together(*[lambda: breakers.failed(endpoint, "server")] * (FAILURES * 2))
    assert seconds_open(endpoint) in (OPEN_SECONDS - 1, OPEN_SECONDS)


def test_another_process_sees_it(endpoint: EndpointConfig) -> None:
    """The other one counts failures; this one is told to leave the model alone."""
    code = (
        "import django; django.setup()\n"
        "from aitools import breakers\nfrom aitools.providers.base import EndpointConfig\n"
        f"one = EndpointConfig(kind='anthropic', model={endpoint.model!r}, endpoint_id=7)\n"
        f"for _ in range({FAILURES}): breakers.failed(one, 'timeout')\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
    assert breakers.leave_for(endpoint).why_not


def test_another_model_at_the_same_row_is_another_endpoint(endpoint: EndpointConfig) -> None:
    fail(endpoint)
    assert breakers.leave_for(replace(endpoint, model="another")) == Leave()


def test_a_broken_one_is_tried_by_one_request_at_a_time(endpoint: EndpointConfig) -> None:
    assert breakers.rest(endpoint)
    broken = replace(endpoint, broken=True)
    assert breakers.leave_for(broken).why_not == "broken"
    caps.client_of(in_force.REDIS_URL).delete(breakers._key(endpoint, "broken"))
    assert [breakers.leave_for(broken).is_probe for _ in range(2)] == [True, False]


@pytest.mark.usefixtures("without_redis")
def test_without_redis_all_are_closed_and_broken_ones_rest(endpoint: EndpointConfig) -> None:
    fail(endpoint)
    assert breakers.leave_for(endpoint) == Leave()
    assert breakers.leave_for(replace(endpoint, broken=True)).why_not == "broken"
    assert breakers.state_of(endpoint) is State.CLOSED


def test_the_order_taker_needs_none() -> None:
    assert breakers.leave_for(EndpointConfig(kind="offline")) == Leave()
