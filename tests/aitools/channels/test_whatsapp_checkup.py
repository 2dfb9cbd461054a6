"""`manage.py check_channels` says what is wrong with the Cloud API's set-up, in words that help."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from aitools.channels.whatsapp import WhatsAppCloud
from aitools.models import InboundEvent
from tests.wire.whatsapp import GraphApi

CHANNEL = WhatsAppCloud()
HTTPS = "Meta calls https only"


@pytest.fixture
def graph(graph: GraphApi, settings: Settings, live_server: LiveServer) -> GraphApi:
    """A set-up where all is right but the scheme of the address, which a test's server can't have."""
    settings.PUBLIC_URL = live_server.url
    settings.AITOOLS_CHANNELS = {"whatsapp_cloud": settings.AITOOLS_CHANNELS["whatsapp_cloud"]}
    return graph


def problems() -> list[str]:
    return [line for line in CHANNEL.check().problems if HTTPS not in line]


def test_a_right_set_up_has_no_problem_and_says_whose_number_it_is(graph: GraphApi) -> None:
    assert problems() == []
    assert CHANNEL.check().facts == ("Number +1 202-555-0177, called 'Panadería' at Meta.",)
    assert not graph.messages
    assert not InboundEvent.objects.exists()


def test_an_address_without_tls_is_a_problem(graph: GraphApi) -> None:
    assert HTTPS in CHANNEL.check().problems[0]


def test_what_is_not_set_is_named_with_where_to_find_it(settings: Settings) -> None:
    settings.WHATSAPP_TOKEN = settings.WHATSAPP_APP_SECRET = ""

    names = [line.partition(" ")[0] for line in CHANNEL.check().problems]

    assert names == ["WHATSAPP_TOKEN", "WHATSAPP_APP_SECRET"]


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("WHATSAPP_TOKEN", "expired", "Meta refuses WHATSAPP_TOKEN"),
        ("WHATSAPP_PHONE_NUMBER_ID", "12345", "Meta knows no number"),
        ("WHATSAPP_API_BASE_URL", "http://127.0.0.1:9", "Meta does not answer"),
        ("PUBLIC_URL", "http://127.0.0.1:9", "can't be reached"),
        ("PUBLIC_URL", "{}/elsewhere", "does not answer Meta's question (HTTP 404)"),
    ],
)
def test_what_is_wrong_is_said_in_plain_words(
    name: str, value: str, words: str, graph: GraphApi, settings: Settings
) -> None:
    setattr(settings, name, value.format(settings.PUBLIC_URL))

    (problem,) = problems()

    assert words in problem
    assert "expired" not in problem or "or has expired" in problem


def test_webhooks_that_go_elsewhere_are_seen(graph: GraphApi) -> None:
    graph.number["webhook_configuration"] = {"application": "https://old.example/webhooks/whatsapp"}

    (problem,) = problems()

    assert "https://old.example/webhooks/whatsapp" in problem


def test_a_number_that_customers_block_is_told(graph: GraphApi) -> None:
    graph.number["quality_rating"] = "RED"

    assert ["RED" in problem for problem in problems()] == [True]


def test_the_command_prints_the_problems_and_fails(graph: GraphApi, settings: Settings) -> None:
    settings.WHATSAPP_TOKEN = ""
    printed = StringIO()

    with pytest.raises(CommandError, match="whatsapp_cloud"):
        call_command("check_channels", stdout=printed)

    assert printed.getvalue().startswith("whatsapp_cloud: something is wrong.\n  ✗ WHATSAPP_TOKEN is not set: ")


def test_a_channel_that_nobody_set_up_is_no_problem(settings: Settings) -> None:
    settings.AITOOLS_CHANNELS = {"whatsapp_cloud": settings.AITOOLS_CHANNELS["whatsapp_cloud"]}
    for name in ("PHONE_NUMBER_ID", "TOKEN", "APP_SECRET", "VERIFY_TOKEN"):
        setattr(settings, f"WHATSAPP_{name}", "")
    printed = StringIO()

    call_command("check_channels", stdout=printed)

    assert printed.getvalue() == "whatsapp_cloud: not set up.\n"
