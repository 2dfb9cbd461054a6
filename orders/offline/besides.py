"""What came with the words and can't be read here: said first, and never agreed to unheard."""

from __future__ import annotations

from dataclasses import replace

from aitools.types import ToolRequest
from orders.offline import texts
from orders.offline.plan import Plan, Situation, say

#: Ask for a yes at once, and have nothing to show the customer before.
_SETTLED = frozenset({"update_order", "cancel_order"})


def told(situation: Situation, plan: Plan) -> Plan:
    """The plan, with a word on each kind of thing that nobody could read.

    A yes must not come from somebody who believes that their voice note was
    heard, so an order is quoted and offered where it would have been placed.
    Staff who take over see such things themselves.
    """
    unseen = texts.unseen(situation.talk.unseen)
    names = {one.name for one in plan.calls}
    if not unseen or "talk_to_person" in names:
        return plan
    if names & _SETTLED:
        return say(unseen, texts.say_once_more())
    if not plan.calls:
        return replace(plan, text="\n".join(filter(None, [unseen, plan.text])))
    is_offer = plan.offer or "create_order" in names
    return replace(plan, calls=_quoted(plan.calls), then=(unseen, *plan.then), offer=is_offer)


def _quoted(calls: tuple[ToolRequest, ...]) -> tuple[ToolRequest, ...]:
    """Quoting in place of placing."""
    others = tuple(one for one in calls if one.name != "create_order")
    if any(one.name == "quote_order" for one in others):
        return others
    placing = (replace(one, name="quote_order") for one in calls if one.name == "create_order")
    return (*placing, *others)
