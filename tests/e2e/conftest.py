"""One desk for all end-to-end tests; each test is another customer."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

from tests.e2e.stack import Stack, running_stack
from tests.e2e.texting import Texting
from tests.wire import whatsapp
from tests.wire.twilio import ACCOUNT_SID, AUTH_TOKEN, TwilioApi, twilio_api

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def twilio() -> Iterator[TwilioApi]:
    with twilio_api() as api:
        yield api


@pytest.fixture(scope="session")
def graph() -> Iterator[whatsapp.GraphApi]:
    with whatsapp.graph_api() as api:
        yield api


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory, twilio: TwilioApi, graph: whatsapp.GraphApi) -> Iterator[Stack]:
    environment = {
        "TWILIO_ACCOUNT_SID": ACCOUNT_SID,
        "TWILIO_AUTH_TOKEN": AUTH_TOKEN,
        "TWILIO_SMS_FROM": "+15550100199",
        "TWILIO_WHATSAPP_FROM": "whatsapp:+15550100188",
        "TWILIO_API_BASE_URL": twilio.base_url,
        "WHATSAPP_PHONE_NUMBER_ID": whatsapp.PHONE_NUMBER_ID,
        "WHATSAPP_TOKEN": whatsapp.TOKEN,
        "WHATSAPP_APP_SECRET": whatsapp.APP_SECRET,
        "WHATSAPP_VERIFY_TOKEN": whatsapp.VERIFY_TOKEN,
        "WHATSAPP_API_BASE_URL": graph.base_url,
    }
    with running_stack(tmp_path_factory.mktemp("logs"), **environment) as desk:
        yield desk


@pytest.fixture
def texting(stack: Stack, twilio: TwilioApi) -> Texting:
    """A new customer on WhatsApp."""
    return Texting(stack, twilio, f"+1555010{next(_numbers):04d}")


@pytest.fixture
def worker(stack: Stack) -> None:
    """One worker runs; it stays for the tests after this one."""
    if not stack.workers():
        stack.start_worker()


@pytest.fixture
def no_worker(stack: Stack) -> Iterator[None]:
    """No worker runs, and none of the test's own is left over."""
    _end_workers(stack)
    yield
    _end_workers(stack)
    stack.shift_clock(0)


def _end_workers(stack: Stack) -> None:
    for process in stack.workers():
        stack.kill(process)
    stack.flush_redis()
