"""What the channels to WhatsApp share: a text sent after the window, in a template's variable."""

from __future__ import annotations

from aitools.channels.base import ErrorClass
from aitools.errors import ChannelPermanent
from aitools.splitting import utf16_units

#: UTF-16 units. WhatsApp takes 1024 for the whole body; the template's own words need the rest.
LATE_TEXT_LIMIT = 900


def late_text(text: str) -> str:
    """The text on one line: WhatsApp refuses line breaks and runs of blanks inside a variable.

    Raises ``ChannelPermanent`` when it is too long; a text is never cut.
    """
    value = " ".join(text.split())
    if utf16_units(value) > LATE_TEXT_LIMIT:
        words = f"too long for a message after 24 hours: write at most {LATE_TEXT_LIMIT} characters"
        raise ChannelPermanent(words, code=ErrorClass.CONTENT, kind=ErrorClass.CONTENT)
    return value
