"""Keys at rest: opened only by us, only in their place, and named in no error."""

from __future__ import annotations

import base64
import io
import os

import pytest
from django.core.management import CommandError, call_command

from aitools import behaviour, keyring
from aitools.keyring import CannotOpen, CannotSeal
from aitools.models import ModelEndpoint

MARKER = "sk-marker-of-the-keyring"


def new_key() -> str:
    return base64.b64encode(os.urandom(32)).decode()


OLD, NEW = new_key(), new_key()


@pytest.fixture
def ring(settings: object) -> object:
    settings.SECRETS_KEY = (OLD,)  # type: ignore[attr-defined]
    return settings


def swapped(sealed: str) -> str:
    """The same text with its last bit turned."""
    head, _, body = sealed.rpartition(":")
    closed = bytearray(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
    closed[-1] ^= 1
    return f"{head}:{base64.urlsafe_b64encode(closed).decode().rstrip('=')}"


def test_what_is_sealed_opens_again_and_shows_nothing(ring: object) -> None:
    sealed = keyring.seal(MARKER, "here")
    assert keyring.unseal(sealed, "here") == MARKER
    assert MARKER not in sealed
    assert keyring.SEALED.fullmatch(sealed)


def test_no_two_sealed_texts_are_alike(ring: object) -> None:
    assert keyring.seal(MARKER, "here") != keyring.seal(MARKER, "here")


def test_it_opens_in_its_own_place_only(ring: object) -> None:
    with pytest.raises(CannotOpen):
        keyring.unseal(keyring.seal(MARKER, "here"), "there")


def test_a_changed_text_does_not_open(ring: object) -> None:
    with pytest.raises(CannotOpen) as caught:
        keyring.unseal(swapped(keyring.seal(MARKER, "here")), "here")
    assert MARKER not in str(caught.value)


@pytest.mark.parametrize("text", ["", "plain", "sealed1:", "sealed1:00000000:", "sealed1:00000000:AAAA", "sealed2:x:y"])
def test_what_never_was_sealed_does_not_open(ring: object, text: str) -> None:
    with pytest.raises(CannotOpen):
        keyring.unseal(text, "here")


def test_a_text_cut_short_does_not_open(ring: object) -> None:
    sealed = keyring.seal(MARKER, "here")
    with pytest.raises(CannotOpen):
        keyring.unseal(sealed[:-30], "here")


def test_the_first_key_seals_and_all_open(ring: object) -> None:
    sealed = keyring.seal(MARKER, "here")
    ring.SECRETS_KEY = (NEW, OLD)  # type: ignore[attr-defined]
    assert keyring.unseal(sealed, "here") == MARKER
    assert not keyring.is_newest(sealed)
    assert keyring.is_newest(keyring.seal(MARKER, "here"))
    ring.SECRETS_KEY = (NEW,)  # type: ignore[attr-defined]
    assert not keyring.opens(sealed, "here")


def test_without_a_key_of_ours_nothing_is_stored(settings: object) -> None:
    settings.SECRETS_KEY = ()  # type: ignore[attr-defined]
    with pytest.raises(CannotSeal, match="SECRETS_KEY"):
        keyring.seal(MARKER, "here")


@pytest.mark.django_db
class TestRotation:
    """Three models with keys of their own; the ring gets a new first key."""

    @pytest.fixture(autouse=True)
    def rotated(self, ring: object) -> None:
        for number in range(3):
            row = ModelEndpoint.objects.create(name=f"m{number}", kind="anthropic")
            row.sealed_key = keyring.seal(f"{MARKER}-{number}", row.place)
            row.save()
        ring.SECRETS_KEY = (NEW, OLD)  # type: ignore[attr-defined]

    def run(self) -> str:
        out = io.StringIO()
        call_command("rotate_secrets_key", stdout=out)
        return out.getvalue()

    def keys(self) -> list[str]:
        return [behaviour.from_row(row).api_key for row in ModelEndpoint.objects.order_by("name")]

    def test_afterwards_the_old_key_is_not_needed(self, settings: object) -> None:
        assert self.run() == "sealed anew: 3\nalready new: 0\n"
        settings.SECRETS_KEY = (NEW,)  # type: ignore[attr-defined]
        assert self.keys() == [f"{MARKER}-{number}" for number in range(3)]

    def test_it_goes_on_where_it_was_stopped(self) -> None:
        first = ModelEndpoint.objects.get(name="m0")
        first.sealed_key = keyring.seal(f"{MARKER}-0", first.place)
        first.save()
        assert self.run() == "sealed anew: 2\nalready new: 1\n"
        assert self.run() == "sealed anew: 0\nalready new: 3\n"

    def test_one_that_can_not_be_opened_is_named_and_stops_no_other(self) -> None:
        other = ModelEndpoint.objects.get(name="m2").sealed_key
        ModelEndpoint.objects.filter(name="m1").update(sealed_key=other)
        with pytest.raises(CommandError, match="m1"):
            self.run()
        assert self.keys() == [f"{MARKER}-0", "none", f"{MARKER}-2"]

    def test_it_needs_a_key(self, settings: object) -> None:
        settings.SECRETS_KEY = ()  # type: ignore[attr-defined]
        with pytest.raises(CommandError, match="SECRETS_KEY"):
            self.run()

    def test_a_copy_of_the_rows_holds_no_key(self) -> None:
        out = io.StringIO()
        call_command("dumpdata", "aitools.modelendpoint", stdout=out)
        assert '"m0"' in out.getvalue()
        assert "sealed1" not in out.getvalue()
