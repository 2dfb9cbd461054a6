"""The menu as the matcher sees it: names as tokens, indexed by word.

Built from the closed sets that come with a request's tools, once per loaded
version of them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from functools import cached_property, lru_cache
from typing import Any

from aitools.choices import Choice
from orders.offline import vocabulary as words
from orders.offline.normalise import Kind, fold, tokenise
from orders.offline.quantities import with_numbers
from orders.offline.similar import Lexicon, forms
from orders.offline.words_both import PACK_DOZENS, PACK_PATTERNS

#: A name as tokens without glue; numbers as digits.
Name = tuple[str, ...]

_PARENTHESIS = re.compile(r"\([^)]*\)|«|»")


@dataclass(frozen=True, slots=True)
class OptionChoice:
    key: str
    label: str
    list_key: str
    names: tuple[Name, ...]
    sized: frozenset[str]
    sold_out: bool = False
    price_delta: Decimal = Decimal(0)

    @property
    def code(self) -> str:
        return f"{self.list_key}:{self.key}"


@dataclass(frozen=True, slots=True)
class OptionList:
    """A list a product offers; ``name_words`` are how people announce a choice of it."""

    key: str
    label: str
    name_words: Name
    min: int
    max: int
    options: tuple[OptionChoice, ...]


@dataclass(frozen=True, slots=True)
class Size:
    """A variant. ``sized`` are names that are a number only ("12"), ``pieces`` in it."""

    key: str
    label: str
    names: tuple[Name, ...]
    sized: frozenset[str]
    price: Decimal | None
    pieces: int | None


@dataclass(frozen=True, slots=True, eq=False)
class MenuItem:
    """A product. Amounts in the shop's currency, leads in minutes."""

    key: str
    label: str
    names: tuple[Name, ...]
    extras: frozenset[str]
    price: Decimal | None
    sizes: tuple[Size, ...]
    lists: tuple[OptionList, ...]
    pieces: int | None
    category: str
    data: Mapping[str, Any]

    @property
    def head(self) -> str:
        """The noun that later items may leave out ("y 2 de pollo")."""
        return self.names[0][0] if self.names and self.names[0] else ""

    def size(self, key: str | None) -> Size | None:
        return next((size for size in self.sizes if size.key == key), None)


@dataclass(frozen=True, slots=True)
class Place:
    """A branch or category: a key with names."""

    key: str
    label: str
    names: tuple[Name, ...]


@dataclass(frozen=True)
class Menu:
    """Everything sold, with its words indexed."""

    items: tuple[MenuItem, ...]
    branches: tuple[Place, ...] = ()
    categories: tuple[Place, ...] = ()
    by_key: Mapping[str, MenuItem] = field(default_factory=dict)

    @cached_property
    def lexicon(self) -> Lexicon:
        return Lexicon(self._vocabulary())

    @cached_property
    def _choice_words(self) -> frozenset[str]:
        lists = (each for item in self.items for each in item.lists)
        options = (option for each in lists for option in each.options)
        sizes = (size for item in self.items for size in item.sizes)
        names = (name for names in (*(o.names for o in options), *(s.names for s in sizes)) for name in names)
        return frozenset(word for name in names for word in name)

    @cached_property
    def price_digits(self) -> int:
        """Decimals to show prices with: none where all of them are whole."""
        sizes = (size.price for item in self.items for size in item.sizes)
        deltas = (option.price_delta for item in self.items for each in item.lists for option in each.options)
        prices = (*(item.price for item in self.items), *sizes, *deltas)
        return 0 if all(price is None or price == price.to_integral() for price in prices) else 2

    @cached_property
    def _refused(self) -> frozenset[Name]:
        """What follows "sin" in a name on the menu ("Sin calentar")."""
        lists = (each for item in self.items for each in item.lists)
        named = (*(option.names for each in lists for option in each.options), *(item.names for item in self.items))
        labels = (*named, *(size.names for item in self.items for size in item.sizes))
        return frozenset(
            name[at + 1 :]
            for names in labels
            for name in names
            for at, word in enumerate(name)
            if word in words.WITHOUT | {"no"} and name[at + 1 :]
        )

    def is_without(self, said: Sequence[str]) -> bool:
        """Whether the menu itself has something "without" exactly what begins ``said``."""
        return any(
            len(name) <= len(said) and all(one in forms(other) for one, other in zip(name, said, strict=False))
            for name in self._refused
        )

    def is_choice(self, word: str) -> bool:
        """Whether the word names a size or an option of something."""
        return any(similar in self._choice_words for similar in self.lexicon.similar(word))

    @cached_property
    def owners(self) -> tuple[tuple[int, Name], ...]:
        """All names in menu order, each with the position of its item."""
        return tuple((at, name) for at, item in enumerate(self.items) for name in item.names)

    @cached_property
    def postings(self) -> Mapping[str, frozenset[int]]:
        """A word → positions in ``owners`` of the names it occurs in."""
        found: dict[str, set[int]] = defaultdict(set)
        for place, (_, name) in enumerate(self.owners):
            for word in name:
                found[word].add(place)
        return {word: frozenset(places) for word, places in found.items()}

    def items_named(self, word: str) -> Iterable[MenuItem]:
        """The items with ``word`` in one of their names, in menu order."""
        places = sorted(self.postings.get(word, ()))
        return (self.items[at] for at in dict.fromkeys(self.owners[place][0] for place in places))

    def _vocabulary(self) -> Iterable[str]:
        for item in self.items:
            yield from _words_of(item.names)
            yield from item.extras
            for size in item.sizes:
                yield from _words_of(size.names)
            for options in item.lists:
                yield from options.name_words
                for option in options.options:
                    yield from _words_of(option.names)
        for place in (*self.branches, *self.categories):
            yield from _words_of(place.names)


class MenuCache:
    """The menus of the last loaded sources, by identity: sources cache per version."""

    SIZE = 4

    def __init__(self) -> None:
        self._built: list[tuple[tuple[Sequence[Choice], ...], Menu]] = []

    def get(self, products: Sequence[Choice], branches: Sequence[Choice], categories: Sequence[Choice]) -> Menu:
        key = (products, branches, categories)
        for loaded, menu in self._built:
            if all(mine is theirs for mine, theirs in zip(loaded, key, strict=True)):
                return menu
        menu = build(products, branches, categories)
        self._built = [(key, menu), *self._built[: self.SIZE - 1]]
        return menu


def build(products: Sequence[Choice], branches: Sequence[Choice] = (), categories: Sequence[Choice] = ()) -> Menu:
    items = tuple(_item(choice) for choice in products)
    return Menu(
        items=items,
        branches=tuple(_place(choice) for choice in branches),
        categories=tuple(_place(choice) for choice in categories),
        by_key={item.key: item for item in items},
    )


def name_of(text: str) -> Name:
    """A name's words in order, without glue and articles."""
    tokens = with_numbers(tokenise(text))
    kept = [
        token.text
        for token in tokens
        if token.kind in (Kind.WORD, Kind.NUMBER, Kind.MONEY)
        and not token.weak
        and (token.text not in words.STOP or token.is_number)
    ]
    return tuple(kept)


def _item(choice: Choice) -> MenuItem:
    data = choice.data
    bare = _PARENTHESIS.sub(" ", choice.label)
    names = _names(bare, *choice.aliases, choice.key.replace("-", " "))
    sizes = tuple(_size(each) for each in data.get("variants") or ())
    return MenuItem(
        key=choice.key,
        label=choice.label,
        names=names,
        extras=_extras(choice.label),
        price=_amount(data.get("price")),
        sizes=sizes,
        lists=tuple(_list(each) for each in data.get("option_lists") or ()),
        pieces=None if sizes else data.get("pack_size") or pieces_in(choice.label),
        category=str(data.get("category") or ""),
        data=data,
    )


def _size(data: Mapping[str, Any]) -> Size:
    texts = (data["name"], *data.get("aliases", ()), data["key"].replace("-", " "))
    bare = [_PARENTHESIS.sub(" ", text) for text in texts]
    names = _names(*bare)
    sized = frozenset(name[0] for name in names if len(name) == 1 and _is_number(name[0]))
    return Size(
        key=data["key"],
        label=data["name"],
        names=tuple(name for name in names if name[0] not in sized or len(name) > 1),
        sized=sized,
        price=_amount(data.get("price")),
        pieces=data.get("pack_size") or _dozen_pieces(texts),
    )


def _list(data: Mapping[str, Any]) -> OptionList:
    options = tuple(_option(data["key"], each) for each in data.get("options", ()))
    return OptionList(
        key=data["key"],
        label=data["name"],
        name_words=name_of(data["name"])[:1],
        min=int(data.get("min", 0)),
        max=int(data.get("max", 1)),
        options=options,
    )


def _option(list_key: str, data: Mapping[str, Any]) -> OptionChoice:
    key = str(data["key"]).rsplit(":", 1)[-1]
    names = _names(data["name"], *data.get("aliases", ()), key.replace("-", " "))
    sized = frozenset(name[0] for name in names if len(name) == 1 and _is_number(name[0]))
    return OptionChoice(
        key=key,
        label=data["name"],
        list_key=list_key,
        names=tuple(name for name in names if len(name) > 1 or name[0] not in sized),
        sized=sized,
        sold_out=bool(data.get("sold_out")),
        price_delta=_amount(data.get("price_delta")) or Decimal(0),
    )


def _place(choice: Choice) -> Place:
    return Place(choice.key, choice.label, _names(choice.label, *choice.aliases, choice.key))


def _names(*texts: str) -> tuple[Name, ...]:
    """The distinct names with at least one word; all-glue names ("con leche") keep what they have."""
    return tuple(dict.fromkeys(name for text in texts if (name := name_of(text))))


def _extras(label: str) -> frozenset[str]:
    inside = " ".join(_PARENTHESIS.findall(label))
    return frozenset(word for word in name_of(inside) if word.isalpha())


@lru_cache(maxsize=8192)
def pieces_in(label: str) -> int | None:
    """How many pieces a product's own name says one of it has, None when it says nothing."""
    folded = fold(label)
    dozens = re.search(PACK_DOZENS, folded)
    if dozens is not None:
        return 12 * int(dozens.group(1) or 1)
    for pattern in PACK_PATTERNS:
        found = re.search(pattern, folded)
        if found is not None:
            return int(found.group(1))
    return None


def _dozen_pieces(texts: Iterable[str]) -> int | None:
    """The pieces of a size named "media docena" or "dozen"."""
    for text in texts:
        for token in with_numbers(tokenise(text)):
            if token.dozens is not None and token.value is not None:
                return int(token.value)
    return None


def _words_of(names: Iterable[Name]) -> Iterable[str]:
    return (word for name in names for word in name)


def _is_number(word: str) -> bool:
    return word.replace(".", "", 1).isdigit()


def _amount(value: Any) -> Decimal | None:
    try:
        return None if value is None else Decimal(str(value))
    except InvalidOperation:
        return None
