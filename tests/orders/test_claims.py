"""What may be said about what is in a product: declared allergens and the menu's own words, nothing else."""

from __future__ import annotations

import json

import pytest

from aitools.guard import guard_for
from aitools.loop import CallStatus, CallView, StepView, Transcript
from aitools.tools import ToolSet
from aitools.types import Message, ModelReply, ToolRequest, UserText
from orders import claims


def found(text: str, *products: dict[str, object], talk: tuple[Message, ...] = ()) -> str:
    """What the shop's check finds in a reply after these products were looked up."""
    content = json.dumps({"products": list(products)}, ensure_ascii=False)
    view = CallView("1", ToolRequest("search_products", {}), CallStatus.SETTLED, content, done=True)
    guard = guard_for({}, talk, (), ToolSet([]), claims.unbacked)
    return guard(text, Transcript((StepView(ModelReply(), (view,) if products else ()),)))


def product(name: str, allergens: list[str] | None) -> dict[str, object]:
    return {"key": name, "name": name, "price": "2000", "allergens": allergens}


ARROZ = product("Galleta de arroz", [])
CROISSANT = product("Croissant", ["gluten", "milk", "eggs"])
UNDECLARED = product("Almojábana", None)


@pytest.mark.parametrize(
    "words",
    [
        "La galleta de arroz no lleva gluten.",
        "La galleta de arroz es apta para celíacos.",
        "The galleta de arroz is gluten free.",
        "La galleta de arroz no contiene leche ni huevos.",
    ],
)
def test_a_declared_list_backs_that_something_is_absent(words: str) -> None:
    assert found(words, ARROZ, CROISSANT) == ""


@pytest.mark.parametrize(
    "words",
    [
        "La almojábana es sin gluten.",
        "La almojábana es **sin** gluten.",
        "La almojábana es *apta* para celíacos.",
        "La almojábana no lleva leche.",
        "La almojábana es apta para celíacos.",
        "The almojábana is safe for your nut allergy.",
        "La almojábana es vegana.",
        "Es libre de frutos secos.",
    ],
)
def test_what_is_not_declared_is_not_absent(words: str) -> None:
    assert found(words, UNDECLARED).startswith("the claim")
    assert found(words).startswith("the claim")


def test_a_declared_allergen_is_not_absent() -> None:
    assert found("El croissant no lleva leche.", CROISSANT, ARROZ).startswith("the claim")


def test_the_list_of_one_product_says_nothing_of_another() -> None:
    assert found("La almojábana no lleva gluten.", ARROZ, UNDECLARED).startswith("the claim")


def test_no_list_tells_what_is_vegan_or_right_for_diabetics() -> None:
    assert found("La galleta de arroz es vegana.", ARROZ).startswith("the claim")
    assert found("La galleta de arroz es ideal para diabéticos.", ARROZ).startswith("the claim")


def test_a_products_own_name_may_be_said() -> None:
    bread = product("Pan sin gluten", None)
    assert found("Tenemos Pan sin gluten.", bread) == ""
    assert found("El croissant es sin gluten.", bread, product("Croissant", None)).startswith("the claim")


@pytest.mark.parametrize(
    "words",
    [
        "No puedo asegurar que sea apta para celíacos.",
        "No está declarado si lleva nueces.",
        "I can't say it's safe for your allergy.",
        "¿Lo necesitas sin gluten?",
        "No tenemos productos veganos.",
        "El croissant lleva gluten, así que no es apto para celíacos.",
        "¿Buscas algo sin azúcar?",
    ],
)
def test_doubt_denial_and_questions_claim_nothing(words: str) -> None:
    assert found(words, CROISSANT, UNDECLARED) == ""


def test_a_customers_wish_may_be_read_back_but_not_asserted() -> None:
    talk = (UserText("un café sin azúcar"),)
    assert found("Un café sin azúcar, ¿algo más?", talk=talk) == ""
    assert found("El café es sin azúcar.", talk=talk).startswith("the claim")


def test_a_calming_word_before_does_not_take_the_claim_back() -> None:
    assert found("Don't worry, it's completely dairy-free.", UNDECLARED).startswith("the claim")
    assert found("No te preocupes, no lleva gluten.", UNDECLARED).startswith("the claim")
