"""A text as a chat shows it: without marks of emphasis, tags, pictures and characters that nobody sees."""

from __future__ import annotations

import html
import re
import unicodedata

#: A tag, or a comment; bounded, so that a flood of "<" costs nothing.
_TAG = re.compile(r"<!--[^<>]{0,300}-->|</?[a-zA-Z][^<>\n]{0,300}>")
_NEW_LINE = re.compile(r"<(?:br|/?p|/?li|/?div|/?tr|/?h\d)\b", re.IGNORECASE)
_LINK = re.compile(r"\[([^\[\]\n]{1,100})\]\([^()\s]{1,300}\)")
_TIMES = re.compile(r"(?<=\d)\*(?=\d)")
_EMPHASIS = re.compile(r"\\?[*~`]")
#: Between letters it is read as a space ("quedó_registrado"), else it is a mark.
_BETWEEN = re.compile(r"(?<=[^\W_])_+(?=[^\W_])")
#: One word in quotes is stressed; more words are somebody's.
_QUOTED = re.compile(r"""(?<!\w)[«“”„"'‘‹](\w+[.,!…]?)[»“”"'’›](?!\w)""")
_BLANKS = re.compile(r"[^\S\n]+")


class _Shown(dict[int, str]):
    """What is seen of each character, worked out when first met."""

    def __missing__(self, code: int) -> str:
        self[code] = shown = _shown(chr(code))
        return shown


def _shown(char: str) -> str:
    kind = unicodedata.category(char)
    if kind == "Cf" or "\ufe00" <= char <= "\ufe0f" or char == "\u034f":
        return ""
    if kind == "So" and char >= "\u2190":
        return " "  # a picture between two words parts no sentence
    if kind in {"Zl", "Zp"}:
        return "\n"
    # Letters drawn bold or wide are letters; "½" and "º" must stay what they are.
    drawn = "\U0001d400" <= char <= "\U0001d7ff" or "\uff01" <= char <= "\uff5e"
    return unicodedata.normalize("NFKC", char) if drawn else char


_SHOWN = _Shown()


def as_shown(text: str) -> str:
    """The words a reader sees, every run of blanks as one space, lines kept. Of a link only its words stay."""
    seen = html.unescape(text).translate(_SHOWN)
    seen = _TAG.sub(lambda tag: "\n" if _NEW_LINE.match(tag[0]) else "", seen)
    seen = _EMPHASIS.sub("", _TIMES.sub("×", _LINK.sub(r"\1", seen)))
    seen = _BETWEEN.sub(" ", seen).replace("_", "")
    return _BLANKS.sub(" ", _QUOTED.sub(r"\1", seen))
