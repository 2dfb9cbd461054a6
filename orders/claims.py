"""What a reply may say about what is in a product: only what its declared allergens or its own words say.

"Not declared" is not "free of".  A claim is backed when every product it is
about has a declared list without that allergen, or when the very words stand
in a result ("Pan sin gluten").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from aitools.guard import Evidence, Sentence
from aitools.guard.sentences import fold, quiet
from aitools.types import Json

#: Allergen keys by the words for them, folded. "" is declared for no product.
_SUBSTANCES = {
    "gluten": r"gluten|tacc|trigo|wheat|harina de trigo",
    "milk": r"lactosa|lacteos?|leche|milk|dairy|lactose|caseina|mantequilla|butter|crema",
    "eggs": r"huevos?|eggs?",
    "nuts": r"nuec(?:es)?|nuez|frutos? secos?|nuts?|tree nuts?|almendras?|almonds?|avellanas?|walnuts?|pistachos?",
    "peanuts": r"mani(?:es)?|cacahuetes?|cacahuates?|peanuts?",
    "soy": r"soya?|soja",
    "sesame": r"ajonjoli|sesamo|sesame",
    "fish": r"pescados?|fish",
    "": (
        r"azucar(?:es)?(?: anadid[oa]s?)?|sugars?|added sugars?|alergenos?|allergens?|manteca(?: de cerdo)?|gelatina|"
        r"trazas|traces|animal products|ingredientes animales|productos animales|contaminacion cruzada|"
        r"cross[- ]contamination"
    ),
}
_SUBSTANCE = "|".join(_SUBSTANCES.values())
_LIST = rf"(?:{_SUBSTANCE})(?:(?:,| y| e| ni| o| or| and| nor)? (?:ni |de |tampoco )?(?:{_SUBSTANCE})\b)*"
_FILL = r"(?:ningun[oa]? |ningun tipo de |nada de |any |rastros de |trazas de |traces of |de |el |la |los |las )*"
#: "is in it" verbs, for "no lleva gluten", "doesn't have any nuts".
_HAS_NOT = (
    r"no (?:contienen?|llevan?|tienen?|traen?|incluyen?|(?:us|utiliz|emple|manej)a(?:mos|n)?|hay|lo hacemos con|va con|"
    r"se hace con|esta hech[oa] con)|(?:does|do)(?:n't| not) (?:contain|have|include|use)|has no|have no|contains? no|"
    r"there(?:'s| is| are) no|made with no|tampoco (?:contienen?|llevan?|tienen?)|ni (?:llevan?|tienen?)"
)
_FREE_OF = re.compile(
    rf"\b(?:sin|libres? de|without|free (?:of|from)|(?:{_HAS_NOT})) {_FILL}(?P<what>{_LIST})\b|"
    rf"\b(?P<named>{_SUBSTANCE})[- ]?free\b|\b(?:no|zero|cero) (?P<none>{_SUBSTANCE})\b"
)
_DIET = re.compile(
    r"\b(?:vegan[oa]?s?|vegetarian[oa]?s?|plant[- ]based|a base de plantas|keto|kosher|halal|paleo|hipoalergenic[oa]s?|"
    r"hypoallergenic|sugarless|diet\b|dietetic[oa]s?|diabetic[- ]friendly|"
    r"(?:celiac|coeliac|allergy|vegan)[- ]friendly)\b"
)
_SAFE = re.compile(
    r"\b(?:apt[oa]s?|segur[oa]s?|ideal(?:es)?|adecuad[oa]s?|recomend\w+|indicad[oa]s?|safe|suitable|ok|okay|fine|good|"
    r"great|excellent|excelente|perfect[oa]?|buen[oa]s?) (?:para|with|for|to eat (?:for|with)|"
    r"if you(?:'re| are| have))\b(?P<whom>[^.;!?]{0,60})|\b(?P<who>celiac[oa]s?|diabetic[oa]s?|alergic[oa]s?|"
    r"intolerantes?|embarazadas?|veganos?|celiacs|diabetics|vegans)\b[\w ,]{0,40}?\b(?:pued\w+|can|puede) (?:comer\w*|"
    r"consumir\w*|disfrutar\w*|tomar\w*|eat|have|enjoy)|\b(?:puedes?|podes|podria|can|could) (?:comer\w*|consumir\w*|"
    r"disfrutar\w*|eat|have|enjoy)\b[\w ,']{0,40}?\b(?P<calm>tranquil\w+|sin (?:riesgo|problema|peligro|miedo)|safely|"
    r"con confianza|siendo \w+|aunque sea\w*|celiac\w*|diabet\w*|alerg\w*|allerg\w*)|"
    r"\bno (?:te|le|les) (?:hara|hace|va a hacer|causara|dara) (?:dano|mal|alergia|reaccion)\b|"
    r"\b(?:won't|will not) (?:hurt|harm|trigger|cause)\b"
)
#: People who must not eat something, with what; None: no declared allergen answers for them.
_PEOPLE: tuple[tuple[str, str | None], ...] = (
    (r"celiac|coeliac|sin tacc", "gluten"),
    (r"diabet|embaraz|pregnan|bebes?\b|babies|baby\b|hipertens|vegan|vegetar|lactante|dieta", None),
    (r"lactos|dairy", "milk"),
)
_ALLERGIC = re.compile(r"alerg|allerg|intoleran|sensib|sensitiv")
_NO = re.compile(
    r"\b(?:no|nunca|ningun[oa]?|nada|tampoco|not|never|nothing|none|cannot|ni idea|cant|dont|isnt)\b|n't\b"
)
_UNSURE = re.compile(
    r"\bno (?:puedo|podemos|podria|sabria|se|sabemos|tengo|tenemos|hay|me|esta|aparece|figura|veo|puede|pueden|"
    r"manej\w+|hacemos|vend\w+|encuentr\w+|cuento|cont\w+|son|es|lo|recomiend\w+|te|le|existe|ofrec\w+)\b|"
    r"\b(?:can't|cannot|can not|couldn't|don't|do not|not|isn't|aren't|won't|unable|unsure|no idea|didn't)\b|"
    r"\b(?:si es|si son|si tiene|si lleva|si contiene|if it|if they|whether)\b|\b(?:busc\w+|necesit\w+|quier\w+|ped\w+|"
    r"pregunt\w+|consult\w+|prefier\w+|eres|soy|looking for|need|want|asked?|asking|prefer|you're|about|para lo|"
    r"sobre)\b"
)


def unbacked(sentence: Sentence, evidence: Evidence) -> str:
    """The first claim about what is in a product that nothing backs, as a phrase; "" when all are backed."""
    if sentence.asks:
        return ""
    for claim in _claims(sentence.folded):
        if not _withdrawn(claim, sentence) and not _backed(claim, sentence, evidence):
            return f"the claim “{claim.words.strip()}”"
    return ""


@dataclass(frozen=True, slots=True)
class _Claim:
    """What is claimed absent: allergen keys; None stands for what no list of allergens tells."""

    words: str
    start: int
    absent: tuple[str | None, ...]
    bare: bool = False


def _claims(folded: str) -> Iterator[_Claim]:
    for match in _FREE_OF.finditer(folded):
        named = match["what"] or match["named"] or match["none"]
        yield _Claim(match[0], match.start(), tuple(_keys(named)), bare=match[0].startswith("sin "))
    for match in _DIET.finditer(folded):
        yield _Claim(match[0], match.start(), (None,))
    for match in _SAFE.finditer(folded):
        if absent := _for_whom(match, folded[match.start() : match.end() + 60]):
            yield _Claim(match[0], match.start(), absent)


def _keys(named: str) -> Iterator[str | None]:
    if re.search("alergen|allergen", named):
        yield from filter(None, _SUBSTANCES)
        return
    for key, words in _SUBSTANCES.items():
        if re.search(rf"\b(?:{words})\b", named):
            yield key or None


def _for_whom(match: re.Match[str], told: str) -> tuple[str | None, ...]:
    """What must be absent for these people; () when the words are about nobody's health."""
    for people, key in _PEOPLE:
        if re.search(people, told):
            return (key,)
    if _ALLERGIC.search(told):
        return tuple(_keys(told)) or (None,)
    harmless = match["whom"] is not None or match["calm"] is not None
    return () if harmless else (None,)


def _withdrawn(claim: _Claim, sentence: Sentence) -> bool:
    """Whether it is denied, doubted, wished for, or only a customer's note."""
    before = quiet(sentence.folded)[: claim.start]
    clause = re.split(r"[,;:]| pero | but | y si ", before)[-1]
    if re.match(r" (?:declarad|registrad|indicad|declared|listed)", sentence.folded[claim.start + len(claim.words) :]):
        return "alergen" in claim.words or "allergen" in claim.words
    denied = _UNSURE.search(before) or _NO.search(clause)
    return denied is not None or re.search(r"\b(?:nota|note|anot\w+)\b", before) is not None


def _backed(claim: _Claim, sentence: Sentence, evidence: Evidence) -> bool:
    around = f"{sentence.folded[: claim.start]} {sentence.folded[claim.start + len(claim.words) :]}"
    about = _views(around, evidence) or _views(sentence.folded, evidence)
    own_words = [text for view in about for text in _texts(view)]
    verbatim = any(claim.words.strip() in text for text in own_words) if about else evidence.says(claim.words)
    if verbatim or _echoes(claim, sentence, evidence):
        return True
    subjects = about or [view for views in evidence.views.values() for view in views]
    declared = [view.get("allergens") for view in subjects if "allergens" in view]
    if not declared or None in claim.absent:
        return False
    return all(isinstance(one, list) and not set(claim.absent) & set(one) for one in declared)


def _echoes(claim: _Claim, sentence: Sentence, evidence: Evidence) -> bool:
    """A wish of the customer's read back ("2 cafés sin azúcar"), without a verb that asserts it."""
    asserts = re.search(r"\b(?:es|son|esta|estan|viene|tenemos|hay|is|are|it's|comes|we have)\b", sentence.folded)
    said = evidence.customer_said(re.compile(re.escape(claim.words.strip())))
    return claim.bare and said and asserts is None


def _views(folded: str, evidence: Evidence) -> list[Mapping[str, Json]]:
    """The products a sentence names, as results show them."""
    names = set().union(*evidence.named_in(folded))
    return [view for name in names for view in evidence.views.get(name, ()) if "allergens" in view]


def _texts(view: Mapping[str, Json]) -> Iterator[str]:
    for key in ("name", "description"):
        if isinstance(view.get(key), str):
            yield fold(view[key])
