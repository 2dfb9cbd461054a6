"""The chat page over HTTP: who may come in, what is stored, what is shown."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings

from aitools import clock
from aitools.channels import web
from aitools.models import Conversation, InboundEvent, Mode, OutboundMessage, PendingConfirmation
from aitools.providers import scripted
from aitools.providers.scripted import asks, says
from tests.aitools.desk import Desk

PAGE, MESSAGES = "/chat/", "/chat/messages"
QUESTION = asks(("make", {"name": "pan", "count": 2}))

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def in_the_demo(settings: Settings) -> None:
    settings.DEMO = True


@pytest.fixture
def visitor() -> Client:
    return arrived()


def arrived() -> Client:
    """A browser that has opened the page, in English."""
    client = Client(headers={"Accept-Language": "en"})
    assert client.get(PAGE).status_code == 200
    return client


def post(client: Client, text: str = "hola", **fields: Any) -> Any:
    message = {"id": str(uuid.uuid4()), "text": text} | fields
    return client.post(MESSAGES, json.dumps(message), content_type="application/json")


def shown(client: Client) -> Sequence[Mapping[str, Any]]:
    messages: Sequence[Mapping[str, Any]] = client.get(MESSAGES).json()["messages"]
    return messages


def visit_as(client: Client, desk: Desk) -> Client:
    """The page of the desk's one customer."""
    session = client.session
    session[web.ADDRESS_KEY] = desk.address
    session.save()
    return client


class TestDoor:
    def test_strangers_are_sent_to_sign_in(self, client: Client, settings: Settings) -> None:
        settings.DEMO = False

        answer = client.get(PAGE, headers={"Accept": "text/html"})

        assert answer.status_code == 302
        assert answer["Location"].startswith("/admin/login/?next=/chat/")

    def test_strangers_scripts_find_nothing(self, client: Client, settings: Settings) -> None:
        settings.DEMO = False

        assert client.get(MESSAGES, headers={"Accept": "application/json"}).status_code == 404
        assert post(client).status_code == 404
        assert not InboundEvent.objects.exists()

    @pytest.mark.parametrize(("is_staff", "status"), [(True, 200), (False, 302)])
    def test_staff_may_and_other_users_may_not(
        self, is_staff: bool, status: int, client: Client, settings: Settings
    ) -> None:
        settings.DEMO = False
        client.force_login(User.objects.create_user("someone", is_staff=is_staff))

        assert client.get(PAGE, headers={"Accept": "text/html"}).status_code == status

    def test_who_has_not_opened_the_page_has_no_chat(self, client: Client) -> None:
        assert client.get(MESSAGES).status_code == 403
        assert post(client).status_code == 403

    def test_another_site_cannot_post(self) -> None:
        client = Client(enforce_csrf_checks=True)
        client.get(PAGE)

        assert post(client).status_code == 403
        headers = {"X-CSRFToken": client.cookies["csrftoken"].value}
        message = json.dumps({"id": str(uuid.uuid4()), "text": "hola"})
        assert client.post(MESSAGES, message, content_type="application/json", headers=headers).status_code == 202

    @pytest.mark.parametrize("method", ["post", "put", "delete"])
    def test_the_page_is_only_read(self, method: str, client: Client) -> None:
        assert getattr(client, method)(PAGE).status_code == 405

    def test_the_page_obeys_a_strict_content_security_policy(self, client: Client) -> None:
        html = client.get(PAGE).content.decode()

        assert not re.findall(r"<style|\sstyle=|\son\w+=|javascript:", html)
        assert all('src="/static/' in tag for tag in re.findall(r"<script[^>]*>", html))
        assert not re.findall(r"(?:src|href)=\"https?:", html)

    def test_the_page_speaks_the_readers_language_and_offers_the_other(self, client: Client) -> None:
        assert 'lang="en"' in client.get(PAGE, headers={"Accept-Language": "en"}).content.decode()
        html = client.get(PAGE, headers={"Accept-Language": "es"}).content.decode()
        assert '<html lang="es">' in html
        assert 'name="language" value="en"' in html


class TestPosting:
    def test_a_message_is_stored_and_shown(self, visitor: Client) -> None:
        assert post(visitor, "2 croissants").status_code == 202

        (bubble,) = shown(visitor)
        assert (bubble["text"], bubble["side"], bubble["ticks"]) == ("2 croissants", "visitor", "sent")

    @pytest.mark.django_db(transaction=True)
    def test_the_same_id_is_stored_once(self, visitor: Client) -> None:
        key = str(uuid.uuid4())
        answers = [post(visitor, "2 croissants", id=key).status_code for _ in range(3)]

        assert answers == [202, 202, 202]
        assert [bubble["id"] for bubble in shown(visitor)] == [key]

    def test_visitors_do_not_see_each_other_nor_take_each_others_ids(self, visitor: Client) -> None:
        other, key = arrived(), str(uuid.uuid4())
        post(other, "secreto", id=key)
        post(visitor, "hola", id=key)

        assert [bubble["text"] for bubble in shown(visitor)] == ["hola"]
        assert [bubble["text"] for bubble in shown(other)] == ["secreto"]

    def test_the_name_is_the_profiles_and_is_remembered(self, visitor: Client) -> None:
        post(visitor, name="  Ana ")

        assert Conversation.objects.get().profile_name == "Ana"
        assert 'value="Ana"' in visitor.get(PAGE).content.decode()

    def test_without_a_name_it_is_a_guest(self, visitor: Client) -> None:
        post(visitor)

        assert Conversation.objects.get().profile_name == "Guest"

    @pytest.mark.parametrize(
        ("text", "stored"),
        [
            ("🥐👍🏽", "🥐👍🏽"),
            ("dos\x00 panes", "dos panes"),
            ("a\ud800b", "a\ufffdb"),
            ("<script>alert(1)</script> {0} %s {{x}}", "<script>alert(1)</script> {0} %s {{x}}"),
            ("x" * web.TEXT_LIMIT, "x" * web.TEXT_LIMIT),
        ],
    )
    def test_odd_texts_are_taken(self, text: str, stored: str, visitor: Client) -> None:
        assert post(visitor, text).status_code == 202
        assert [bubble["text"] for bubble in shown(visitor)] == [stored]

    @pytest.mark.parametrize(
        ("fields", "told"),
        [
            ({"text": ""}, "write something"),
            ({"text": " \n\t "}, "write something"),
            ({"text": "\x00"}, "write something"),
            ({"text": "x" * 5000}, "at most 4096"),
            ({"name": "x" * 500}, "at most 60"),
            ({"id": "1"}, "reload"),
            ({"text": None}, "reload"),
            ({"address": "another"}, "reload"),
        ],
    )
    def test_what_cannot_be_taken_is_told_politely(self, fields: Mapping[str, Any], told: str, visitor: Client) -> None:
        answer = post(visitor, **fields)

        assert answer.status_code == 422
        assert told in answer.json()["error"]
        assert not InboundEvent.objects.exists()

    @pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe\xff", b"null", b"[]", b"[" * 100_000])
    def test_no_body_is_an_error_of_ours(self, body: bytes, visitor: Client) -> None:
        assert visitor.post(MESSAGES, body, content_type="application/json").status_code == 422

    def test_a_huge_body_is_413(self, visitor: Client, settings: Settings) -> None:
        settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000

        assert post(visitor, "x" * 2000).status_code == 413


class TestShowing:
    def test_nothing_is_sent_again_while_nothing_changed(self, visitor: Client) -> None:
        post(visitor)
        etag = visitor.get(MESSAGES)["ETag"]

        same = visitor.get(MESSAGES, headers={"If-None-Match": etag})
        post(visitor)
        news = visitor.get(MESSAGES, headers={"If-None-Match": etag})

        assert (same.status_code, same.content) == (304, b"")
        assert news.status_code == 200

    def test_a_whole_exchange(self, client: Client, desk: Desk) -> None:
        with scripted.script([says("¿Qué te gustaría?")]):
            desk.write("hola")

        own, reply = shown(visit_as(client, desk))
        assert (own["side"], own["ticks"]) == ("visitor", "read")
        assert (reply["side"], reply["text"]) == ("desk", "¿Qué te gustaría?")

    def test_the_desk_types_until_it_has_answered(self, client: Client, desk: Desk) -> None:
        visit_as(client, desk)
        desk.receive("hola")
        assert client.get(MESSAGES).json()["typing"] is True

        with scripted.script([says("¿Qué te gustaría?")]):
            desk.drain()
        assert client.get(MESSAGES).json()["typing"] is False

    def test_nobody_is_said_to_type_for_ever(self, client: Client, desk: Desk) -> None:
        desk.receive("hola")

        with clock.shifted(600):
            assert visit_as(client, desk).get(MESSAGES).json()["typing"] is False

    def test_the_bot_does_not_type_while_a_person_answers(self, client: Client, desk: Desk) -> None:
        desk.receive("hola")
        Conversation.objects.update(mode=Mode.HUMAN)

        assert visit_as(client, desk).get(MESSAGES).json()["typing"] is False

    def test_a_new_conversation_is_a_line_across(self, client: Client, desk: Desk) -> None:
        desk.write("/reset")

        line, told = shown(visit_as(client, desk))
        assert (line["side"], told["side"]) == ("note", "desk")

    def test_only_the_end_of_a_long_conversation_is_shown_at_a_constant_price(
        self, client: Client, desk: Desk, django_assert_max_num_queries: DjangoAssertNumQueries
    ) -> None:
        for number in range(120):
            desk.receive(f"mensaje {number}")
        visit_as(client, desk)

        with django_assert_max_num_queries(8):
            messages = shown(client)
        assert [messages[0]["text"], messages[-1]["text"], len(messages)] == ["mensaje 20", "mensaje 119", 100]


class TestQuestions:
    @pytest.fixture
    def asked(self, client: Client, desk: Desk) -> Callable[[], Mapping[str, Any]]:
        """The question's bubble as it is shown now."""
        visit_as(client, desk)
        with scripted.script([QUESTION]):
            desk.write("2 panes")
        return lambda: next(bubble for bubble in shown(client) if "¿Confirmas?" in bubble["text"])

    def test_an_open_question_has_its_buttons(self, asked: Callable[[], Mapping[str, Any]]) -> None:
        assert [button["title"] for button in asked()["buttons"]] == ["Sí", "No"]
        assert asked()["answered"] == ""

    def test_a_press_is_the_answer_even_before_it_is_read(
        self, asked: Callable[[], Mapping[str, Any]], client: Client
    ) -> None:
        no = asked()["buttons"][1]
        assert post(client, no["title"], press=no["id"]).status_code == 202

        assert (asked()["answered"], asked()["buttons"]) == ("→ No", [])
        assert InboundEvent.objects.latest("id").payload == no["id"]

    @pytest.mark.parametrize(("typed", "answer"), [("sí", "→ Sí"), ("no", "→ No")])
    def test_a_typed_answer_takes_the_buttons_away(
        self, typed: str, answer: str, asked: Callable[[], Mapping[str, Any]], desk: Desk
    ) -> None:
        with scripted.script([says("Bien.")]):
            desk.write(typed)

        assert (asked()["answered"], asked()["buttons"]) == (answer, [])

    @pytest.mark.parametrize("state", ["expired", "cancelled", "replied"])
    def test_a_question_that_was_settled_otherwise_says_so(
        self, state: str, asked: Callable[[], Mapping[str, Any]]
    ) -> None:
        PendingConfirmation.objects.update(state=state)

        assert (asked()["answered"], asked()["buttons"]) == ("Ya no está abierta", [])

    def test_a_press_that_came_too_late_is_not_shown_as_the_answer(
        self, asked: Callable[[], Mapping[str, Any]], client: Client
    ) -> None:
        yes = asked()["buttons"][0]
        post(client, yes["title"], press=yes["id"])
        PendingConfirmation.objects.update(state=PendingConfirmation.State.EXPIRED)

        assert asked()["answered"] == "Ya no está abierta"

    def test_a_second_tab_hears_of_the_answer_too(
        self, asked: Callable[[], Mapping[str, Any]], client: Client, desk: Desk
    ) -> None:
        asked()
        seen = {"If-None-Match": client.get(MESSAGES)["ETag"]}
        with scripted.script([says("Bien.")]):
            desk.press("yes")

        tabs = [client.get(MESSAGES, headers=seen).json()["messages"] for _ in range(2)]
        assert [[bubble["answered"] for bubble in tab if bubble["answered"]] for tab in tabs] == [["→ Sí"], ["→ Sí"]]

    def test_the_choice_stays_in_the_questions_language(
        self, asked: Callable[[], Mapping[str, Any]], desk: Desk
    ) -> None:
        with scripted.script([says("Bien.")]):
            desk.press("no")
        Conversation.objects.update(language="en")

        assert asked()["answered"] == "→ No"


def test_what_retention_emptied_is_not_shown(client: Client, desk: Desk) -> None:
    with scripted.script([says("¿Qué te gustaría?")]):
        desk.write("hola")
    desk.receive("¿hay pan?")
    InboundEvent.objects.filter(text="hola").update(text="")
    OutboundMessage.objects.update(text="")

    assert [bubble["text"] for bubble in shown(visit_as(client, desk))] == ["¿hay pan?"]
