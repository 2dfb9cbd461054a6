"""Given-up turns in the admin: seen by whom they concern, tried again by a press and by nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from aitools import deadletters, events
from aitools.models import AuditEvent, Conversation, Turn
from tests.aitools.admin import rows

REASON = "KeyError in orders.tools.quoting, line 41 (price)"


@pytest.fixture
def dead(db: None) -> Turn:
    talk = rows.conversation(profile_name="Ana", needs_staff=True)
    rows.said(talk, "2 panes")
    Conversation.objects.filter(pk=talk.pk).update(read_seq=1)
    turn = Turn.objects.create(conversation=talk, state="failed", text="2 panes", read_to=1, failures=3, failure=REASON)
    AuditEvent.objects.create(kind=events.TURN_FAILED, turn=turn, error=REASON)
    return turn


def page(browser: Client, turn: Turn, of: str = "conversation") -> str:
    pk = turn.conversation_id if of == "conversation" else turn.pk
    return browser.get(reverse(f"admin:aitools_{of}_change", args=[pk])).content.decode()


def try_again(browser: Client, turn: Turn, **data: str) -> str:
    url = reverse("admin:aitools_conversation_do", args=[turn.conversation_id, "try-again"])
    return browser.post(url, {"turn": str(turn.pk)} | data, follow=True).content.decode()


def test_the_first_page_names_it_with_its_reason(browser: Client, dead: Turn) -> None:
    html = browser.get(reverse("admin:index")).content.decode()
    assert "Not answered" in html
    assert f"2 panes · {REASON}" in html


def test_the_list_can_be_limited_to_those_that_wait(browser: Client, dead: Turn) -> None:
    done = Turn.objects.create(conversation=rows.conversation(), state="done", text="hola")
    html = browser.get(reverse("admin:aitools_turn_changelist"), {"unanswered": "waiting"}).content.decode()
    assert REASON in html
    assert reverse("admin:aitools_turn_change", args=[done.pk]) not in html


@pytest.mark.parametrize("of", ["conversation", "turn"])
def test_its_pages_say_why_and_offer_another_try(browser: Client, dead: Turn, of: str) -> None:
    html = page(browser, dead, of)
    assert f"the program failed three times ({REASON})" in html
    assert "Try again" in html


def test_a_press_opens_a_new_turn_and_a_second_one_is_refused_politely(
    browser: Client, dead: Turn, published: list[Any], django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        assert "The bot tries it again." in try_again(browser, dead)
    assert published == [("aitools.tasks.advance", dead.conversation_id, 0)]
    assert "The conversation has moved on" in try_again(browser, dead)
    assert list(Turn.objects.order_by("pk").values_list("state", "text")) == [
        ("failed", "2 panes"),
        ("running", "2 panes"),
    ]


def test_one_that_moved_on_has_no_button_and_says_why(browser: Client, dead: Turn, published: list[Any]) -> None:
    Conversation.objects.update(mode="human")
    html = page(browser, dead)
    assert "A person answers" in html
    assert 'name="turn"' not in html
    assert "A person answers or has answered here" in try_again(browser, dead)
    assert Turn.objects.count() == 1


def test_a_turn_of_another_conversation_is_out_of_reach(browser: Client, dead: Turn) -> None:
    foreign = rows.conversation()
    url = reverse("admin:aitools_conversation_do", args=[foreign.pk, "try-again"])
    for number in (str(dead.pk), "", "x", "9" * 30):
        assert browser.post(url, {"turn": number}).status_code == 302
    assert Turn.objects.count() == 1


def test_an_answered_conversation_shows_nothing_of_it(browser: Client, dead: Turn) -> None:
    Turn.objects.create(conversation=dead.conversation, state="done", text="¿hola?", read_to=2)
    assert "the program failed" not in page(browser, dead)


def test_who_may_only_read_gets_the_reason_and_no_button(dead: Turn) -> None:
    reader = User.objects.create_user("leo", is_staff=True)
    reader.user_permissions.set(Permission.objects.filter(codename__in=["view_conversation", "view_turn"]))
    browser = Client(headers={"accept-language": "en"})
    browser.force_login(reader)
    for of in ("conversation", "turn"):
        html = page(browser, dead, of)
        assert (REASON in html, 'name="turn"' in html) == (True, False)
    url = reverse("admin:aitools_conversation_do", args=[dead.conversation_id, "try-again"])
    assert browser.post(url, {"turn": str(dead.pk)}).status_code == 403


def test_it_takes_a_post_with_the_pages_token(owner: User, dead: Turn) -> None:
    url = reverse("admin:aitools_conversation_do", args=[dead.conversation_id, "try-again"])
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(owner)
    assert browser.post(url, {"turn": str(dead.pk)}).status_code == 403
    assert browser.get(url).status_code == 405
    assert Turn.objects.count() == 1


def test_the_list_is_found_by_an_index_and_not_by_reading_turns(dead: Turn) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        plan = deadletters.waiting().explain()
    assert "audit_of_rare_kind" in plan
    assert "Seq Scan" not in plan


def test_the_first_page_costs_the_same_with_many(browser: Client, dead: Turn) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as asked:
            browser.get(reverse("admin:index"))
        return len(asked)

    before = queries()
    for _ in range(3):
        talk = rows.conversation(needs_staff=True)
        turn = Turn.objects.create(conversation=talk, state="failed", text="hola", read_to=1)
        AuditEvent.objects.create(kind=events.TURN_FAILED, turn=turn)
    assert queries() == before
