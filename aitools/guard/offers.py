"""Checking discounts, gifts and things for free: each must be said by a result or fact."""

from __future__ import annotations

import re

from aitools.guard.evidence import Evidence
from aitools.guard.sentences import Sentence

_OFF = r"(?:descuent\w+|dto|rebaj\w+|off|discounts?|menos|menor|less)"
_RATE = r"(?:%|por ?ciento|percent)"
_PERCENT = re.compile(
    rf"(\d{{1,3}}) ?{_RATE} (?:de )?{_OFF}\b|\b{_OFF} (?:adicional |extra )?(?:de |del |of )?(?:un |"
    rf"a )?(\d{{1,3}}) ?{_RATE}"
)
_PAIRS = re.compile(r"(?<![\d.,x])([2-9]) ?[x×] ?([1-9])(?![\dx]|[.,]\d| ?(?:cm|m|pul|in)\b)")
_PAIR_WORDS = re.compile(
    r"\bdos por uno\b|\b(?:two|2) for (?:one|1)\b|\bbuy (?:one|1|two|2),? get\b|\bbogo\b|"
    r"\bllev\w+ (?:dos|2|tres|3) y pag\w+|\bsegund[oa] (?:unidad )?(?:a mitad|gratis)"
)
#: Before "free" these make it another word: "feel free", "gluten free", "are you free".
_NOT_FREE = (
    *(
        "feel ",
        "are you ",
        "you're ",
        "you are ",
        "i'm ",
        "we're ",
        "be ",
        "am ",
        "gluten ",
        "sugar ",
        "dairy ",
        "nut ",
    ),
    *("lactose ", "egg ", "soy ", "wheat ", "peanut ", "fat ", "caffeine ", "allergen ", "milk "),
)
_FREE_WORD = (
    r"(?<![-\w])" + "".join(f"(?<!{word})" for word in _NOT_FREE) + r"free\b(?! to\b| at\b| time| from\b|-| range)"
)
_FREE = re.compile(
    r"\bgratis\b|\bgratuit[oa]s?\b|\bsin (?:ningun )?(?:costo|coste|cargo|cobro)\b(?! de)|\bfree of charge\b|"
    rf"\bat no (?:extra |additional )?(?:cost|charge)\b|\bno charge\b|{_FREE_WORD}"
)
_GIFT = re.compile(
    r"\b(?:de|por|es|va por|una) cortesia\b|\bcortesia de\b|\bon the house\b|\bcomplimentary\b|\bthrow(?:n|ing)? in\b|"
    r"\b(?:te|le|les|os) (?:voy a )?(?:regal(?:o|a|amos|are|aremos|an)|obsequi\w+|invit(?:o|amos))\b|"
    r"\bde (?:regalo|pilon|yapa|napa|obsequio)\b|\b(?:va|corre) por (?:nuestra |mi )?cuenta\b|\b(?:our|my) treat\b|"
    r"\bon us\b|\b(?:invita|paga|regala) la casa\b|\bcuenta de la casa\b|\b(?:our|as a) gift\b"
)
_FREE_SAID = re.compile(
    r"\bgratis\b|\bgratuit|sin (?:ningun )?(?:costo|coste|cargo)|cortesia|(?<![-\w])(?<!gluten )free\b|regal|obsequi|"
    r"no charge|complimentary"
)
_DEAL = r"(?:descuent\w+|rebaj\w+|promo\w*|oferta\w*|cupon\w*|precio (?:especial|de amigo\w*))"
_GIVES = (
    r"(?:hago|hacemos|doy|damos|aplic\w+|ofre\w+|har\w+|dare\w*|hice|dejo|dejamos|consegui|di|"
    r"(?:puedo|podemos) (?:hacer|dar|aplicar|ofrecer)|he (?:hecho|aplicado|dado))"
)
_HAS = r"(?:hay|tenemos|tienes|tiene|tenes|contamos|estan? (?:en|con)|con|aplique|aplicamos|aplicad[oa])"
_ENGLISH_GIVES = (
    r"(?:here's|give|gave|giving|apply|applied|applying|took|take|knock\w*|offer|you get|gets?|you have|there's|"
    r"there is|have|got|with|includes?)"
)
_GENERAL = re.compile(
    rf"\b(?:te|le|les|os|se) (?:lo |la |los |las )?{_GIVES}\b[^.,;]{{0,30}}?\b{_DEAL}|"
    rf"\b{_HAS}\b[^.,;]{{0,20}}?\b{_DEAL}|\b{_DEAL} (?:aplicad[oa]|incluid[oa]|especial)|\bdescuento de \W*\d|"
    r"\b(?:a )?mitad de precio\b|\bhalf[- ](?:price|off)\b|\b(?:special|lower|discounted|better) price\b|"
    r"\b(?:te|le) (?:lo|la|los|las) (?:dejo|dejamos) (?:mas barat|en oferta|a menos)|\$ ?\d+(?:\.\d\d)? off\b|"
    rf"\b{_ENGLISH_GIVES}\b[^.,;]{{0,25}}?\b(?:discounts?|coupons?|promo\w*|special deal|\d ?%? off)\b|\bwaiv\w+\b"
)
#: Not to charge is an offer too; its own "no" denies nothing.
_UNCHARGED = re.compile(
    r"\bno (?:te |le |les |os )?(?:voy a )?cobr(?:o|amos|are|aremos|ar)(?:te|le)? (?:el |la |por |nada|envio|domicilio|"
    r"delivery)|\bno (?:delivery|shipping|extra) (?:fee|charge)s?\b|\b(?:won't|not going to) charge (?:you )?(?:for|"
    r"extra|any|the|delivery)\b"
)
_GENERAL_SAID = re.compile(
    rf"\b(?:{_DEAL}|discount\w*|off\b|coupon\w*|mitad de precio|half[- ]price|special|waiv\w+|no (?:se )?cobr\w+)"
)
#: What people of the shop may do is no offer.
_OTHERS_MAY = re.compile(
    r"\b(?:persona|person|people|equipo|team|owner|duen\w+|staff|encargad\w+|manager|they|"
    r"ellos)\b[^.,;]{0,30}?\b(?:can|may|could|might|puede\w*|podr\w+|decide\w*|autoriza\w*)\b"
)
#: A code of a discount: its own letters must be known.
_CODE = re.compile(r"\b(?:code|código|codigo|cup[oó]n|coupon)(?: is| es|:)? ([A-Z][A-Z0-9]{3,})\b")
_INDIRECT = re.compile(r"\b(?:si|if|whether|para|for|sobre|about|consult\w+|pregunt\w+|ask|averigu\w+|verific\w+)\b")


def unbacked(sentence: Sentence, evidence: Evidence) -> str:
    """The first offer that nothing backs, as a phrase; "" when all are."""
    for match, said in _offers(sentence):
        if not sentence.denied(match.start()) and not evidence.matches(said) and not _is_echo(said, sentence, evidence):
            return f"the offer “{match[0]}”"
    invented = next((match for match in _CODE.finditer(sentence.text) if not evidence.knows(match[1])), None)
    if invented is not None:
        return f"the code {invented[1]}"
    general = next((match for match in _GENERAL.finditer(sentence.folded) if _is_made(match, sentence)), None)
    if general is not None and not evidence.matches(_GENERAL_SAID):
        return f"the offer “{general[0]}”"
    return ""


def _offers(sentence: Sentence) -> list[tuple[re.Match[str], re.Pattern[str]]]:
    """Each offer with what must be said somewhere to back it."""
    folded = sentence.folded
    found = [(match, _rate_said(match[1] or match[2])) for match in _PERCENT.finditer(folded)]
    found += [(match, re.compile(re.escape(match[0].replace(" ", "")))) for match in _pairs(folded)]
    found += [(match, _FREE_SAID) for match in _FREE.finditer(folded)]
    if not sentence.asks:
        found += [(match, _FREE_SAID) for match in _GIFT.finditer(folded)]
        found += [(match, _GENERAL_SAID) for match in _UNCHARGED.finditer(folded)]
    return found


def _rate_said(rate: str) -> re.Pattern[str]:
    return re.compile(rf"\b{rate} ?%[^.\n]{{0,30}}\b{_OFF}|{_OFF}[^.\n]{{0,20}}\b{rate} ?%")


def _pairs(folded: str) -> list[re.Match[str]]:
    """ "2x1", "3 x 2": one more than what is paid; and the same in words."""
    digits = [match for match in _PAIRS.finditer(folded) if int(match[1]) == int(match[2]) + 1]
    return [*digits, *_PAIR_WORDS.finditer(folded)]


def _is_echo(said: re.Pattern[str], sentence: Sentence, evidence: Evidence) -> bool:
    """Whether the customer's own words are asked back."""
    return sentence.asks and evidence.customer_said(said)


def _is_made(match: re.Match[str], sentence: Sentence) -> bool:
    """Whether a discount in general words is given: not asked for, denied, or only talked about."""
    if _OTHERS_MAY.search(sentence.folded[: match.start()] + match[0]):
        return False
    indirect = _INDIRECT.search(sentence.folded[: match.end()]) is not None and "por " not in match[0]
    return not (sentence.asks or sentence.denied(match.end()) or indirect)
