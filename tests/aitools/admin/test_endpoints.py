"""Models in the admin: keys are named or stored, and never shown; what is broken is told and mended."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse

from aitools import behaviour, clock, keyring
from aitools.models import BotProfile, ModelEndpoint
from tests.forms import filled

ADD, LIST = "admin:aitools_modelendpoint_add", "admin:aitools_modelendpoint_changelist"
MARKER = "sk-marker-typed-by-staff"


def posted(browser: Client, url: str, **changes: str) -> str:
    """The form as it is shown, with these changes; the page that follows."""
    data = filled(browser.get(url).content.decode(), "modelendpoint_form")
    return browser.post(url, data | {name: [value] for name, value in changes.items()}, follow=True).content.decode()


def add(browser: Client, **changes: str) -> str:
    return posted(browser, reverse(ADD), **{"name": "Claude", "kind": "anthropic", "model": "m"} | changes)


def change(browser: Client, **changes: str) -> str:
    return posted(browser, url_of(ModelEndpoint.objects.get()), **changes)


def url_of(row: ModelEndpoint) -> str:
    return reverse("admin:aitools_modelendpoint_change", args=[row.pk])


def stored() -> str:
    """The key that requests to the only model would carry."""
    return behaviour.from_row(ModelEndpoint.objects.get()).api_key


@pytest.fixture(autouse=True)
def ring(settings: Any) -> None:
    settings.SECRETS_KEY = (base64.b64encode(b"r" * 32).decode(),)


class TestNamedKeys:
    @pytest.mark.parametrize(
        "variable",
        ["sk-ant-api03-abc", "SECRET_KEY", "DATABASE_URL", "anthropic_api_key", "A KEY_API_KEY", "TWILIO_AUTH_TOKEN"],
    )
    def test_only_names_made_for_model_keys_are_accepted(self, variable: str, browser: Client) -> None:
        assert "not the key itself" in add(browser, key_variable=variable)
        assert not ModelEndpoint.objects.exists()

    def test_the_page_says_whether_the_key_is_there_and_never_what_it_is(
        self, browser: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("SHOP_API_KEY", "very-secret-value")
        page = add(browser, key_variable="SHOP_API_KEY")
        detail = browser.get(url_of(ModelEndpoint.objects.get())).content.decode()
        assert "Set" in page
        assert "very-secret-value" not in page + detail
        assert "(&#x27;" not in detail
        monkeypatch.delenv("SHOP_API_KEY")
        assert "Missing" in browser.get(reverse(LIST)).content.decode()

    def test_a_name_without_a_value_sends_no_other_key_to_a_typed_address(
        self, browser: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "very-secret-value")
        add(browser, key_variable="SHOP_API_KEY", base_url="https://models.example.com")
        assert stored() == "none"


class TestStoredKeys:
    def test_a_key_is_stored_and_shown_to_nobody(self, browser: Client) -> None:
        pages = add(browser, new_key=MARKER)
        row = ModelEndpoint.objects.get()
        history = reverse("admin:aitools_modelendpoint_history", args=[row.pk])
        pages += "".join(browser.get(url).content.decode() for url in (url_of(row), reverse(LIST), history))
        assert stored() == MARKER
        assert "Stored on" in pages
        assert MARKER not in pages
        assert row.sealed_key not in pages
        assert MARKER not in str(list(LogEntry.objects.values()))

    def test_a_refused_form_does_not_show_it_again(self, browser: Client) -> None:
        page = add(browser, new_key=MARKER, key_variable="wrong")
        assert "not the key itself" in page
        assert MARKER not in page

    def test_another_change_leaves_it(self, browser: Client) -> None:
        add(browser, new_key=MARKER)
        change(browser, model="other")
        assert stored() == MARKER

    def test_a_new_one_takes_its_place(self, browser: Client) -> None:
        add(browser, new_key=MARKER)
        change(browser, new_key=f"{MARKER}-2")
        assert stored() == f"{MARKER}-2"

    def test_it_can_be_removed(self, browser: Client) -> None:
        add(browser, new_key=MARKER)
        change(browser, remove_key="on")
        row = ModelEndpoint.objects.get()
        assert (row.sealed_key, row.key_set_at) == ("", None)

    @pytest.mark.parametrize("moved", [{"base_url": "https://elsewhere.example.com"}, {"kind": "openai"}])
    def test_it_goes_to_no_other_address_than_it_was_typed_for(self, browser: Client, moved: dict[str, str]) -> None:
        add(browser, new_key=MARKER)
        assert "Type it again, or remove it." in change(browser, **moved)
        change(browser, new_key=f"{MARKER}-2", **moved)
        assert stored() == f"{MARKER}-2"

    @pytest.mark.parametrize("wrong", ["short", "sk with blanks", "sk-clave-ñandú"])
    def test_what_no_header_could_carry_is_no_key(self, browser: Client, wrong: str) -> None:
        page = add(browser, new_key=wrong)
        assert "This is no key" in page
        assert wrong not in page.replace("too short", "")

    def test_without_secrets_key_it_says_what_to_set(self, browser: Client, settings: Any) -> None:
        settings.SECRETS_KEY = ()
        assert "SECRETS_KEY is not set" in add(browser, new_key=MARKER)
        assert not ModelEndpoint.objects.exists()

    def test_one_that_can_not_be_opened_is_told_on_the_first_page(self, browser: Client, settings: Any) -> None:
        add(browser, new_key=MARKER)
        assert "Nobody waits" in browser.get(reverse("admin:index")).content.decode()
        settings.SECRETS_KEY = (base64.b64encode(b"x" * 32).decode(),)
        assert "can&#x27;t be opened" in browser.get(url_of(ModelEndpoint.objects.get())).content.decode()
        assert "of the model Claude can't be opened" in browser.get(reverse("admin:index")).content.decode()
        assert stored() == "none"

    def test_a_sealed_key_copied_to_another_row_opens_nothing(self, browser: Client) -> None:
        add(browser, new_key=MARKER)
        sealed = ModelEndpoint.objects.get().sealed_key
        thief = ModelEndpoint.objects.create(
            name="t", kind="anthropic", sealed_key=sealed, base_url="https://x.example"
        )
        assert behaviour.from_row(thief).unusable
        assert not keyring.opens(sealed, thief.place)


def test_a_model_that_its_vendor_refuses_is_told_until_somebody_saves_it(browser: Client) -> None:
    add(browser)
    ModelEndpoint.objects.update(broken_at=clock.now(), broken_reason="HTTP 401: invalid key")
    assert "The vendor refuses the model Claude" in browser.get(reverse("admin:index")).content.decode()
    own_page = browser.get(url_of(ModelEndpoint.objects.get())).content.decode()
    for page in (browser.get(reverse(LIST)).content.decode(), own_page):
        assert "HTTP 401: invalid key" in page
        assert "(&#x27;" not in page
    change(browser, model="another")
    row = ModelEndpoint.objects.get()
    assert (row.broken_at, row.broken_reason) == (None, "")
    assert "Nobody waits" in browser.get(reverse("admin:index")).content.decode()


def test_another_model_may_take_the_tools_that_the_former_refused(browser: Client) -> None:
    add(browser)
    ModelEndpoint.objects.update(refuses_tools=True)
    change(browser, model="another")
    assert not ModelEndpoint.objects.get().refuses_tools


@pytest.mark.parametrize("prices", [{"input_price": "3"}, {"output_price": "15"}, {"cached_price": "0.3"}])
def test_half_of_the_prices_is_none(browser: Client, prices: dict[str, str]) -> None:
    assert "both input and output" in add(browser, **prices)
    assert not ModelEndpoint.objects.exists()


def test_staff_are_not_offered_the_model_of_tests(browser: Client) -> None:
    """It answers nobody: whoever chose it would silence the desk."""
    assert 'value="scripted"' not in browser.get(reverse(ADD)).content.decode()
    add(browser, kind="scripted")
    assert not ModelEndpoint.objects.exists()


class TestAddresses:
    """What staff type is checked before a request goes there."""

    @pytest.mark.parametrize(
        ("url", "says"),
        [
            ("https://user:word@llm.test/v1", "Leave the user and the password out"),
            ("https://user@llm.test/v1", "Leave the user and the password out"),
            ("https://llm.test/v1?key=abc", "Leave out what begins with"),
            ("https://llm.test/v1#top", "Leave out what begins with"),
        ],
    )
    def test_an_address_is_an_address_alone(self, url: str, says: str, browser: Client) -> None:
        assert says in add(browser, base_url=url)
        assert not ModelEndpoint.objects.exists()

    @pytest.mark.parametrize("kind", ["anthropic", "openai", "openai_chat", "gemini", "ollama"])
    def test_a_model_of_a_vendor_is_named(self, kind: str, browser: Client) -> None:
        assert "name as its vendor writes it" in add(browser, kind=kind, model=" ")
        assert not ModelEndpoint.objects.exists()

    def test_our_own_code_has_no_models_name(self, browser: Client) -> None:
        add(browser, kind="offline", model="")
        assert ModelEndpoint.objects.get().kind == "offline"

    def test_a_vendor_goes_with_what_is_compatible_with_openai(self, browser: Client) -> None:
        assert "Leave this empty" in add(browser, kind="anthropic", vendor="groq")
        assert not ModelEndpoint.objects.exists()
        add(browser, kind="openai_chat", vendor="groq")
        assert ModelEndpoint.objects.get().vendor == "groq"


class TestDeleting:
    """A model that a profile names is not deleted under its feet."""

    @pytest.fixture
    def model(self, db: None) -> ModelEndpoint:
        return ModelEndpoint.objects.create(name="Claude", kind="anthropic", model="m")

    @pytest.mark.parametrize("named", ["endpoint", "voice_endpoint", "fallbacks"])
    def test_the_profile_that_uses_it_is_named(self, named: str, model: ModelEndpoint, browser: Client) -> None:
        profile = BotProfile.objects.create(name="Downtown", **({} if named == "fallbacks" else {named: model}))
        if named == "fallbacks":
            profile.fallbacks.add(model)
        delete = reverse("admin:aitools_modelendpoint_delete", args=[model.pk])
        several = {"action": "delete_selected", "_selected_action": [model.pk], "post": "yes"}

        for page in (browser.post(delete, {"post": "yes"}, follow=True), browser.post(reverse(LIST), several)):
            text = page.content.decode()
            assert "The profile" in text
            assert "uses it; choose another there first." in text
            assert "Downtown" in text
        assert ModelEndpoint.objects.exists()

    def test_any_other_one_goes(self, model: ModelEndpoint, browser: Client) -> None:
        browser.post(reverse("admin:aitools_modelendpoint_delete", args=[model.pk]), {"post": "yes"})
        assert not ModelEndpoint.objects.exists()
