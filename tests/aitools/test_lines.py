"""The default question of a tool: its arguments in words, keys with their labels."""

import pytest
from django.utils import translation

from aitools.lines import arg_lines, summarize_value
from aitools.providers import scripted
from aitools.providers.scripted import asks
from aitools.tools import Tool, registry
from aitools.types import Json
from tests.aitools import desk as parts
from tests.aitools.desk import Desk

LABELS = {"product": {"pan-bono": "Pan de bono"}, "branch": {"c": "Centro"}}


def test_items_read_as_quantity_and_label() -> None:
    items = [{"product": "pan-bono", "quantity": 2, "options": [], "note": None}, {"product": "cafe", "quantity": 1}]
    assert arg_lines({"items": items}, LABELS) == ["Items: 2 × Pan de bono, 1 × cafe"]


def test_keys_get_their_labels_and_empty_arguments_are_left_out() -> None:
    arguments: dict[str, Json] = {"branch": "c", "pickup_at": None, "note": "", "tags": [], "at": {}, "count": 0}
    assert arg_lines(arguments, LABELS) == ["Branch: Centro", "Count: 0"]


def test_yes_and_no_are_words_of_the_language() -> None:
    with translation.override("es"):
        assert arg_lines({"urgent": False, "gift": True}, {}) == ["Urgent: No", "Gift: Sí"]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("pan-bono", "Pan de bono"),
        (["pan-bono", "", None, "cafe"], "Pan de bono, cafe"),
        ({"quantity": 3}, "3"),
        ({"product": "pan-bono", "size": "big", "quantity": 1}, "1 × Pan de bono · big"),
        ([{"product": [{"product": "pan-bono"}]}], "Pan de bono"),
        ("one\n• Total: 0", "one • Total: 0"),
        (2.5, "2.5"),
    ],
)
def test_any_value_is_one_line_of_words(value: Json, words: str) -> None:
    assert summarize_value(value, LABELS, "product") == words


def test_a_tool_without_lines_of_its_own_shows_its_arguments(desk: Desk) -> None:
    plain = Tool(
        "plain",
        "Does it.",
        parts.make,
        parts.Thing,
        title="Hacer",
        confirm=True,
        effects="database",
        labels={"name": {"pan": "Pan de bono"}},
    )
    registry.add(plain)
    with scripted.script([asks(("plain", {"name": "pan", "count": 2}))]):
        (question,) = desk.write("2 panes")
    assert question == "Voy a: Hacer\n• Name: Pan de bono\n• Count: 2\n¿Confirmas?"
