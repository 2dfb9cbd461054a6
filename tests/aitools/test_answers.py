"""Reading yes, no and everything else, beyond the frozen cases."""

import re
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from aitools.answers import COURTESIES, NO_PHRASES, YES_PHRASES, Answer, Words, read

CLEAR = sorted(YES_PHRASES | NO_PHRASES)
KNOWN = sorted(YES_PHRASES | NO_PHRASES | COURTESIES)
LONE_DIGIT = re.compile(r"\W*[120]\W*")

talk = st.lists(st.sampled_from(KNOWN), min_size=1, max_size=4).map(" ".join)
anything = st.text(max_size=20) | talk


def has_digit(text: str) -> bool:
    return any(char.isdigit() for char in unicodedata.normalize("NFKD", text))


@given(before=anything, digit=st.characters(categories=["Nd"]), after=anything)
@example(before="sí ", digit="1", after="")
@example(before="", digit="2", after=" por favor")
@example(before="sí, pero que sean ", digit="5", after="")
def test_no_text_with_a_digit_is_an_answer_but_a_lone_1_2_or_0(before: str, digit: str, after: str) -> None:
    text = before + digit + after
    plain = unicodedata.normalize("NFKD", text)
    if not LONE_DIGIT.fullmatch(plain.strip()):
        assert read(text) is Answer.OTHER


@given(before=talk, mark=st.sampled_from("?¿？؟⁇⁈⁉‽⸮❓❔;"), after=st.sampled_from(["", " ", "gracias"]))
def test_a_question_is_never_an_answer(before: str, mark: str, after: str) -> None:
    expected = Answer.OTHER if mark != ";" else read(f"{before} {after}")
    assert read(f"{before}{mark}{after}") is expected


@example(before="no", word="nñ", after="no")
@given(before=talk, word=st.from_regex(r"[a-zñ]{2,12}", fullmatch=True), after=talk)
def test_a_word_outside_the_lists_is_never_an_answer(before: str, word: str, after: str) -> None:
    listed = {part for phrase in KNOWN for part in phrase.split()}
    if not any(squeezed(word) == squeezed(part) for part in listed):
        assert read(f"{before} {word} {after}") is Answer.OTHER
        assert read(word) is Answer.OTHER


@given(st.sampled_from(sorted(YES_PHRASES)), st.sampled_from(sorted(NO_PHRASES)), st.booleans())
def test_a_contradiction_is_no_answer(yes: str, no: str, yes_first: bool) -> None:
    assert read(f"{yes} {no}" if yes_first else f"{no} {yes}") is Answer.OTHER


@given(st.text())
def test_whatever_is_written_gets_a_reading(text: str) -> None:
    assert read(text) in Answer


@given(st.sampled_from(CLEAR), st.sampled_from(["{}", " {} ", "{}.", "¡{}!", "({})", "«{}»", "{}…", "*{}*"]))
def test_case_accents_and_punctuation_do_not_matter(phrase: str, frame: str) -> None:
    assert read(frame.format(phrase.upper())) is read(phrase) is not Answer.OTHER


@pytest.mark.parametrize("word", ["valle", "Dalle", "noon", "sisi2", "yanno", "lissto", "okey", "noche", "nota"])
def test_another_word_is_not_a_stretched_yes_or_no(word: str) -> None:
    assert read(word) is Answer.OTHER


@pytest.mark.parametrize(
    ("text", "answer"),
    [("siii", "yes"), ("sii", "yes"), ("okkk", "yes"), ("daaale", "yes"), ("nooo", "no"), ("Noo gracias", "no")],
)
def test_stretched_letters_still_say_the_same(text: str, answer: str) -> None:
    assert read(text) == answer


@pytest.mark.parametrize("text", ["gracias", "hola", "por favor", "", "   ", "...", "😊", "y gracias"])
def test_politeness_alone_answers_nothing(text: str) -> None:
    assert read(text) is Answer.OTHER


@pytest.mark.parametrize("text", ["Hágale pues", "simón", "claro que sí por favor señorita", "¡HÁGALE PUES, gracias!"])
def test_a_profile_adds_phrases_of_its_own(text: str) -> None:
    words = Words.extended(yes="Hágale, pues\nsimón\nclaro que sí por favor señorita\n", no="ni loco")
    assert read(text) is Answer.OTHER
    assert read(text, words) is Answer.YES
    assert read("ni loco", words) is Answer.NO
    assert read("simón, ni loco", words) is Answer.OTHER


def test_a_profile_takes_nothing_away_from_the_defaults() -> None:
    words = Words.extended(yes="va", no="paso")
    assert {read(phrase, words) for phrase in YES_PHRASES} == {Answer.YES}
    assert {read(phrase, words) for phrase in NO_PHRASES} == {Answer.NO}


def test_blank_lines_of_a_profile_make_nothing_an_answer() -> None:
    words = Words.extended(yes="\n  \n!!!\n¿?\n", no="\n\n")
    assert read("", words) is Answer.OTHER
    assert read("!!!", words) is Answer.OTHER


def squeezed(word: str) -> str:
    """The word as it is compared: ñ as n, stretched letters once."""
    return re.sub(r"(.)\1+", r"\1", word.replace("ñ", "n"))
