"""What an SMS costs: its alphabet and its segments.

Plain quotes are put in here, at the channel's edge: a typographic one may come
from a fixed text, a model, staff or a product's name, and WhatsApp shows it well.
"""

from __future__ import annotations

import unicodedata

#: The 3GPP alphabet; a character outside both strings turns the whole message to UCS-2.
BASIC = frozenset(
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?"
    "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
)
#: These take two septets.
EXTENDED = frozenset("\f^{}\\[~]|€")

# A segment by itself, and one of several: those carry a header.
SEPTETS, SEPTETS_OF_SEVERAL = 160, 153
UCS2_UNITS, UCS2_UNITS_OF_SEVERAL = 70, 67

LOOKALIKES = str.maketrans(
    {
        **dict.fromkeys("‘’‚´`", "'"),
        **dict.fromkeys("“”„«»", '"'),
        **dict.fromkeys("–—‐‑−", "-"),
        **dict.fromkeys("\u00a0\u2009\u202f\u2007", " "),
        "×": "x",
        "…": "...",
        "•": "-",
        "\u200b": "",
    }
)


def plain(text: str) -> str:
    """The text with look-alikes that fit the alphabet; letters with accents stay as they are."""
    return unicodedata.normalize("NFC", text).translate(LOOKALIKES)


def segments(text: str) -> int:
    """How many segments the text takes once it is ``plain``; that is what carriers count and charge."""
    sent = plain(text)
    if all(char in BASIC or char in EXTENDED for char in sent):
        return _filled([2 if char in EXTENDED else 1 for char in sent], SEPTETS, SEPTETS_OF_SEVERAL)
    return _filled([2 if ord(char) > 0xFFFF else 1 for char in sent], UCS2_UNITS, UCS2_UNITS_OF_SEVERAL)


def _filled(widths: list[int], alone: int, of_several: int) -> int:
    """Segments filled one after another; no character is spread over two."""
    if sum(widths) <= alone:
        return 1
    count, used = 1, 0
    for width in widths:
        if used + width > of_several:
            count, used = count + 1, 0
        used += width
    return count
