"""Finding products by what people write."""

from __future__ import annotations

import pytest

from orders import catalogue, menu_files
from orders.search import resolve, search
from orders.text import normalise, stem
from tests.orders import factories as make


@pytest.mark.parametrize(
    ("one", "other"),
    [("PANES", "pan"), ("cafés", "Café"), ("franceses", "francés"), ("tortas", "torta"), ("croissants", "croissant")],
)
def test_plurals_accents_and_case_are_the_same_word(one: str, other: str) -> None:
    assert stem(one) == stem(other)


def test_punctuation_and_control_characters_are_spaces() -> None:
    assert normalise("  ¡Pan—de\x00 BONO!  ") == "pan de bono"


@pytest.mark.django_db
class TestSample:
    @pytest.mark.parametrize(
        ("words", "key"),
        [
            ("croissant", "croissant"),
            ("cruasán", "croissant"),
            ("CROISANT", "croissant"),
            ("un café", "cafe"),
            ("tinto", "cafe"),
            ("pandebonos", "pandebono-valluno"),
            ("brownies", "brownie-nuez"),
            ("capuchinos", "capuchino"),
        ],
    )
    def test_words_people_use(self, words: str, key: str) -> None:
        make.load_sample()
        meant = resolve(catalogue.current(), words)
        assert meant.product is not None
        assert meant.product.key == key

    @pytest.mark.parametrize("words", ["galletas", "croissant relleno de algo", "zzz", "", "🍞🍞", "pan"])
    def test_what_is_not_clear_is_not_decided(self, words: str) -> None:
        make.load_sample()
        assert resolve(catalogue.current(), words).product is None

    def test_a_product_is_found_in_whatever_category_it_is(self) -> None:
        make.load_sample()
        assert "pan-leche" in [product.key for product in search(catalogue.current(), "panes de leche")]


@pytest.mark.skipif(not make.CASES.is_dir(), reason="the shared case menus are not here")
@pytest.mark.django_db
def test_a_misspelt_word_is_found_among_three_thousand_products() -> None:
    menu_files.load(menu_files.read(make.CASES / "large-3000.json"))
    menu = catalogue.current()
    assert search(menu, "croasant de almendra")
    assert not search(menu, "xyz abc")
