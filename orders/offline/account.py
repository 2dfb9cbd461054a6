"""The account one product gives of a few words: which of them it has used, and for what."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from orders.offline.menu import MenuItem, Name, OptionChoice, OptionList, Size
from orders.offline.normalise import Token

#: Unmatched words that may stand inside the name of a size or option.
GAP = 0


@dataclass(slots=True)
class Account:
    """A reading in the making."""

    tokens: Sequence[Token]
    likeness: Sequence[dict[str, float]]
    item: MenuItem
    used: dict[int, float] = field(default_factory=dict)
    options: list[OptionChoice] = field(default_factory=list)
    surplus: list[OptionChoice] = field(default_factory=list)
    vague: list[tuple[OptionChoice, ...]] = field(default_factory=list)
    size: Size | None = None
    name_at: tuple[int, ...] = ()
    missing: int = 0

    def find(self, word: str, free: Iterable[int]) -> tuple[int, float] | None:
        """The free position most like ``word``."""
        best: tuple[int, float] | None = None
        for at in free:
            likeness = self.likeness[at].get(word, 0.0)
            if likeness and (best is None or likeness > best[1]):
                best = (at, likeness)
        return best

    def free(self) -> list[int]:
        return [at for at in range(len(self.tokens)) if at not in self.used]


def match_all(account: Account, name: Name) -> dict[int, float] | None:
    """Positions of all words of ``name``, near each other and at least one of them free."""
    width = len(name) + GAP
    for start in range(max(1, len(account.tokens) - len(name) + 1)):
        window = range(start, min(start + width, len(account.tokens)))
        taken = _match_in(account, name, window)
        if taken is not None and any(at not in account.used for at in taken):
            return taken
    return None


def _match_in(account: Account, name: Name, window: range) -> dict[int, float] | None:
    taken: dict[int, float] = {}
    for word in name:
        hit = account.find(word, [at for at in window if at not in taken])
        if hit is None:
            return None
        taken[hit[0]] = hit[1]
    return taken


def is_list_name(account: Account, rule: OptionList, at: int) -> bool:
    return any(account.likeness[at].get(word, 0.0) > 0 for word in rule.name_words)
