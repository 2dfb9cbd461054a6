"""What customers read around a confirmation: built-in texts, staff's own on top, in the right language."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from django.utils import translation
from pytest_django.fixtures import DjangoAssertNumQueries

from aitools.loop import Ending, Previous
from aitools.models import BotProfile, TextOverride
from aitools.overrides import ANY_OPT_OUT
from aitools.texts import ending
from aitools.wording import RESULT_CHARACTERS, Wording, brief, language_for, wording_of

BUILT_IN = Wording()
ASKED = "I am about to: Place order\n• 2 × Bread\nDo you confirm?"


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    with translation.override("en"):
        yield


def labels(wording: Wording) -> list[str]:
    return [button.title for button in wording.buttons()]


class TestQuestion:
    def test_the_built_in_one_has_title_and_lines_and_no_hint_beside_buttons(self) -> None:
        assert BUILT_IN.question("Place order", ["2 × Bread"], hint=False) == ASKED

    def test_a_hint_stands_where_there_are_no_buttons(self) -> None:
        assert BUILT_IN.question("Place order", ["2 × Bread"], hint=True) == f"{ASKED} (yes/no)"

    @pytest.mark.parametrize(("hint", "end"), [(False, ""), (True, " (sí/no)")])
    def test_an_own_wording_is_used_with_and_without_buttons(self, hint: bool, end: str) -> None:
        own = Wording({"confirm": "{title}, ¿de una?\n{lines}", "hint": "(sí/no)"})
        assert own.question("Pedir", ["2 × Pan"], hint=hint) == f"Pedir, ¿de una?\n• 2 × Pan{end}"

    def test_the_hint_is_given_once(self) -> None:
        own = Wording({"confirm": "{title}{lines}\n¿Sí? (Yes/No)"})
        assert own.question("Pedir", [], hint=True) == "Pedir\n¿Sí? (Yes/No)"
        assert BUILT_IN.with_hint("Sure? (yes/no)", hint=True) == "Sure? (yes/no)"

    @pytest.mark.parametrize("message", ["Pay {title} & 100%s?", "  Sure?  "])
    def test_a_question_gets_the_hint_only_where_it_has_no_buttons(self, message: str) -> None:
        own = Wording({"confirm": "{title}{lines}", "hint": "(sí/no)"})
        assert own.with_hint(message, hint=False) == message
        assert own.with_hint(message, hint=True) == f"{message} (sí/no)"

    def test_titles_and_lines_may_hold_braces(self) -> None:
        own = Wording({"confirm": "{title}{lines}"})
        assert own.question("{lines}", ["{title}"], hint=False) == "{lines}\n• {title}"

    def test_no_built_in_text_suggests_a_word_that_carriers_take_for_an_opt_out(self) -> None:
        for language in ("en", "es"):
            with translation.override(language):
                asked = BUILT_IN.question("T", [], hint=True, previous=Previous("ok", 9))
                said = [asked, *labels(BUILT_IN), BUILT_IN.expired(), BUILT_IN.asked_again(""), BUILT_IN.changed("")]
            assert not ANY_OPT_OUT.search(" ".join(said))


class TestHeadsUp:
    def test_a_repetition_begins_with_what_was_done(self) -> None:
        previous = Previous(json.dumps({"say": "Your order is C-17.", "lines": [1]}), 90)
        asked = BUILT_IN.question("Place order", ["2 × Bread"], hint=False, previous=previous)
        assert asked == (f"Careful: I already did “Place order” a moment ago (result: Your order is C-17).\n{ASKED}")

    def test_a_result_that_says_nothing_is_left_out(self) -> None:
        assert BUILT_IN.heads_up("Order", "ok") == BUILT_IN.heads_up("Order") != BUILT_IN.heads_up("Order", "C-17")
        assert "result" not in BUILT_IN.heads_up("Order", "[1, 2]")

    def test_it_can_be_worded_too(self) -> None:
        own = Wording({"heads_up": "Ojo, {title} ya quedó ({result})"})
        assert own.heads_up("Pedir", '{"code": "C-17", "lines": []}') == "Ojo, Pedir ya quedó (C-17)"

    @pytest.mark.parametrize(
        ("result", "shown"),
        [
            ("C-17", "C-17"),
            ("Order  C-17\nis placed.", "Order C-17 is placed"),
            ('{"order": "C-17", "total": 12000, "lines": [{"name": "Bread"}], "at": {"x": 1}}', "C-17, 12000"),
            ('{"executed": true, "note": null, "code": "C-17", "empty": " "}', "C-17"),
            ('{"say": "Done! Order C-17.\\n• 2 × Bread", "total": 5}', "Done! Order C-17"),
            ('{"say": "", "code": "C-17"}', "C-17"),
            ('[{"code": "C-17"}]', ""),
            ('{"lines": [1]}', ""),
            ('{"cut": "in the mid', ""),
            ('"quoted"', "quoted"),
            ("17", "17"),
            ("true", ""),
            ("null", ""),
            ("", ""),
            ("OK", ""),
        ],
    )
    def test_only_plain_values_of_a_result_are_shown(self, result: str, shown: str) -> None:
        assert brief(result) == shown

    def test_a_long_result_is_cut_between_words(self) -> None:
        shown = brief("word " * 100)
        assert len(shown) <= RESULT_CHARACTERS
        assert shown.endswith("word…")
        assert len(brief("x" * 500)) == RESULT_CHARACTERS


class TestButtons:
    def test_they_carry_the_confirmation_and_the_answer(self) -> None:
        yes, no = BUILT_IN.buttons()
        assert (yes.id, yes.title, no.id, no.title) == ("yes", "Yes", "no", "No")

    def test_labels_can_be_worded(self) -> None:
        assert labels(Wording({"yes": "¡Dale!", "no": "Mejor no"})) == ["¡Dale!", "Mejor no"]

    def test_two_buttons_never_say_the_same(self) -> None:
        assert labels(Wording({"yes": "no"})) == ["Yes", "No"]

    def test_the_notice_of_an_answer_repeats_the_label(self) -> None:
        assert BUILT_IN.answered("Sí") == "Got it: sí."
        assert Wording({"answered": "Va: {answer}"}).answered("¡Dale!") == "Va: ¡Dale!"


def test_every_other_text_can_be_worded() -> None:
    own = Wording({name: name for name in ("changed", "asked_again", "declined", "expired", "settled")})
    assert own.changed("Q") == "changed\nQ"
    assert own.asked_again("Q") == "asked_again\nQ"
    assert (own.declined(), own.expired(), own.settled()) == ("declined", "expired", "settled")


class TestLanguage:
    @pytest.mark.parametrize(
        ("conversation", "profile", "language"),
        [
            ("es", "en", "es"),
            ("en", "es", "en"),
            ("", "es", "es"),
            ("fr", "es", "es"),
            ("fr", "en", "en"),
            ("fr", "pt", "en"),
            ("es-MX", "en", "es"),
            ("es_CO", "en", "es"),
            ("ES", "en", "es"),
            ("esx", "en", "en"),
        ],
    )
    def test_a_language_without_texts_falls_back_to_the_profiles_then_to_english(
        self, conversation: str, profile: str, language: str
    ) -> None:
        assert language_for(conversation, profile) == language


class TestOverrides:
    @pytest.fixture
    def profile(self, db: None) -> BotProfile:
        return BotProfile.objects.create(name="Shop", language="es")

    def own(self, profile: BotProfile, language: str, **texts: str) -> None:
        for name, text in texts.items():
            TextOverride.objects.create(profile=profile, language=language, name=name, text=text)

    def test_they_are_read_for_the_language_of_the_conversation(self, profile: BotProfile) -> None:
        self.own(profile, "es", hint="(sí o no)")
        self.own(profile, "en", hint="(yes or no)")
        assert wording_of(profile, "es").overrides == {"hint": "(sí o no)"}
        assert wording_of(profile, "en").overrides == {"hint": "(yes or no)"}

    def test_no_other_language_is_mixed_in(self, profile: BotProfile) -> None:
        self.own(profile, "es", hint="(sí o no)")
        assert wording_of(profile, "en").overrides == {}

    def test_they_fall_back_as_the_built_in_texts_do(self, profile: BotProfile) -> None:
        self.own(profile, "es", hint="(sí o no)", yes="Sí, claro")
        self.own(profile, "fr", hint="(oui ou non)")
        self.own(profile, "es-mx", yes="Simón")
        assert wording_of(profile, "fr").overrides == {"hint": "(oui ou non)", "yes": "Sí, claro"}
        assert wording_of(profile, "es-MX").overrides == {"hint": "(sí o no)", "yes": "Simón"}
        assert wording_of(profile, "").overrides == {"hint": "(sí o no)", "yes": "Sí, claro"}

    def test_a_stored_wording_that_would_hide_the_lines_is_passed_over(self, profile: BotProfile) -> None:
        self.own(profile, "es", confirm="¿Seguro?", yes="x" * 21, gone="Hola", no="Mejor no")
        assert wording_of(profile, "es").overrides == {"no": "Mejor no"}

    def test_they_are_read_once(self, profile: BotProfile, django_assert_num_queries: DjangoAssertNumQueries) -> None:
        self.own(profile, "es", hint="(sí o no)")
        with django_assert_num_queries(1):
            wording = wording_of(profile, "es")
            wording.question("T", [], hint=True)
            wording.buttons()

    def test_a_profile_that_is_not_stored_has_none(self) -> None:
        assert wording_of(BotProfile(language="es"), "es") == BUILT_IN


@pytest.mark.parametrize("language", ["en", "es"])
def test_every_ending_has_words_of_its_own(language: str) -> None:
    with translation.override(language):
        said = [ending(kind) for kind in Ending if kind is not Ending.END]
    assert all(said)
    assert len(set(said)) == len(said)
