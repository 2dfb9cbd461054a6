"""Checking what a reply says was done: each claim needs a call that did it, or a record of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from aitools.guard.evidence import Evidence, Record
from aitools.guard.patterns import Claim, claims_in
from aitools.guard.sentences import Clause, Sentence, fold
from aitools.guard.words import NUMBERED, REFERENCE

#: A claim of a kind is backed by acts of these kinds; none stands for any.
BACKED_BY = {
    "draft": frozenset({"draft", "create", "change"}),
    "change": frozenset({"change", "draft"}),
    "told": frozenset({"handover", "create", "change"}),
    "settled": frozenset({"create", "change", "cancel", "handover", "pay", "send"}),
    "done": frozenset(),
}
_AGAIN = re.compile(r"\b(?:otra vez|de nuevo|nuevamente|segund[oa]|otr[oa]|again|another|second|one more)\b")
_EARLIER = re.compile(
    r"\b(?:ya|hace|ayer|antes|anterior\w*|previ\w+|estaba|already|earlier|ago|yesterday|before|sigue|still)\b"
)
_SHOPS = (
    r"(?:nuestr[oa]s?|our|(?:la|las|el|los|the) (?:recetas?|menus?|carta|horarios?|precios?|sistema|pagina|web|tienda|"
    r"local|sede|sucursal|direccion|lista|catalogo|ubicacion|telefono|hours?|recipes?|prices?|website|list|address|"
    r"shop|store))"
)
_SHOPS_OWN = re.compile(rf"^ (?:(?:a|de) )?(?:{_SHOPS}|que (?:abrimos|cerramos))\b")
_SHOPS_SUBJECT = re.compile(rf"^\W*{_SHOPS}\b")
_EXAMPLE = re.compile(r"\b(?:like|como|such as|tipo|por ejemplo|e\.?g\.?|for example) (?:el |la |un |a )?$")
_GENERAL = re.compile(r"^\W*(?:(?:todos )?(?:los|las) )?(?:pedidos|encargos|ordenes|reservas|orders|bookings)\b")
_CANCELLED = ("cancel", "anul", "void")
_READY = ("ready", "listo", "lista", "complete")
_SENT = ("sent", "ship", "deliver", "on_the_way", "enviad", "entregad", "picked")


@dataclass(frozen=True, slots=True)
class Deed:
    """A call with an effect.

    ``acts`` empty: it backs any kind. ``state``: done, repeated (done before)
    or failed. ``numbers``: the orders its result names, folded.
    """

    acts: frozenset[str]
    state: str
    numbers: frozenset[str] = frozenset()
    remembered: bool = False

    def does(self, kinds: frozenset[str]) -> bool:
        return not self.acts or not kinds or bool(self.acts & kinds)

    def concerns(self, numbers: frozenset[str]) -> bool:
        """Whether it may be about one of these orders; naming none, or having none, leaves that open."""
        return not numbers or not self.numbers or bool(self.numbers & numbers)


@dataclass(frozen=True, slots=True)
class Actions:
    """The check of claims, with the deeds of this turn and the remembered ones."""

    evidence: Evidence
    deeds: Sequence[Deed]

    def unbacked(self, sentence: Sentence) -> str:
        """The first claim that nothing backs, as a phrase; "" when all are."""
        references = numbers_in(sentence.text)
        for clause in sentence.clauses:
            if clause.asks:
                continue
            for claim in claims_in(clause):
                if _is_meant(claim, clause) and not self._is_backed(claim, clause, references):
                    return f"the claim “{claim.words}”"
        return ""

    def unknown_reference(self, sentence: Sentence) -> str:
        """A number of an order that nobody named before, as a phrase; "" without one."""
        if sentence.asks:
            return ""
        named = [match[0] for match in REFERENCE.finditer(sentence.text) if not _is_example(match, sentence)]
        numbered: list[str] = NUMBERED.findall(sentence.folded)
        unknown = (found for found in (*named, *numbered) if not self.evidence.knows(found))
        return next((f"the number {found}" for found in unknown), "")

    def _is_backed(self, claim: Claim, clause: Clause, references: frozenset[str]) -> bool:
        if self.evidence.says(claim.words) and len(claim.words) > 12 and not self._failed(claim.kind):
            return True
        kinds = _kinds(claim.kind, named=bool(references))
        own = [deed for deed in self.deeds if deed.does(kinds) and deed.concerns(references)]
        if any(deed.state == "done" and not deed.remembered for deed in own):
            return True
        if any(deed.state == "repeated" for deed in own):
            return not _AGAIN.search(clause.folded) and (not claim.by_us or bool(_EARLIER.search(clause.folded)))
        if self._has_record(claim, clause, references):
            return True
        return not any(deed.state == "failed" for deed in own) and any(deed.remembered for deed in own)

    def _failed(self, kind: str) -> bool:
        kinds = _kinds(kind, named=False)
        return any(deed.state == "failed" and deed.does(kinds) for deed in self.deeds)

    def _has_record(self, claim: Claim, clause: Clause, references: frozenset[str]) -> bool:
        """A record in the state that is claimed: the one named, or any if it is told as it stands."""
        fitting = [record for record in self.evidence.records if _fits(claim.kind, record)]
        if references:
            return any(record.names & references for record in fitting)
        if claim.kind in {"ready", "send"}:
            return bool(fitting)
        stands = claim.stands or re.search(r"\b(?:hace|ayer|ago|earlier|yesterday)\b", clause.folded)
        return bool(fitting and stands) and not self._failed(claim.kind)


def numbers_in(text: str) -> frozenset[str]:
    """The numbers of orders a text names, folded."""
    return frozenset(fold(found) for found in REFERENCE.findall(text))


def _is_example(match: re.Match[str], sentence: Sentence) -> bool:
    """ "a number like C-17"."""
    return _EXAMPLE.search(sentence.folded[: match.start()]) is not None


def _kinds(kind: str, *, named: bool) -> frozenset[str]:
    """The acts that back a kind; an order with a number is changed by a change only."""
    if kind == "change" and named:
        return frozenset({"change"})
    return BACKED_BY.get(kind, frozenset({kind}))


def _fits(kind: str, record: Record) -> bool:
    states = {"cancel": _CANCELLED, "ready": _READY, "send": _SENT}.get(kind)
    if states is not None:
        return record.state.startswith(states)
    return kind in {"create", "done"} and not record.state.startswith(_CANCELLED)


def _is_of_shop(claim: Claim, clause: Clause) -> bool:
    """Told of all orders, or of the shop's own matters; a shop that "was told" is another thing."""
    if claim.kind in {"handover", "told", "pay", "send"}:
        return False
    return _GENERAL.search(clause.folded) is not None or _SHOPS_SUBJECT.search(clause.folded) is not None


_SOME = re.compile(r"\b(?:una?|cualquier|algun|an?|any) (?:pedido|orden|encargo|reserva|order|booking) $")


def _is_meant(claim: Claim, clause: Clause) -> bool:
    """Whether it is stated as a fact of ours: not asked, denied, supposed, told after others or of all orders."""
    if clause.denied(claim.end) or clause.theirs(claim.start) or _is_of_shop(claim, clause):
        return False
    if _SOME.search(clause.folded[: claim.start]):
        return False
    if clause.supposed(claim.start) or (claim.present and clause.under_condition):
        return False
    return not _SHOPS_OWN.search(clause.folded[claim.end :])
