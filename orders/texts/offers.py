"""The one sentence with which we offer a person: whoever says it, the order taker knows a yes to it."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

ASK_PERSON = gettext_noop("Shall I pass you to a person of the shop?")


def person(told: str) -> str:
    """What the customer is told, and whether a person shall go on."""
    return " ".join([told, _(ASK_PERSON)])
