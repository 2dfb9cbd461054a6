"""Reading amounts of money in a sentence, and telling them from hours, weights and house numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from aitools.guard.numbers import DIGITS, in_digits, value_of
from aitools.guard.sentences import fold

_CODE = r"usd|mxn|cop|eur|ars|clp|pen|gtq|crc|hnl|nio|uyu|brl|gbp|bob|pyg|dop"
_SIGN = (
    rf"(?:\b(?:us|mx|ar|co|ca|cop|mxn|ars|usd|rd|r|col) ?)?\$ ?|"
    rf"[€£¢₡₲₱¥] ?|\b[sb]/[.·]? ?|\b(?:bs|gs)[.·]? ?|\bq(?=\d)|\b(?:{_CODE}) "
)
_MONEY = (
    rf"(?:pes(?:os?|itos?)|dolar(?:es|itos)?|dollars?|bucks?|euros?|varos?|mangos|pavos|lempiras?|quetzal(?:es)?|"
    rf"colon(?:es)?|soles|guaranies|bolivianos|bolivares|cordobas|balboas|bs|lukas?|lucas?|{_CODE})\b|"
    r"[€$£₡₲]|m[.·] ?n[.·]"
)
_CENTS = r"(?:centav(?:os?|itos)|cents?|centimos?|¢)\b"
_TIMES = {"mil": 1000, "k": 1000, "thousand": 1000, "lucas": 1000, "lukas": 1000, "millones": 10**6, "million": 10**6}
_NUMBER = re.compile(
    rf"(?P<sign>{_SIGN})?(?<![\w.,])(?P<number>{DIGITS})(?P<times> ?(?:mil|k|thousand|lucas|lukas|millones|"
    rf"million)\b)?(?:(?P<cents> ?{_CENTS})|"
    rf"(?P<money> ?(?:de )?(?:{_MONEY}))(?: (?:con|and|y) (?P<rest>\d\d)(?P<rest_cents> ?{_CENTS})?)?)?"
)
#: Words that make a bare number a price when they stand right before it.
_PRICE = (
    r"cuestan?|costaba|costo|costaria|costara|valen?|valia|valdria|precios?(?: \w+){0,2}|sub ?total|total|"
    r"sale(?:n|s)?(?: a| en| por)|saldria(?: a| en| por)?|sale[ns]?|(?:te|le|les|nos) sale[ns]?|queda(?:n|ria)? en|"
    r"dejo (?:en|a)|dejamos (?:en|a)|cobra(?:mos|n)?|asciende a|suman?|pag(?:a|as|aria|arias|ar)|abono(?: de)?|"
    r"anticipo(?: de)?|sena de|deposit of|descuento de|vuelto(?: de)?|costs?|price[sd]?(?: at)?|priced at|"
    r"comes? (?:out )?to|adds? up to|tarifa(?: de)?|recargo de|fee(?: is| of)?|change (?:is|will be)|charge|charges|"
    r"amount|importe|monto|valor|(?:domicilio|envio|delivery|shipping)(?: \w+)?|(?:[=—–]|: )"
)
_FILLER = (
    r"(?: ?(?:es|is|a|de|en|por|unos|unas|solo|only|about|around|just|like|apenas|como|los|the|was|son|at|[:=*_]|"
    r"seria[n]?|would be|will be|now|ahora|estan?|nuevo|aproximadamente|casi|about))*"
)
_PRICED = re.compile(rf"(?:\b|(?<=[=—–: ]))(?:{_PRICE}){_FILLER} ?$")
_TOTAL_OF = re.compile(r"total (?:de|of) ?$")
#: "Son cinco mil": a large number that a sentence or clause begins by stating.
_COMES_TO = re.compile(
    r"(?:^|[,;:!] |\by )\W*(?:te |le |les )?(?:son|serian|seran|va a ser|it's|that's|that'll be|"
    r"that (?:will|would) be) (?:unos |como |about )?$"
)
#: After a bare number these let it be a price; any other word makes it a count of something.
_LETS = re.compile(
    r"^[*_]*(?:$|[^\w\s%°/:×#-]|\s*$|\s+(?:[^\w\s%×]|(?:cada|c/u|la|el|las|los|por|en|y|o|and|or|con|for|each|apiece|"
    r"per|in|total|todo|all|altogether|even|flat|redondos?|mas|plus|iva|incluid\w|with|the|an?|si|if|pero|but|"
    r"de (?:cambio|vuelto|descuento|anticipo|abono))\b))"
)
_TIME_BEFORE = re.compile(
    r"(?:\b(?:a las?|las|desde|hasta|entre|at|from|until|till|by|to|around|sobre las|antes de|de|y|and|cerramos|"
    r"abrimos|close[sd]?|opens?|a)|[-–:]) ?$"
)
_HOURS = re.compile(
    r"\b(?:abr\w+|cierr\w+|cerr\w+|horarios?|hs|hrs?|h|hoy (?:de|hasta)|open\w*|clos\w+|hours?|horas?|hasta las|a las|"
    r"am|pm|atend\w+|mediodia|manana|tarde|noche)\b"
)
_TIME_AFTER = re.compile(r"^ ?(?:h(?:s|rs?|oras?)?\b|[ap]\.? ?m\b|[ap]·|o'clock|min)")
#: Before a number: a date, a reference, a phone, an address.
_NO_MONEY_BEFORE = re.compile(
    r"(?:[#/]|\d[-–.:]|\w-|\+\d*|\b(?:calle|cll|cl|cra|carrera|kra|av|avenida|avda|street|st|road|suite|local|apto|"
    r"piso|cp|zip|no|num|numero|nro|number|order|pedido|tel|telefono|phone|kilometro|km|codigo|diagonal|transversal|"
    r"manzana|mz|lote|casa|ruta|route|room|apt|unit|version|talla|size|nit|cedula|cc|dni|rfc|ruc|cuit|cuenta|account|"
    r"nequi|clabe|cbu|iban)[·.:]?) ?$"
)
_NO_MONEY_AFTER = re.compile(
    r"^(?: ?%| ?por ciento| ?percent|[/:]\d|-\d| ?[x×] ?\w| ?(?:kg|g|gr|grs|lb|lbs|oz|ml|l|cm|in)\b)"
)
_PHONE = re.compile(r"(?:\(\d{2,4}\) ?|\+\d[\d ]*)\d[\d -]+|\b\d{2,4}(?:[ -]\d{2,4}){1,3}\b")
_TOTAL = re.compile(r"(?:\b(?:sub ?total|total|suma|todo|altogether)\b[^\d;]{0,24}$)")
_TOTAL_AFTER = re.compile(
    r"^[*_]*,? ?(?:pesos |euros |dolares |dollars |mxn |cop )?(?:en total|total\b|in total|altogether|por todo|todo\b|"
    r"in all)"
)


#: So many characters before a number may say what it is.
_NEAR = 60
_ONE = re.compile(r"\b(?:una?|one|a) (?=(?:peso|dolar|euro|dollar)\b)")
_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Amount:
    """An amount as written: ``start`` and ``end`` are places in the folded text with words as digits."""

    value: Decimal
    shown: str
    start: int
    end: int
    is_total: bool


@dataclass(frozen=True, slots=True)
class Priced:
    """A text made ready for reading: folded, number words as digits, and its amounts in order."""

    text: str
    amounts: tuple[Amount, ...]


def read(text: str, *, priced_names: bool = False) -> Priced:
    """The amounts of money in one sentence or line.

    ``priced_names``: a product is named in it, so a bare number at its end may be its price.
    """
    ready = _ONE.sub("1 ", in_digits(fold(text)))
    if not _DIGIT.search(ready):
        return Priced(ready, ())
    return Priced(ready, tuple(_amounts(ready, priced_names=priced_names)))


def bare_numbers(text: str) -> set[Decimal]:
    """Every number in a text, money or not, multiples by "mil" worked out."""
    return {_value(match) for match in _NUMBER.finditer(in_digits(fold(text)))}


def _amounts(ready: str, *, priced_names: bool) -> Iterator[Amount]:
    phones = [match.span() for match in _PHONE.finditer(ready)]
    for match in _NUMBER.finditer(ready):
        in_phone = any(start <= match.start("number") < end for start, end in phones)
        if not _is_money(match, ready, in_phone=in_phone, priced_names=priced_names):
            continue
        before, after = ready[max(0, match.start() - _NEAR) : match.start()], ready[match.end() :]
        is_total = bool(_TOTAL.search(before) or _TOTAL_AFTER.search(after))
        yield Amount(_value(match), match[0].strip(), match.start(), match.end(), is_total)


def _is_money(match: re.Match[str], ready: str, *, in_phone: bool, priced_names: bool) -> bool:
    before, after = ready[max(0, match.start("number") - _NEAR) : match.start("number")], ready[match.end() :]
    if match["sign"] or match["money"] or match["cents"]:
        return True
    if in_phone or _NO_MONEY_BEFORE.search(before) or _NO_MONEY_AFTER.search(after) or _TIME_AFTER.search(after):
        return False
    if not _LETS.search(after):
        return False
    digits = match["number"]
    if _PRICED.search(before) is not None and not _TOTAL_OF.search(before):
        return True
    if _looks_like_time(digits) and (_TIME_BEFORE.search(before) or _HOURS.search(ready)):
        return False
    if len(digits) >= 4 and _COMES_TO.search(before):
        return True
    if match["times"] or re.search(r"[.,]\d\d", digits):
        return True
    return priced_names and _ends_line(before, after, digits)


def _looks_like_time(digits: str) -> bool:
    """19.30, 7.00, but also a bare 7 or 19."""
    hour, _mark, minute = digits.replace(",", ".").partition(".")
    return int(hour) <= 24 and (not minute or (len(minute) == 2 and int(minute) < 60))


def _ends_line(before: str, after: str, digits: str) -> bool:
    """A number at the end that follows a copula: "están 900 cada una", "el domicilio son 6000"."""
    return len(digits) >= 3 and re.search(r"\b(?:estan?|a|son|is|are|por|va|vas en|van) $", before) is not None


def _value(match: re.Match[str]) -> Decimal:
    value = value_of(match["number"])
    if match["times"]:
        value *= _TIMES[match["times"].strip()]
    elif match["money"] and match["money"].strip() in {"lucas", "lukas", "luca", "luka"}:
        value *= 1000
    if match["cents"]:
        value /= 100
    if match["rest"]:
        value += Decimal(match["rest"]) / 100
    return value
