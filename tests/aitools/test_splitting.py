"""Cutting long texts: as the vendor counts, between words, never through a character."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from aitools.splitting import split
from aitools.splitting import utf16_units as units

FAMILY = "👨‍👩‍👧‍👦"
FLAG = "🇨🇴"
THUMB = "👍🏽"
KEYCAP = "1️⃣"
SCOTLAND = "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"
ACCENT = "e\u0301"
WHOLE = (FAMILY, FLAG, THUMB, KEYCAP, SCOTLAND, ACCENT, "é", "🥐", "x")

words = st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1, max_size=12)
texts = st.lists(st.tuples(words, st.sampled_from([" ", "\n", "\n\n", ". ", "  "])), max_size=60).map(
    lambda pairs: "".join(word + gap for word, gap in pairs)
)


@given(texts, st.integers(min_value=30, max_value=200))
@example("hola " + "x" * 29 + " y más", 30)
@example(("🥐 " * 40).strip(), 30)
def test_parts_hold_the_same_words_in_order_and_none_is_too_long(text: str, limit: int) -> None:
    parts = split(text, limit)
    assert " ".join(parts).split() == text.split()
    assert all(units(part) <= limit for part in parts)


@given(st.lists(st.sampled_from(WHOLE), min_size=1, max_size=80), st.integers(min_value=20, max_value=60))
def test_no_cut_goes_through_an_emoji_a_flag_or_an_accent(characters: list[str], limit: int) -> None:
    parts = split("".join(characters), limit)
    assert "".join(parts) == "".join(characters)
    assert all(units(part) <= limit for part in parts)
    ends = {sum(map(len, characters[:count])) for count in range(len(characters) + 1)}
    cuts = {sum(map(len, parts[:count])) for count in range(len(parts) + 1)}
    assert cuts <= ends


def test_length_counts_utf16_units_as_the_vendors_do() -> None:
    assert units("é") == 1
    assert units("🥐") == 2
    assert [units(part) for part in split("🥐" * 1000, 1600)] == [1600, 400]


def test_a_long_answer_with_emoji_goes_in_three_parts() -> None:
    text = "\n\n".join(f"Párrafo {number}: " + "pan de yuca 🥐 y café ☕. " * 10 for number in range(13))
    parts = split(text[:3500], 1600)
    assert len(parts) == 3
    assert all(part.startswith("Párrafo") for part in parts)


@pytest.mark.parametrize("text", ["", "   ", "\n"])
def test_nothing_to_say_is_one_part(text: str) -> None:
    assert split(text, 160) == [text]


@pytest.mark.parametrize("text", ["a" + "\u0301" * 700, "\u200d" * 700, FLAG * 300, "x" * 700])
def test_a_character_without_end_is_cut_all_the_same(text: str) -> None:
    parts = split(text, 160)
    assert "".join(parts) == text
    assert len(parts) <= 10


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_the_smallest_limits_come_to_an_end(limit: int) -> None:
    assert "".join(split("🥐a🇨🇴", limit)) == "🥐a🇨🇴"


NUMBERS = ("12", "$ 12 500", "1,600.50", "5 €", "+57 300 123 4567", "2026")
TOKENS = ("pan", "¿Cuánto", "Cra.", "total:", "Listo.", "🥐", "queso-crema")


@given(st.lists(st.sampled_from(NUMBERS + TOKENS), max_size=60), st.integers(min_value=24, max_value=90))
def test_no_cut_goes_through_a_number_or_between_it_and_its_currency(tokens: list[str], limit: int) -> None:
    parts = split(" y ".join(tokens), limit)
    assert " ".join(parts) == " ".join(" y ".join(tokens).split())
    for number in NUMBERS:
        assert sum(part.split(" y ").count(number) for part in whole(parts)) == tokens.count(number)


def whole(parts: list[str]) -> list[str]:
    """Each part without the separator at its ends."""
    return [part.removeprefix("y ").removesuffix(" y") for part in parts]


def test_a_paragraph_is_kept_whole_before_a_sentence_and_a_sentence_before_a_line_of_words() -> None:
    first, second = "Uno dos. Tres cuatro cinco.", "Seis siete. Ocho nueve diez. Once"
    assert split(f"{first}\n\n{second}", 50) == [first, second]
    assert split(second, 30) == ["Seis siete. Ocho nueve diez.", "Once"]
    assert split("Tres cuatro cinco seis", 15) == ["Tres cuatro", "cinco seis"]


def test_another_measure_counts_as_its_vendor_does() -> None:
    assert split("uno dos tres cuatro", 2, lambda text: len(text.split())) == ["uno dos", "tres cuatro"]


def test_a_word_longer_than_a_part_is_cut_before_a_number_rather_than_in_it() -> None:
    assert split("x" * 25 + "12345678", 30) == ["x" * 25, "12345678"]
    assert split("x" * 27 + "1.500", 30) == ["x" * 27, "1.500"]


@pytest.mark.parametrize("text", ["pan con queso. " * 13_334, "x" * 200_000])
def test_of_a_long_text_only_what_is_near_the_limit_is_measured(text: str) -> None:
    measured = 0

    def counting(part: str) -> int:
        nonlocal measured
        measured += len(part)
        return units(part)

    assert len(split(text, 1000, counting)) > 100
    assert measured < 30 * len(text)
