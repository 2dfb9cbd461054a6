"""Finding products by what people write: names, aliases, plurals, typos.

Keys are not words: ``bollo`` may be one product's key and yet mean three.

The whole menu is searched always, in memory, over an index made once per
catalogue.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rapidfuzz import fuzz, process

from orders.catalogue import Catalogue, Product
from orders.text import normalise, stem

#: Words that name nothing by themselves.
_FILLERS = frozenset({"de", "del", "con", "la", "el", "los", "las", "un", "una", "y", "a", "en", "al"}) | {
    *("of", "the", "with", "and", "an"),
}
#: From this likeness (0–100) on, and this far before the next one, it is a typo and not a question.
_SURE = 86.0
_MARGIN = 6.0
#: Less alike is not worth offering.
_LEAST = 60.0


@dataclass(frozen=True, slots=True)
class Resolution:
    """What words mean: one ``product``, or ``candidates`` to ask about (best first, maybe none).

    ``ambiguous``: the words fit several products equally, so which one must be asked.
    """

    product: Product | None = None
    candidates: tuple[Product, ...] = ()
    ambiguous: bool = False


@dataclass(frozen=True)
class _Index:
    """Normalised names to products, in menu order."""

    exact: Mapping[str, tuple[Product, ...]]
    stems: Mapping[str, tuple[Product, ...]]
    names: list[str]
    owners: list[Product]
    tokens: list[frozenset[str]]


def resolve(catalogue: Catalogue, words: str, limit: int = 5) -> Resolution:
    """Decide what ``words`` mean, or what to ask."""
    index = _index(catalogue)
    for known, key in ((index.exact, normalise(words)), (index.stems, stem(words))):
        if found := known.get(key):
            return _decided(found, limit)
    if found := _containing(index, words):
        return _decided(found, limit)
    alike = _alike(index, words)
    best = [product for product, score in alike.items() if score >= max(alike.values()) - _MARGIN]
    if len(best) == 1 and alike[best[0]] >= _SURE:
        return Resolution(product=best[0])
    return Resolution(candidates=tuple(alike)[:limit])


def search(catalogue: Catalogue, words: str, limit: int = 8) -> tuple[Product, ...]:
    """The products most like ``words``, best first: exact names, then parts of names, then typos."""
    index = _index(catalogue)
    ranked = [
        *index.exact.get(normalise(words), ()),
        *index.stems.get(stem(words), ()),
        *_containing(index, words),
    ]
    if len(ranked) < limit:
        ranked += _alike(index, words)
    return _unique(ranked)[:limit]


def _decided(found: tuple[Product, ...], limit: int) -> Resolution:
    if len(found) == 1:
        return Resolution(product=found[0])
    return Resolution(candidates=found[:limit], ambiguous=True)


def _containing(index: _Index, words: str) -> tuple[Product, ...]:
    """Products one of whose names has all the words that mean something; those with no other word, if any."""
    wanted = _tokens(stem(words))
    if not wanted:
        return ()
    hits = [position for position, tokens in enumerate(index.tokens) if wanted <= tokens]
    hits = [hit for hit in hits if index.tokens[hit] == wanted] or hits
    return _unique(index.owners[position] for position in sorted(hits, key=lambda hit: len(index.tokens[hit])))


def _alike(index: _Index, words: str) -> dict[Product, float]:
    """Products by likeness of one of their names, best first, likeness 0–100."""
    scored = process.extract(stem(words), index.names, scorer=fuzz.token_sort_ratio, score_cutoff=_LEAST, limit=20)
    likeness: dict[Product, float] = {}
    for _, score, position in scored:
        likeness.setdefault(index.owners[position], score)
    return likeness


def _index(catalogue: Catalogue) -> _Index:
    known = catalogue.derived.get("search")
    if not isinstance(known, _Index):
        known = _build(catalogue.products)
        catalogue.derived["search"] = known
    return known


def _build(products: Iterable[Product]) -> _Index:
    exact: dict[str, list[Product]] = defaultdict(list)
    stems: dict[str, list[Product]] = defaultdict(list)
    names: list[str] = []
    owners: list[Product] = []
    for product in products:
        for name in {normalise(name): None for name in (product.name, *product.aliases)}:
            exact[name].append(product)
            stems[stem(name)].append(product)
            names.append(stem(name))
            owners.append(product)
    return _Index(
        exact={name: _unique(found) for name, found in exact.items()},
        stems={name: _unique(found) for name, found in stems.items()},
        names=names,
        owners=owners,
        tokens=[_tokens(name) for name in names],
    )


def _tokens(stems: str) -> frozenset[str]:
    return frozenset(stems.split()) - _FILLERS


def _unique(products: Iterable[Product]) -> tuple[Product, ...]:
    return tuple({product.id: product for product in products}.values())
