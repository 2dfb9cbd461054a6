"""What is ordered and what it costs, read from the menu file alone: the shop's own arithmetic is on trial."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

#: name → quantity.
Basket = Mapping[str, int]


@dataclass(frozen=True)
class Wares:
    """The products the crowd buys. Prices are whole pesos."""

    keys: Mapping[str, str]
    prices: Mapping[str, int]

    @classmethod
    def read(cls, menu: Path) -> Wares:
        """Those of a menu file that are sold every day, by one price and without choices to make."""
        products = [product for product in json.loads(menu.read_text())["products"] if _is_plain(product)]
        return cls(
            {product["name"]: product["key"] for product in products},
            {product["name"]: int(product["price"]) for product in products},
        )

    def total(self, basket: Basket) -> int:
        return sum(quantity * self.prices[name] for name, quantity in basket.items())

    def some(self, dice: random.Random, kinds: int) -> dict[str, int]:
        """A basket of so many kinds."""
        return {name: dice.randint(1, 6) for name in dice.sample(sorted(self.prices), kinds)}

    def in_words(self, basket: Basket) -> str:
        """``2 Croissant, 1 Agua y 3 Café``."""
        parts = [f"{quantity} {name}" for name, quantity in basket.items()]
        return " y ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else parts[0]

    def named_in(self, text: str) -> dict[str, int]:
        """The basket that a text names."""
        return {name: int(quantity) for quantity, name in self._named.findall(text)}

    @cached_property
    def _named(self) -> re.Pattern[str]:
        names = "|".join(re.escape(name) for name in _longest_first(self.prices))
        return re.compile(rf"(\d+) ({names})\b")

    @cached_property
    def names(self) -> Mapping[str, str]:
        """key → name."""
        return {key: name for name, key in self.keys.items()}


def _is_plain(product: Mapping[str, object]) -> bool:
    special = ("variants", "option_lists", "available", "lead_minutes")
    return product.get("price") is not None and not any(name in product for name in special)


def _longest_first(names: Iterable[str]) -> list[str]:
    return sorted(names, key=len, reverse=True)
