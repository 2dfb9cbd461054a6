"""A conversation's page: the talk as bubbles, and what staff can do in it."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse
from django.utils import translation

from aitools import clock
from aitools.admin import talk
from aitools.models import Conversation, Mode, OutboundMessage, PendingConfirmation
from tests.aitools.admin import rows


def page(browser: Client, row: Conversation, **query: str) -> str:
    return browser.get(reverse("admin:aitools_conversation_change", args=[row.pk]), query).content.decode()


def press(browser: Client, row: Conversation, action: str, **data: str) -> Any:
    url = reverse("admin:aitools_conversation_do", args=[row.pk, action])
    return browser.post(url, data, follow=True)


def test_both_directions_are_shown_in_the_order_of_time(db: None) -> None:
    row = rows.conversation()
    rows.said(row, "hola", minutes_ago=4)
    rows.answered(row, "¡Hola!", minutes_ago=3)
    rows.said(row, "quiero pan", minutes_ago=2)
    rows.answered(row, "Voy yo.", minutes_ago=1, kind="staff")
    shown = talk.page(row.pk).bubbles
    assert [(bubble.side, bubble.text) for bubble in shown] == [
        ("customer", "hola"),
        ("bot", "¡Hola!"),
        ("customer", "quiero pan"),
        ("staff", "Voy yo."),
    ]


@pytest.mark.parametrize(
    ("fields", "media"),
    [
        ({"message_kind": "text"}, ()),
        ({"message_kind": "image"}, ("Picture",)),
        ({"message_kind": "hologram"}, ("hologram",)),
        ({"kind": "press", "message_kind": "button"}, ()),
        ({"kind": "press", "message_kind": "list"}, ()),
    ],
)
@pytest.mark.usefixtures("db")
def test_what_came_with_the_words_is_named(fields: dict[str, Any], media: tuple[str, ...]) -> None:
    row = rows.conversation()
    rows.said(row, "Sí", **fields)
    with translation.override("en"):
        (bubble,) = talk.page(row.pk).bubbles
    assert tuple(piece.title for piece in bubble.media) == media


@pytest.mark.parametrize(
    ("fields", "says", "tone"),
    [
        ({"state": "queued"}, "Waiting to be sent", "open"),
        ({"state": "sent"}, "Sent", "good"),
        ({"state": "sent", "status": "read"}, "Read", "good"),
        ({"state": "sent", "status": "failed", "error_code": "30007"}, "Not delivered", "bad"),
        ({"state": "failed", "error_code": "21610"}, "Failed", "bad"),
        ({"state": "uncertain"}, "Perhaps not sent", "bad"),
    ],
)
def test_each_message_says_what_became_of_it(fields: dict[str, Any], says: str, tone: str, browser: Client) -> None:
    row = rows.conversation()
    rows.answered(row, "Listo.", **fields)
    html = page(browser, row)
    assert f'<span class="desk-tone-{tone}">{says}</span>' in html
    assert fields.get("error_code", "") in html


@pytest.mark.parametrize(
    ("fields", "choice", "buttons", "answered"),
    [
        ({"state": "pending"}, "", ("Sí", "No"), ""),
        ({"state": "approved"}, "Sí, claro", (), "→ Sí, claro"),
        ({"state": "declined"}, "", (), "→ No"),  # a channel that can't edit stores no choice
        ({"state": "expired"}, "", (), "No longer open"),
    ],
)
@pytest.mark.usefixtures("db")
def test_a_question_has_its_buttons_or_the_answer(
    fields: dict[str, str], choice: str, buttons: tuple[str, ...], answered: str
) -> None:
    row = rows.conversation()
    question = rows.worked(row).confirmation.message
    PendingConfirmation.objects.update(**fields)
    OutboundMessage.objects.filter(pk=question.pk).update(choice=choice, buttons=[["yes", "Sí"], ["no", "No"]])
    with translation.override("en"):
        (bubble,) = talk.page(row.pk).bubbles
    assert (bubble.buttons, bubble.answered) == (buttons, answered)


def test_an_emptied_message_says_so_and_can_not_be_sent_again(browser: Client) -> None:
    row = rows.conversation()
    rows.answered(row, "", state="failed")
    assert "older than messages are kept" in page(browser, row)
    assert talk.page(row.pk).bubbles[0].retry_id is None


def test_what_a_customer_writes_is_text_and_nothing_else(browser: Client) -> None:
    row = rows.conversation(profile_name="<b>Ana</b>")
    rows.said(row, "<script>alert(1)</script> {{ 7|add:1 }}")
    html = page(browser, row)
    assert "&lt;script&gt;alert(1)&lt;/script&gt; {{ 7|add:1 }}" in html
    assert "<script>alert(1)" not in html
    assert "<b>Ana</b>" not in html


def test_old_talk_is_reached_page_by_page(browser: Client) -> None:
    row = rows.conversation()
    for minutes in range(talk.PAGE + 5, 0, -1):
        rows.said(row, f"message {minutes}!", minutes_ago=minutes)
    newest = talk.page(row.pk)
    assert len(newest.bubbles) == talk.PAGE
    assert newest.earlier is not None
    html = page(browser, row, before=newest.earlier.isoformat())
    assert f"message {talk.PAGE + 5}!" in html
    assert "message 1!" not in html
    assert "message 1!" in page(browser, row, before="nonsense")


def test_taking_over_silences_the_bot_and_handing_back_ends_it(browser: Client, published: list[Any]) -> None:
    row = rows.conversation(needs_staff=True)
    press(browser, row, "take-over")
    row.refresh_from_db()
    assert row.is_with_person(clock.now())
    assert "A person answers" in page(browser, row)
    press(browser, row, "hand-back")
    row.refresh_from_db()
    assert (row.mode, row.needs_staff) == (Mode.BOT, False)


def test_a_reply_goes_to_the_outbox_as_staffs_own_and_silences_the_bot(browser: Client, published: list[Any]) -> None:
    row = rows.conversation(needs_staff=True)
    press(browser, row, "reply", text=" Ya te atiendo. ")
    message = OutboundMessage.objects.get(conversation=row)
    assert (message.kind, message.text, message.state) == ("staff", "Ya te atiendo.", "queued")
    row.refresh_from_db()
    assert row.is_with_person(clock.now())
    assert not row.needs_staff


@pytest.mark.parametrize("text", ["", "   ", "x" * 1601])
def test_an_empty_or_endless_reply_is_refused(text: str, browser: Client) -> None:
    row = rows.conversation()
    press(browser, row, "reply", text=text)
    assert not OutboundMessage.objects.exists()
    row.refresh_from_db()
    assert row.mode == Mode.BOT


def test_nobody_who_opted_out_is_written_to(browser: Client) -> None:
    row = rows.conversation(opted_out_at=clock.now())
    assert "Send" not in page(browser, row).split('class="desk-reply"')[0]
    answer = press(browser, row, "reply", text="hola")
    assert "This customer wants no messages from us." in answer.content.decode()
    assert not OutboundMessage.objects.exists()


def test_a_failed_message_is_tried_again_and_a_sent_one_is_not(browser: Client, published: list[Any]) -> None:
    row = rows.conversation()
    failed = rows.answered(row, "Listo.", state="failed")
    sent = rows.answered(row, "Hola.")
    press(browser, row, "retry", message=str(failed.pk))
    press(browser, row, "retry", message=str(sent.pk))
    press(browser, row, "retry", message="9" * 30)
    failed.refresh_from_db()
    sent.refresh_from_db()
    assert (failed.state, sent.state) == ("queued", "sent")


@pytest.mark.parametrize("fields", [{"state": "uncertain"}, {"state": "failed", "error_code": "unknown"}])
def test_a_message_that_may_have_arrived_is_repeated_only_knowingly(
    browser: Client, published: list[Any], fields: dict[str, Any]
) -> None:
    row = rows.conversation()
    doubtful = rows.answered(row, "Listo.", **fields)
    assert 'name="anyway"' in page(browser, row)
    assert (
        "It may have arrived already. Ask the customer"
        in press(browser, row, "retry", message=str(doubtful.pk)).content.decode()
    )
    doubtful.refresh_from_db()
    assert doubtful.state == fields["state"]
    press(browser, row, "retry", message=str(doubtful.pk), anyway="1")
    doubtful.refresh_from_db()
    assert (doubtful.state, doubtful.possibly_repeated) == ("queued", True)


@pytest.mark.parametrize(
    ("message", "question", "is_offered"),
    [
        ("uncertain", "pending", True),
        ("uncertain", "approved", False),
        ("failed", "cancelled", False),
        ("failed", "pending", False),
    ],
)
def test_a_question_is_sent_again_only_while_it_is_open(
    message: str, question: str, is_offered: bool, browser: Client, published: list[Any]
) -> None:
    row = rows.conversation()
    asked = rows.worked(row).confirmation.message
    OutboundMessage.objects.update(state=message)
    PendingConfirmation.objects.update(state=question)
    assert ("Send again" in page(browser, row)) is is_offered

    answer = press(browser, row, "retry", message=str(asked.pk), anyway="1").content.decode()
    asked.refresh_from_db()
    assert ("That question is closed" in answer) is not is_offered
    assert asked.state == ("queued" if is_offered else message)


def test_a_message_of_another_conversation_is_out_of_reach(browser: Client, published: list[Any]) -> None:
    foreign = rows.answered(rows.conversation(), "Listo.", state="failed")
    press(browser, rows.conversation(), "retry", message=str(foreign.pk))
    foreign.refresh_from_db()
    assert foreign.state == "failed"


def test_staff_set_the_language(browser: Client) -> None:
    row = rows.conversation(language="es")
    press(browser, row, "language", language="en")
    press(browser, row, "language", language="tlh")
    row.refresh_from_db()
    assert (row.language, row.language_fixed) == ("en", True)


def test_each_step_is_logged_with_who_did_it(browser: Client, owner: User, published: list[Any]) -> None:
    row = rows.conversation()
    press(browser, row, "take-over")
    history = browser.get(reverse("admin:aitools_conversation_history", args=[row.pk])).content.decode()
    assert "You answer now." in history
    assert owner.username in history


def test_following_a_link_changes_nothing(browser: Client) -> None:
    row = rows.conversation()
    assert browser.get(reverse("admin:aitools_conversation_do", args=[row.pk, "take-over"])).status_code == 405
    assert browser.post(reverse("admin:aitools_conversation_do", args=[row.pk, "save"])).status_code == 404
    row.refresh_from_db()
    assert row.mode == Mode.BOT


def test_who_may_only_read_sees_no_buttons_and_can_press_none(db: None) -> None:
    reader = User.objects.create_user("leo", is_staff=True)
    reader.user_permissions.add(Permission.objects.get(codename="view_conversation"))
    browser = Client()
    browser.force_login(reader)
    row = rows.conversation()
    assert reverse("admin:aitools_conversation_do", args=[row.pk, "reply"]) not in page(browser, row)
    assert browser.post(reverse("admin:aitools_conversation_do", args=[row.pk, "reply"])).status_code == 403


def test_the_talk_alone_can_be_fetched_by_who_may_read_it(browser: Client, client: Client) -> None:
    row = rows.conversation()
    rows.said(row, "hola")
    url = reverse("admin:aitools_conversation_talk", args=[row.pk])
    assert "hola" in browser.get(url).content.decode()
    assert client.get(url).status_code == 302
    nobody = User.objects.create_user("nadie", is_staff=True)
    client.force_login(nobody)
    assert client.get(url).status_code == 404


def test_going_back_never_leaves_the_site(browser: Client, published: list[Any]) -> None:
    row = rows.conversation()
    url = reverse("admin:aitools_conversation_do", args=[row.pk, "take-over"])
    assert "evil" not in browser.post(url, {"next": "https://evil.example/"})["Location"]
    assert browser.post(url, {"next": "/admin/"})["Location"] == "/admin/"
