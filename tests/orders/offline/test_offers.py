"""A plain yes or no to what we offered is taken for what was asked."""

from __future__ import annotations

import pytest
from django.utils.translation import override

from aitools import texts as engine_texts
from aitools.types import AssistantText, UserText
from orders.models import Order
from orders.offline import texts
from orders.offline.intents import is_contradictory
from orders.texts import offers, refusals
from tests.orders import factories
from tests.orders.offline.chats import Chat, chat

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("english")]

ALL_RIGHT = "All right. Just write when you need something."


@pytest.fixture(autouse=True)
def shop() -> None:
    factories.load_sample()


def after(said: str) -> Chat:
    """A chat whose last words are ours."""
    talk = chat()
    talk.talk = [UserText("hola"), AssistantText(said)]
    return talk


def test_whoever_may_not_cancel_any_more_gets_the_person_we_offer() -> None:
    talk = chat()

    talk.write("quiero 2 croissants", "sí")
    Order.objects.update(state="preparing")
    offered = talk.write("cancela mi pedido")
    told = talk.write("sí")

    assert offered == "It is too late to cancel order C-1 here. Shall I pass you to a person of the shop?"
    assert talk.last_call == "talk_to_person"
    assert told.startswith("All right. A person of the shop will answer you")


@pytest.mark.parametrize("language", texts.LANGUAGES)
def test_a_person_offered_is_called_however_they_say_yes(language: str) -> None:
    with override(language):
        said = offers.person("…")
    for answer in (
        *("sí", "sí por favor", "sí, llama a una persona", "llámala", "dale, pásame", "que me llamen", "con alguien"),
        *("yes please", "yes, call a person", "call them", "ok, put me through to someone"),
    ):
        talk = after(said)
        talk.write(answer)
        assert (answer, talk.last_call) == (answer, "talk_to_person")


def test_a_person_turned_down_is_not_called_and_nothing_more_is_asked() -> None:
    for answer in ("no", "no, gracias", "no hace falta", "no llames a nadie", "no need to call anyone", "nada"):
        talk = after(offers.person("…"))
        assert (answer, talk.write(answer)) == (answer, ALL_RIGHT)
        assert not talk.provider.calls


def test_an_order_after_the_offer_of_a_person_is_an_order() -> None:
    talk = after(offers.person("…"))

    talk.write("pásame 2 croissants", "sí")

    assert Order.objects.get().lines.get().quantity == 2


def test_a_large_order_may_go_to_a_person_in_other_words() -> None:
    talk = after(texts.ASK_LARGE % {"count": "300", "product": "Croissant"})

    talk.write("pásame con alguien")

    assert talk.last_call == "talk_to_person"


@pytest.mark.parametrize(
    "said", [texts.ASK_MORE, texts.ENGINE_DECLINED, texts.TOOLS_ASK_OTHER], ids=["more", "declined", "other"]
)
def test_a_yes_to_anything_else_is_asked_what_and_a_no_closes(said: str) -> None:
    assert after(said).write("sí") == texts.ask_wish()
    assert after(said).write("no") == ALL_RIGHT


def test_a_yes_to_something_instead_places_nothing_yet() -> None:
    talk = chat()

    talk.write("2 croissants y una cerveza", "sí")

    assert talk.said[-1] == texts.ask_wish()
    assert not talk.called("create_order")


def test_nothing_to_change_keeps_quiet() -> None:
    assert after(texts.ASK_CHANGE).write("nada, gracias") == ALL_RIGHT


def test_a_yes_to_no_text_orders_it_without_one() -> None:
    talk = chat()

    talk.write("2 croissants que digan Feliz día", "sí", "sí")

    assert [(line.quantity, line.note) for line in Order.objects.get().lines.all()] == [(2, "")]


def test_a_yes_to_the_earliest_time_moves_the_order_that_was_placed() -> None:
    talk = chat()

    talk.write("quiero 2 croissants", "sí", "cámbialo para hoy a las 3 am", "sí", "no")

    assert talk.called("update_order")[-1]["pickup_at"] == "2026-11-24T10:15"


def test_our_sentences_are_known_as_those_who_say_them_do() -> None:
    assert engine_texts.declined() == texts.ENGINE_DECLINED
    assert refusals.way_on(None, factories.NOW) == texts.TOOLS_ASK_OTHER


class TestAYesAndANoAtOnce:
    """As when both buttons were pressed."""

    def test_nothing_is_ordered_and_the_order_is_offered_again(self) -> None:
        talk = chat()

        talk.write("quiero 2 croissants", "Sí\nNo")

        assert talk.said[-1] == "I got a yes and a no at once, so I have done nothing.\nShall I place the order?"
        assert not Order.objects.exists()
        talk.write("sí", "sí")
        assert Order.objects.exists()

    def test_nothing_is_cancelled_and_it_is_to_be_said_again(self) -> None:
        talk = chat()

        talk.write("quiero 2 croissants", "sí", "cancela mi pedido", "No\nSí")

        assert talk.said[-1].startswith("I got a yes and a no at once, so I have done nothing.\nPlease tell me once")
        assert Order.objects.get().state == "accepted"

    @pytest.mark.parametrize("text", ["no, gracias", "sí, claro", "no, claro que no", "sí\npero 3", "no\n2 cafés"])
    def test_one_of_them_or_more_than_that_is_something_else(self, text: str) -> None:
        assert not is_contradictory(text)
