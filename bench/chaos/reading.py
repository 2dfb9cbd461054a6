"""How a customer understands what the desk writes: a question, a deed, an expiry, or something else."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

PLACE, CHANGE, CANCEL = "place", "change", "cancel"
TITLES = {"Crear pedido": PLACE, "Cambiar pedido": CHANGE, "Cancelar pedido": CANCEL}
NUMBER = r"([A-Z]-\d+)"
_LINE = re.compile(r"^(?:[-•] )?(\d+) [×x] (.+?) [—-] \$ ?([\d.]+)$", re.MULTILINE)
_TOTAL = re.compile(r"^(?:[-•] )?Total: \$ ?([\d.]+)$", re.MULTILINE)
_TITLE = re.compile(rf"Voy a: ({'|'.join(TITLES)})")
_NUMBER = re.compile(NUMBER)
_DEEDS = {
    PLACE: re.compile(rf"Tu pedido es el {NUMBER}"),
    CHANGE: re.compile(rf"El pedido {NUMBER} quedó cambiado"),
    CANCEL: re.compile(rf"el pedido {NUMBER} quedó cancelado"),
}
EXPIRED = "Se acabó el tiempo"


@dataclass(frozen=True, slots=True)
class Question:
    """What a yes would do. ``amounts`` are the lines' totals by name; money is whole pesos."""

    kind: str
    number: str = ""
    basket: Mapping[str, int] = field(default_factory=dict)
    amounts: Mapping[str, int] = field(default_factory=dict)
    total: int = 0

    @property
    def content(self) -> tuple[object, ...]:
        """What a customer agrees to, to be compared."""
        return self.kind, self.number, tuple(sorted(self.basket.items())), self.total


@dataclass(frozen=True, slots=True)
class Deed:
    """Something the desk says it has done."""

    kind: str
    number: str


def question(text: str) -> Question | None:
    """The question that a message asks."""
    title = _TITLE.search(text)
    if title is None or "¿Confirmas?" not in text:
        return None
    kind, rest = TITLES[title[1]], text[title.end() :]
    lines = _LINE.findall(rest)
    number = _NUMBER.search(rest) if kind != PLACE else None
    total = _TOTAL.search(rest)
    return Question(
        kind,
        number[1] if number else "",
        {name: int(quantity) for quantity, name, _ in lines},
        {name: _pesos(amount) for _, name, amount in lines},
        _pesos(total[1]) if total else 0,
    )


def deed(text: str) -> Deed | None:
    """The newest deed that a message tells."""
    found = [(match.start(), kind, match[1]) for kind, words in _DEEDS.items() for match in words.finditer(text)]
    return Deed(*max(found)[1:]) if found else None


def _pesos(amount: str) -> int:
    return int(amount.replace(".", ""))
