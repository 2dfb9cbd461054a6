"""Find the products that explain a few words, best first."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from orders.offline.explain import MISSING, WHOLE_NAME, Reading, explain, likenesses
from orders.offline.menu import Menu, MenuItem, Name
from orders.offline.normalise import Token

#: Readings this near to the best one are as good as it.
MARGIN = 0.15
#: How many products are looked at closely.
SHORTLIST = 24
#: A word in more names than this is common.
COMMON = 120


def readings(tokens: Sequence[Token], menu: Menu, among: Sequence[MenuItem] | None = None) -> list[Reading]:
    """Readings of the chunk, best first, one a product; none when no name fits at all."""
    likeness = likenesses(tokens, menu)
    shortlist = _shortlist(likeness, menu) if among is None else [(item, None) for item in among]
    found = [reading for item, name in shortlist if (reading := explain(tokens, likeness, item, name)) is not None]
    return sorted(found, key=lambda reading: -reading.score)


def best(found: Sequence[Reading]) -> list[Reading]:
    """The readings as good as the first; one when it is clear."""
    if not found:
        return []
    first = found[0]
    near = [reading for reading in found if reading.score >= first.score - MARGIN]
    exact = [reading for reading in near if reading.whole]
    return exact if first.whole else near


def _shortlist(likeness: Sequence[dict[str, float]], menu: Menu) -> list[tuple[MenuItem, Name | None]]:
    """The products whose names share most with the words, by inverted index."""
    best_name: dict[int, tuple[float, Name]] = {}
    words = [each for each in likeness if any(word.isalpha() for word in each)]
    numbers = {word for each in likeness for word in each if not word.isalpha()}
    for place, found in _hits(words, menu).items():
        value = found + len(numbers.intersection(menu.owners[place][1]))
        at, name = menu.owners[place]
        score = value - MISSING * (len(name) - value) + (WHOLE_NAME if value > len(name) - 0.5 else 0)
        if at not in best_name or score > best_name[at][0]:
            best_name[at] = (score, name)
    ranked = heapq.nsmallest(SHORTLIST, best_name.items(), key=lambda pair: (-pair[1][0], pair[0]))
    few = len(ranked) <= SHORTLIST // 2
    return [(menu.items[at], None if few else name) for at, (_, name) in ranked]


def _hits(likeness: Sequence[dict[str, float]], menu: Menu) -> dict[int, float]:
    """Names that share words with the chunk → how much.

    Rare words first: a common one ("pan" in a large menu) then only counts for
    names that a rarer one has found, which bounds the work.
    """
    found: dict[int, float] = {}
    lists = [[(menu.postings.get(word, frozenset()), value) for word, value in each.items()] for each in likeness]
    for postings in sorted(lists, key=lambda each: sum(len(places) for places, _ in each)):
        common = found and sum(len(places) for places, _ in postings) > COMMON
        seen: dict[int, float] = {}
        for places, value in postings:
            for place in places & found.keys() if common else places:
                seen[place] = max(value, seen.get(place, 0.0))
        for place, value in seen.items():
            found[place] = found.get(place, 0.0) + value
    return found
