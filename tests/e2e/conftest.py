"""One desk for all end-to-end tests; each test is another customer."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

from tests.e2e.stack import Stack, running_stack
from tests.e2e.texting import Texting
from tests.wire.twilio import ACCOUNT_SID, AUTH_TOKEN, TwilioApi, twilio_api

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def twilio() -> Iterator[TwilioApi]:
    with twilio_api() as api:
        yield api


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory, twilio: TwilioApi) -> Iterator[Stack]:
    environment = {
        "TWILIO_ACCOUNT_SID": ACCOUNT_SID,
        "TWILIO_AUTH_TOKEN": AUTH_TOKEN,
        "TWILIO_SMS_FROM": "+15550100199",
        "TWILIO_WHATSAPP_FROM": "whatsapp:+15550100188",
        "TWILIO_API_BASE_URL": twilio.base_url,
    }
    with running_stack(tmp_path_factory.mktemp("logs"), **environment) as desk:
        yield desk


@pytest.fixture
def texting(stack: Stack, twilio: TwilioApi) -> Iterator[Texting]:
    """A new customer on WhatsApp, and no worker left over from another test."""
    yield Texting(stack, twilio, f"+1555010{next(_numbers):04d}")
    for process in [p for p in stack.processes if "celery" in str(p.args)]:
        stack.kill(process)
    stack.shift_clock(0)
    stack.flush_redis()
