"""The account the recorded requests were signed for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_django import Settings

from aitools.providers import http
from tests.wire import whatsapp
from tests.wire.twilio import ACCOUNT_SID, AUTH_TOKEN


@pytest.fixture(autouse=True)
def twilio_account(settings: Settings) -> None:
    settings.PUBLIC_URL = "https://desk.example"
    settings.TWILIO_ACCOUNT_SID = ACCOUNT_SID
    settings.TWILIO_AUTH_TOKEN = AUTH_TOKEN
    settings.TWILIO_SHARED_KEY_SECRET = "test-shared-key-secret-0001"
    settings.TWILIO_SMS_FROM = "+15550100199"
    settings.TWILIO_WHATSAPP_FROM = "whatsapp:+15550100188"
    settings.TWILIO_API_BASE_URL = ""
    settings.TWILIO_QUESTION_CONTENT_SIDS = {}
    settings.TWILIO_LATE_CONTENT_SIDS = {}


@pytest.fixture(autouse=True)
def whatsapp_number(settings: Settings) -> None:
    settings.WHATSAPP_PHONE_NUMBER_ID = whatsapp.PHONE_NUMBER_ID
    settings.WHATSAPP_TOKEN = whatsapp.TOKEN
    settings.WHATSAPP_APP_SECRET = whatsapp.APP_SECRET
    settings.WHATSAPP_VERIFY_TOKEN = whatsapp.VERIFY_TOKEN
    settings.WHATSAPP_API_BASE_URL = ""
    settings.WHATSAPP_LATE_TEMPLATES = {}


@pytest.fixture(scope="session")
def graph_server() -> Iterator[whatsapp.GraphServer]:
    with whatsapp.graph_server() as server:
        yield server
    http.close_clients()


@pytest.fixture
def graph(graph_server: whatsapp.GraphServer, settings: Settings) -> whatsapp.GraphApi:
    """Meta's side of our number, with nothing sent yet."""
    api = graph_server.fresh()
    settings.WHATSAPP_API_BASE_URL = api.base_url
    return api
