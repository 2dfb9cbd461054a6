"""Bot profile and models: keys are named, never stored or shown; two editors don't overwrite each other."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from aitools.models import BotProfile, ModelEndpoint
from tests.forms import filled

ADD = "admin:aitools_modelendpoint_add"


def add_endpoint(browser: Client, variable: str) -> str:
    data = filled(browser.get(reverse(ADD)).content.decode(), "modelendpoint_form")
    data |= {"name": ["Claude"], "kind": ["anthropic"], "model": ["m"], "key_variable": [variable]}
    return browser.post(reverse(ADD), data, follow=True).content.decode()


@pytest.mark.parametrize(
    "variable",
    ["sk-ant-api03-abc", "SECRET_KEY", "DATABASE_URL", "anthropic_api_key", "A KEY_API_KEY", "TWILIO_AUTH_TOKEN"],
)
def test_only_names_made_for_model_keys_are_accepted(variable: str, browser: Client) -> None:
    assert "not the key itself" in add_endpoint(browser, variable)
    assert not ModelEndpoint.objects.exists()


def test_the_page_says_whether_the_key_is_there_and_never_what_it_is(
    browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_API_KEY", "very-secret-value")
    page = add_endpoint(browser, "SHOP_API_KEY")
    row = ModelEndpoint.objects.get()
    detail = browser.get(reverse("admin:aitools_modelendpoint_change", args=[row.pk])).content.decode()
    assert "Set" in page
    assert "very-secret-value" not in page + detail
    monkeypatch.delenv("SHOP_API_KEY")
    assert "Missing" in browser.get(reverse("admin:aitools_modelendpoint_changelist")).content.decode()


def test_staff_are_not_offered_the_model_of_tests(browser: Client) -> None:
    """It answers nobody: whoever chose it would silence the desk."""
    assert 'value="scripted"' not in browser.get(reverse(ADD)).content.decode()
    data = filled(browser.get(reverse(ADD)).content.decode(), "modelendpoint_form")
    browser.post(reverse(ADD), data | {"name": ["S"], "kind": ["scripted"], "model": ["m"], "key_variable": [""]})
    assert not ModelEndpoint.objects.exists()


class TestTwoEditors:
    """Both open the same profile; the first saves, then the second."""

    @pytest.fixture
    def row(self, db: None) -> BotProfile:
        return BotProfile.objects.create(name="Shop", persona="Kind.", max_steps=5)

    @pytest.fixture
    def url(self, row: BotProfile) -> str:
        return reverse("admin:aitools_botprofile_change", args=[row.pk])

    @pytest.fixture
    def second(self, browser: Client, url: str) -> dict[str, list[str]]:
        """What the second editor has open, from before the first saved."""
        return filled(browser.get(url).content.decode(), "botprofile_form")

    def first_saves(self, url: str, **changes: str) -> None:
        first = Client()
        first.force_login(User.objects.create_superuser("ana"))
        data = filled(first.get(url).content.decode(), "botprofile_form")
        assert first.post(url, data | {name: [value] for name, value in changes.items()}).status_code == 302

    def test_different_fields_are_both_kept(
        self, browser: Client, row: BotProfile, url: str, second: dict[str, list[str]]
    ) -> None:
        self.first_saves(url, persona="Brief.")
        assert browser.post(url, second | {"max_steps": ["7"]}).status_code == 302
        row.refresh_from_db()
        assert (row.persona, row.max_steps) == ("Brief.", 7)

    def test_the_same_field_is_a_conflict_that_names_the_first(
        self, browser: Client, row: BotProfile, url: str, second: dict[str, list[str]]
    ) -> None:
        self.first_saves(url, persona="Brief.")
        answer = browser.post(url, second | {"persona": ["Funny."], "max_steps": ["7"]})
        assert "ana has changed this to “Brief.” while you had it open. Nothing was saved." in answer.content.decode()
        row.refresh_from_db()
        assert (row.persona, row.max_steps) == ("Brief.", 5)

    def test_the_same_change_twice_is_none(
        self, browser: Client, row: BotProfile, url: str, second: dict[str, list[str]]
    ) -> None:
        self.first_saves(url, persona="Brief.")
        assert browser.post(url, second | {"persona": ["Brief."]}).status_code == 302
        row.refresh_from_db()
        assert row.persona == "Brief."

    def test_a_switch_turned_by_the_first_stays(
        self, browser: Client, row: BotProfile, url: str, second: dict[str, list[str]]
    ) -> None:
        BotProfile.objects.update(bot_on=False)
        assert browser.post(url, second | {"max_steps": ["7"]}).status_code == 302
        row.refresh_from_db()
        assert (row.bot_on, row.max_steps) == (False, 7)


def test_the_last_profile_can_not_be_deleted(browser: Client) -> None:
    row = BotProfile.objects.create(name="Shop")
    assert browser.post(reverse("admin:aitools_botprofile_delete", args=[row.pk]), {"post": "yes"}).status_code == 403
