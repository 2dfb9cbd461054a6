"""Wordings of claims that no verb list makes: hand-overs, payments, things sent, how an order stands.

Each is (kind, how, pattern); ``how`` holds "us", "present", "stands" (see ``Claim``)
and "accented" where the accents tell ("cobré", "cobre").
"""

from __future__ import annotations

from aitools.guard.words import ENGLISH_SUBJECT, GOODS, I_DID, OBJECT, PAYMENT, PERSON

_NOW = r"(?: ahora mismo| ya| de una vez| de una| ahora| en este momento| enseguida| inmediatamente)*"
_I_SENT = r"\b(?:envie|mande|hemos enviado|he enviado|he mandado|pase|he pasado|hemos pasado|reenvie|turne)(?: ya)?"
_MINE = r"(?:(?:todo )?(?:tus?|sus?|este|el) )?"
_ORDER_ES = r"(?:pedido|orden|encargo|reserva|cita|compra)"

OTHERS: tuple[tuple[str, str, str], ...] = (
    (
        "handover",
        "us present",
        (
            r"\b(?:te|le|les|lo|la|los|las|os) (?:paso|comunico|conecto|transfiero|derivo|contacto|"
            rf"pongo en contacto){_NOW} (?:con|a) {PERSON}"
        ),
    ),
    (
        "handover",
        "us",
        (
            rf"\b(?:pase|conecte|comunique|he pasado|hemos pasado|he puesto|puse|deje (?:un |el )?(?:mensaje|recado|"
            rf"dicho)|he dejado (?:un |el )?mensaje|hable|he hablado|hice saber|di aviso)\b[\w ]{{0,25}}? (?:(?:con|a|"
            rf"de) )?{PERSON}"
        ),
    ),
    (
        "handover",
        "",
        (
            rf"{PERSON} (?:[\w ]{{0,20}} )?(?:ya )?(?:fue|esta|ha sido|has been|is|was)(?: ya| already)? (?:avisad\w+|"
            r"notificad\w+|informad\w+|al tanto|revisando|enterad\w+|notified|alerted|informed|told|reviewing|"
            r"looking into|aware)"
        ),
    ),
    (
        "told",
        "us",
        (
            rf"{_I_SENT}(?: (?:la|el|tu|su|una?))? (?:pedido|orden|encargo|nota|solicitud|peticion|recado|aviso|caso|"
            r"consulta|mensaje)\b[\w -]{0,12} (?:a|al|con)\b"
        ),
    ),
    (
        "told",
        "us",
        (
            r"\bsent (?:your |the )?(?:order|it|request) (?:in|over|off|to|through)\b|"
            rf"{I_DID} (?:opened|put in|filed|made|raised) (?:a|your|the) (?:ticket|request|case)\b"
        ),
    ),
    (
        "create",
        "stands",
        (
            rf"\b(?:quedo|ya esta) (?:listo |lista )?(?:tu|su) {_ORDER_ES}\b|\btodo (?:quedo |esta )?listo\b(?! para)|"
            rf"{_ORDER_ES} (?:\S*\d\S* )?(?:ya )?(?:esta|quedo|entro|va|sigue) (?:ya )?(?:en|al|dentro del?) (?:el )?"
            r"(?:sistema|proceso|marcha|preparacion|curso|cocina|cola|firme|horno|produccion)\b|"
            rf"\b{_ORDER_ES} (?:exitos[oa]|tomad[oa])\b|\bse (?:esta|estan) (?:preparando|horneando) (?:tu|su)\b"
        ),
    ),
    (
        "create",
        "stands",
        (
            r"\b(?:you're|you are|we're|everything(?:'s| is)|it's|that's|is) (?:now |already |all )*(?:all set|booked|"
            r"good to go)\b|^\W*all set\b(?! (?:to|for (?:you|me) to))|\bgot (?:you|that|it|your \w+) (?:down|booked|"
            r"placed|in|sorted)\b|"
            r"\b(?:order|it)(?:'s| is) (?:in(?! (?:the (?:window|shop|store|fridge|menu|morning|afternoon)|our|your|"
            r"pre|stock|a)\b)|being (?:made|prepared|baked|processed)|in (?:the|our) (?:system|books|queue|oven|"
            r"kitchen))\b|\byou(?:'re| are) (?:down for|on the list|in the system)\b|"
            r"\b(?:is|are|'s) (?:reserved|set aside|saved|held) (?:for you|under your)\b"
        ),
    ),
    ("create", "", rf"\b(?:it|everything|(?:your|the) {OBJECT})(?: has| just| all)* (?:went|gone) through\b"),
    (
        "create",
        "us",
        (
            rf"\b(?:hice|tome|levante|cerre|monte) (?:tu|su|el) {_ORDER_ES}\b|\b(?:te|se|le) (?:lo|la) hice\b|"
            rf"\b(?:te|le) tome (?:el|la|tu|su) {_ORDER_ES}\b|\bput (?:your |the |it |that )(?:order )?(?:in|"
            rf"through)\b|"
            r"\bmade (?:your|the) (?:order|booking|reservation)\b"
        ),
    ),
    (
        "create",
        "",
        (
            rf"^\W*(?:listo\W+)?(?:tu |su )?{_ORDER_ES} (?:ya )?(?:en (?:marcha|proceso|preparacion|cocina|curso)|"
            r"recibid[oa])\W*$|"
            rf"\b(?:recibimos|recibi|hemos recibido) (?:tu|su) {_ORDER_ES}\b|\b{_ORDER_ES} (?:ya )?(?:fue|ha sido|esta|"
            rf"quedo) (?:ya )?recibid[oa]\b|\b(?:received|got) your (?:order|booking)\b(?! (?:number|ready|here))|"
            rf"\byour {OBJECT} (?:is|are)(?: now| all| already)* (?:complete|done|final|official|on file|in place)\b|"
            rf"^\W*{OBJECT} (?:received|complete|done|in|successful|set)\W*$|"
            rf"\b(?:tu|su) {_ORDER_ES} (?:ya )?quedo (?:para|a nombre|en firme)\b|{ENGLISH_SUBJECT} (?:has been|was|"
            rf"is)(?: now| already)? received\b|{ENGLISH_SUBJECT} (?:is|are)(?: now)? being (?:made|prepared|baked|"
            rf"processed)\b|\b(?:esta|estan) siendo (?:preparad|hornead|hech)[oa]s?\b|"
            rf"\b(?:esta|quedo) (?:anotad|apuntad)[oa] (?:tu|su) {_ORDER_ES}\b|\b(?:tu|su) {_ORDER_ES} (?:ya )?(?:esta|"
            rf"quedo) (?:anotad|apuntad)[oa]\b"
        ),
    ),
    (
        "change",
        "",
        (
            r"\bcambios? (?:ya )?(?:fue|fueron|quedo|quedaron|esta|estan|ha sido)? ?(?:ya )?aplicad[oa]s?\b|"
            r"\bapliqu[eé] (?:tu|el|los) cambios?\b"
        ),
    ),
    (
        "change",
        "us",
        (
            r"\b(?:te|se|le) (?:lo|la|los|las) (?:deje|pase|corri) (?:para|a las|al|en)\b|"
            r"\bmade (?:the|that|your) changes?\b"
        ),
    ),
    ("cancel", "us", r"\b(?:di|dimos|he dado|hemos dado|fue dado|quedo dado) de baja\b"),
    (
        "done",
        "",
        (
            r"^\W*(?:(?:ya )?(?:esta )?hecho|all done|done|it's done|that's done|taken care of|consider it done|"
            r"ya lo hice|ya quedo|ya lo deje listo|done and done)\W*$"
        ),
    ),
    (
        "settled",
        "",
        (
            r"\bya quedo todo\b(?! en)|\b(?:it|that|everything)(?:'s| is| has been)(?: all| already|"
            r" now)* (?:taken care of|handled|sorted|settled)\b"
        ),
    ),
    (
        "pay",
        "us",
        (
            rf"\b(?:recibi|recibimos|hemos recibido|he recibido|llego|confirme|confirmamos|valide|validamos|verifique|"
            rf"verificamos|procese)(?: ya)? (?:tu|su|el|la) {PAYMENT}\b|\b(?:received|got|confirmed|verified|"
            rf"processed) (?:your|the) {PAYMENT}\b(?! screenshot)"
        ),
    ),
    (
        "pay",
        "",
        (
            rf"\b{PAYMENT}\b[\w ]{{0,20}}?(?:(?:fue|esta|ha sido|quedo|queda|has been|was|is|went)(?: ya| now|"
            rf" already)?) "
            r"(?:recibid|confirmad|aprobad|acreditad|validad|verificad|procesad|aceptad|received|confirmed|approved|"
            r"verified|through|registrad|processed|accepted)"
        ),
    ),
    (
        "pay",
        "us",
        (
            r"\b(?:devolvi|devolvimos|devuelto|reembolse|reembolsad[oa]|reembolsamos|cargue|"
            r"(?:te|le) devuelvo)\b[\w ]{0,12}(?:dinero|importe|monto|pago|tarjeta|total|compra|\$|€)|"
            r"\b(?:reembolso|refund|devolucion|cobro)\b[\w ]{0,15}(?:hech|procesad|realizad|aprobad|en camino|"
            r"processed|issued|"
            rf"approved|on its way|done|complete)|{I_DID} (?:refunded|charged|credited|issued|processed (?:your|the|"
            r"a) refund)\b"
        ),
    ),
    ("pay", "us accented", r"\b(?:cobré|debité)\b"),
    (
        "pay",
        "us",
        (
            r"\bya (?:(?:te|se|le|lo|la) )*(?:cobre|debite)\b|\b(?:he|hemos) (?:ya )?(?:cobrado|debitado)\b|"
            r"\b(?:ya|te|le) (?:te |le )?(?:cobramos|debitamos) (?:ya )?(?:a |de |en )?(?:tu|su) (?:tarjeta|cuenta)\b|"
            r"\b(?:tarjeta|cuenta|card|account)\b[\w ]{0,12} (?:fue|ha sido|quedo|has been|was) (?:ya |already )?"
            r"(?:cobrad|debitad|cargad|charged|debited)"
        ),
    ),
    ("draft", "us accented", rf"\btomé (?:\w+ )?nota del? {_MINE}{OBJECT}\b"),
    (
        "draft",
        "us",
        rf"\b(?:ya (?:te |le )?(?:tome|tomamos)|(?:he|hemos) tomado) (?:\w+ )?nota del? {_MINE}{OBJECT}\b",
    ),
    (
        "send",
        "us",
        (
            rf"{_I_SENT} (?:(?:la|el|un|una|tu|su|por correo) ){{0,2}}{GOODS}\b|"
            rf"{I_DID} (?:emailed|texted|sent|mailed) (?:you |over )?(?:your |the |an? )?(?:\w+ )?{GOODS}\b|"
            rf"{I_DID} (?:emailed|texted) you\b"
        ),
    ),
    (
        "send",
        "stands",
        (
            r"\b(?:pedido|orden|encargo|repartidor|domiciliario|domicilio|paquete|mensajero)\b[\w ]{0,20}? (?:(?:va|"
            r"esta|fue|ya|ha sido) )+(?:ya )?(?:en camino|en ruta|enviad|despachad|entregad|salio)|"
            r"(?:^\W*|\bya )(?:va|salio) (?:en camino|para alla|tu pedido|su pedido)"
        ),
    ),
    (
        "send",
        "stands",
        (
            r"\b(?:order|driver|courier|delivery|package|it)\b[\w ]{0,20}?(?:'s| is|has been|been|was) (?:now |"
            r"already )?(?:on (?:its|the|his|her) way|out for delivery|shipped|dispatched|delivered)"
        ),
    ),
    (
        "ready",
        "present stands",
        (
            r"\b(?:(?:tu|su|tus|sus) (?:\w+ ){1,4}?|(?:pedido|orden|encargo) (?:\S*\d\S* )?|"
            r"[a-z]{1,3}-\d+ )(?:ya )?(?:esta|estan)(?: ya)? (?:list[oa]s?|preparad[oa]s?)\b|"
            r"\b(?:your [\w ]{1,25}?|order \S*\d\S*|[a-z]{1,3}-\d+) (?:is|are)(?: now| all| already)* ready\b"
        ),
    ),
)
