"""How people of one country say yes and no in chats, beyond the frozen defaults.

Data only, phrases by commas, compared as ``aitools.answers`` compares: without
case, accents and punctuation.  What can mean something else in that country
stays out: "ándale" (hurry up), "ni modo" (too bad), "ahora no" (later),
"déjalo así" (leave it, or leave it as it is), "no lo quiero" (which says yes
to a cancellation).  A yes that starts with a no ("cómo no") stays out as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

#: Not of one country.
ANYWHERE = "ANY"


@dataclass(frozen=True, slots=True)
class Region:
    """What is added to each list there; ``courtesies`` may stand around a yes or a no."""

    yes: str = ""
    no: str = ""
    courtesies: str = ""


#: By ISO 3166 country code, and ``ANYWHERE``.
REGIONS: Mapping[str, Region] = {
    ANYWHERE: Region(
        yes="""sip, sisi, okey, oki, okis, okok, o k, bueno, por supuesto, por supuesto que sí, claro que sí,
            seguro que sí, así es, exacto, exactamente, afirmativo, conforme, confirmo el pedido, lo confirmo,
            confirmado, confírmalo, confirme, todo correcto, es correcto, está correcto, está perfecto,
            todo perfecto, me parece bien, ta bien, hágalo, trato hecho, yup""",
        no="""nah, ya no, no lo hagas, no lo haga, no lo hagan, ya no lo hagas, ya no lo haga,
            mejor no lo hagas, mejor no lo haga, mejor ya no, olvídalo, olvídelo,
            de ninguna manera, de ningún modo""",
    ),
    "AR": Region(
        yes="de una, obvio, obvio que sí, joya, buenísimo, perfe, hacelo, mandale, dale nomás",
        no="ni loco, ni loca, ni ahí, ni a palos",
        courtesies="che, genio, genia, capo",
    ),
    "CL": Region(
        yes="ya, sipo, sí po, dale po, claro po, obvio, obvio po, obvio que sí",
        no="nopo, no po, ni ahí",
    ),
    "CO": Region(
        yes="""de una, hágale, hágale pues, hágale nomás, hágamosle, hagámoslo, háganle, sí pues, dale pues,
            listo pues, listos, claro pues, obvio""",
        no="ni de riesgos, ni loco, ni loca",
        courtesies="veci, vecino, vecina, parce, sumercé, su merced, mi amor, reina, joven",
    ),
    "EC": Region(yes="de una, de ley, simón, ya, dale nomás, sí pues", no="ni loco, ni loca"),
    "ES": Region(
        yes="venga, venga va, venga vale, desde luego, por descontado, hecho, perfe",
        no="qué va, ni hablar, nanay, en absoluto",
        courtesies="guapa, guapo, majo, maja",
    ),
    "GT": Region(yes="cabal, va, va pues, vaya pues, simón, órale, dale pues, sí pues", no="nel pastel"),
    "MX": Region(
        yes="""simón, va, órale, órale pues, sale, sale y vale, sale pues, ándale pues, ya vas, arre,
            pos sí, procede""",
        no="nel pastel, ni de chiste",
        courtesies="joven, jefe, jefa, güey, wey, compa",
    ),
    "PE": Region(yes="ya, okas, claro pues, sí pues, dale pues", no="ni a balas, ni hablar"),
    "SV": Region(yes="cabal, va, va pues, vaya, vaya pues, simón, dale pues, sí pues, órale", no="nel pastel"),
    "US": Region(
        yes="""yea, yeap, yes i do, i do, of course, absolutely, definitely, certainly, for sure, you bet,
            sounds good, looks good, go ahead, do it, please do, that's right, thats right, that's correct,
            thats correct, correct, confirm, confirmed, i confirm, i agree, agreed, all right, alright,
            sure thing, yes ma'am, yessir""",
        no="""naw, no way, don't, dont, do not, don't do it, dont do it, do not do it, i don't, i dont, i do not,
            never mind, nevermind, forget it, not at all, absolutely not, of course not, definitely not,
            certainly not, no ma'am""",
        courtesies="sir, bro, man, dude",
    ),
    "UY": Region(
        yes="ta, de una, obvio, perfe, hacelo, mandale, dale nomás", no="ni loco, ni loca, ni a palos, ni ahí"
    ),
    "VE": Region(yes="sí va, va pues, dale pues, vale pues", no="qué va, ni loco, ni loca"),
}

#: Made of words above, but saying something else: neither yes nor no, wherever one is.
UNCLEAR = """ya va, va ya, venga ya, ya vale, vale ya, bueno ya, ya claro, ya está bien, ya sale,
    don't cancel, dont cancel, do not cancel"""
