"""Telling Spanish from English, and not telling when it is not clear."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aitools.languages import SHARED, WORDS, detect


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("hola, quiero dos croissants", "es"),
        ("¿tienen pan?", "es"),
        ("hi, I want two croissants please", "en"),
        ("what time do you open", "en"),
        ("QUIERO UN CAFÉ", "es"),
    ],
)
def test_a_clear_message_tells_its_language(text: str, language: str) -> None:
    assert detect(text) == language


@pytest.mark.parametrize("text", ["", "ok", "2 croissants", "👍", "pan", "hola", "no", "12345", "croissant coffee pan"])
def test_a_word_or_two_that_tell_little_change_nothing(text: str) -> None:
    assert detect(text) is None


@given(st.lists(st.sampled_from(sorted(SHARED) or ["a"])))
def test_words_of_both_languages_say_nothing(words: list[str]) -> None:
    assert detect(" ".join(words)) is None


@given(st.text())
def test_any_text_is_read_without_a_fault(text: str) -> None:
    assert detect(text) in {*WORDS, None}
