"""Answers to our own questions: the name, and a yes to what we offered."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from orders.offline import texts
from orders.offline import vocabulary as words
from orders.offline.changes import Outcome
from orders.offline.facts import Line
from orders.offline.intents import Intent
from orders.offline.match import best
from orders.offline.normalise import fold
from orders.offline.ordering import order, understand
from orders.offline.plan import Plan, Situation
from orders.offline.reading import Turn
from orders.offline.tables import word_set
from orders.offline.wishes import Open, Wish, settled
from orders.offline.work import line_of

LONGEST_NAME_WORDS = 4
_NAME = re.compile(
    r"(?:(?:a nombre de|de|para|soy|me llamo|mi nombre es|es|my name is|it's|its|for|i'm|im)\s+)*(?P<name>.+)",
    re.IGNORECASE,
)
#: With one of these in it, an answer is no name.
_NO_NAME = word_set(
    """
    no si se yes yeah ok okay listo nada nadie cualquiera igual despues luego espera nombre dont know idk none nobody
    nothing anyone whatever name null none undefined
    """
)


def answered_name(situation: Situation, turn: Turn, outcome: Outcome, found: Sequence[Intent]) -> str | None:
    """The name, when our last words asked for that alone and this is one."""
    answer = situation.talk.last_answer
    if not situation.facts.draft or not texts.is_said(texts.TOOLS_ASK_NAME, answer):
        return None
    if turn.name is not None:
        return turn.name
    if found or texts.is_said(texts.ASK_WHICH, answer) or outcome.lines != situation.facts.draft:
        return None
    if any(chunk.number for chunk in turn.chunks) or _names_product(turn):
        return None
    return _name_in(turn.text)


def _names_product(turn: Turn) -> bool:
    named = [best(chunk.readings) for chunk in turn.chunks]
    return any(readings and readings[0].whole for readings in named)


def _name_in(text: str) -> str | None:
    said = text.strip().strip(".!,")
    match = _NAME.fullmatch(said)
    name = match.group("name").strip() if match is not None else said
    parts = name.split()
    folded = fold(name).split()
    plain = all(part.replace("'", "").replace("-", "").isalpha() for part in parts)
    telling = [word for word in folded if word not in words.FILLER | words.STOP]
    if not plain or not telling or len(parts) > LONGEST_NAME_WORDS or _NO_NAME & set(folded):
        return None
    return name


def agreed_to(situation: Situation) -> Plan | None:
    """The plan when a yes answers a question of ours about earlier words; None when it does not."""
    answer, earlier = situation.talk.last_answer, situation.talk.earlier
    if not earlier:
        return None
    if texts.is_said(texts.ASK_LARGE, answer):
        return _with_number(situation, earlier[-1].text)
    if texts.is_said(texts.ASK_PLAIN, answer):
        return _without_text(situation, earlier[-1].text)
    if texts.is_said(texts.ASK_THAT, answer):
        return order(situation, *understand(situation, earlier[-1].text))
    turn, outcome = understand(situation, "")
    asks = texts.is_said(texts.ASK_WHICH, answer) and any(wish.candidates for wish in outcome.wishes)
    return order(situation, turn, outcome) if asks else None


def _without_text(situation: Situation, text: str) -> Plan:
    """The products as they were said, without the text that can't be written on them."""
    turn, outcome = understand(situation, text)
    wishes = [settled(replace(wish, note=None)) if _has_no_note(wish) else wish for wish in outcome.wishes]
    lines = (*outcome.lines, *(line_of(wish) for wish in wishes if wish.clear))
    open_still = tuple(wish for wish in wishes if not wish.clear)
    return order(situation, turn, replace(outcome, lines=_distinct(lines), wishes=open_still))


def _has_no_note(wish: Wish) -> bool:
    return any(issue.why is Open.NO_NOTE for issue in wish.issues)


def _with_number(situation: Situation, text: str) -> Plan | None:
    """The large number was right: the line as it was said."""
    turn, outcome = understand(situation, text)
    large = [wish for wish in outcome.wishes if _only_large(wish)]
    if not large:
        return None
    lines = list(situation.facts.draft)
    for wish in large:
        line = line_of(wish)
        lines = [known for known in lines if not known.same_thing(line)] + [line]
    rest = tuple(wish for wish in outcome.wishes if not _only_large(wish))
    return order(situation, turn, replace(outcome, lines=_distinct(lines), wishes=rest, doubts=()))


def _only_large(wish: Wish) -> bool:
    return wish.item is not None and bool(wish.issues) and all(issue.why is Open.LARGE for issue in wish.issues)


def _distinct(lines: Sequence[Line]) -> tuple[Line, ...]:
    return tuple(dict.fromkeys(lines))
