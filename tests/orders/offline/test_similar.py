"""Which words of the menu a customer's word may be."""

from __future__ import annotations

import pytest

from orders.offline.similar import PLURAL, Lexicon

LEXICON = Lexicon(
    ["croissant", "horchata", "revuelta", "nuez", "cafe", "cereza", "queso", "coco", "deslactosada", "almojabana"]
)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("croissants", "croissant"),
        ("nueces", "nuez"),
        ("orchatas", "horchata"),
        ("rebueltas", "revuelta"),
        ("deslactosado", "deslactosada"),
        ("cafecito", "cafe"),
        ("quesito", "queso"),
        ("cheese", "queso"),
        ("almojabna", "almojabana"),
        ("croisant", "croissant"),
    ],
)
def test_a_word_is_found_by_plural_sound_form_meaning_and_slip(written: str, meant: str) -> None:
    assert max(LEXICON.similar(written).items(), key=lambda pair: pair[1])[0] == meant


@pytest.mark.parametrize("written", ["cerveza", "coca", "pizza", "para", "xyz"])
def test_other_words_are_nothing_on_the_menu(written: str) -> None:
    assert LEXICON.similar(written) == {}


def test_the_word_itself_is_surer_than_its_likes() -> None:
    assert LEXICON.similar("croissant")["croissant"] > PLURAL
