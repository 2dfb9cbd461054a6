"""Cutting a long text into parts a channel takes, never inside a word or an emoji."""

from __future__ import annotations

import unicodedata

#: Where a text is cut, best first.
BREAKS = ("\n\n", "\n", ". ", " ")
JOINER = "\u200d"
#: Two of these make one flag.
FLAG_LETTERS = "".join(map(chr, range(0x1F1E6, 0x1F200)))


def split(text: str, limit: int) -> list[str]:
    """Parts of at most ``limit`` UTF-16 units, cut at paragraphs, lines or words.

    Only a word longer than a whole part is cut itself, between characters.
    """
    parts: list[str] = []
    rest = text.strip() or text
    while units(rest) > limit:
        cut = _cut(rest, limit)
        parts.append(rest[:cut].rstrip())
        rest = rest[cut:].lstrip()
    return [*parts, rest] if rest or not parts else parts


def units(text: str) -> int:
    """Length as WhatsApp counts it: UTF-16 code units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _cut(text: str, limit: int) -> int:
    """Where to cut: at the best break that leaves a useful part before it, else at any."""
    fits = _fitting(text, limit)
    for earliest in (fits // 3, 1):
        for mark in BREAKS:
            at = text.rfind(mark, earliest, fits + 1)
            if at > 0:
                return at + len(mark)
    return _between_characters(text, fits)


def _fitting(text: str, limit: int) -> int:
    """How many characters fit; at least one, so that splitting comes to an end."""
    used = 0
    for index, char in enumerate(text):
        used += 2 if ord(char) > 0xFFFF else 1
        if used > limit:
            return max(index, 1)
    return len(text)


def _between_characters(text: str, fits: int) -> int:
    """Step back to where a character ends for the eye; nowhere near, cut all the same."""
    for at in range(fits, fits // 3, -1):
        if at == len(text) or not _joined(text, at):
            return at
    return fits


def _joined(text: str, at: int) -> bool:
    """Whether the characters before and after ``at`` are seen as one."""
    before, after = text[at - 1], text[at]
    if before == JOINER or _extends(after):
        return True
    letters = len(text[:at]) - len(text[:at].rstrip(FLAG_LETTERS))
    return after in FLAG_LETTERS and letters % 2 == 1


def _extends(char: str) -> bool:
    """Joiners, skin tones, tags and marks belong to what stands before them."""
    tone, tag = "\U0001f3fb" <= char <= "\U0001f3ff", "\U000e0020" <= char <= "\U000e007f"
    return char == JOINER or tone or tag or unicodedata.category(char).startswith("M")
