"""The bot profile: two editors don't overwrite each other, and the last one stays."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from aitools.models import BotProfile
from tests.forms import filled


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
