"""What a reply may rest on: results of the turn and remembered ones, facts, and what was said before."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation

from aitools.guard import amounts
from aitools.guard.plain import as_shown
from aitools.guard.sentences import fold, sentences
from aitools.types import Json

#: Keys whose numbers count things.
_COUNTS = re.compile(
    r"quantity|qty|count|minutes|seconds|secondsago|hours|days|^min$|^max$|stock|^id$|_id$|version|date|phone|year|"
    r"percent"
)
_PRICES = re.compile(r"price|amount|total|cost|fee|precio|importe|monto|valor|costo|tarifa")
#: Totals are of orders, deltas of options: what has only those is nothing sold.
_NO_ITEM = re.compile(r"^(?:sub_?)?total|delta")
#: Staff's own tools may answer in Spanish.
_NAMES = ("name", "nombre", "title", "titulo")
_STATES = ("state", "status", "estado")
_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"[a-z0-9]+")
_STOP = frozenset(
    (
        *("de", "del", "la", "el", "los", "las", "un", "una", "con", "sin", "y", "en", "a", "al"),
        *("the", "of", "and", "with", "for", "x"),
    )
)
#: Owners of amounts that belong to no named item.
FREE = ""
TOTAL = "total"


@dataclass(frozen=True, slots=True)
class Record:
    """Something that exists and has a state: an object with ``state`` in results or facts."""

    state: str
    names: frozenset[str]


@dataclass
class Evidence:
    """Everything that may back a reply, made ready for looking up.

    ``owners`` maps an amount to the items it belongs to (by folded name),
    ``FREE`` or ``TOTAL``.  ``views`` has every object with a name by that name.
    ``texts`` are all strings of results and facts, folded; ``ours`` and
    ``theirs`` what we and the customer said.
    """

    owners: dict[Decimal, set[str]] = field(default_factory=dict)
    views: dict[str, list[Mapping[str, Json]]] = field(default_factory=dict)
    tokens: dict[str, set[str]] = field(default_factory=dict)
    parents: dict[str, set[str]] = field(default_factory=dict)
    records: list[Record] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    ours: list[str] = field(default_factory=list)
    theirs: list[str] = field(default_factory=list)
    result_totals: bool = False

    def says(self, words: str) -> bool:
        """Whether a result or fact has these words."""
        wanted = fold(words)
        return any(wanted in text for text in self.texts)

    def matches(self, pattern: re.Pattern[str]) -> bool:
        """Whether the pattern is found in a result or fact, or in what we said before."""
        return any(pattern.search(text) for text in (*self.texts, *self.ours))

    def customer_said(self, pattern: re.Pattern[str]) -> bool:
        return any(pattern.search(text) for text in self.theirs)

    def knows(self, reference: str) -> bool:
        """Whether anybody named this number before."""
        return any(fold(reference) in text for text in (*self.texts, *self.ours, *self.theirs))

    def narrowed(self, names: set[str]) -> set[str]:
        """Without the products of which a size is named too: "torta grande" means the size."""
        return names - set().union(*(self.parents.get(name, set()) for name in names))

    def named_in(self, folded: str) -> list[set[str]]:
        """The items a text names, one set of candidates a mention, in order.

        Words next to each other that fit one item together mean that item.
        """
        mentions: list[set[str]] = []
        open_mention = False
        for word in _WORD.findall(folded):
            if word in _STOP:
                continue
            known = self.tokens.get(_stem(word))
            if known is None:
                open_mention = False
            elif open_mention and mentions[-1] & known:
                mentions[-1] = mentions[-1] & known
            else:
                mentions.append(set(known))
                open_mention = True
        return mentions


def add_json(evidence: Evidence, value: Json, *, is_result: bool) -> None:
    """Add a result's or the facts' data. Names first, so that texts find their items."""
    opened = _opened(value)
    for item in _objects(opened):
        _add_object(evidence, item)
    _add_numbers(evidence, opened, FREE, "", is_result=is_result)
    for text in _strings(opened):
        if _number(text) is not None:
            continue
        shown = as_shown(text)
        evidence.texts.append(fold(shown))
        if _DIGIT.search(shown):
            add_text(evidence, shown, is_current=True)


def add_text(evidence: Evidence, text: str, *, is_current: bool) -> None:
    """Add the amounts in a text: a current one, of data, or earlier words of ours.

    Of data every number counts that is no small count; a total said earlier is
    none any more once a result gives one.
    """
    total = {TOTAL} if is_current or not evidence.result_totals else {FREE}
    for line in sentences(text):
        priced = amounts.read(line.text, priced_names=True)
        seen = 0
        for amount in priced.amounts:
            named = evidence.named_in(priced.text[seen : amount.start])
            owners = set().union(*named) if named else {FREE}
            _own(evidence, amount.value, total if amount.is_total and not named else owners)
            seen = amount.end
        if is_current:
            read = {amount.value for amount in priced.amounts}
            for value in amounts.bare_numbers(line.text) - read:
                if value >= 1000 or value % 1:
                    _own(evidence, value, {FREE})


def from_customer(texts: Iterable[str]) -> set[Decimal]:
    """The numbers customers named themselves."""
    return set().union(*(amounts.bare_numbers(text) for text in texts))


def parsed(content: str) -> Json:
    """A result's text as data where it is JSON, else as it is."""
    try:
        return json.loads(content)
    except ValueError:
        return content


def _opened(value: Json) -> Json:
    """JSON inside strings (an earlier result inside a result) as data."""
    if isinstance(value, str) and value[:1] in {"{", "["}:
        inner = parsed(value)
        return inner if isinstance(inner, str) else _opened(inner)
    if isinstance(value, Mapping):
        return {key: _opened(one) for key, one in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_opened(one) for one in value]
    return value


def _objects(value: Json) -> Iterator[Mapping[str, Json]]:
    if isinstance(value, Mapping):
        yield value
    inner: Iterable[Json] = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    for one in inner:
        yield from _objects(one)


def _add_object(evidence: Evidence, item: Mapping[str, Json]) -> None:
    name, state = _first(item, _NAMES), _first(item, _STATES)
    if isinstance(state, str):
        names = {fold(value) for value in item.values() if isinstance(value, str) and len(value) <= 20}
        evidence.records.append(Record(fold(state), frozenset(names)))
    if isinstance(name, str) and _has_price(item):
        folded = fold(name)
        evidence.views.setdefault(folded, []).append(item)
        for word in _WORD.findall(folded):
            if word not in _STOP:
                evidence.tokens.setdefault(_stem(word), set()).add(folded)


def _has_price(item: Mapping[str, Json]) -> bool:
    """Whether it is something sold: it has a price of its own, or variants that do."""
    return any(
        key == "variants"
        or (_PRICES.search(key) and not _NO_ITEM.search(key) and not isinstance(value, Mapping | list))
        for key, value in item.items()
    )


def _first(item: Mapping[str, Json], keys: Sequence[str]) -> Json:
    return next((item[key] for key in keys if key in item), None)


def _add_numbers(evidence: Evidence, value: Json, owner: str, key: str, *, is_result: bool) -> None:
    if isinstance(value, Mapping):
        name = _first(value, _NAMES)
        own = owner
        if isinstance(name, str) and _has_price(value):
            own = f"{owner}\n{fold(name)}".strip()
            evidence.parents.setdefault(fold(name), set()).update(filter(None, owner.split("\n")))
        for inner_key, inner in value.items():
            _add_numbers(evidence, inner, own, inner_key, is_result=is_result)
    elif isinstance(value, list):
        for one in value:
            _add_numbers(evidence, one, owner, key, is_result=is_result)
    elif (number := _number(value)) is not None and not _COUNTS.search(key):
        total = "total" in key and "line" not in key
        evidence.result_totals |= total and is_result
        _own(evidence, number, {TOTAL} if total else set(owner.split("\n")))


def _number(value: Json) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _strings(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    inner: Iterable[Json] = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    for one in inner:
        yield from _strings(one)


def _own(evidence: Evidence, value: Decimal, owners: set[str]) -> None:
    evidence.owners.setdefault(value.normalize(), set()).update(owners)


def _stem(word: str) -> str:
    return word[:3] + word[3:].rstrip("es")
