"""What the models asked for an order have cost."""

from __future__ import annotations

from decimal import Decimal

from django.db.models import Max, Sum

from aitools.models import Step
from orders.models import Order


def cost_of(order: Order) -> Decimal | None:
    """US dollars from the end of the conversation's order before it to its own last reply.

    None where no price is known, and for an order that no conversation made. Two queries.
    """
    call = order.tool_call
    if call is None:
        return None
    talk = call.turn.conversation_id
    earlier = Order.objects.filter(tool_call__turn__conversation=talk, tool_call__turn__lt=call.turn_id)
    since = earlier.aggregate(last=Max("tool_call__turn"))["last"] or 0
    steps = Step.objects.filter(turn__conversation=talk, turn__gt=since, turn__lte=call.turn_id)
    total: Decimal | None = steps.aggregate(total=Sum("cost"))["total"]
    return total
