"""Pieces of the patterns for claims: what is acted on, by or for whom, with which words between. All folded."""

from __future__ import annotations

import re
from collections.abc import Iterable

#: An order's number as shops write it: C-17.
REFERENCE = re.compile(r"(?<![\w#-])[A-Z]{1,3}-\d{1,6}(?![\w-])")
#: "order #1234", "pedido número 1234".
NUMBERED = re.compile(
    r"\b(?:pedido|orden|encargo|reserva|order|booking|confirmation|confirmacion)(?: (?:number|numero|num\.?|no\.?|code|"
    r"codigo))?(?: (?:is|es)(?: el)?)?[: ]*(?:(?<=[\w:]) ?#|(?<=number )|(?<=numero )|(?<=number is )|"
    r"(?<=numero es )) ?(\d{2,})\b",
    re.IGNORECASE,
)
#: An order's number inside a wording.
REF = r"(?:(?:numero |n\. ?|no\. ?|number )?#?(?:[a-z]{1,3}-?)?\d+ )?"
OBJECT = (
    r"(?:pedid[oa]s?|orden|encargos?|reserva(?:cion)?|compra|cita|solicitud|cambios?|cancelacion|orders?|bookings?|"
    r"reservation|appointment|request|cancellation|changes?)"
)
SPANISH_MINE = r"(?:(?:tu|su|el|la|este|esta|ese|nuevo|nueva|vuestro) )"
#: What stands before "está confirmado" when it is about the customer's own matter.
SPANISH_SUBJECT = (
    rf"(?:\b(?:tus?|sus?) (?:\w+ ){{1,5}}?|\b{OBJECT} {REF}|\b[a-z]{{1,3}}-\d+ |^\W*(?:listo\W+)?(?:y )?|\bya |\btodo |"
    r"\b(?:ese|este|eso) )"
)
ENGLISH_SUBJECT = (
    rf"(?:your [\w' ]{{1,40}}?|(?:the|this|that|a|new|old) (?:new |old |other )?{OBJECT}|"
    rf"\b(?:it|that|this|everything|all|they)|\b[a-z]{{1,3}}-\d+|{OBJECT} (?:number |#)?\S*\d\S*|"
    rf"^\W*(?:\w+\W+)?{OBJECT})"
)
ADVERBIOS = (
    r"(?: (?:ya|todo|bien|debidamente|oficialmente|correctamente|exitosamente|ahora|siendo|muy bien|listo y|"
    r"confirmad[oa] y|registrad[oa] y))*"
)
ADVERBS = r"(?: (?:just|already|now|also|all|successfully|officially|been|gone ahead and|went ahead and|indeed|both))*"
I_DID = rf"\b(?:i|we)(?:'ve| have|'d| did)?{ADVERBS}"
#: "Listo, ", "Done! " and the like before a headline.
LEAD = (
    r"^\W*(?:(?:listo|lista|hecho|perfecto|genial|ok|okay|done|great|perfect|sure|super|excelente|vale|dale|buenisimo|"
    r"good news|buenas noticias|awesome)\W+)*"
)
PERSON = (
    r"(?:una? (?:de (?:mis|nuestr[oa]s) )?(?:persona|asesor|agente|human|companer|coleg|responsable|encargad|"
    r"experto)\w*|alguien|(?:mi|el|la|al|nuestr[oa]) (?:equipo|personal|jef|coleg|companer|encargad|gerent|duen|"
    r"administra|responsable|person|supervis|panader|pasteler|cocin|obrador|taller|tienda|sucursal)\w*|"
    r"(?:someone|somebody|(?:an?|the|our|my|one of our) (?:\w+ )?(?:person|human|agent|team|manager|colleague|staff|"
    r"owner|rep|baker|kitchen|supervisor|member|coworker|shop)\w*))"
)
GOODS = r"(?:factura|recibo|comprobante|correo|enlace|link|cupon|codigo|invoice|receipt|email|code|coupon)"
PAYMENT = r"(?:pago|transferencia|comprobante|abono|anticipo|dinero|payment|transfer|deposit|receipt)"


def any_of(words: Iterable[str]) -> str:
    """An alternation, longest first."""
    return f"(?:{'|'.join(sorted(words, key=len, reverse=True))})"
