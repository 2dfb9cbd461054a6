"""What the engine may rely on, whichever channel it is."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from urllib.parse import urlencode

import pytest
from django.conf import settings as configured
from django.contrib.sessions.backends.signed_cookies import SessionStore
from django.http import HttpRequest
from django.test import RequestFactory
from pytest_django import Settings

from aitools.channels.base import Channel, EventKind, OutgoingMessage, Sent, channel_for
from aitools.errors import ConfigurationError, SignatureError
from aitools.types import Button
from tests.wire.twilio import twilio_api
from tests.wire.whatsapp import GraphApi

NAMES = sorted(configured.AITOOLS_CHANNELS)
#: Their vendors list nothing; what came of a send is told by a status with our row's id.
PROVED_BY_STATUS = {"whatsapp_cloud"}
GARBAGE = [b"", b"\x00", b"{", b"[" * 5000, b"\xff\xfe", urlencode({"MessageSid": "\x00", "From": "x" * 9999}).encode()]


@pytest.fixture(params=NAMES)
def channel(request: pytest.FixtureRequest, graph: GraphApi, settings: Settings) -> Iterator[Channel]:
    with twilio_api() as api:
        settings.TWILIO_API_BASE_URL = api.base_url
        yield channel_for(request.param)


def posted(body: bytes, content_type: str) -> HttpRequest:
    request = RequestFactory().post("/", data=body, content_type=content_type)
    request.session = SessionStore()
    return request


def test_it_answers_to_the_name_it_is_configured_under(channel: Channel) -> None:
    assert configured.AITOOLS_CHANNELS[channel.name].rpartition(".")[2] == type(channel).__name__


def test_its_capabilities_make_sense(channel: Channel) -> None:
    can = channel.capabilities

    assert can.measure("x" * 160) <= can.text_limit
    assert can.limit(beside_buttons=True) <= can.limit(beside_buttons=False)
    assert can.window_hours is None or can.window_hours > 0
    assert all(word == word.strip().upper() for word in can.opt_out_words)


def test_a_stranger_is_refused(channel: Channel) -> None:
    with pytest.raises(SignatureError):
        channel.verify(posted(b"Body=hola", "application/x-www-form-urlencoded"))


@pytest.mark.parametrize("content_type", ["application/json", "application/x-www-form-urlencoded"])
@pytest.mark.parametrize("body", GARBAGE)
def test_no_content_makes_parsing_fail(body: bytes, content_type: str, channel: Channel) -> None:
    events = channel.parse(posted(body, content_type))

    assert all(event.kind is EventKind.SYSTEM and not event.address for event in events)


def test_what_was_sent_can_be_found_again_where_the_vendor_lists_it(channel: Channel) -> None:
    since = datetime.now(UTC)
    question = OutgoingMessage("7e0a", "", "+573000000001", "¿Confirmas?", (Button("yes", "Sí"), Button("no", "No")))

    sent = channel.send(question)

    assert isinstance(sent, Sent)
    assert sent.provider_id
    found = channel.find_sent(question, since)
    if channel.name in PROVED_BY_STATUS:
        assert found is None
        return
    assert found is not None
    assert found.provider_id == sent.provider_id


def test_an_unknown_channel_is_a_configuration_error() -> None:
    with pytest.raises(ConfigurationError, match="pigeon"):
        channel_for("pigeon")
