"""Chance that can be repeated: each decision has dice of its own, named by what it decides.

Threads and timing may change the order in which decisions are made; with the
same seed each of them still falls the same way.
"""

from __future__ import annotations

import random
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Dice:
    """The dice of one run. ``calm`` makes everything go well: for trying out the crowd itself."""

    seed: int
    calm: bool = False

    def of(self, *names: object) -> random.Random:
        """The dice for the decision of this name."""
        return random.Random(f"{self.seed}/{'/'.join(map(str, names))}")  # noqa: S311 - to be repeated, not to be secret

    def strikes(self, share: float, *names: object) -> bool:
        """Whether a misfortune of this probability happens here."""
        return not self.calm and self.of(*names).random() < share
