"""The playground with the shop's own tools: all of it works, and nothing of it is there afterwards."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from decimal import Decimal

import pytest
from django.apps import apps
from django.db import connection
from django.test import Client

from aitools import playground, queue
from aitools.models import BotProfile, ModelEndpoint
from aitools.playground import Chat, Who
from aitools.providers import scripted
from aitools.providers.scripted import asks, says
from orders.models import Order
from tests.orders.factories import context, load_sample, order

PAGE = "/admin/aitools/botprofile/playground/"
#: What leads to the question.
ASKED = ("2 pandebono valluno", "sí", "Ana")
PRICES = {"input_price": Decimal(3), "output_price": Decimal(15)}
BREAD = {"items": [{"product": "pandebono-valluno", "quantity": 2}]}


@pytest.fixture
def shop(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The sample bakery, with one real order of a real customer; nothing may be published or change."""
    load_sample()
    BotProfile.objects.create(name="test")
    order(context(name="Ana"), ("pandebono-valluno", 1))
    monkeypatch.setattr(queue, "publish", lambda *given: pytest.fail(f"{given} was published"))
    before = everything()
    yield
    assert everything() == before


def everything() -> dict[str, list[str]]:
    """All rows of the shop and the engine, as text."""
    rows = {}
    with connection.cursor() as cursor:
        for model in [*apps.get_app_config("orders").get_models(), *apps.get_app_config("aitools").get_models()]:
            table = model._meta.db_table
            cursor.execute(f'SELECT row_to_json(t)::text FROM "{table}" t ORDER BY 1')
            rows[table] = [row[0] for row in cursor.fetchall()]
    return rows


def talk(*texts: str, endpoint: str = "offline", chat: Chat | None = None) -> Chat:
    """A talk in Spanish, or more of one, kept and read back between any two messages as a session does it."""
    chat = chat or Chat(None, endpoint, "es")
    for text in texts:
        assert chat is not None
        playground.say(chat, text)
        chat = playground.from_json(playground.to_json(chat))
    assert chat is not None
    return chat


def said(chat: Chat) -> str:
    return chat.exchanges[-1].said(Who.DESK, Who.QUESTION)


def calls(chat: Chat) -> list[str]:
    return [call.name for one in chat.exchanges for step in one.steps for call in step.calls]


@pytest.mark.usefixtures("shop")
class TestNothingIsStored:
    def test_a_whole_order_is_quoted_asked_about_placed_and_cancelled(self) -> None:
        chat = talk(ASKED[0])
        assert "2 × " in said(chat)
        chat = talk(*ASKED[1:], chat=chat)
        assert chat.waiting is not None
        chat = talk("sí", chat=chat)
        number = re.search(r"C-\d+", said(chat))
        assert number is not None
        assert chat.effects[-1].tool == "create_order"
        chat = talk(f"cancela el pedido {number[0]}", "sí", chat=chat)
        assert chat.effects[-1].tool == "cancel_order"
        assert number[0] in said(chat)

    def test_a_no_places_nothing(self) -> None:
        chat = talk(*ASKED, "no")
        assert chat.waiting is None
        assert {effect.tool for effect in chat.effects} == {"quote_order"}

    def test_an_order_of_somebody_real_is_not_found(self) -> None:
        number = Order.objects.get().number
        chat = talk(f"cancela el pedido {number}")
        assert chat.waiting is None
        assert chat.effects == []

    def test_a_person_can_be_asked_for(self) -> None:
        chat = talk("quiero hablar con una persona")
        assert calls(chat) == ["talk_to_person"]


@pytest.mark.usefixtures("shop")
def test_the_pages_store_nothing_either(admin_client: Client) -> None:
    sent = {"start": "1", "endpoint": "offline", "language": "es"}
    admin_client.post(PAGE, sent)
    for text in (*ASKED, "Sí"):
        admin_client.post(PAGE, {"text": text})
    page = admin_client.get(PAGE).content.decode()
    assert "create_order" in page
    assert "C-" in page


@pytest.fixture
def scripted_talk(transactional_db: None) -> Callable[..., Chat]:
    load_sample()
    row = ModelEndpoint.objects.create(name="script", kind="scripted", **PRICES)
    BotProfile.objects.create(name="test", endpoint=row)
    return lambda *texts: talk(*texts, endpoint=str(row.pk))


class TestSteps:
    def test_facts_know_the_draft_of_the_step_before(self, scripted_talk: Callable[..., Chat]) -> None:
        with scripted.script([asks(("quote_order", BREAD)), says("Listo.")]) as script:
            chat = scripted_talk("2 pandebono valluno")
        assert [call.facts["draft"] is None for call in script.calls] == [True, False]
        assert '"draft": {' in script.calls[1].system
        assert chat.exchanges[-1].steps[1].answered is not None

    def test_what_the_guard_held_back_is_shown(self, scripted_talk: Callable[..., Chat]) -> None:
        with scripted.script([says("Son $999.000."), says("¿Cuántos?")]):
            chat = scripted_talk("pan")
        kinds = [kind for step in chat.exchanges[-1].steps for kind, _detail in step.events]
        assert kinds == ["reply.guarded"]
        assert said(chat) == "¿Cuántos?"

    def test_words_beside_a_question_go_to_the_model(self, scripted_talk: Callable[..., Chat]) -> None:
        placing = asks(("create_order", {"items": [{"product": "pandebono-valluno", "quantity": 2}], "name": "Ana"}))
        with scripted.script([placing, says("¿Cuántos?")]) as script:
            chat = scripted_talk("2 pandebono valluno", "mejor 5")
        assert chat.effects == []
        assert "mejor 5" in str(script.calls[-1].messages)

    def test_earlier_talk_is_plain_talk(self, scripted_talk: Callable[..., Chat]) -> None:
        with scripted.script([says("Hola."), says("Sí.")]) as script:
            scripted_talk("hola", "¿abren hoy?")
        assert [getattr(one, "text", "") for one in script.calls[-1].messages] == ["hola", "Hola.", "¿abren hoy?"]

    def test_a_long_talk_ends(self, scripted_talk: Callable[..., Chat], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(playground, "MOST_EXCHANGES", 1)
        with scripted.script([says("Hola.")]):
            chat = scripted_talk("hola", "¿hay pan?")
        assert chat.is_full
        assert len(chat.exchanges) == 1


def test_a_talk_whose_model_is_gone_is_told_so_and_is_no_error(
    admin_client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    row = ModelEndpoint.objects.create(name="Gone", kind="ollama", model="m")
    admin_client.post(PAGE, {"start": "1", "endpoint": str(row.pk)})
    row.delete()
    answer = admin_client.post(PAGE, {"text": "hola"}, headers={"accept-language": "en"})

    assert answer.status_code == 409
    assert "The profile or the model of this talk is gone." in answer.content.decode()
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


def test_what_another_version_kept_begins_anew() -> None:
    assert playground.from_json({"talk": "old"}) is None
    assert playground.from_json(None) is None
