"""The floor: the same order by hand, a bare Django script of 14 statements in 3 transactions.

No lease, no inbox, no outbox, no audit, no expiry, no retries: what it leaves
out is what the engine costs.  It loads the last 40 messages, whatever the age
of the chat, as anybody would who has read that history is what costs.
"""

# ruff: noqa: DJ008 - nobody looks at these rows
from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from typing import Any, ClassVar

from django.db import connection, models, transaction
from pydantic import BaseModel, Field

WINDOW = 40
MENU = {"croissant": 3500, "pan-leche": 1300, "tinto": 2500}


class Item(BaseModel):
    product: str
    quantity: int = Field(ge=1, le=500)


class OrderArgs(BaseModel):
    items: list[Item] = Field(min_length=1)
    name: str = ""

    @property
    def total(self) -> int:
        return sum(MENU[item.product] * item.quantity for item in self.items)


class Conversation(models.Model):
    address = models.CharField(max_length=150, unique=True)

    class Meta:
        app_label = "bench"
        db_table = "bench_conversation"


class Message(models.Model):
    conversation = models.ForeignKey(Conversation, on_delete=models.PROTECT, db_index=False)
    role = models.CharField(max_length=12)
    body = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        app_label = "bench"
        db_table = "bench_message"
        indexes: ClassVar = [models.Index(fields=["conversation", "id"], name="bench_message_newest")]


class Pending(models.Model):
    conversation = models.ForeignKey(Conversation, on_delete=models.PROTECT)
    call_id = models.CharField(max_length=40)
    tool = models.CharField(max_length=64)
    arguments = models.JSONField()
    question = models.TextField()
    state = models.CharField(max_length=10, default="waiting")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        app_label = "bench"
        db_table = "bench_pending"
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["conversation"], name="bench_pending_one", condition=models.Q(state="waiting")
            )
        ]


class Order(models.Model):
    """The effect, of the floor and of the engine's job alike."""

    call_id = models.UUIDField(unique=True)
    name = models.CharField(max_length=120)
    items = models.JSONField()
    total = models.DecimalField(max_digits=12, decimal_places=2)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        app_label = "bench"
        db_table = "bench_order"


TABLES = (Conversation, Message, Pending, Order)

ASKED = "hola, quiero 2 croissants y un tinto para Ana por favor"
ARGUMENTS = {"items": [{"product": "croissant", "quantity": 2}, {"product": "tinto", "quantity": 1}], "name": "Ana"}
TOLD = "Listo, Ana: tu pedido quedó registrado, el total es $9.500."


def create_tables() -> None:
    with connection.schema_editor() as editor:
        for model in TABLES:
            editor.create_model(model)


def create_order(arguments: OrderArgs, call_id: str) -> dict[str, Any]:
    """The tool with the effect: one row."""
    items = [item.model_dump() for item in arguments.items]
    Order.objects.create(call_id=call_id, name=arguments.name, items=items, total=arguments.total)
    return {"order": call_id[:8], "total": arguments.total}


def question_of(arguments: OrderArgs) -> str:
    lines = "".join(f"\n• {item.quantity} × {item.product}" for item in arguments.items)
    return f"Voy a: Crear pedido{lines}\n• Total: ${arguments.total}\n¿Confirmas?"


class FloorJob:
    """The two phases as the bench's processes call them."""

    def prepare(self, ids: Mapping[str, int]) -> None:
        """Nothing to prepare: no settings, no tools."""

    def ask(self, address: str) -> None:
        ask(address)

    def answer(self, address: str) -> None:
        answer(address)

    def send(self, address: str) -> None:
        """The floor sends nothing."""


def ask(address: str) -> None:
    """The customer asks; the model looks at the menu, then wants the order; the question is stored."""
    conversation = Conversation.objects.get(address=address)
    talk = _history(conversation)
    new = [_message("user", text=ASKED)]
    for tool, arguments in (("get_menu", {}), ("create_order", ARGUMENTS)):
        call = _model([*talk, *new], tool, arguments)
        new.append(call)
        if tool == "get_menu":
            new.append(_message("tool", call_id=call["call"]["id"], result=MENU))
    parsed = OrderArgs.model_validate(new[-1]["call"]["arguments"])
    with transaction.atomic():
        _store(conversation, new)
        Pending.objects.create(
            conversation=conversation,
            call_id=new[-1]["call"]["id"],
            tool="create_order",
            arguments=parsed.model_dump(),
            question=question_of(parsed),
        )


def answer(address: str) -> None:
    """Another process takes the yes: the order and its result commit together, then the model tells."""
    pending = Pending.objects.select_related("conversation").get(conversation__address=address, state="waiting")
    talk = _history(pending.conversation)
    said = "sí"
    if said.strip(" .!").lower() not in ("sí", "si", "yes", "ok"):
        raise AssertionError("The floor takes only a yes.")
    with transaction.atomic():
        claimed = Pending.objects.filter(pk=pending.pk, state="waiting").update(state="done")
        if not claimed:
            raise AssertionError("Another process took the yes.")
        result = create_order(OrderArgs.model_validate(pending.arguments), pending.call_id)
        new = [_message("user", text=said), _message("tool", call_id=pending.call_id, result=result)]
        _store(pending.conversation, new)
    reply = _model([*talk, *new])
    Message.objects.create(conversation=pending.conversation, role=reply["role"], body=reply)


def _history(conversation: Conversation) -> list[dict[str, Any]]:
    newest = Message.objects.filter(conversation=conversation).order_by("-id")[:WINDOW]
    return [message.body for message in newest][::-1]


def _store(conversation: Conversation, bodies: list[dict[str, Any]]) -> None:
    Message.objects.bulk_create(Message(conversation=conversation, role=body["role"], body=body) for body in bodies)


def _message(role: str, **body: Any) -> dict[str, Any]:
    return {"role": role, **body}


def _model(messages: list[dict[str, Any]], tool: str = "", arguments: dict[str, Any] | None = None) -> dict[str, Any]:
    """A scripted model: it is sent the talk as a vendor would be, and says the next line."""
    json.dumps({"messages": messages}, ensure_ascii=False)
    if not tool:
        return _message("assistant", text=TOLD)
    return _message("assistant", text="", call={"id": uuid.uuid4().hex, "name": tool, "arguments": arguments})
