"""How the bot asks and what it understands: staff change it in the profile, and can't break it there."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from aitools import behaviour
from aitools.answers import Answer, read
from aitools.models import BotProfile, ModelEndpoint, TextOverride
from aitools.wording import wording_of
from tests.forms import filled

Data = dict[str, list[str]]


@pytest.fixture
def row(db: None) -> BotProfile:
    return BotProfile.objects.create(name="Shop", language="es")


class Page:
    """The profile's page as somebody has it open."""

    def __init__(self, browser: Client, row: BotProfile) -> None:
        self.browser, self.row = browser, row
        self.url = reverse("admin:aitools_botprofile_change", args=[row.pk])

    def read(self) -> str:
        return self.browser.get(self.url).content.decode()

    def fields(self) -> dict[str, list[str]]:
        return filled(self.read(), "botprofile_form")

    def save(self, shown: dict[str, list[str]] | None = None, **changes: Any) -> str:
        """Send the page with these changes; the page with its errors, or "" when saved.

        ``shown`` is what an open tab has in its fields, else what a new one has.
        """
        data = shown or self.fields()
        for name, value in changes.items():
            data[name.replace("__", "-")] = value if isinstance(value, list) else [value]
        answer = self.browser.post(self.url, data)
        self.row.refresh_from_db()
        return "" if answer.status_code == 302 else answer.content.decode()

    def save_texts(self, *texts: tuple[str, str, str], **changes: Any) -> str:
        """As ``save``, with new own texts (name, language, wording)."""
        changes["texts__TOTAL_FORMS"] = str(len(texts))
        for index, (name, language, text) in enumerate(texts):
            new = {"name": name, "language": language, "text": text, "profile": str(self.row.pk)}
            changes |= {f"texts__{index}__{field}": value for field, value in new.items()}
        return self.save(**changes)


@pytest.fixture
def page(browser: Client, row: BotProfile) -> Page:
    return Page(browser, row)


SETTINGS = [
    ("history_tokens", "2000", 2000),
    ("sums_up", "on", True),
    ("guards_replies", [], False),
    ("answered_notice", "on", True),
    ("expired_notice", [], False),
    ("buttons_on", [], False),
    ("word_regions", ["CO", "MX"], ["CO", "MX"]),
    ("yes_words", "de una", "de una"),
    ("no_words", "ni loco", "ni loco"),
    ("words_replace", "on", True),
    ("note_on", [], False),
    ("note", "Ask nobody yourself.", "Ask nobody yourself."),
    ("retention_days", "30", 30),
]


@pytest.mark.parametrize(("name", "typed", "stored"), SETTINGS, ids=[name for name, *_ in SETTINGS])
def test_each_setting_is_on_the_page_and_is_kept(page: Page, name: str, typed: Any, stored: Any) -> None:
    assert f'name="{name}"' in page.read()
    assert page.save(**{name: typed}) == ""
    assert getattr(page.row, name) == stored


def test_saving_an_untouched_page_changes_nothing(page: Page) -> None:
    page.save(word_regions=["CO"], yes_words="va")
    TextOverride.objects.create(profile=page.row, language="es", name="hint", text="(sí/no)")
    before = BotProfile.objects.values().get()
    assert page.save() == ""
    assert BotProfile.objects.values().get() == before
    assert TextOverride.objects.get().text == "(sí/no)"


def test_the_way_of_calling_tools_is_chosen_on_the_page_of_a_model(browser: Client) -> None:
    endpoint = ModelEndpoint.objects.create(name="Old", kind="openai", model="m")
    url = reverse("admin:aitools_modelendpoint_change", args=[endpoint.pk])
    data = filled(browser.get(url).content.decode(), "modelendpoint_form")
    assert data["tool_calls"] == ["auto"]
    browser.post(url, data | {"tool_calls": ["plan"]})
    endpoint.refresh_from_db()
    assert endpoint.tool_calls == ModelEndpoint.ToolCalls.PLAN


class TestWords:
    def test_countries_have_names(self, page: Page) -> None:
        html = page.read()
        assert all(name in html for name in ("Any country", "Colombia", "Mexico", "El Salvador", "United States"))

    def test_chosen_countries_and_own_words_are_understood(self, page: Page) -> None:
        page.save(word_regions=["CO"], yes_words="Listo el pollo!", no_words="paso")
        words = behaviour.words(page.row)
        said = [read(text, words) for text in ("hágale", "listo el pollo", "paso", "sale")]
        assert said == [Answer.YES, Answer.YES, Answer.NO, Answer.OTHER]

    def test_a_country_that_is_none_is_refused(self, page: Page) -> None:
        assert "not one of the available choices" in page.save(word_regions=["XX"])
        assert page.row.word_regions == []

    @pytest.mark.parametrize(
        ("typed", "says"),
        [
            ({"yes_words": "de una\n¿va?"}, "“¿va?” is a question"),
            ({"no_words": "mejor 2"}, "“mejor 2” has a digit"),
            ({"yes_words": "½"}, "“½” has a digit"),
            ({"yes_words": "🥐"}, "“🥐” has something that is no letter"),
            ({"no_words": "!!!"}, "“!!!” has something that is no letter"),
            ({"yes_words": "Gracias"}, "“Gracias” is politeness"),
            ({"yes_words": "va", "no_words": "¡Va!"}, "“va” is a word for no as well"),
            ({"yes_words": "va", "no_words": "¡Va!"}, "“¡Va!” is a word for yes as well"),
            ({"yes_words": "Nel"}, "“Nel” is a word for no as well"),
            ({"yes_words": "nooo"}, "“nooo” is a word for no as well"),
            ({"no_words": "dale"}, "“dale” is a word for yes as well"),
            ({"no_words": "sale", "word_regions": ["MX"]}, "“sale” is a word for yes as well"),
            ({"yes_words": "no", "words_replace": "on"}, "“no” is a word for no as well"),
        ],
    )
    def test_a_word_that_can_not_count_is_refused_with_the_reason(
        self, page: Page, typed: dict[str, Any], says: str
    ) -> None:
        assert says in page.save(**typed)
        assert (page.row.yes_words, page.row.no_words) == ("", "")

    def test_where_own_words_stand_alone_a_built_in_word_may_change_sides(self, page: Page) -> None:
        assert page.save(yes_words="nel", no_words="sale", word_regions=["MX"], words_replace="on") == ""


class TestTexts:
    def test_an_own_text_is_kept_and_used(self, page: Page) -> None:
        assert page.save_texts(("confirm", "es", "{title}:{lines}\n¿Le damos?"), ("yes", "es", "¡Dale!")) == ""
        wording = wording_of(page.row, "es")
        assert wording.question("Pedir", ["Pan"], hint=False) == "Pedir:\n• Pan\n¿Le damos?"
        assert wording.buttons()[0].title == "¡Dale!"

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            (("confirm", "es", "¿Confirmas?"), "Add {title}, {lines}"),
            (("confirm", "es", "{title}{lines}{price}"), "Take out {price}"),
            (("yes", "es", "x" * 21), "Use at most 20 characters"),
            (("hint", "es", "(yes/cancel)"), "Take out “cancel”"),
            (("hint", "es", "(jalo/no)"), "would not be understood"),
            (("hint", "es", "(no/sí)"), "would not be understood"),
            (("yes", "es", "No"), "Both buttons say the same"),
            (("no", "en", "yes"), "Both buttons say the same"),
            (("nothing", "es", "Hola"), "not one of the available choices"),
            (("hint", "xx", "(sí/no)"), "not one of the available choices"),
        ],
    )
    def test_a_text_that_would_harm_is_refused_with_what_to_do(
        self, page: Page, text: tuple[str, str, str], says: str
    ) -> None:
        assert says in page.save_texts(text)
        assert not TextOverride.objects.exists()

    def test_the_same_text_from_two_tabs_is_refused_in_the_second(self, page: Page) -> None:
        second = page.fields()
        assert page.save_texts(("hint", "es", "(sí/no)")) == ""
        said = page.save_texts(("hint", "es", "(ok/no)"), shown=second)
        assert "already has words of its own in this language" in said
        assert [row.text for row in TextOverride.objects.all()] == ["(sí/no)"]

    def test_two_texts_that_change_places_are_refused_with_what_to_do(self, page: Page) -> None:
        assert page.save_texts(("hint", "en", "(yes/no)"), ("hint", "es", "(sí/no)")) == ""
        swapped: dict[str, Any] = {"texts-0-language": "es", "texts-1-language": "en"}
        said = page.save(**swapped)
        assert "already has words of its own in this language" in said

    def test_a_text_may_take_the_place_of_one_that_is_deleted(self, page: Page) -> None:
        assert page.save_texts(("hint", "es", "(sí/no)")) == ""
        again: dict[str, Any] = {"texts-TOTAL_FORMS": "2", "texts-0-DELETE": "on", "texts-1-profile": str(page.row.pk)}
        again |= {"texts-1-name": "hint", "texts-1-language": "es", "texts-1-text": "(si/no)"}
        assert page.save(**again) == ""
        assert [row.text for row in TextOverride.objects.all()] == ["(si/no)"]

    def test_a_text_is_worded_once_per_language(self, page: Page) -> None:
        assert page.save_texts(("hint", "es", "(sí/no)"), ("hint", "es", "(ok/no)"))
        assert not TextOverride.objects.exists()
        assert page.save_texts(("hint", "es", "(sí/no)"), ("hint", "en", "(ok/no)")) == ""

    def test_a_hint_may_offer_words_added_in_the_same_moment(self, page: Page) -> None:
        assert page.save_texts(("hint", "es", "(jalo/paso)"), yes_words="jalo", no_words="paso") == ""

    def test_both_labels_may_change_together(self, page: Page) -> None:
        assert page.save_texts(("yes", "en", "No"), ("no", "en", "Yes")) == ""
        assert page.save_texts(("yes", "es", "Igual"), ("no", "es", "igual"))

    def test_the_wording_of_another_moment_is_not_overwritten(self, page: Page) -> None:
        text = TextOverride.objects.create(profile=page.row, language="es", name="expired", text="Uno")
        data = filled(page.read(), "botprofile_form")
        TextOverride.objects.update(text="Dos")
        answer = page.browser.post(page.url, data | {"texts-0-text": ["Tres"]})
        assert "This was changed to “Dos” while you had it open" in answer.content.decode()
        text.refresh_from_db()
        assert text.text == "Dos"

    def test_an_own_text_can_be_deleted(self, page: Page) -> None:
        TextOverride.objects.create(profile=page.row, language="es", name="expired", text="Uno")
        assert page.save(texts__0__DELETE="on") == ""
        assert not TextOverride.objects.exists()


@pytest.mark.parametrize(
    ("fields", "hears"),
    [
        ({"kind": "openai", "transcription_model": "whisper-1"}, True),
        ({"kind": "openai_chat", "transcription_model": "whisper-large-v3"}, True),
        ({"kind": "openai", "transcription_model": ""}, False),
        ({"kind": "anthropic", "transcription_model": "whisper-1"}, False),
    ],
)
def test_voice_notes_are_given_only_to_a_model_that_can_hear(
    browser: Client, row: BotProfile, fields: dict[str, str], *, hears: bool
) -> None:
    endpoint = ModelEndpoint.objects.create(name="Ear", model="m", **fields)
    page = Page(browser, row).save(voice_endpoint=str(endpoint.pk))
    assert ("names its model for voice notes" in page) is not hears
    assert row.voice_endpoint_id == (endpoint.pk if hears else None)
    heard = behaviour.current().voice_endpoint()
    assert (heard.model if heard else "") == (fields["transcription_model"] if hears else "")


def test_a_budget_is_set_only_where_all_prices_are_known(page: Page) -> None:
    prices = {"input_price": Decimal(1), "output_price": Decimal(5)}
    first = ModelEndpoint.objects.create(name="First", kind="anthropic", **prices)
    second = ModelEndpoint.objects.create(name="Second", kind="ollama")
    chosen: dict[str, Any] = {"endpoint": str(first.pk), "fallbacks": [str(second.pk)], "daily_budget_hard": "5"}
    assert "maybe 0, for: Second." in page.save(**chosen)
    assert page.row.daily_budget_hard is None

    ModelEndpoint.objects.filter(pk=second.pk).update(input_price=0, output_price=0)
    assert page.save(**chosen) == ""
    assert page.row.daily_budget_hard == 5


def test_no_budget_is_set_for_the_environments_model(page: Page, settings: Settings) -> None:
    settings.AI_PROVIDER = "anthropic"
    assert "Choose a model above" in page.save(daily_budget_soft="5")
    settings.AI_PROVIDER = "offline"
    assert page.save(daily_budget_soft="5") == ""


def test_a_model_that_is_switched_off_or_changed_hears_no_more(row: BotProfile) -> None:
    row.voice_endpoint = ModelEndpoint.objects.create(name="Ear", kind="openai", transcription_model="whisper-1")
    row.save()
    assert behaviour.current().voice_endpoint() is not None
    ModelEndpoint.objects.update(kind="anthropic")
    assert behaviour.current().voice_endpoint() is None
    ModelEndpoint.objects.update(kind="openai", active=False)
    assert behaviour.current().voice_endpoint() is None


@pytest.mark.parametrize("soft", ["5", "6"])
def test_staff_are_warned_before_the_budget_is_spent(soft: str, page: Page) -> None:
    assert "less than the other one" in page.save(daily_budget_soft=soft, daily_budget_hard="5")
    assert page.save(daily_budget_soft="4.99", daily_budget_hard="5") == ""
