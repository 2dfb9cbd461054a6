"""Checking the amounts of a reply: each must be known, and belong to what it is said of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from aitools.guard import amounts
from aitools.guard.amounts import Amount, Priced
from aitools.guard.evidence import FREE, TOTAL, Evidence
from aitools.guard.sentences import Sentence

#: Before an amount that the customer brought up: their note, their budget, their words.
_GIVEN = re.compile(
    r"(?:\b(?:con|with|billetes?(?: de)?|tus|sus|your|budget(?: of)?|presupuesto(?: de)?|pag\w+ con|pay(?:ing)? with|"
    r"hasta|up to|for your|tienes|traes|dijiste|mencion\w+|dices|you (?:have|said|mentioned)|por esos?|a|bill|los)) ?$"
)
_EACH = re.compile(r"\b(?:cada un[oa]|c/u|each|apiece|per|la unidad|la pieza|la porcion|cuestan?|valen?|costs?|vale)\b")


@dataclass(frozen=True, slots=True)
class Money:
    """The check of amounts, with the numbers the customer named."""

    evidence: Evidence
    named: set[Decimal]

    def unbacked(self, sentence: Sentence) -> str:
        """The first amount that nothing backs, as a phrase; "" when all are."""
        known = self.evidence.named_in(sentence.folded)
        priced = amounts.read(sentence.text, priced_names=bool(known))
        for amount, near in _with_names(priced, self.evidence):
            if self._is_backed(amount, near, priced) or self._is_theirs(amount, priced, sentence):
                continue
            return f"the amount {amount.shown}"
        return ""

    def _is_backed(self, amount: Amount, near: set[str], priced: Priced) -> bool:
        owners = self.evidence.owners.get(amount.value.normalize())
        if owners is None:
            return False
        if amount.is_total and self.evidence.result_totals:
            return TOTAL in owners or bool(owners & near)
        if FREE in owners or not near or owners & near:
            return True
        return TOTAL in owners and not _EACH.search(priced.text)

    def _is_theirs(self, amount: Amount, priced: Priced, sentence: Sentence) -> bool:
        """The customer's own number, asked back, denied, or named as what they bring; never as our price."""
        if amount.value not in self.named:
            return False
        before = priced.text[: amount.start]
        return sentence.asks or sentence.denied(len(before)) or _GIVEN.search(before) is not None


def _with_names(priced: Priced, evidence: Evidence) -> Iterator[tuple[Amount, set[str]]]:
    """Each amount with the items named beside it: since the amount before it, and up to the next."""
    last: list[set[str]] = []
    seen = 0
    for index, amount in enumerate(priced.amounts):
        upto = priced.amounts[index + 1].start if index + 1 < len(priced.amounts) else len(priced.text)
        before = evidence.named_in(priced.text[seen : amount.start]) or last[-1:]
        after = evidence.named_in(priced.text[amount.end : upto])
        yield amount, evidence.narrowed(set().union(*before, *after))
        last, seen = before, amount.end
