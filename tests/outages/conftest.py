"""A desk whose servers and processes break; each test is other customers."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.e2e.servers import Servers, own_servers
from tests.e2e.stack import Stack, running_stack
from tests.e2e.texting import Texting
from tests.outages import rest
from tests.wire.twilio import ACCOUNT_SID, AUTH_TOKEN, TwilioApi, twilio_api

_numbers = itertools.count(1)

NewCustomer = Callable[[], Texting]
Figure = Callable[[str], None]


@pytest.fixture(scope="session")
def twilio() -> Iterator[TwilioApi]:
    with twilio_api() as api:
        yield api


@pytest.fixture(scope="session")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    with own_servers(tmp_path_factory.mktemp("servers")) as own:
        yield own


@pytest.fixture(scope="session")
def desk(tmp_path_factory: pytest.TempPathFactory, servers: Servers, twilio: TwilioApi) -> Iterator[Stack]:
    environment = servers.environment | {
        "TWILIO_ACCOUNT_SID": ACCOUNT_SID,
        "TWILIO_AUTH_TOKEN": AUTH_TOKEN,
        "TWILIO_SMS_FROM": "+15550100199",
        "TWILIO_WHATSAPP_FROM": "whatsapp:+15550100188",
        "TWILIO_API_BASE_URL": twilio.base_url,
    }
    with running_stack(tmp_path_factory.mktemp("logs"), **environment) as stack:
        yield stack


@pytest.fixture
def stack(desk: Stack) -> Iterator[Stack]:
    """The desk with its web alone; after the test everything is at rest, and its workers are gone."""
    yield desk
    for process in list(desk.workers()):
        desk.kill(process)
    desk.flush_redis()
    desk.shift_clock(0)


@pytest.fixture
def customer(desk: Stack, twilio: TwilioApi) -> NewCustomer:
    """Makes a new customer on WhatsApp."""
    return lambda: Texting(desk, twilio, f"+1555010{next(_numbers):04d}")


@pytest.fixture
def figure(record_property: Callable[[str, object], None]) -> Figure:
    """Takes a line of figures that the run prints at its end."""
    return lambda line: record_property("figure", line)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """The figures of all tests, those of other processes too."""
    reports = terminalreporter.stats.get("passed", [])
    lines = [value for report in reports for name, value in report.user_properties if name == "figure"]
    if lines:
        terminalreporter.section("figures")
        terminalreporter.write("\n".join([*lines, ""]))


@pytest.fixture
def workers(stack: Stack) -> Iterator[None]:
    """Two workers and beat run; whatever happens, in the end nothing is left undone."""
    stack.start_worker()
    stack.start_worker()
    stack.start_beat()
    yield
    rest.assert_at_rest(stack)
