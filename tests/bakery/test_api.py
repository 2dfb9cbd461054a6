"""What a vendor is told when a webhook could not be stored."""

from __future__ import annotations

import pytest
from django.db import InterfaceError, OperationalError
from django.test import Client
from pytest_django import Settings

from aitools import inbox
from tests.wire.twilio import ACCOUNT_SID, AUTH_TOKEN, signed_post

FORM = {
    "MessageSid": "SM00000000000000000000000000000001",
    "AccountSid": ACCOUNT_SID,
    "From": "+15550100001",
    "To": "+15550100199",
    "Body": "hola",
    "NumMedia": "0",
}


@pytest.mark.parametrize("fault", [OperationalError, InterfaceError])
def test_a_database_that_is_away_is_503_so_that_the_vendor_comes_again(
    client: Client, settings: Settings, monkeypatch: pytest.MonkeyPatch, fault: type[Exception]
) -> None:
    def away(*args: object) -> None:
        raise fault

    settings.TWILIO_AUTH_TOKEN = AUTH_TOKEN
    monkeypatch.setattr(inbox, "receive", away)
    answer = signed_post(client, "/webhooks/twilio", FORM)
    assert (answer.status_code, answer.content, answer.headers["Retry-After"]) == (503, b"", "5")


def test_a_fault_of_ours_is_no_503(client: Client, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """A message that breaks us would break us again: it is logged as an error, and seen."""

    def broken(*args: object) -> None:
        raise ValueError

    settings.TWILIO_AUTH_TOKEN = AUTH_TOKEN
    client.raise_request_exception = False
    monkeypatch.setattr(inbox, "receive", broken)
    assert signed_post(client, "/webhooks/twilio", FORM).status_code == 500
