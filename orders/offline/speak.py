"""After tool results: say them, and go on when they want more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from aitools.types import AssistantStep
from orders.offline import asking, texts
from orders.offline.decide import decide
from orders.offline.facts import Line, lines_of
from orders.offline.intents import cancels, is_contradictory
from orders.offline.ordering import emptied
from orders.offline.plan import Afterwards, Plan, Situation, afterwards, say
from orders.offline.talk import Outcome, outcomes

#: Results of these speak for the whole step.
_FINAL = frozenset({"create_order", "update_order", "cancel_order"})
_OPEN_POINTS = ("missing", "needs", "not_found", "ambiguous", "pickup_problem")


def after(situation: Situation, steps: Sequence[AssistantStep], kind: str) -> Plan:
    """The plan once the last of these steps' calls have their results; what took effect before is told too. Pure."""
    step = steps[-1]
    done = outcomes(step)
    left = afterwards(step.raw, step.provider == kind)
    for outcome in done:
        if outcome.reason == "user_replied":
            return _replied(situation, outcome)
    if any(outcome.reason == "denied" for outcome in done):
        return emptied() if cancels(situation.talk.last_line) else say(texts.not_placed())
    if left.repeat and (lines := _last_lines(done)):
        return replace(asking.requoted(lines), then=left.then)
    spoken = [*_earlier_effects(steps[:-1]), *_spoken(done, left)]
    return say(*dict.fromkeys(spoken)) if spoken else say(texts.refused())


def _earlier_effects(steps: Sequence[AssistantStep]) -> list[str]:
    """What other models did in this turn before they failed: nobody else tells it."""
    done = [outcome for step in steps for outcome in outcomes(step) if _took_effect(outcome)]
    return [line for outcome in done for line in outcome.say.split("\n") if line]


def _replied(situation: Situation, outcome: Outcome) -> Plan:
    """The answer to a question was neither yes nor no: new words about the same items."""
    text = str(outcome.result.get("userReply") or "")
    items = outcome.call.arguments.get("items")
    draft = lines_of(items) if outcome.call.name == "create_order" and items else None
    situation = situation.with_text(text, draft)
    if is_contradictory(text):
        return say(texts.both_said(), texts.ask_place() if draft else texts.say_once_more())
    details = outcome.call.arguments
    if draft is not None:
        kept = replace(
            situation.facts,
            branch=details.get("branch") or situation.facts.branch,
            pickup_at=details.get("pickup_at") or situation.facts.pickup_at,
            draft_name=details.get("name") or situation.facts.draft_name,
        )
        situation = replace(situation, facts=kept)
    return decide(situation)


def _last_lines(done: Sequence[Outcome]) -> list[Line]:
    for outcome in done:
        orders = outcome.result.get("orders")
        if isinstance(orders, list) and orders and isinstance(orders[0], dict):
            return list(lines_of(orders[0].get("lines")))
    return []


def _spoken(done: Sequence[Outcome], left: Afterwards) -> list[str]:
    """Every line once, in the results' order; a final result that worked silences the others."""
    final = [outcome for outcome in done if _took_effect(outcome)]
    says = [outcome.say for outcome in final or done if outcome.say]
    lines = list(dict.fromkeys(line for said in says for line in said.split("\n")))
    if not lines:
        return []
    if any(texts.is_said(texts.ASK_WHICH, line) for line in left.then):
        # One thing at a time: the name comes when the order is clear.
        lines = [line for line in lines if not texts.is_said(texts.TOOLS_ASK_NAME, line)]
    lines += [line for line in left.then if line not in lines]
    if left.offer and not final and not any(_is_open(outcome) for outcome in done):
        lines.append(texts.ask_place())
    return lines


def _took_effect(outcome: Outcome) -> bool:
    was_run = outcome.result.get("executed") is not False
    return outcome.call.name in _FINAL and was_run and not _failed(outcome)


def _failed(outcome: Outcome) -> bool:
    return outcome.is_error or "error" in outcome.result


def _is_open(outcome: Outcome) -> bool:
    return _failed(outcome) or any(outcome.result.get(point) for point in _OPEN_POINTS)
