"""Files of customers come from the vendor's hosts, bounded in size and time, and are what they are said to be."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest
from django.http import HttpRequest
from django.test import RequestFactory
from pytest_django import Settings

from aitools.channels import download, filetypes
from aitools.channels.base import Fetched, Fetches, Unfetched, channel_for
from aitools.channels.twilio import TwilioWhatsApp
from aitools.channels.twilio import media as twilio_media
from aitools.channels.whatsapp import WhatsAppCloud
from aitools.channels.whatsapp import media as whatsapp_media
from aitools.types import Json
from tests.wire import whatsapp
from tests.wire.files import HTML, JPEG, OGG, PDF, PNG, File, Shelf
from tests.wire.twilio import TwilioApi, twilio_api
from tests.wire.whatsapp import GraphApi

MEGABYTE = 1024 * 1024
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'
HUGE = JPEG + b"\x00" * MEGABYTE


@dataclass
class Vendor:
    """One vendor's side: ``keep`` stores a file and gives what the webhook would say of it."""

    channel: Fetches
    shelf: Shelf
    keep: Callable[[File], dict[str, Json]]

    def fetch(self, file: File) -> Fetched | Unfetched:
        return self.channel.fetch(self.keep(file))


def medium(ref: str, mime_type: str = "image/jpeg") -> dict[str, Json]:
    return {"kind": "image", "mime_type": mime_type, "ref": ref, "filename": None}


@pytest.fixture
def twilio(settings: Settings) -> Iterator[TwilioApi]:
    with twilio_api() as api:
        settings.TWILIO_API_BASE_URL = api.base_url
        yield api


@pytest.fixture(params=["twilio_sms", "twilio_whatsapp", "whatsapp_cloud"])
def vendor(
    request: pytest.FixtureRequest, twilio: TwilioApi, graph: GraphApi, monkeypatch: pytest.MonkeyPatch
) -> Vendor:
    monkeypatch.setattr(twilio_media, "AGAIN_SECONDS", 0)
    channel = channel_for(request.param)
    assert isinstance(channel, Fetches)
    if request.param == "whatsapp_cloud":
        return Vendor(channel, graph.shelf, lambda file: medium(graph.keep(file), file.mime_type))
    return Vendor(channel, twilio.shelf, lambda file: medium(twilio.keep(File(), stored=file), file.mime_type))


@pytest.mark.parametrize(
    ("content", "mime_type", "found"),
    [
        (JPEG, "image/jpeg", "image/jpeg"),
        (PNG, "image/png", "image/png"),
        (OGG, "audio/ogg; codecs=opus", "audio/ogg"),
        (PDF, "application/pdf", "application/pdf"),
        (b"BEGIN:VCARD\nFN:Ana\nEND:VCARD", "text/x-vcard", "text/vcard"),
    ],
)
def test_a_file_comes_with_its_type(vendor: Vendor, content: bytes, mime_type: str, found: str) -> None:
    assert vendor.fetch(File(content, mime_type)) == Fetched(content, found)


@pytest.mark.parametrize(
    ("file", "why"),
    [
        (File(status=404), Unfetched.GONE),
        (File(status=410), Unfetched.GONE),
        (File(status=403), Unfetched.REFUSED),
        (File(status=503), Unfetched.AWAY),
        (File(HTML), Unfetched.NOT_ALLOWED),
        (File(HTML, "text/html"), Unfetched.NOT_ALLOWED),
        (File(JPEG, "text/html"), Unfetched.NOT_ALLOWED),
        (File(SVG, "image/svg+xml"), Unfetched.NOT_ALLOWED),
        (File(SVG, "text/plain"), Unfetched.NOT_ALLOWED),
        (File(PNG, "image/jpeg"), Unfetched.NOT_ALLOWED),
        (File(b"", "image/jpeg"), Unfetched.NOT_ALLOWED),
        (File(encoding="gzip"), Unfetched.NOT_ALLOWED),
        (File(HUGE), Unfetched.TOO_LARGE),
        (File(HUGE, length=False), Unfetched.TOO_LARGE),
    ],
)
def test_what_can_not_be_shown_says_why(vendor: Vendor, settings: Settings, file: File, why: Unfetched) -> None:
    settings.MEDIA_MAX_MEGABYTES = 1
    assert vendor.fetch(file) is why


def test_a_server_that_drips_holds_nobody(vendor: Vendor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(twilio_media, "FETCH_SECONDS", 0.4)
    monkeypatch.setattr(whatsapp_media, "FETCH_SECONDS", whatsapp_media.ASK_SECONDS + 0.4)
    assert vendor.fetch(File(drip=True)) is Unfetched.AWAY


def test_what_the_server_leaves_open_the_webhook_tells(vendor: Vendor) -> None:
    kept = vendor.keep(File(mime_type="application/octet-stream"))
    assert vendor.channel.fetch({**kept, "mime_type": "image/jpeg"}) == Fetched(JPEG, "image/jpeg")
    assert vendor.channel.fetch({**kept, "mime_type": "text/html"}) is Unfetched.NOT_ALLOWED


def test_an_entry_without_anything_in_it_is_not_fetched(vendor: Vendor) -> None:
    assert vendor.channel.fetch({}) is Unfetched.NOT_ALLOWED


def posted(body: bytes, content_type: str) -> HttpRequest:
    return RequestFactory().post("/", data=body, content_type=content_type)


def test_what_twilios_webhook_names_can_be_fetched(twilio: TwilioApi) -> None:
    form = {"MessageSid": "MM1", "From": "whatsapp:+15550100123", "To": "whatsapp:+15550100188", "NumMedia": "1"}
    form |= {"MediaContentType0": "image/jpeg", "MediaUrl0": twilio.keep(File())}
    (event,) = TwilioWhatsApp().parse(RequestFactory().post("/", form))
    assert TwilioWhatsApp().fetch(event.media[0]) == Fetched(JPEG, "image/jpeg")


def test_what_metas_webhook_names_can_be_fetched(graph: GraphApi) -> None:
    body = whatsapp.message(image={"id": graph.keep(File()), "mime_type": "image/jpeg"})
    (event,) = WhatsAppCloud().parse(posted(whatsapp.as_meta_writes(body), "application/json"))
    assert WhatsAppCloud().fetch(event.media[0]) == Fetched(JPEG, "image/jpeg")


class TestTwilio:
    def test_credentials_go_to_the_api_and_not_to_where_it_redirects(self, twilio: TwilioApi) -> None:
        assert TwilioWhatsApp().fetch(medium(twilio.keep(File(), stored=File()))) == Fetched(JPEG, "image/jpeg")
        (_, to_the_api), (_, to_the_store) = twilio.shelf.asked
        assert to_the_api.startswith("Basic ")
        assert not to_the_store

    def test_a_file_that_is_a_moment_late_is_asked_for_again(
        self, twilio: TwilioApi, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(twilio_media, "AGAIN_SECONDS", 0)
        assert TwilioWhatsApp().fetch(medium(twilio.keep(File(late=1)))) == Fetched(JPEG, "image/jpeg")
        assert TwilioWhatsApp().fetch(medium(twilio.keep(File(late=2)))) is Unfetched.GONE

    @pytest.mark.parametrize(
        "ref",
        [
            "https://evil.example/x.jpg",
            "http://api.twilio.com/x.jpg",
            "https://api.twilio.com:8443/x.jpg",
            "https://api.twilio.com.evil.example/x.jpg",
            "https://evil.example/https://api.twilio.com/",
            "https://api.twilio.com@evil.example/x.jpg",
            "https://user:word@api.twilio.com/x.jpg",
            "https://evil.example\\@api.twilio.com/x.jpg",
            "//api.twilio.com/x.jpg",
            "file:///etc/passwd",
            "https://",
            "https://[::1",
            "\x00",
            "",
        ],
    )
    def test_an_address_elsewhere_is_not_even_asked(self, ref: str) -> None:
        """Without a fake: a request to anywhere would fail this test."""
        assert TwilioWhatsApp().fetch(medium(ref)) is Unfetched.NOT_ALLOWED

    def test_a_redirect_to_another_server_is_not_followed(self, twilio: TwilioApi) -> None:
        with twilio_api() as foreign:
            file = File(redirect=f"{foreign.base_url}/x.jpg")
            assert TwilioWhatsApp().fetch(medium(twilio.keep(file))) is Unfetched.NOT_ALLOWED
        assert not foreign.connections

    @pytest.mark.parametrize("location", ["/again", "https://[", ""])
    def test_a_redirect_without_end_or_sense_is_given_up(self, twilio: TwilioApi, location: str) -> None:
        twilio.shelf.files["/again"] = File(redirect="/again")
        assert isinstance(TwilioWhatsApp().fetch(medium(twilio.keep(File(redirect=location or "?")))), Unfetched)

    @pytest.mark.parametrize(
        ("location", "followed"),
        [
            ("https://mms.twiliocdn.com/AC1/file?Expires=1", True),
            ("https://s3-external-1.amazonaws.com/media.twiliocdn.com/AC1/file", True),
            ("https://s3-external-1.amazonaws.com/evil/file", False),
            ("https://s3-external-1.amazonaws.com/media.twiliocdn.com/../evil/file", False),
            ("http://mms.twiliocdn.com/AC1/file", False),
            ("https://twiliocdn.com.evil.example/file", False),
            ("https://api.twilio.com/x", False),
        ],
    )
    def test_files_are_read_where_twilio_keeps_them(
        self, monkeypatch: pytest.MonkeyPatch, location: str, *, followed: bool
    ) -> None:
        asked: list[tuple[str, Any]] = []
        answers = iter([download.Moved(httpx2.URL(location)), Fetched(JPEG, "image/jpeg")])

        def answer(url: httpx2.URL, expected: Any, headers: Mapping[str, str] | None = None) -> Any:
            asked.append((str(url), headers))
            return next(answers)

        monkeypatch.setattr(twilio_media, "download", answer)
        TwilioWhatsApp().fetch(medium("https://api.twilio.com/2010-04-01/x"))
        assert asked[1:] == ([(location, None)] if followed else [])

    def test_without_an_account_nothing_is_asked(self, settings: Settings) -> None:
        settings.TWILIO_AUTH_TOKEN = ""
        assert TwilioWhatsApp().fetch(medium("https://api.twilio.com/x")) is Unfetched.REFUSED


class TestMeta:
    def test_the_token_goes_nowhere_but_to_meta(self, graph: GraphApi) -> None:
        with twilio_api() as foreign:
            media_id = graph.keep(File(), url=f"{foreign.base_url}/x.jpg")
            assert WhatsAppCloud().fetch(medium(media_id)) is Unfetched.NOT_ALLOWED
            media_id = graph.keep(File(redirect=f"{foreign.base_url}/x.jpg"))
            assert WhatsAppCloud().fetch(medium(media_id)) is Unfetched.NOT_ALLOWED
        assert not foreign.connections

    @pytest.mark.parametrize("told", [{"url": ""}, {"url": None}, {"url": "https://lookaside.fbsbx.com.evil.example/"}])
    def test_an_answer_without_a_usable_address_is_not_followed(self, graph: GraphApi, told: dict[str, Any]) -> None:
        assert WhatsAppCloud().fetch(medium(graph.keep(File(), **told))) is Unfetched.NOT_ALLOWED

    def test_what_meta_says_is_too_large_is_not_even_asked_for(self, graph: GraphApi) -> None:
        assert WhatsAppCloud().fetch(medium(graph.keep(File(), file_size=10**9))) is Unfetched.TOO_LARGE
        assert not graph.shelf.asked

    @pytest.mark.parametrize("ref", ["../me", "1?fields=x", "1/2", "1#2", "x" * 201])
    def test_a_reference_that_is_no_id_is_not_asked_for(self, graph: GraphApi, ref: str) -> None:
        assert WhatsAppCloud().fetch(medium(ref)) is Unfetched.NOT_ALLOWED

    def test_a_file_that_meta_knows_no_more_is_gone(self, graph: GraphApi) -> None:
        assert WhatsAppCloud().fetch(medium("123")) is Unfetched.GONE

    @pytest.mark.parametrize("token", ["", "revoked"])
    def test_a_token_that_is_refused_says_so(self, graph: GraphApi, settings: Settings, token: str) -> None:
        settings.WHATSAPP_TOKEN = token
        assert WhatsAppCloud().fetch(medium(graph.keep(File()))) is Unfetched.REFUSED

    def test_nobody_there_is_away(self, settings: Settings) -> None:
        settings.WHATSAPP_API_BASE_URL = "http://127.0.0.1:1"
        assert WhatsAppCloud().fetch(medium("123")) is Unfetched.AWAY


@pytest.mark.parametrize("mime_type", sorted(filetypes.TYPES))
def test_no_listed_type_takes_a_page_for_its_own(mime_type: str) -> None:
    for page in (HTML, SVG, b"\xef\xbb\xbf" + HTML, b"\n  " + HTML, b""):
        assert filetypes.type_of(page, mime_type) is None
