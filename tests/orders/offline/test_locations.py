"""Customers who share where they are, or ask which branch is near."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import translation

from aitools import locations
from tests.orders import factories as make
from tests.orders.offline.chats import Chat, chat

PLACED = [
    {"key": "norte", "name": "Norte", "latitude": 4.7, "longitude": -74.05, "address": "Calle 100"},
    {"key": "sur", "name": "Sur", "latitude": 4.57, "longitude": -74.1, "address": "Carrera 9"},
]
OFFER = "Would you like to order at Sur?"


def at_sur(*words: str) -> str:
    """What the desk makes of a location near Sur, and of words sent with it."""
    with translation.override("en"):
        return "\n".join([*locations.told(locations.Location(4.5712, -74.1008, "Mi casa")), *words])


@pytest.fixture
def shop(db: None) -> Chat:
    """Two branches on the map, the second one near."""
    return _shop()


def _shop(branches: list[dict[str, Any]] = PLACED) -> Chat:
    open_all_day = [{"days": make.ALL_DAYS, "open": "00:01", "close": "20:00"}]
    make.load_menu(make.menu(branches=[{"hours": open_all_day, **one} for one in branches]))
    return chat()


class TestSharing:
    def test_a_place_alone_is_answered_with_the_closest_branch_and_an_offer(self, shop: Chat) -> None:
        said = shop.write(at_sur()).split("\n")
        assert said[0].startswith("The closest is Sur (0.2 km): ")
        assert said[0].endswith(", Carrera 9.")
        assert said[1].startswith("• Norte (15.")
        assert said[2:] == [OFFER]
        assert shop.last_call == ""

    def test_who_accepts_the_offer_orders_there(self, shop: Chat) -> None:
        shop.write(at_sur())
        assert shop.write("yes") == "What would you like to order? Tell me the products and how many."
        question = shop.write("2 bollos", "yes")
        assert "Pick-up at Sur" in shop.said[-2]
        assert question.startswith("Done, Ana! Your order is S-")

    def test_who_orders_right_after_it_orders_there(self, shop: Chat) -> None:
        shop.write(at_sur(), "2 bollos", "yes")
        assert shop.called("create_order")[-1]["branch"] == "sur"

    def test_another_branch_that_is_named_wins(self, shop: Chat) -> None:
        shop.write(at_sur(), "2 bollos at Norte", "yes")
        assert shop.called("create_order")[-1]["branch"] == "norte"

    def test_who_turns_it_down_is_asked_again(self, shop: Chat) -> None:
        shop.write(at_sur(), "no, thanks")
        assert shop.write("2 bollos").endswith("Which branch: Norte, Sur?")

    def test_it_answers_the_question_for_the_branch(self, shop: Chat) -> None:
        assert shop.write("2 bollos").endswith("Which branch: Norte, Sur?")
        shop.write(at_sur(), "yes")
        assert "Pick-up at Sur" in shop.said[-2]
        assert shop.called("create_order")[-1]["branch"] == "sur"

    def test_with_an_order_under_way_that_lacks_a_branch_it_is_offered(self, shop: Chat) -> None:
        shop.write("2 bollos", "what time do you open?")
        assert shop.write(at_sur()).endswith(OFFER)
        shop.write("yes", "yes")
        assert shop.called("create_order")[-1]["branch"] == "sur"

    def test_words_beside_it_are_answered_too(self, shop: Chat) -> None:
        said = shop.write(at_sur("hello"))
        assert said.startswith("The closest is Sur")
        assert "Welcome to Horno de Prueba" in said

    @pytest.mark.parametrize("words", ["here", "estoy aquí", "this is where i am right now"])
    def test_words_that_only_point_at_it_need_no_answer_of_their_own(self, words: str, shop: Chat) -> None:
        assert shop.write(at_sur(words)).endswith(OFFER)

    def test_an_order_beside_it_is_for_the_closest_branch(self, shop: Chat) -> None:
        shop.write(at_sur("2 bollos please"), "yes")
        assert shop.called("create_order")[-1]["branch"] == "sur"

    def test_its_name_is_nothing_they_order(self, shop: Chat) -> None:
        with translation.override("en"):
            place = "\n".join(locations.told(locations.Location(4.57, -74.1, "2 bollos", "3 roscas")))
        shop.write(place)
        assert shop.provider.calls == []
        assert shop.write("how much is it?") != ""
        assert "quote_order" not in [name for name, _ in shop.provider.calls]

    def test_a_place_while_a_yes_is_waited_for_runs_nothing(self, shop: Chat) -> None:
        assert shop.write("2 bollos at Norte", at_sur()).startswith("The closest is Sur")
        assert not any(said.startswith("Done") for said in shop.said)


class TestAsking:
    @pytest.mark.parametrize(
        "asked", ["¿qué sede me queda cerca?", "which branch is near me?", "where is the closest?"]
    )
    def test_without_a_place_the_addresses_are_told_and_the_place_asked_for(self, shop: Chat, asked: str) -> None:
        said = shop.write(asked)
        assert "(Calle 100)" in said
        assert "(Carrera 9)" in said
        assert said.endswith("If you share your location here, I'll tell you which one is closest.")

    def test_the_place_shared_a_moment_before_is_enough(self, shop: Chat) -> None:
        shop.write(at_sur())
        assert shop.write("which one is closest?").startswith("The closest is Sur (0.2 km)")

    def test_question_and_place_at_once_are_one_answer(self, shop: Chat) -> None:
        said = shop.write(at_sur("which one is closest to me?")).split("\n")
        assert [line.startswith("The closest is Sur") for line in said].count(True) == 1
        assert said[-1] == OFFER

    def test_with_one_branch_there_is_no_choice(self, db: None) -> None:
        said = _shop(PLACED[:1]).write("which branch is near me?")
        assert "(Calle 100)" in said
        assert "location" not in said


@pytest.mark.django_db
def test_branches_that_are_not_on_the_map_are_listed_with_their_addresses() -> None:
    shop = _shop([{key: one[key] for key in ("key", "name", "address")} for one in PLACED])
    said = shop.write(at_sur())
    assert said.startswith("I can't tell how far it is, but these are our branches:")
    assert "Norte: " in said
    assert "Carrera 9" in said
