"""Cutting a long text into parts a channel takes: by paragraph, line, sentence, then word.

Never inside a word, a number or what the eye sees as one character, unless that
alone is longer than a part.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator

#: The length of a text as a vendor counts it; a longer text never counts less.
Measure = Callable[[str], int]

_AMOUNT = r"\d$€£₡₲%"
#: Whitespace where a text is cut, best first. A number keeps its groups and its currency.
BREAKS = (
    re.compile(r"[ \t]*\n[ \t]*\n\s*"),
    re.compile(r"[ \t]*\n[ \t]*"),
    # Not after "1." of a list, nor where the sentence goes on ("aprox. 5").
    re.compile(r"(?:(?<=[.!?…])|(?<=[.!?…][\"”»)]))(?<!\d\.)[ \t]+(?![ \t\da-záéíóúüñ])"),
    re.compile(rf"(?<![\s{_AMOUNT}])[ \t\n]+|(?<!\s)[ \t\n]+(?![\s{_AMOUNT}])"),
)
ANY_SPACE = re.compile(r"\s+")
#: What stands around a place inside a number: the character before it and two after.
NUMBER = re.compile(r"[\d.,]\d|\d[.,]\d")
#: Characters after a cut that tell whether it may be there.
AHEAD = 2
JOINER = "\u200d"
#: Two of these make one flag.
FLAG_LETTERS = "".join(map(chr, range(0x1F1E6, 0x1F200)))


def utf16_units(text: str) -> int:
    """Length as WhatsApp counts it: UTF-16 code units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def split(text: str, limit: int, measure: Measure = utf16_units) -> list[str]:
    """Parts that ``measure`` at most ``limit``, in order; at least one.

    Together they hold the words of the text.  A single character that measures
    more than the limit is a part of its own all the same.
    """
    parts: list[str] = []
    rest = text.strip() or text
    while (fits := _fitting(rest, limit, measure)) < len(rest):
        cut = _cut(_seen_from(rest, fits), fits)
        parts.append(rest[:cut].rstrip())
        rest = rest[cut:].lstrip()
    return [*parts, rest] if rest or not parts else parts


def _seen_from(text: str, fits: int) -> str:
    """What is looked at to find a cut: to where the blanks behind the part end, and what stands there."""
    end = fits
    while end < len(text) and text[end].isspace():
        end += 1
    return text[: end + AHEAD]


def _fitting(text: str, limit: int, measure: Measure) -> int:
    """How many characters fit; at least one, so that splitting comes to an end.

    What is far behind the limit is not measured, however long the text is.
    """
    over = max(limit, 1)
    while over < len(text) and measure(text[:over]) <= limit:
        over *= 2
    if over >= len(text) and measure(text) <= limit:
        return len(text)
    fits, over = min(1, len(text)), min(over, len(text))
    while over - fits > 1:
        middle = (fits + over) // 2
        if measure(text[:middle]) <= limit:
            fits = middle
        else:
            over = middle
    return fits


def _cut(text: str, fits: int) -> int:
    """Where to cut: at the best break that leaves a useful part before it, else at any."""
    for earliest in (fits // 3, 1):
        for pattern in BREAKS:
            if at := _last_break(pattern, text, earliest, fits):
                return at
    return _last_break(ANY_SPACE, text, 1, fits) or _between_characters(text, fits)


def _last_break(pattern: re.Pattern[str], text: str, earliest: int, fits: int) -> int:
    """Where the last such break ends whose text before it fits; 0 when there is none."""
    return max((found.end() for found in _breaks(pattern, text, earliest, fits)), default=0)


def _breaks(pattern: re.Pattern[str], text: str, earliest: int, fits: int) -> Iterator[re.Match[str]]:
    for found in pattern.finditer(text, earliest):
        if found.start() > fits:
            return
        yield found


def _between_characters(text: str, fits: int) -> int:
    """Step back to where a character ends for the eye; nowhere near, cut all the same."""
    for joined in (_in_number, _joined):
        for at in range(fits, fits // 3, -1):
            if not joined(text, at):
                return at
    return fits


def _in_number(text: str, at: int) -> bool:
    """Whether a cut at ``at`` would go through a number or a character."""
    return NUMBER.match(text[at - 1 : at + 2]) is not None or _joined(text, at)


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
