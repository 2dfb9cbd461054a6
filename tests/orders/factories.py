"""Shops, customers and tool calls to test with: plain functions over the real rows."""

from __future__ import annotations

import copy
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from django.db import transaction

from aitools import results
from aitools.models import Conversation, Step, ToolCall, Turn
from aitools.tools import ToolContext, bind, registry
from aitools.types import Json, ToolRequest
from aitools.validation import Valid, validate
from orders import menu_files

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "orders" / "samples" / "bakery.json"
CASES = ROOT.parent / "shared" / "cases" / "menus"

BOGOTA = ZoneInfo("America/Bogota")
#: A Tuesday morning at ten in Bogotá.
NOW = datetime(2026, 11, 24, 15, 0, tzinfo=UTC)
PHONE = "+573000000001"


def load_sample() -> None:
    """The demo's bakery: one branch "centro", letter C, always open."""
    menu_files.load(menu_files.read(SAMPLE))


def load_menu(data: dict[str, Any]) -> None:
    menu_files.load(menu_files.parse(data))


def menu(**changes: Any) -> dict[str, Any]:
    """A small menu file: two branches, sizes, options, limits, lead times."""
    return copy.deepcopy(SMALL) | changes


def context(
    *,
    address: str = PHONE,
    channel: str = "twilio_sms",
    name: str = "",
    phone: str = "",
    now: datetime = NOW,
    language: str = "es",
    conversation: Conversation | None = None,
) -> ToolContext:
    """Somebody who writes: a conversation of theirs and the context its tools get."""
    if conversation is None:
        conversation, _ = Conversation.objects.get_or_create(channel=channel, account="", address=address)
    return ToolContext(
        tool="",
        call_id="",
        chat_key=str(conversation.pk),
        language=language,
        now=now,
        channel=channel,
        address=address,
        profile_name=name,
        phone=phone,
        conversation_id=conversation.pk,
        epoch=conversation.epoch,
    )


def stored_call(ctx: ToolContext, name: str) -> ToolCall:
    """A tool call's row, for orders to refer to."""
    assert ctx.conversation_id is not None
    turn, _ = Turn.objects.get_or_create(conversation_id=ctx.conversation_id)
    step = Step.objects.create(turn=turn, index=turn.steps.count() + 1, provider="code", stop="tool_calls")
    return ToolCall.objects.create(turn=turn, step=step.index, position=0, name=name, arguments={})


def arguments(name: str, given: dict[str, Json]) -> Any:
    """Validated arguments, as the engine makes them; raises what the model would be told."""
    tool = registry.get(name)
    assert tool is not None, f"no tool {name}"
    valid = validate(bind(tool), ToolRequest(name, given))
    if isinstance(valid, Valid):
        return valid.parsed
    raise ValueError(valid.reason)


def run(name: str, given: dict[str, Json], ctx: ToolContext, *, agreed: Json = None) -> Any:
    """Validate and run a tool in a transaction; its result as the model gets it."""
    tool = registry.get(name)
    assert tool is not None
    parsed = arguments(name, given)
    ctx = replace(ctx, tool=name, agreed=agreed)
    with transaction.atomic():
        return results.as_json(tool.handler(parsed, ctx))


def ask(name: str, given: dict[str, Json], ctx: ToolContext) -> tuple[list[str], Json]:
    """What the customer would read before saying yes, and what they would agree to."""
    tool = registry.get(name)
    assert tool is not None
    assert tool.check is not None
    assert tool.confirm_lines is not None
    assert tool.fingerprint is not None
    parsed = arguments(name, given)
    tool.check(parsed, ctx)
    return list(tool.confirm_lines(parsed, ctx)), results.as_json(tool.fingerprint(parsed, ctx))


def order(ctx: ToolContext, *items: tuple[str, int], **more: Json) -> Any:
    """Place an order straight away; the result of create_order."""
    call = stored_call(ctx, "create_order")
    given = {"items": [{"product": key, "quantity": quantity} for key, quantity in items], "name": "Ana", **more}
    return run("create_order", given, replace(ctx, tool_call_id=call.pk))


ALL_DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

SMALL: dict[str, Any] = {
    "schema": "menu/1",
    "key": "prueba",
    "name": "Horno de Prueba",
    "country": "CO",
    "locale": "es-CO",
    "currency": "COP",
    "minor_digits": 0,
    "prices_include_tax": True,
    "tax_rates": {"cero": "0.00", "general": "19.00"},
    "timezone": "America/Bogota",
    "policies": {"cancel_cutoff_minutes": 60, "max_days_ahead": 10},
    "branches": [
        {
            "key": "norte",
            "name": "Norte",
            "hours": [
                {"days": ALL_DAYS[:6], "open": "07:00", "close": "12:00"},
                {"days": ALL_DAYS[:6], "open": "14:00", "close": "19:00"},
            ],
            "closed_dates": ["2026-12-25"],
            "special_hours": [{"date": "2026-12-24", "open": "07:00", "close": "10:00"}],
            "pickup": {"lead_minutes": 20, "slot_minutes": 15},
        },
        {"key": "sur", "name": "Sur", "hours": [{"days": ALL_DAYS, "open": "08:00", "close": "20:00"}]},
    ],
    "categories": [{"key": "pan", "name": "Pan"}, {"key": "torta", "name": "Tortas"}],
    "option_lists": [
        {
            "key": "relleno",
            "name": "Relleno",
            "options": [
                {"key": "mora", "name": "Mora"},
                {"key": "coco", "name": "Coco", "price_delta": "1500", "aliases": ["coquito"]},
            ],
        }
    ],
    "products": [
        {"key": "bollo", "category": "pan", "name": "Bollo dulce", "price": "1200", "aliases": ["bollito"]},
        {"key": "bollo-sal", "category": "pan", "name": "Bollo de sal", "price": "1100", "tax": "general"},
        {"key": "rosca", "category": "pan", "name": "Rosca fina", "price": "2500", "daily_stock": 5},
        {"key": "sopa", "category": "pan", "name": "Sopa mañanera", "price": "4000", "available": {"to": "11:00"}},
        {"key": "pan-fin", "category": "pan", "name": "Hogaza", "price": "9000", "available": {"days": ["sat", "sun"]}},
        {
            "key": "torta",
            "category": "torta",
            "name": "Torta alta",
            "lead_minutes": 1440,
            "max_qty": 3,
            "note": {"label": "Mensaje", "max_chars": 20},
            "variants": [
                {"key": "chica", "name": "Chica", "price": "40000"},
                {"key": "grande", "name": "Grande", "price": "70000", "pack_size": 20},
            ],
            "option_lists": [{"list": "relleno", "min": 1, "max": 1}],
        },
    ],
}
