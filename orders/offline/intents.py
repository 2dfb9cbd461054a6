"""What a turn is about, when it is not plainly an order."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

from orders.offline import phrases_en, phrases_es
from orders.offline.normalise import Kind, fold, tokenise
from orders.offline.tables import word_set


class Intent(StrEnum):
    """In order of precedence: the first that sounds right is it."""

    ATTACK = "attack"
    PRIVACY_PROBE = "privacy_probe"
    PRIVACY_DELETE = "privacy_delete"
    OPT_OUT = "opt_out"
    PAYMENT_PROOF = "payment_proof"
    INVOICE = "invoice"
    HUMAN = "human"
    COMPLAINT = "complaint"
    CANCEL = "cancel"
    CHANGE_PLACED = "change_placed"
    MY_ORDERS = "my_orders"
    STATUS = "status"
    REPEAT = "repeat"
    PAYMENT = "payment"
    ALLERGENS = "allergens"
    DELIVERY = "delivery"
    NEARBY = "nearby"
    HOURS = "hours"
    TOTAL = "total"
    PRICE = "price"
    MENU = "menu"
    AVAILABILITY = "availability"


#: Requests that stand whatever else is said; the others yield to a clear order.
FIRM: Final = frozenset(
    {
        Intent.ATTACK,
        Intent.PRIVACY_PROBE,
        Intent.PRIVACY_DELETE,
        Intent.OPT_OUT,
        Intent.PAYMENT_PROOF,
        Intent.INVOICE,
        Intent.HUMAN,
        Intent.COMPLAINT,
        Intent.CANCEL,
        Intent.CHANGE_PLACED,
        Intent.MY_ORDERS,
        Intent.STATUS,
        Intent.REPEAT,
        Intent.PAYMENT,
        Intent.ALLERGENS,
    }
)


class Mood(StrEnum):
    """A turn of a few words that asks for nothing."""

    GREETING = "greeting"
    YES = "yes"
    NO = "no"
    THANKS = "thanks"
    DONE = "done"


def _compiled(intent: Intent) -> re.Pattern[str]:
    return re.compile(f"{phrases_es.PHRASES[intent.value]}|{phrases_en.PHRASES[intent.value]}")


_PATTERNS: Final = {intent: _compiled(intent) for intent in Intent}
_ORDERING: Final = re.compile(f"{phrases_es.ORDERING}|{phrases_en.ORDERING}")
_MOODS: Final = {
    Mood.YES: phrases_es.YES | phrases_en.YES,
    Mood.NO: phrases_es.NO | phrases_en.NO,
    Mood.THANKS: phrases_es.THANKS | phrases_en.THANKS,
    Mood.GREETING: phrases_es.GREETINGS | phrases_en.GREETINGS,
}
#: One of these must be said for the mood to be that.
_CORES: Final = {
    Mood.YES: word_set(
        "si sii sip claro dale ok okay vale confirmo confirmado confirmar acepto yes yeah yep yup sure correcto "
        "perfecto exacto listo hagale venga sale simon cabal adelante confirm correct de pidelo hazlo pidalo"
    ),
    Mood.NO: word_set("no nop nel nope nah nevermind never dejalo dejelo cancelalo"),
    Mood.THANKS: word_set("gracias graciass thanks thank thx ty adios chao bye"),
    Mood.GREETING: word_set(
        "hola holaa holis hello hi hey buenas buenos buen bon good saludos howdy yo alo aloo greetings"
    ),
}
#: That was all: nothing is to be added.
_DONE: Final = re.compile(
    r"(?:(?:no|asi|ya|bueno|ok|listo|y)[ ,]*)*"
    r"(?:nada mas|eso(?: es| seria)? todo|(?:solo|nomas|con|y ya) (?:eso|es todo)|seria todo|es todo|y ya|asi nomas"
    r"|thats (?:all|it)|that is (?:all|it)|nothing else|just that|thatll be all|no more)"
    r"(?:[ ,]*(?:por favor|porfa|gracias|thanks|please|por ahora))*"
)
_GIVES_UP: Final = word_set("cancelar cancela cancelo cancelalo cancel")
_SIGNS: Final = {"👍": Mood.YES, "👌": Mood.YES, "✅": Mood.YES, "👎": Mood.NO, "❌": Mood.NO, "🙏": Mood.THANKS}


def intents_of(text: str) -> list[Intent]:
    """All that the text sounds like, most decisive first. ``text`` as written."""
    folded = " ".join(fold(text).replace("'", "").split())
    return [intent for intent, pattern in _PATTERNS.items() if pattern.search(folded)]


def orders_something(text: str) -> bool:
    """Whether it has a verb of ordering."""
    return _ORDERING.search(fold(text)) is not None


def cancels(text: str) -> bool:
    """Whether an answer that was a no gives up all of it, rather than one thing in it."""
    return any(token.text in _GIVES_UP for token in tokenise(text))


def is_contradictory(text: str) -> bool:
    """Whether it is nothing but a yes and a no, as when both buttons were pressed."""
    parts = [part for part in re.split(r"[\n,.;]", text) if part.strip()]
    return mood_of(text) is None and {mood_of(part) for part in parts} == {Mood.YES, Mood.NO}


def mood_of(text: str) -> Mood | None:
    """The mood of a turn made of nothing but such words; None when there is more to it."""
    if _DONE.fullmatch(" ".join(fold(text).replace("'", "").split()).strip(" .!,")):
        return Mood.DONE
    said = [_unstretched(token.text) for token in tokenise(text) if token.kind in (Kind.WORD, Kind.SIGN)]
    signs = [_SIGNS[word] for word in said if word in _SIGNS]
    plain = [word for word in said if word.isalpha()]
    if not plain:
        return signs[0] if signs else None
    for mood in (Mood.NO, Mood.YES, Mood.THANKS, Mood.GREETING):
        known = _MOODS[mood] | (_MOODS[Mood.THANKS] if mood is Mood.YES else frozenset())
        if all(word in known for word in plain) and any(word in _CORES[mood] for word in plain):
            return mood
    return None


def _unstretched(word: str) -> str:
    return re.sub(r"(.)\1{2,}", r"\1", word)
