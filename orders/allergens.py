"""Allergens: keys in rows and files, words for people."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

_TITLES = {
    "gluten": _("gluten"),
    "milk": _("milk"),
    "eggs": _("eggs"),
    "nuts": _("nuts"),
    "peanuts": _("peanuts"),
    "soy": _("soy"),
    "sesame": _("sesame"),
    "fish": _("fish"),
}


def title(key: str) -> str:
    """An allergen in the active language; unknown ones as they are declared."""
    return str(_TITLES.get(key, key))


def key(word: str) -> str:
    """What ``title`` was made from, in the active language; other words as they are."""
    keys = {str(name).casefold(): known for known, name in _TITLES.items()}
    return keys.get(word.strip().casefold(), word.strip())
