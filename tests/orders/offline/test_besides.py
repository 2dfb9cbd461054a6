"""Voice notes and pictures that come in one burst with words: the customer hears that nobody could read them."""

from __future__ import annotations

import pytest

from aitools import locations
from aitools.mediamarks import unseen
from orders.models import Order
from tests.orders import factories as make
from tests.orders.offline.chats import Chat, chat

PICTURE, NOTE = unseen("image"), unseen("audio")
DEAF = "I can't listen to voice notes."
BLIND = "I can't see pictures."
OFFER = "Shall I place the order?"


@pytest.fixture
def talk(db: None, english: None) -> Chat:
    make.load_sample()
    return chat()


@pytest.mark.parametrize("words", [[], ["hello"]], ids=["alone", "with words"])
def test_a_voice_note_beside_a_place_is_named(words: list[str], talk: Chat) -> None:
    place = locations.told(locations.Location(4.7, -74.05))
    said = talk.write("\n".join([*place, NOTE, *words]))
    assert said.startswith(DEAF)
    assert place[1].removeprefix(locations.MARK).strip() in said


@pytest.mark.parametrize(
    ("burst", "words"), [(f"{PICTURE}\nI want 2 croissants like this", BLIND), (f"{NOTE}\nand 2 croissants", DEAF)]
)
def test_an_order_beside_it_is_offered_before_a_yes_can_place_it(burst: str, words: str, talk: Chat) -> None:
    said = talk.write(burst)
    assert "2 × Croissant" in said
    assert words in said
    assert said.endswith(OFFER)
    assert not talk.called("create_order")

    talk.write("yes", "yes")
    assert Order.objects.get().lines.get().quantity == 2


def test_a_yes_beside_it_to_the_offer_is_asked_again(talk: Chat) -> None:
    talk.write(f"{PICTURE}\n2 croissants")
    said = talk.write(f"{NOTE}\nyes")
    assert DEAF in said
    assert said.endswith(OFFER)
    assert not talk.called("create_order")


def test_a_yes_beside_it_to_the_question_places_nothing(talk: Chat) -> None:
    said = talk.write("2 croissants", f"{NOTE}\nyes and 1 coffee")
    assert DEAF in said
    assert not Order.objects.exists()


def test_a_question_beside_it_is_answered_too(talk: Chat) -> None:
    said = talk.write(f"{NOTE}\nwhen do you open?")
    assert talk.last_call == "check_hours"
    assert DEAF in said


def test_an_order_is_not_cancelled_on_half_of_what_was_said(talk: Chat) -> None:
    talk.write("2 croissants", "yes")
    said = talk.write(f"{NOTE}\ncancel my order")
    assert said == f"{DEAF} Please write to me what you need.\nPlease tell me once more what you would like me to do."
    assert not talk.called("cancel_order")


def test_repeating_the_last_order_says_it_too(talk: Chat) -> None:
    talk.write("2 croissants", "yes")
    said = talk.write(f"{PICTURE}\nthe same as last time")
    assert BLIND in said
    assert said.endswith(OFFER)


def test_who_asks_for_a_person_gets_one_who_can_hear_it(talk: Chat) -> None:
    talk.write(f"{NOTE}\nI want to talk to a person")
    assert talk.last_call == "talk_to_person"
