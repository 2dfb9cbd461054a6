"""A customer's file is fetched for who may read the talk, and can do no harm in their browser."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse
from django.utils import translation
from pytest_django import Settings

from aitools.admin import files, talk
from aitools.admin.enclosed import Piece
from aitools.channels.base import Fetched, Unfetched
from aitools.channels.web import WebChannel
from aitools.models import Conversation, InboundEvent
from aitools.types import Json
from tests.aitools.admin import rows
from tests.wire.files import JPEG, OGG, PDF

#: What the vendor has, by reference.
KEPT: dict[str, Fetched | Unfetched] = {}
ASKED: list[str] = []


class Filing(WebChannel):
    """A channel whose vendor keeps files."""

    name = "filing"

    def fetch(self, medium: Mapping[str, Json]) -> Fetched | Unfetched:
        ASKED.append(str(medium["ref"]))
        return KEPT[str(medium["ref"])]


@pytest.fixture
def row(db: None, settings: Settings) -> Conversation:
    settings.AITOOLS_CHANNELS = settings.AITOOLS_CHANNELS | {"filing": f"{__name__}.Filing"}
    KEPT.clear()
    ASKED.clear()
    return rows.conversation(channel="filing")


def sent(row: Conversation, kept: Fetched | Unfetched, kind: str = "image", **more: Any) -> InboundEvent:
    """A message with one file that the vendor has."""
    ref = str(len(KEPT))
    KEPT[ref] = kept
    medium = {"kind": kind, "mime_type": "", "ref": ref, "filename": None, **more}
    return rows.said(row, "", message_kind=kind, media=[medium])


def url(event: InboundEvent, index: int = 0, conversation: Conversation | None = None) -> str:
    of = conversation.pk if conversation else event.conversation_id
    return reverse("admin:aitools_conversation_file", args=[of, event.pk, index])


def page(browser: Client, row: Conversation) -> str:
    return browser.get(reverse("admin:aitools_conversation_change", args=[row.pk])).content.decode()


def test_a_picture_is_shown_by_the_browser_and_by_nothing_else(browser: Client, row: Conversation) -> None:
    answer = browser.get(url(sent(row, Fetched(JPEG, "image/jpeg"))))
    assert (answer.status_code, answer.content, answer["Content-Type"]) == (200, JPEG, "image/jpeg")
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert answer["Cache-Control"] == "private, max-age=86400"
    assert answer["Content-Disposition"].startswith("inline")


@pytest.mark.parametrize(
    ("mime_type", "name", "saved_as"),
    [
        ("application/pdf", "menú.pdf", "attachment; filename*=utf-8''men%C3%BA.pdf"),
        ("application/pdf", "pdf.exe", 'attachment; filename="pdf.exe.pdf"'),
        ("application/pdf", '../../a"\r\nSet-Cookie: b', 'attachment; filename="_.._a_ Set-Cookie_ b.pdf"'),
        ("application/pdf", "\u202efdp.exe", 'attachment; filename="fdp.exe.pdf"'),
        ("text/vcard", None, 'attachment; filename="document-{id}.vcf"'),
        ("text/plain", "a.html", 'attachment; filename="a.html.txt"'),
        ("video/3gpp", "", 'attachment; filename="document-{id}.3gp"'),
        ("audio/ogg", "", 'inline; filename="document-{id}.ogg"'),
    ],
)
def test_what_is_not_shown_is_saved_under_a_harmless_name(
    browser: Client, row: Conversation, mime_type: str, name: str | None, saved_as: str
) -> None:
    event = sent(row, Fetched(PDF, mime_type), "document", filename=name)
    said = browser.get(url(event))["Content-Disposition"]
    assert said == saved_as.replace("{id}", str(event.pk))


@pytest.mark.parametrize(
    ("asked", "status", "part"),
    [
        ("bytes=0-", 206, OGG),
        ("bytes=0-1", 206, OGG[:2]),
        ("bytes=2-3", 206, OGG[2:4]),
        ("bytes=-3", 206, OGG[-3:]),
        ("bytes=5-999999", 206, OGG[5:]),
        ("bytes=999999-", 200, OGG),
        ("bytes=0-1,3-4", 200, OGG),
        ("bytes=-", 200, OGG),
        ("lines=1-2", 200, OGG),
    ],
)
def test_a_player_may_ask_for_a_part(browser: Client, row: Conversation, asked: str, status: int, part: bytes) -> None:
    event = sent(row, Fetched(OGG, "audio/ogg"), "voice")
    answer = browser.get(url(event), headers={"range": asked})
    assert (answer.status_code, answer.content) == (status, part)
    assert ("Content-Range" in answer) is (status == 206)


@pytest.mark.parametrize(
    ("why", "status", "says"),
    [
        (Unfetched.GONE, 404, "has this file no more"),
        (Unfetched.TOO_LARGE, 404, "too large"),
        (Unfetched.NOT_ALLOWED, 404, "could do harm"),
        (Unfetched.REFUSED, 502, "refuses our key"),
        (Unfetched.AWAY, 502, "does not answer"),
    ],
)
def test_a_file_that_can_not_be_had_says_why(
    browser: Client, row: Conversation, why: Unfetched, status: int, says: str
) -> None:
    answer = browser.get(url(sent(row, why)))
    assert (answer.status_code, answer["Content-Type"]) == (status, "text/plain")
    assert says in answer.content.decode()
    assert answer["X-Content-Type-Options"] == "nosniff"


def test_where_a_picture_is_wanted_the_reason_is_one(browser: Client, row: Conversation) -> None:
    """An `<img>` shows nothing of a text; a link to the same address still gives the text."""
    event = sent(row, Unfetched.GONE)
    drawn = browser.get(url(event), headers={"sec-fetch-dest": "image"})
    assert (drawn.status_code, drawn["Content-Type"]) == (404, "image/svg+xml")
    words = [span.text for span in ET.fromstring(drawn.content).iter("{http://www.w3.org/2000/svg}tspan")]
    assert " ".join(filter(None, words)) == browser.get(url(event)).content.decode()
    assert drawn["Vary"] == browser.get(url(event))["Vary"]
    assert "Sec-Fetch-Dest" in drawn["Vary"]


def test_files_never_keep_all_threads(browser: Client, row: Conversation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "PATIENCE_SECONDS", 0)
    event = sent(row, Fetched(JPEG, "image/jpeg"))
    for _ in range(files.AT_ONCE):
        assert files._turnstile.acquire(timeout=1)
    try:
        assert browser.get(url(event)).status_code == 503
    finally:
        files._turnstile.release(files.AT_ONCE)
    assert browser.get(url(event)).status_code == 200


def test_only_who_may_read_the_talk_gets_its_files(browser: Client, client: Client, row: Conversation) -> None:
    event = sent(row, Fetched(JPEG, "image/jpeg"))
    assert client.get(url(event)).status_code == 302
    nobody = User.objects.create_user("nadie", is_staff=True)
    client.force_login(nobody)
    assert client.get(url(event)).status_code == 404
    nobody.user_permissions.add(Permission.objects.get(codename="view_conversation"))
    assert client.get(url(event)).status_code == 200
    assert len(ASKED) == 1


def test_a_file_is_reached_through_its_own_conversation_alone(browser: Client, row: Conversation) -> None:
    event = sent(row, Fetched(JPEG, "image/jpeg"))
    assert browser.get(url(event, conversation=rows.conversation())).status_code == 404
    assert browser.get(url(event, index=1)).status_code == 404
    assert browser.post(url(event)).status_code == 405
    assert not ASKED


def test_a_channel_that_is_no_more_shows_its_talk_and_no_files(
    browser: Client, row: Conversation, settings: Settings
) -> None:
    event = sent(row, Fetched(JPEG, "image/jpeg"))
    settings.AITOOLS_CHANNELS = {"web": settings.AITOOLS_CHANNELS["web"]}
    assert browser.get(url(event)).status_code == 404
    assert url(event) not in page(browser, row)


@pytest.mark.parametrize(
    ("kind", "shown"),
    [
        ("image", '<img src="{url}" alt="Picture" loading="lazy">'),
        ("sticker", '<img src="{url}" alt="Sticker" loading="lazy">'),
        ("voice", 'src="{url}"></audio>'),
        ("audio", 'src="{url}"></audio>'),
        ("video", 'src="{url}"></video>'),
        ("document", 'href="{url}" target="_blank" rel="noopener"'),
        ("contacts", 'href="{url}" target="_blank" rel="noopener"'),
    ],
)
def test_each_kind_is_shown_as_what_it_is(browser: Client, row: Conversation, kind: str, shown: str) -> None:
    event = sent(row, Fetched(JPEG, "image/jpeg"), kind)
    assert shown.replace("{url}", url(event)) in page(browser, row)
    assert not ASKED


def test_a_voice_note_shows_what_was_heard_or_that_nothing_was(browser: Client, row: Conversation) -> None:
    sent(row, Unfetched.GONE, "voice", heard="quiero <b>dos</b> panes")
    sent(row, Unfetched.GONE, "voice", unheard="away")
    html = page(browser, row)
    assert "🎤 Transcribed</span>quiero &lt;b&gt;dos&lt;/b&gt; panes" in html
    assert "It could not be turned into text." in html


def shown(row: Conversation, **fields: Any) -> Piece:
    """The one piece that a message is shown as."""
    rows.said(row, "", **fields)
    with translation.override("en"):
        (bubble,) = talk.page(row.pk).bubbles
    (piece,) = bubble.media
    return piece


def test_a_place_has_a_link_to_a_map(row: Conversation) -> None:
    at = {"latitude": 4.6097, "longitude": -74.0817, "name": "Casa", "address": "Calle 1"}
    piece = shown(row, message_kind="location", extra={"location": at})
    assert (piece.name, piece.lines) == ("4.60970, -74.08170", ("Casa", "Calle 1"))
    assert piece.url == "https://www.openstreetmap.org/?mlat=4.60970&mlon=-74.08170#map=17/4.60970/-74.08170"


@pytest.mark.parametrize("extra", [{}, {"location": None}, {"location": {"latitude": "x", "longitude": 1}}])
def test_a_place_that_is_none_is_named_alone(row: Conversation, extra: dict[str, Any]) -> None:
    piece = shown(row, message_kind="location", extra=extra)
    assert (piece.title, piece.shows, piece.url) == ("Location", "", "")


@pytest.mark.parametrize(
    ("kind", "extra", "lines"),
    [
        (
            "contacts",
            {"shared_contacts": [{"name": "Ana", "phones": ["+573001", None]}, {"name": None, "phones": None}]},
            ("Ana · +573001", ""),
        ),
        ("order", {"order": [{"id": "PAN", "quantity": 2}]}, ("2 × PAN",)),
        ("reaction", {"reaction": {"emoji": "👍"}}, ("👍",)),
        ("contacts", {"shared_contacts": "?"}, ()),
    ],
)
def test_what_the_vendor_tells_of_it_can_be_read(
    row: Conversation, kind: str, extra: dict[str, Any], lines: tuple[str, ...]
) -> None:
    assert shown(row, message_kind=kind, extra=extra).lines == lines


def test_the_list_of_conversations_names_what_came_instead_of_words(browser: Client, row: Conversation) -> None:
    sent(row, Fetched(JPEG, "image/jpeg"))
    assert "Picture" in browser.get(reverse("admin:aitools_conversation_changelist")).content.decode()
