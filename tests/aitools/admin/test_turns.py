"""A turn's page: readable step by step, by who may view turns, at one price however long the turn was."""

from __future__ import annotations

import html
import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from aitools import clock
from aitools.admin.replays import span
from aitools.models import AuditEvent, PendingConfirmation, Step, ToolCall, Turn
from tests.aitools.admin import rows

EVIL = "<script>alert(1)</script>"


def url_of(turn: Turn) -> str:
    return reverse("admin:aitools_turn_change", args=[turn.pk])


def page(browser: Client, turn: Turn) -> str:
    return browser.get(url_of(turn)).content.decode()


def words(browser: Client, turn: Turn) -> str:
    """The page without its tags."""
    shown = page(browser, turn).split('aria-label="Step by step"')[1]
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", shown)).split())


@pytest.fixture
def turn(db: None) -> Turn:
    """A turn in which a model was corrected, asked a question and was answered."""
    conversation = rows.conversation()
    call = rows.worked(conversation)
    turn, question = call.turn, call.confirmation
    heard = rows.said(conversation, "quiero pan", seq=1)
    yes = rows.said(conversation, "dale", seq=2, received_at=clock.now())
    Turn.objects.filter(pk=turn.pk).update(read_to=2, text="quiero pan\ndale", finished_at=clock.now())
    Step.objects.filter(turn=turn).update(
        model="fancy-1",
        nudge="Answer now.",
        facts={"branch": "Centro"},
        text="Un momento.",
        request_id="req_77",
        input_tokens=901,
        output_tokens=32,
        cached_tokens=800,
        duration_ms=1234,
    )
    ToolCall.objects.filter(pk=call.pk).update(
        arguments={"name": "Ana"}, state="done", result='{"code": "C-17"}', attempt=2, duration_ms=87
    )
    PendingConfirmation.objects.filter(pk=question.pk).update(
        long_question="Voy a: Crear pedido",
        asked_at=yes.received_at - timedelta(seconds=42),
        answered_by=yes,
        answered_seq=2,
        settled_at=clock.now(),
    )
    rows.answered(conversation, "Listo, C-17.", turn=turn, status="read")
    AuditEvent.objects.create(kind="provider.fallback", turn=turn, step=1, error="429 busy")
    assert heard.conversation_id == turn.conversation_id
    return turn


@pytest.mark.parametrize(
    "shown",
    [
        "The customer wrote",
        "instructions of the running version",
        "fancy-1 (offline)",
        "Corrective line: Answer now.",
        '"branch": "Centro"',
        "Customer quiero pan Corrective line Answer now.",
        "It said Un momento.",
        '"name": "Ana"',
        "87 ms",
        "2 attempts",
        "Voy a: Crear pedido",
        "Yes dale",
        "after 42.0 s",
        'The model was told {"code": "C-17"}',
        "tool.call",
        "provider.fallback 429 busy",
        "1.2 s · 901 tokens in, 800 of them cached, 32 out · req_77",
        "Listo, C-17. Read",
    ],
)
def test_the_page_says(shown: str, turn: Turn, browser: Client) -> None:
    assert shown in words(browser, turn)


def test_an_error_is_told_apart(turn: Turn, browser: Client) -> None:
    ToolCall.objects.update(state="refused", is_error=True, result="count: at most 500")
    said = words(browser, turn)
    assert "The model was told, as an error count: at most 500" in said
    assert "Refused by our rules" in said


def test_a_silent_step_says_so(turn: Turn, browser: Client) -> None:
    Step.objects.create(turn=turn, index=2, provider="offline", stop="end")
    assert "It said nothing." in words(browser, turn)


def test_a_step_of_our_own_code_says_why(turn: Turn, browser: Client) -> None:
    Step.objects.update(provider="code", raw_stop="changed")
    said = words(browser, turn)
    assert "what was agreed had changed" in said
    assert "What the model saw" not in said


def test_whatever_anybody_wrote_is_text_and_nothing_else(turn: Turn, browser: Client) -> None:
    Turn.objects.update(text=EVIL, reply=EVIL, failure=EVIL)
    Step.objects.update(model=EVIL, nudge=EVIL, facts={EVIL: EVIL}, text=EVIL, request_id=EVIL, raw_stop=EVIL)
    ToolCall.objects.update(name=EVIL, arguments={EVIL: EVIL}, result=EVIL)
    PendingConfirmation.objects.update(long_question=EVIL)
    AuditEvent.objects.update(error=EVIL)
    turn.conversation.inbound.update(text=EVIL)
    turn.conversation.outbound.update(text=EVIL, error=EVIL, choice=EVIL)

    shown = page(browser, turn)

    assert EVIL not in shown
    assert shown.count(html.escape(EVIL)) > 12


def test_more_steps_make_no_more_queries(turn: Turn, browser: Client) -> None:
    browser.get(url_of(turn))
    with CaptureQueriesContext(connection) as few:
        page(browser, turn)
    for index in range(2, 8):
        Step.objects.create(turn=turn, index=index, provider="offline", stop="tool_calls")
        call = ToolCall.objects.create(turn=turn, step=index, position=0, name="look")
        AuditEvent.objects.create(kind="tool.result", turn=turn, step=index, tool_call=call)
        rows.answered(turn.conversation, "Un momento.", turn=turn)
        rows.said(turn.conversation, "¿y?", seq=index + 10)
    Turn.objects.update(read_to=99)
    with CaptureQueriesContext(connection) as many:
        assert page(browser, turn).count("look") >= 6
    assert len(many) == len(few)


def test_who_may_not_view_turns_sees_nothing(turn: Turn, client: Client) -> None:
    reader = User.objects.create_user("leo", is_staff=True)
    client.force_login(reader)
    assert client.get(url_of(turn)).status_code == 403
    reader.user_permissions.add(Permission.objects.get(codename="view_turn"))
    assert "Voy a: Crear pedido" in client.get(url_of(turn)).content.decode()


def test_an_unknown_turn_is_no_error_of_ours(browser: Client) -> None:
    assert browser.get(reverse("admin:aitools_turn_change", args=[12345])).status_code == 302


@pytest.mark.parametrize(
    ("time", "said"),
    [
        (None, ""),
        (0, "0 ms"),
        (850, "850 ms"),
        (1234, "1.2 s"),
        (timedelta(seconds=42), "42.0 s"),
        (timedelta(minutes=3, seconds=5), "3 min 5 s"),
        (timedelta(hours=2, minutes=1), "2 h 1 min"),
    ],
)
def test_times_are_said_as_people_say_them(time: timedelta | int | None, said: str) -> None:
    assert span(time) == said
