"""Taking secrets out of a finished text, wherever they stand in it."""

import html
from collections.abc import Iterable

from aitools import keyring

HIDDEN = "[redacted]"
#: Shorter values are words as well.
_SHORTEST_SECRET = 6


def secrets_in(values: Iterable[str]) -> list[str]:
    """The values that are long enough, the longest first: no part of one may stay when another is contained in it."""
    return sorted({value for value in values if len(value) >= _SHORTEST_SECRET}, key=len, reverse=True)


def without_secrets(text: str, secrets: Iterable[str]) -> str:
    """The text without these secrets, without keys that this process has handled, and without sealed ones.

    Also as they stand in HTML.
    """
    for secret in (*secrets, *secrets_in(keyring.handled())):
        for form in {secret, html.escape(secret)}:
            text = text.replace(form, HIDDEN)
    return keyring.SEALED.sub(HIDDEN, text)
