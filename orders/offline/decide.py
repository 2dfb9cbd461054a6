"""The decision for a customer's turn: which tool to ask for, or which words to say."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from orders.offline import asking, besides, branches, located, offers, placed, texts
from orders.offline.answered import agreed_to, answered_name
from orders.offline.changes import Outcome
from orders.offline.facts import Facts
from orders.offline.intents import FIRM, Intent, Mood, intents_of, mood_of, orders_something
from orders.offline.moments import When
from orders.offline.offers import to_person
from orders.offline.ordering import agreed_time, order, place_draft, understand
from orders.offline.plan import Plan, Situation, call, say
from orders.offline.reading import Turn

_PERSON_REASONS = {
    Intent.HUMAN: "The customer asks for a person.",
    Intent.COMPLAINT: "The customer complains.",
    Intent.PAYMENT_PROOF: "The customer says they paid; a person must check it.",
    Intent.INVOICE: "The customer needs an invoice.",
    Intent.PRIVACY_DELETE: "The customer wants their data deleted.",
}

#: Asked of what is named rather than ordering it.
_OF_THE_SHOP = frozenset({Intent.TOTAL, Intent.PRICE, Intent.HOURS, Intent.DELIVERY, Intent.NEARBY})
#: Asked for in shops and never on a menu.
_NOT_SOLD = re.compile(
    r"\b(?:parqueadero|estacionamiento|parking|wifi|wi-fi|internet|bano|banos|restrooms?|bathrooms?|mesas|sillas"
    r"|terraza|empleo|trabajo|vacantes?|hiring|jobs?|mascotas|pets)\b"
)


def decide(situation: Situation) -> Plan:
    """The plan for the turn: its words, the place, and what can't be read here. Pure."""
    return besides.told(situation, _of_words_and_place(situation))


def _of_words_and_place(situation: Situation) -> Plan:
    talk = situation.talk
    if talk.text.strip():
        return branches.beside(situation, _decide(situation))
    if talk.near:
        return branches.near(situation)
    if talk.unseen:
        return say(texts.ask_place() if situation.facts.draft else "")
    return say(texts.ask_wish())


def _decide(situation: Situation) -> Plan:
    text = situation.talk.text
    if (plan := _answered(situation)) is not None:
        return plan
    found = intents_of(text)
    firm = next((intent for intent in found if intent in FIRM), None)
    if firm is not None and not _yields(firm, situation):
        return _on_intent(situation, firm)
    turn, outcome = understand(situation)
    if not situation.facts.draft and turn.sets and placed.just_told(situation) is not None:
        return placed.change(situation, turn)
    if (name := answered_name(situation, turn, outcome, found)) is not None:
        return place_draft(situation, name)
    if _NOT_SOLD.search(turn.folded) and not turn.names_product:
        return say(texts.unknown_fact())
    soft = next((intent for intent in found if intent not in FIRM), None)
    if soft is not None and not _is_order(text, turn, outcome, soft):
        return _on_intent(situation, soft, turn)
    return _on_order(situation, turn, outcome)


def _yields(intent: Intent, situation: Situation) -> bool:
    """Changing or cancelling is about the draft when nothing was placed."""
    if intent is Intent.CHANGE_PLACED:
        return not situation.facts.orders and placed.said_number(situation.talk.text) is None
    if intent is Intent.STATUS:
        return False
    if intent is Intent.INVOICE:
        return any("factura" in name for item in situation.menu.items for name in item.names[:3])
    return (
        intent is Intent.CANCEL
        and bool(situation.facts.draft)
        and not situation.facts.orders
        and len(situation.talk.text.split()) > 6
    )


def _is_order(text: str, turn: Turn, outcome: Outcome, intent: Intent) -> bool:
    """Whether a question is rather an order ("¿me guardas un centeno?")."""
    if intent in _OF_THE_SHOP and not orders_something(text):
        return False
    counted = any(chunk.number is not None and chunk.readings for chunk in turn.chunks)
    return outcome.touched and (orders_something(text) or counted) and turn.names_product


def _answered(situation: Situation) -> Plan | None:
    """The plan for a yes, a no or a courtesy; None when there is more to it."""
    mood = mood_of(situation.talk.text)
    plan = offers.answered(situation, mood)
    return plan if plan is not None or mood is None else _on_mood(situation, mood)


def _on_mood(situation: Situation, mood: Mood) -> Plan:
    facts = situation.facts
    offered = _was_asked(situation, texts.ASK_PLACE)
    if mood is Mood.YES:
        return _on_yes(situation)
    if mood is Mood.DONE and texts.is_said(texts.TOOLS_ASK_NAME, situation.talk.last_answer):
        return say(texts.ask_name())
    if facts.draft and (mood is Mood.DONE or _was_asked(situation, texts.ASK_INSTEAD)):
        return place_draft(situation)
    if mood in (Mood.NO, Mood.DONE):
        return say(texts.not_placed() if offered or facts.draft else texts.whats_next())
    return say(texts.thanks() if mood is Mood.THANKS else texts.greeting(facts.shop_name))


def _on_yes(situation: Situation) -> Plan:
    if (there := located.offered(situation)) is not None:
        return branches.agreed(situation, there)
    if (agreed := agreed_to(situation)) is not None:
        return agreed
    when = agreed_time(situation)
    if not situation.facts.draft:
        return _moved(situation, when) if when and situation.facts.orders else say(texts.ask_wish())
    if not when:
        return place_draft(situation)
    turn, outcome = understand(situation, "")
    return order(situation, replace(turn, when=when), outcome)


def _moved(situation: Situation, when: When) -> Plan:
    """The change they asked for, at the time that we offered."""
    asked = situation.with_text(situation.talk.earlier[-1].text)
    turn, _ = understand(asked)
    return placed.change(asked, turn, when)


def _was_asked(situation: Situation, sentence: str) -> bool:
    return any(said in situation.talk.last_answer for said in texts.in_all_languages(sentence))


def _on_intent(situation: Situation, intent: Intent, turn: Turn | None = None) -> Plan:
    if intent in _PERSON_REASONS:
        return to_person(f"{_PERSON_REASONS[intent]} They wrote: {situation.talk.text[:200]}")
    if intent in _FIXED:
        return _FIXED[intent](situation.facts)
    if turn is None:
        turn, _ = understand(situation)
    return _ANSWERS[intent](situation, turn)


def _on_order(situation: Situation, turn: Turn, outcome: Outcome) -> Plan:
    facts = situation.facts
    if outcome.touched or outcome.wishes or outcome.doubts or turn.clear:
        if _is_talk(situation, turn, outcome):
            return _lost(situation)
        return order(situation, turn, outcome)
    if facts.draft and (turn.branch is not None or turn.when or turn.name is not None):
        return order(situation, turn, outcome)
    if turn.when.doubtful:
        return say(texts.ask_moment())
    if turn.delivery:
        return say(texts.no_delivery([place.label for place in situation.menu.branches]))
    return _lost(situation)


def _is_talk(situation: Situation, turn: Turn, outcome: Outcome) -> bool:
    """Only unknown words and no sign of an order: not a wish we lack, just something else."""
    unknown = all(wish.item is None and not wish.candidates for wish in outcome.wishes)
    lines = outcome.lines == situation.facts.draft
    counted = any(wish.number is not None for wish in outcome.wishes)
    return (
        bool(outcome.wishes)
        and not outcome.doubts
        and unknown
        and lines
        and not counted
        and not orders_something(turn.text)
    )


def _lost(situation: Situation) -> Plan:
    """Not understood: one question, or what we are for when it was long; beside a place the place says enough."""
    if situation.talk.near:
        return branches.near(situation)
    if situation.facts.draft and _was_asked(situation, texts.TOOLS_ASK_NAME):
        return say(texts.ask_name())
    if len(situation.talk.text.split()) > 3 and not situation.facts.draft:
        return say(texts.off_topic(situation.facts.shop_name))
    return say(texts.ask_again())


def _payment(facts: Facts) -> Plan:
    return say(texts.payment(facts.payment_methods) if facts.payment_methods else texts.unknown_fact())


_FIXED: dict[Intent, Callable[[Facts], Plan]] = {
    Intent.ATTACK: lambda facts: say(texts.refuse()),
    Intent.PRIVACY_PROBE: lambda facts: say(texts.only_yours()),
    Intent.OPT_OUT: lambda facts: say(texts.opt_out()),
    Intent.PAYMENT: _payment,
}
_ANSWERS: dict[Intent, Callable[[Situation, Turn], Plan]] = {
    Intent.CANCEL: placed.cancel,
    Intent.CHANGE_PLACED: placed.change,
    Intent.MY_ORDERS: lambda situation, turn: Plan((call("my_orders"),)),
    Intent.STATUS: lambda situation, turn: placed.status(situation),
    Intent.REPEAT: lambda situation, turn: asking.again(situation),
    Intent.ALLERGENS: asking.allergens,
    Intent.DELIVERY: lambda situation, turn: say(texts.no_delivery([place.label for place in situation.menu.branches])),
    Intent.NEARBY: branches.nearby,
    Intent.HOURS: asking.hours,
    Intent.TOTAL: asking.total,
    Intent.PRICE: asking.price,
    Intent.MENU: asking.menu,
    Intent.AVAILABILITY: asking.availability,
}
