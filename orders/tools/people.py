"""Handing the chat to a person."""

from __future__ import annotations

from django.utils.translation import gettext as _

from aitools import staffing
from aitools.tools import ToolContext, tool
from orders.tools.args import TalkToPerson


@tool(schema=TalkToPerson, effects="database", acts=("handover",))
def talk_to_person(args: TalkToPerson, ctx: ToolContext) -> dict[str, object]:
    """Hands the chat to a person of the shop.

    Use it when the customer asks for one, complains, sends a payment proof,
    needs an invoice, or wants what no other tool can do.
    """
    if ctx.conversation_id is not None:
        staffing.ask_for_staff(ctx.conversation_id)
    return {
        "say": _("All right. A person of the shop will answer you here as soon as they can."),
        "reason": args.reason,
    }
