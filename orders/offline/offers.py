"""Answers to what our last words offered beside an order: a person of the shop, something else, anything else."""

from __future__ import annotations

import re

from orders.offline import texts
from orders.offline.intents import Mood
from orders.offline.normalise import fold
from orders.offline.ordering import understand
from orders.offline.phrases_en import CALLS as CALLS_EN
from orders.offline.phrases_es import CALLS as CALLS_ES
from orders.offline.plan import Plan, Situation, call, say
from orders.texts.offers import ASK_PERSON

#: A longer answer says more than yes or no.
LONGEST_ANSWER_WORDS = 8
_CALLS = re.compile(f"{CALLS_ES}|{CALLS_EN}")
_NOTHING = re.compile(r"(?:no |mejor )?(?:nada|ninguno|ninguna|nothing|none)(?: mas| gracias| thanks| por ahora)*")
_REFUSES = re.compile(r"^(?:no|nop|nope|nah|nel|mejor no)\b(?! (?:se|sabia|know|idea)\b)")
#: Whoever says yes to one of these has not said what they would like.
_ASK_MORE = (texts.ASK_INSTEAD, texts.TOOLS_ASK_OTHER, texts.ASK_MORE, texts.ENGINE_DECLINED)
#: Whoever says no to one of these wants nothing more.
_NOTHING_MORE = (ASK_PERSON, texts.TOOLS_ASK_OTHER, texts.ASK_MORE, texts.ASK_CHANGE, texts.ENGINE_DECLINED)


def to_person(reason: str) -> Plan:
    """Hand the chat over; the reason is for staff."""
    return Plan((call("talk_to_person", reason=reason),))


def answered(situation: Situation, mood: Mood | None) -> Plan | None:
    """The plan when the turn takes up or turns down an offer of ours; None when none was made or it says more."""
    if mood is None:
        return _in_other_words(situation)
    if mood is Mood.YES and _was_said(situation, ASK_PERSON):
        return to_person("The customer wants a person.")
    if mood is Mood.YES and _was_said(situation, *_ASK_MORE):
        return say(texts.ask_wish())
    if mood is Mood.NO and _was_said(situation, *_NOTHING_MORE):
        return _closed(situation)
    return None


def _in_other_words(situation: Situation) -> Plan | None:
    """As in "llámala" and "no hace falta"."""
    text = " ".join(re.findall(r"\w+", fold(situation.talk.text).replace("'", "")))
    if _NOTHING.fullmatch(text) and _was_said(situation, *_NOTHING_MORE):
        return _closed(situation)
    if not _was_said(situation, ASK_PERSON, texts.ASK_LARGE):
        return None
    if len(text.split()) > LONGEST_ANSWER_WORDS or understand(situation)[0].names_product:
        return None
    if _REFUSES.search(text):
        return _closed(situation) if _was_said(situation, ASK_PERSON) else None
    return to_person("The customer wants a person.") if _CALLS.search(text) else None


def _closed(situation: Situation) -> Plan:
    """All right, and the order that is still open where only a person was turned down."""
    asks = situation.facts.draft and _was_said(situation, ASK_PERSON)
    return say(texts.all_right(), texts.ask_place() if asks else "")


def _was_said(situation: Situation, *sentences: str) -> bool:
    """Whether our last words end with it: of several questions the last one is answered."""
    line = situation.talk.last_answer.rsplit("\n", 1)[-1]
    return any(texts.is_said(sentence, line) for sentence in sentences)
