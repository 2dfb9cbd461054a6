"""Reading yes, no and everything else, beyond the frozen cases."""

import re
import unicodedata

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from aitools.answers import COURTESIES, NO_PHRASES, YES_PHRASES, Answer, WordFault, Words, fault_of, read
from aitools.regions import REGIONS

CLEAR = sorted(YES_PHRASES | NO_PHRASES)
KNOWN = sorted(YES_PHRASES | NO_PHRASES | COURTESIES)
EVERY_REGION = Words.of(regions=REGIONS)
ALL_KNOWN = sorted(EVERY_REGION.yes | EVERY_REGION.no | EVERY_REGION.courtesies)
LONE_DIGIT = re.compile(r"\W*[120]\W*")
INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u200f"

talk = st.lists(st.sampled_from(ALL_KNOWN), min_size=1, max_size=4).map(" ".join)
anything = st.text(max_size=20) | talk
lists = st.sampled_from([Words(), EVERY_REGION])
spanish_words = st.from_regex(r"[a-zñáéíóúü]{1,12}", fullmatch=True)
words_of_any_script = st.text(st.characters(categories=["L", "M"]), min_size=1, max_size=8)
look_alikes = st.sampled_from(["nº", "№", "ｓｉ", "𝐬𝐢", "ⓢⓘ", "ѕі", "оk", "s̶i̶", "no̸", "ⅰ", "sⅰ", "ok™", "ŷes̊"])
pictures = st.sampled_from("🥐🍰🎂🤔🤨🙄🙅🚫⛔🔟🕓🆗🆖🏠🔢♿�")
outside = spanish_words | words_of_any_script | look_alikes | pictures


def has_digit(text: str) -> bool:
    return any(char.isnumeric() for char in text + unicodedata.normalize("NFKD", text))


@given(before=anything, digit=st.characters(categories=["Nd", "Nl", "No"]), after=anything, words=lists)
@example(before="sí ", digit="1", after="", words=EVERY_REGION)
@example(before="", digit="2", after=" por favor", words=EVERY_REGION)
@example(before="sí, pero que sean ", digit="5", after="", words=EVERY_REGION)
@example(before="", digit="½", after="", words=EVERY_REGION)
@example(before="s", digit="ⅰ", after="", words=EVERY_REGION)
@example(before="", digit="１", after="", words=EVERY_REGION)
@example(before="", digit="²", after="", words=EVERY_REGION)
def test_no_text_with_a_digit_is_an_answer_but_a_lone_1_2_or_0(
    before: str, digit: str, after: str, words: Words
) -> None:
    text = before + digit + after
    if not LONE_DIGIT.fullmatch(text.strip()):
        assert read(text, words) is Answer.OTHER


@given(text=st.text(max_size=30), words=lists)
@example(text="①", words=Words())
@example(text="１", words=Words())
def test_whatever_has_a_digit_and_is_an_answer_is_a_lone_1_2_or_0(text: str, words: Words) -> None:
    if has_digit(text) and read(text, words) is not Answer.OTHER:
        assert LONE_DIGIT.fullmatch(text)


@pytest.mark.parametrize(("digit", "answer"), [("1", "yes"), (" 1. ", "yes"), ("1️⃣", "yes"), ("(2)", "no"), ("0", "no")])
def test_a_lone_1_2_or_0_is_an_answer(digit: str, answer: str) -> None:
    assert read(digit) == answer


@given(
    before=talk,
    mark=st.sampled_from("?¿？؟⁇⁈⁉‽⸮⸘❓❔՞፧︖﹖\u037e"),
    after=st.sampled_from(["", " ", "gracias", "sí"]),
    words=lists,
)
def test_a_question_is_never_an_answer(before: str, mark: str, after: str, words: Words) -> None:
    assert read(f"{before}{mark}{after}", words) is Answer.OTHER
    assert read(f"{mark}{before}{after}", words) is Answer.OTHER


@example(before="no", word="nñ", after="no", words=Words())
@given(before=talk, word=outside, after=talk, words=lists)
def test_a_word_outside_the_lists_is_never_an_answer(before: str, word: str, after: str, words: Words) -> None:
    known = words.yes | words.no | words.courtesies
    listed = {squeezed(part) for phrase in known for part in phrase.split()}
    assume(squeezed(word) and not listed.intersection(squeezed(word).split()))
    assert read(f"{before} {word} {after}", words) is Answer.OTHER
    assert read(word, words) is Answer.OTHER


@given(word=look_alikes | pictures, words=lists)
def test_what_only_looks_like_a_listed_word_is_none(word: str, words: Words) -> None:
    assert read(word, words) is Answer.OTHER
    assert read(f"sí {word}", words) is Answer.OTHER


@example(phrase="sisi", mark="\u200b", place=2, words=Words())
@given(phrase=st.sampled_from(ALL_KNOWN), mark=st.sampled_from(INVISIBLE), place=st.integers(0, 30), words=lists)
def test_nothing_invisible_makes_an_answer_of_what_is_none(phrase: str, mark: str, place: int, words: Words) -> None:
    hidden = phrase[:place] + mark + phrase[place:]
    assert read(hidden, words) in {read(phrase, words), Answer.OTHER}
    assert read(mark + phrase + mark, words) is read(phrase, words)


@pytest.mark.parametrize("text", ["~sí~", "sí +", "sí $", "sí = no", "sí <3", "sí 🔟", "sí 🍰", "👍 🤔"])
def test_a_sign_that_may_add_something_is_no_plain_yes(text: str) -> None:
    assert read(text) is Answer.OTHER


@pytest.mark.parametrize("text", ["sí ❤️", "sí 😊🙏🏽", "*sí*", "sí :)", "si´", "sí ✨"])
def test_friendly_signs_and_marks_change_nothing(text: str) -> None:
    assert read(text) is Answer.YES


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
    words = Words.of(yes="Hágale, pues\nsimón\nclaro que sí por favor señorita\n", no="ni loco")
    assert read(text) is Answer.OTHER
    assert read(text, words) is Answer.YES
    assert read("ni loco", words) is Answer.NO
    assert read("simón, ni loco", words) is Answer.OTHER


def test_a_profile_takes_nothing_away_from_the_defaults() -> None:
    words = Words.of(yes="va", no="paso")
    assert {read(phrase, words) for phrase in YES_PHRASES} == {Answer.YES}
    assert {read(phrase, words) for phrase in NO_PHRASES} == {Answer.NO}


def test_blank_lines_of_a_profile_make_nothing_an_answer() -> None:
    words = Words.of(yes="\n  \n!!!\n¿?\n", no="\n\n")
    assert read("", words) is Answer.OTHER
    assert read("!!!", words) is Answer.OTHER


@pytest.mark.parametrize("text", ["ok y", "ok yy", "y sí", "sí s", "n no", "s gracias"])
def test_a_single_letter_beside_words_makes_no_answer(text: str) -> None:
    assert read(text) is Answer.OTHER


class TestOwnWords:
    def test_own_lists_can_stand_alone(self) -> None:
        words = Words.of(yes="acepto\nde una", no="paso", replace=True)
        assert [read(text, words) for text in ("de una", "acepto, gracias", "paso")] == ["yes", "yes", "no"]
        assert [read(text, words) for text in ("sí", "1", "no", "👍")] == ["other"] * 4

    def test_a_list_left_empty_is_the_built_in_one_so_that_a_question_can_be_answered(self) -> None:
        words = Words.of(regions=["CO"], yes="", no="paso", replace=True)
        assert [read(text, words) for text in ("sí", "hágale", "paso", "no")] == ["yes", "yes", "no", "other"]

    def test_lines_without_a_good_word_leave_a_list_empty(self) -> None:
        assert read("sí", Words.of(yes="5\n¿?\n \n", replace=True)) is Answer.YES

    @pytest.mark.parametrize(("yes", "no"), [("no", ""), ("", "sí"), ("va", "Va!"), ("ok\nno gracias", "")])
    def test_a_word_of_both_lists_changes_neither(self, yes: str, no: str) -> None:
        words = Words.of(yes=yes, no=no)
        assert (read("sí", words), read("no", words), read("va", words)) == ("yes", "no", "other")
        assert read("no gracias", words) is Answer.NO

    def test_the_other_list_is_the_one_in_force(self) -> None:
        """Where own words stand alone, a built-in no is free to mean yes."""
        assert read("nel", Words.of(yes="nel", no="paso", replace=True)) is Answer.YES

    @pytest.mark.parametrize(
        ("phrase", "fault"),
        [
            ("va?", WordFault.QUESTION),
            ("¿va", WordFault.QUESTION),
            ("va 2", WordFault.DIGIT),
            ("1", WordFault.DIGIT),
            ("va ½", WordFault.DIGIT),
            ("va ²", WordFault.DIGIT),
            ("🥐", WordFault.UNREADABLE),
            ("!!!", WordFault.UNREADABLE),
            ("va + café", WordFault.UNREADABLE),
            ("Gracias", WordFault.COURTESY),
            ("de una", None),
            ("¡Órale!", None),
            ("👍", None),
        ],
    )
    def test_what_can_be_a_word(self, phrase: str, fault: WordFault | None) -> None:
        assert fault_of(phrase) is fault
        if fault and fault is not WordFault.DIGIT:
            assert read(phrase, Words.of(yes=phrase)) is Answer.OTHER

    @given(own=st.text(max_size=20), text=st.text(max_size=20))
    def test_own_words_never_open_the_door_to_digits_or_questions(self, own: str, text: str) -> None:
        for said in (own, text):
            answer = read(said, Words.of(yes=own))
            if answer is not Answer.OTHER:
                assert "?" not in said
                assert not has_digit(said) or LONE_DIGIT.fullmatch(said)


def squeezed(text: str) -> str:
    """The words as anyone would compare them: no case, no marks, stretched letters once."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    bare = "".join(char for char in plain if not unicodedata.combining(char))
    return re.sub(r"(.)\1+", r"\1", bare)
