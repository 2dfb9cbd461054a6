"""Run one case of the utterances through the offline provider and the real tools."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import translation

from aitools.answers import Answer, read
from aitools.models import Conversation, Step, ToolCall, Turn
from aitools.providers.base import EndpointConfig
from aitools.running import Question, Reply, ToolCancelled, run_tools
from aitools.tools import ToolContext, registry
from aitools.types import AssistantText, Json, Message, UserText
from orders import customers, drafts, models, prompts
from orders.catalogue import current
from orders.drafts import DraftValues
from orders.items import Wish, consider, merged
from orders.offline.provider import OfflineProvider
from orders.pricing import quote

Line = tuple[str, int, str, tuple[str, ...], str]


@dataclass(slots=True)
class Run:
    """What came of a case: the draft, what was put up for a yes, what was said and called."""

    text: str = ""
    draft: tuple[Line, ...] = ()
    unfinished: int = 0
    pickup_at: str | None = None
    branch: str | None = None
    proposed: dict[str, Json] | None = None
    asked_about: str = ""
    calls: tuple[tuple[str, dict[str, Json]], ...] = ()
    gate: Answer | None = None

    @property
    def lines(self) -> tuple[Line, ...]:
        """The order as it would now be."""
        if self.proposed is not None and self.proposed.get("items"):
            return tuple(_line(item) for item in self.proposed["items"])
        return self.draft


def run(case: dict[str, Any]) -> Run:
    """Play the case. Everything it writes is rolled back."""
    with transaction.atomic():
        outcome = _play(case)
        transaction.set_rollback(True)
    return outcome


def _play(case: dict[str, Any]) -> Run:
    ctx = _context(case)
    given = case["context"]
    _save_cart(given.get("cart") or [], ctx, given.get("branch"))
    for order in given.get("placed") or []:
        _place(order, ctx)
    if given.get("last_order"):
        _place({"number": "Z-1", "state": "picked_up", "items": given["last_order"]}, ctx)
    text = "\n".join(case["messages"])
    outcome = Run(gate=read(text) if "gate" in case else None)
    with translation.override(ctx.language):
        _talk(case, ctx, text, outcome)
        _look_at_draft(ctx, outcome)
    return outcome


def _talk(case: dict[str, Any], ctx: ToolContext, text: str, outcome: Run) -> None:
    calls: list[tuple[str, dict[str, Json]]] = []
    pending = "gate" in case

    def confirm(question: Question) -> Reply | None:
        nonlocal pending
        if pending:
            # The question of the case's past: its answer is the case's text.
            pending = False
            return Reply(text)
        outcome.proposed, outcome.asked_about = dict(question.args), question.tool
        outcome.text = "\n".join([question.title, *question.lines, "?"])
        return None

    class Noting(OfflineProvider):
        """The provider, its calls kept."""

        def complete(self, request: Any) -> Any:
            reply = super().complete(request)
            calls.extend((call.name, dict(call.arguments or {})) for call in reply.tool_calls)
            return reply

    said = "si" if pending else text
    try:
        result = run_tools(
            _messages(case, said),
            tools=registry.all(),
            provider=Noting(EndpointConfig(kind="offline")),
            confirm=confirm,
            ctx=ctx,
            facts=dict(prompts.build(ctx).facts),
        )
        outcome.text = result.text
    except ToolCancelled:
        pass
    outcome.calls = tuple(calls)


def _messages(case: dict[str, Any], text: str) -> list[Message]:
    last = case["context"].get("last_bot")
    before: list[Message] = [UserText("."), AssistantText(last)] if last else []
    return [*before, UserText(text)]


def _context(case: dict[str, Any]) -> ToolContext:
    zone = current().shop.timezone
    now = datetime.fromisoformat(case["context"]["now"]).replace(tzinfo=zone)
    conversation = Conversation.objects.create(channel="web", address=case["id"], profile_name="Ana")
    return ToolContext(
        tool="",
        call_id="",
        chat_key=case["id"],
        language=case["lang"][:2],
        now=now,
        channel="web",
        address=case["id"],
        profile_name="Ana",
        conversation_id=conversation.pk,
        epoch=conversation.epoch,
    )


def _wish(item: dict[str, Any]) -> Wish:
    codes = tuple(f"{key}:{one}" for key, chosen in item["options"].items() for one in chosen)
    return Wish(item["key"], item["quantity"], item.get("variant"), codes, item.get("note") or "")


def _save_cart(cart: list[dict[str, Any]], ctx: ToolContext, branch: str | None) -> None:
    if cart:
        values = DraftValues(wishes=tuple(_wish(item) for item in cart), branch=branch)
        drafts.save(ctx, values, current())


def _place(placed: dict[str, Any], ctx: ToolContext) -> None:
    """A stored order with that number and state; its items, or one of the first product's."""
    catalogue = current()
    plain = next(product for product in catalogue.products if product.price is not None and not product.option_rules)
    wishes = [_wish(item) for item in placed.get("items") or []] or [Wish(plain.key, 1)]
    priced = quote(merged(one.item for wish in wishes if (one := consider(catalogue, wish)).item), catalogue.shop)
    letter, number = placed["number"].split("-")
    branch_id = _branch_with(letter)
    conversation = Conversation.objects.get(address=ctx.address)
    turn = Turn.objects.create(conversation=conversation)
    Step.objects.create(turn=turn, index=1, provider="code", stop="tool_calls")
    call = ToolCall.objects.create(turn=turn, step=1, position=0, name="create_order", arguments={})
    order = models.Order.objects.create(
        code=f"X{number:0>5}",
        branch_id=branch_id,
        business_date=ctx.now.date(),
        day_no=int(number),
        customer=customers.find_or_create(ctx, "Ana"),
        name="Ana",
        channel=ctx.channel,
        state=placed["state"] if placed["state"] in models.OrderState.values else models.OrderState.PICKED_UP,
        due_at=ctx.now.replace(hour=12) if placed["state"] != "accepted" else ctx.now.replace(day=ctx.now.day + 3),
        currency=catalogue.shop.currency,
        subtotal=priced.subtotal,
        tax=priced.tax,
        prices_include_tax=catalogue.shop.prices_include_tax,
        total=priced.total,
        tool_call=call,
    )
    for position, line in enumerate(priced.lines):
        order.lines.create(
            position=position,
            product_id=line.item.product.id,
            variant_id=line.item.variant.id if line.item.variant is not None else None,
            name=line.item.product.name,
            unit_price=line.unit_price,
            quantity=line.item.quantity,
            tax_rate=line.item.product.tax_rate,
            line_total=line.total,
        )


def _branch_with(letter: str) -> int:
    """The branch that numbers orders with the letter; the first one gets it when there is none."""
    branches = models.Branch.objects.filter(active=True)
    branch = branches.filter(letter=letter).first() or branches[0]
    models.Branch.objects.filter(letter=letter).exclude(pk=branch.pk).update(letter="")
    models.Branch.objects.filter(pk=branch.pk).update(letter=letter)
    return branch.pk


def _look_at_draft(ctx: ToolContext, outcome: Run) -> None:
    draft = drafts.load(replace(ctx))
    if draft is None:
        return
    catalogue = current()
    considered = [(wish, consider(catalogue, wish)) for wish in draft.wishes]
    outcome.draft = tuple(_line(drafts.wish_json(wish)) for wish, one in considered if not one.faults)
    outcome.unfinished = sum(1 for _wish_, one in considered if one.faults)
    outcome.branch = draft.branch
    if draft.pickup_at is not None:
        outcome.pickup_at = f"{draft.pickup_at.astimezone(catalogue.shop.timezone):%Y-%m-%dT%H:%M}"


def _line(item: dict[str, Any]) -> Line:
    options = tuple(sorted(item.get("options") or ()))
    return (item["product"], item["quantity"], item.get("variant") or "", options, (item.get("note") or "").casefold())
