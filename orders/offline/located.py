"""Which branch is meant, by what was said of the place that the customer shared."""

from __future__ import annotations

from collections.abc import Sequence

from orders.offline import texts
from orders.offline.intents import Mood, mood_of
from orders.offline.menu import Menu, Place
from orders.offline.plan import Situation
from orders.places import CLOSEST


def closest(near: Sequence[str], menu: Menu) -> Place | None:
    """The branch that the shop's words name as the closest; None when they name none."""
    return _branch(texts.part_of(CLOSEST, "branch", near[0]) if near else None, menu)


def offered(situation: Situation) -> Place | None:
    """The branch at which our last words offered to order."""
    return _branch(texts.part_of(texts.ASK_THERE, "branch", situation.talk.last_answer), situation.menu)


def meant(situation: Situation) -> Place | None:
    """The branch near the place that came with this turn; else the last one offered, unless they turned it down."""
    if (place := closest(situation.talk.near, situation.menu)) is not None:
        return place
    answers: list[str | None] = [None]
    for exchange in reversed(situation.talk.earlier):
        named = texts.part_of(texts.ASK_THERE, "branch", exchange.answer)
        if named is not None:
            agreed = answers[-1] is None or mood_of(answers[-1]) is Mood.YES
            return _branch(named, situation.menu) if agreed else None
        answers.append(exchange.text)
    return None


def _branch(label: str | None, menu: Menu) -> Place | None:
    return next((place for place in menu.branches if place.label == label), None)
