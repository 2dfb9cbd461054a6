"""Cutting a long text into parts a channel takes, never inside a word or an emoji."""

from __future__ import annotations

import unicodedata


def split(text: str, limit: int) -> list[str]:
    """Parts of at most ``limit`` UTF-16 units, cut at paragraphs, lines or words."""
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
    """Where to cut: after the last break that leaves a useful part before it."""
    fits = _fitting(text, limit)
    for mark in ("\n\n", "\n", ". ", " "):
        at = text.rfind(mark, fits // 3, fits)
        if at > 0:
            return at + len(mark)
    return _between_characters(text, fits)


def _fitting(text: str, limit: int) -> int:
    used = 0
    for index, char in enumerate(text):
        used += 2 if ord(char) > 0xFFFF else 1
        if used > limit:
            return index
    return len(text)


def _between_characters(text: str, at: int) -> int:
    """Step back from joiners, modifiers and combining marks, so emoji stay whole."""
    while at > 1 and (_joins(text[at]) or text[at - 1] == "\u200d"):
        at -= 1
    return at


def _joins(char: str) -> bool:
    tone = 0x1F3FB <= ord(char) <= 0x1F3FF
    return tone or char in "\u200d\ufe0f" or bool(unicodedata.combining(char))
