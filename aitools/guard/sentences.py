"""A reply cut into sentences and clauses, each with what takes its words back: a question, a "no", an "if"."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

#: "7:30 p. m." and "Sr. Gómez" end no sentence.
_ABBREVIATED = re.compile(
    r"\b(?:[ap]\. ?m|sr|sra|srta|dr|dra|mr|mrs|ms|st|av|avda|tel|aprox|ud|uds|nro|no(?=\. ?\d)|m\. ?n|"
    r"[sb]/|[bg]s(?=\. ?\d))\.",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"\n+|(?<=[.!?…;])(?=[\s¿¡\"”»)*_]|$)|(?=¿)|(?<=[.!?…])(?=[^\W\d_])")
_CLAUSE = re.compile(
    r",(?!\d)|\s[-–—]\s|:\s|[()•]|\b(?:pero|sino|aunque|porque|asi que|ya que|but|because|although|so that|however)\b"
)
#: Words that sound like a "no" and are none.
_NO_NO = re.compile(
    r"\b(?:no (?:te|se|os) preocup\w+|no hay (?:problema|lio|drama|de que)|no (?:problem|worries|problema)|"
    r"not (?:a problem|only)|don'?t worry|why not|como no|por que no|no faltaba mas|no (?:solo|mas)|nomas|nada mas|"
    r"(?:sin|without) (?:ningun |any )?(?:problemas?|falta|duda|inconvenientes?|doubt|issues?)|"
    r"no (?:olvides|dudes|se te olvide)|don'?t (?:forget|hesitate))\b"
)
NO = re.compile(
    r"\b(?:no|ni|nunca|jamas|tampoco|aun no|todavia no|sin|nada|ningun[oa]?|nadie|pendientes?|falta|not|never|nothing|"
    r"none|nobody|neither|without|unable|cannot|cant|dont|havent|isnt|hasnt|wasnt|couldnt|failed to)\b|n['’]t\b"
)
_IF = re.compile(
    r"\b(?:si|cuando|apenas|en cuanto|tan pronto|(?<!de )una vez|hasta que|antes de|despues de|luego de|mientras|"
    r"siempre que|para que|al (?:estar|quedar|ser)|if|when|once|as soon as|until|unless|before|after|while|whether|"
    r"in case)\b"
)
#: Asking the customer for something makes what follows an offer.
_FIRST = re.compile(
    r"\b(?:dime|dame|digame|deme|decime|diganos|confirma(?:me)?|indica(?:me)?|indiqueme|envia(?:me)?|manda(?:me)?|"
    r"responde|escribe|pasa(?:me)|necesito|falta|let me know|tell me|give me|please|reply|send me|need)\b"
)
#: Whose words these are: somebody else's, told again.
_THEIRS = re.compile(
    r"\b(?:dices|dijiste|decias|dice usted|dijo|dijeron|mencion(?:as|aste|a usted|o)|coment(?:as|aste)|cuentas|"
    r"preguntas|(?:entiendo|veo) que (?:usted|tu|vos|lo|la)\b|you (?:say|said|mention(?:ed)?|told|asked|think|believe)|"
    r"i (?:understand|see) (?:that )?you)\b"
)
_ASKING = re.compile(
    r"^\W*(?:(?:so|and|ok(?:ay)?|then|y|entonces|o) )?(?:would|will|shall|should|do|does|did|can|could|may|might|want|"
    r"is|are|am|was|were|has|have|had|what|which|who|when|where|why|how|need|any|if|like|ready|quier\w+|desea\w*|"
    r"prefier\w+|confirm\w+|te|le|lo|me|se|hago|que|cual\w*|cuant\w*|como|donde|a|para|es|son|si|puedo|podria|"
    r"necesit\w+|gustaria|tien\w+|va|vas|hay)\b"
)


class _Bases(dict[int, str]):
    """Each character's letter without accents, worked out when first met."""

    def __missing__(self, code: int) -> str:
        self[code] = base = unicodedata.normalize("NFD", chr(code))[0]
        return base


_BASES = _Bases()


def fold(text: str) -> str:
    """Lower case without accents, character by character: positions stay."""
    return lower(text).translate(_BASES)


def lower(text: str) -> str:
    """Lower case with accents, one character each; curly apostrophes straight."""
    composed = unicodedata.normalize("NFC", text.replace("’", "'"))
    lowered = composed.lower()
    if len(lowered) == len(composed):
        return lowered
    return "".join(char.lower() if len(char.lower()) == 1 else char for char in composed)


@dataclass(frozen=True)
class Clause:
    """A piece of a sentence between commas. ``before`` is the sentence up to it, folded."""

    text: str
    before: str
    asks: bool

    @cached_property
    def accented(self) -> str:
        """Lower case, accents kept, as long as ``folded``: "registré" is no "registre"."""
        return lower(self.text)

    @cached_property
    def folded(self) -> str:
        """Without accents; a "sí" is taken out, it is no "if"."""
        return fold(re.sub(r"\bsí\b", "  ", lower(self.text)))

    def denied(self, position: int) -> bool:
        """Whether a "no" stands before this place."""
        return NO.search(quiet(self.folded[:position])) is not None

    def supposed(self, position: int) -> bool:
        """Whether an "if" or "when" stands before this place, in the clause."""
        return _IF.search(self.folded[:position]) is not None

    @property
    def under_condition(self) -> bool:
        """Whether anything in the sentence so far is an "if" or "when", or asks for something first."""
        said = f"{self.before} {self.folded}"
        return _IF.search(said) is not None or _FIRST.search(said) is not None

    def theirs(self, position: int) -> bool:
        """Whether somebody else's words are told."""
        return _THEIRS.search(f"{self.before} {self.folded[:position]}") is not None


@dataclass(frozen=True)
class Sentence:
    """One sentence or line of a reply."""

    text: str
    asks: bool

    @cached_property
    def folded(self) -> str:
        return fold(self.text)

    @cached_property
    def clauses(self) -> tuple[Clause, ...]:
        """Its clauses; of a question without ``¿`` only the last one may be asking."""
        cuts = [0, *(match.end() for match in _CLAUSE.finditer(self.folded)), len(self.text)]
        spans = [(start, end) for start, end in pairwise(cuts) if self.text[start:end].strip()]
        whole = self.asks and ("¿" in self.text or _ASKING.search(self.folded) is not None)
        return tuple(
            Clause(self.text[start:end], self.folded[:start], self.asks and (whole or end == len(self.text)))
            for start, end in spans
        )

    def denied(self, position: int) -> bool:
        """Whether a "no" stands before this place in the clause it is in."""
        start = max((match.end() for match in _CLAUSE.finditer(self.folded, 0, position)), default=0)
        return NO.search(quiet(self.folded[start:position])) is not None


def sentences(text: str) -> Iterator[Sentence]:
    """The sentences of a reply in order, blank ones left out."""
    calm = _ABBREVIATED.sub(lambda match: match[0].replace(".", "·"), text)
    for piece in _SENTENCE.split(calm):
        if piece and piece.strip():
            yield Sentence(piece.strip(), asks="?" in piece)


def quiet(folded: str) -> str:
    """The text with "no problem" and the like blanked out, places kept."""
    return _NO_NO.sub(lambda match: " " * len(match[0]), folded)
