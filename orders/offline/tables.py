"""Word tables written as plain text."""

from __future__ import annotations


def word_set(text: str) -> frozenset[str]:
    """The words of ``text``."""
    return frozenset(text.split())


def word_values(text: str) -> dict[str, int]:
    """A table of words and whole numbers in turn: ``"dos 2 tres 3"``."""
    parts = text.split()
    return {word: int(value) for word, value in zip(parts[::2], parts[1::2], strict=True)}


def patterns(text: str) -> str:
    """One regular expression of all lines of ``text``; a line that ends in "|" goes on in the next."""
    lines = "\n".join(part.strip() for part in text.splitlines()).replace("|\n", "|").split("\n")
    return "|".join(line for line in lines if line)
