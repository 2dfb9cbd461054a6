"""Questions of which branch is near, and the place that a customer shares."""

from __future__ import annotations

from dataclasses import replace

from orders.offline import located, texts
from orders.offline.menu import Place
from orders.offline.ordering import order, understand
from orders.offline.plan import Plan, Situation, call, say
from orders.offline.reading import Turn


def near(situation: Situation) -> Plan:
    """A place and no words: the branches near it; the answer to "which branch?", if that was asked."""
    told, place = situation.talk.near, located.closest(situation.talk.near, situation.menu)
    draft = situation.facts.draft
    if place is None or (draft and situation.facts.branch):
        return say(*told)
    if draft and texts.is_said(texts.TOOLS_ASK_BRANCH, situation.talk.last_answer):
        return beside(situation, agreed(situation, place))
    return say(*told, texts.ask_there(place.label))


def nearby(situation: Situation, turn: Turn) -> Plan:
    """Which branch is near: by the place they shared, else where each is, and how we could tell."""
    shared = situation.talk.near or (situation.talk.earlier[-1].near if situation.talk.earlier else ())
    if shared:
        return near(replace(situation, talk=replace(situation.talk, near=shared)))
    several = len(situation.menu.branches) > 1
    return Plan((call("check_hours"),), then=(texts.ask_location(),) if several else ())


def beside(situation: Situation, plan: Plan) -> Plan:
    """The plan for the words that came with a place, told after the branches near it, once."""
    told = [line for line in situation.talk.near if line not in plan.text]
    if not told or any(one.name == "create_order" for one in plan.calls):
        return plan
    if plan.calls:
        return replace(plan, then=(*told, *plan.then))
    return replace(plan, text="\n".join([*told, plan.text]))


def agreed(situation: Situation, place: Place) -> Plan:
    """The order goes to this branch, or is still to be told."""
    if not situation.facts.draft:
        return say(texts.ask_wish())
    turn, outcome = understand(situation, "")
    return order(situation, replace(turn, branch=place), outcome)
