"""What stands for a message, or a part of one, that is no text: constant marks in what the model reads.

English like everything the model is told, and the same in every turn, so that
our own order taker knows them again.  Who types one says no more than by
sending the thing.
"""

from __future__ import annotations

from collections.abc import Mapping

VOICE = "[voice note]"
UNREADABLE = "[the customer sent something that you can't read]"
#: By kind of medium or message.
UNSEEN: Mapping[str, str] = {
    "image": "[the customer sent a picture that you can't see]",
    "sticker": "[the customer sent a sticker that you can't see]",
    "video": "[the customer sent a video that you can't see]",
    "audio": "[the customer sent a voice note that you can't hear]",
    "unheard": "[the customer sent a voice note that you can't hear]",
    "voice": "[the customer sent a voice note that you can't hear]",
    "document": "[the customer sent a document that you can't open]",
    "contacts": "[the customer sent a contact card that you can't open]",
    "location": "[the customer sent a location that you can't look up]",
    "order": "[the customer sent a cart of the catalogue that you can't read]",
}

_KINDS = {mark: kind for kind, mark in UNSEEN.items()} | {UNREADABLE: "unsupported"}


def unseen(kind: str) -> str:
    """The mark of what came besides words; one for all kinds that have none of their own."""
    return UNSEEN.get(kind, UNREADABLE)


def unmarked(text: str) -> str:
    """What the customer wrote or said, without marks."""
    lines = (line.removeprefix(VOICE).strip() for line in text.split("\n") if line not in _KINDS)
    return "\n".join(lines)


def kinds_in(text: str) -> frozenset[str]:
    """The kinds of things whose marks stand in the text."""
    return frozenset(_KINDS[line] for line in text.split("\n") if line in _KINDS)
