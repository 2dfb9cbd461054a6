"""The default question of a tool: its arguments in words, keys with their labels."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.utils import translation
from django.utils.translation import gettext_lazy

from aitools.lines import arg_lines, question_lines, summarize_value
from aitools.providers import scripted
from aitools.providers.scripted import asks
from aitools.tools import Tool, ToolContext, registry
from aitools.types import Json
from aitools.validation import Valid
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


@pytest.mark.parametrize(
    ("own", "lines"),
    [("2 × pan", ("2 × pan",)), (gettext_lazy("Yes"), ("Yes",)), ((line for line in "ab"), ("a", "b")), ([], ())],
)
def test_one_text_for_all_lines_is_one_line(own: Any, lines: tuple[str, ...]) -> None:
    make = Tool("make", "Makes.", lambda args, ctx: None, {"type": "object"}, confirm_lines=lambda args, ctx: own)
    ctx = ToolContext("make", "", "", "en", datetime.now(UTC))
    with translation.override("en"):
        assert question_lines(make, Valid({}, {}, ""), ctx) == lines


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
