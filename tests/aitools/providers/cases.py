"""What the provider tests share: endpoints, a shop's tools, talk to send."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx2

from aitools.providers.base import EndpointConfig, Provider
from aitools.types import (
    AssistantStep,
    CallResult,
    Message,
    ModelReply,
    ModelRequest,
    RequestedCall,
    ToolSpec,
    UserText,
)
from tests.aitools.providers.wires import WIRES
from tests.wire.vendors import API_KEY, VendorServer

VIEW_MENU = ToolSpec(
    name="view_menu",
    description="Show the menu.",
    schema={"type": "object", "properties": {"category": {"type": ["string", "null"]}}},
)
ORDER_STATUS = ToolSpec(
    name="order_status",
    description="Look up an order.",
    schema={"type": "object", "properties": {"order": {"type": "string"}}, "required": ["order"]},
)


def provider_at(server: VendorServer, kind: str, **fields: Any) -> Provider:
    """The real adapter on a real connection to the fake vendor."""
    wire = WIRES[kind]
    known = {"vendor": wire.vendor, "base_url": wire.base_url(server), "api_key": API_KEY, "timeout_seconds": 5.0}
    return wire.provider(EndpointConfig(kind=kind, **{**known, **fields}))


def provider_over(kind: str, answer: Callable[[httpx2.Request], httpx2.Response], **fields: Any) -> Provider:
    """The real adapter and SDK over a transport that ``answer`` plays."""
    known = {"vendor": WIRES[kind].vendor, "base_url": "http://vendor.test", "api_key": API_KEY}
    client = httpx2.Client(transport=httpx2.MockTransport(answer))
    return WIRES[kind].adapter(EndpointConfig(kind=kind, **{**known, **fields}), http_client=client)


def request(*messages: Message, **fields: Any) -> ModelRequest:
    return ModelRequest(
        system=fields.pop("system", "You take orders."),
        messages=messages or (UserText("Hola"),),
        tools=fields.pop("tools", (VIEW_MENU, ORDER_STATUS)),
        **fields,
    )


def answered(reply: ModelReply, *contents: str, provider: str, errors: tuple[int, ...] = ()) -> AssistantStep:
    """The step the engine stores for ``reply`` once its calls are done."""
    ids = [f"turn:7/call:{number}" for number, _ in enumerate(reply.tool_calls)]
    calls = tuple(
        RequestedCall(own, call.name, call.arguments or {}, call.vendor_id)
        for own, call in zip(ids, reply.tool_calls, strict=True)
    )
    results = tuple(
        CallResult(own, call.name, content, is_error=number in errors, vendor_id=call.vendor_id)
        for number, (own, call, content) in enumerate(zip(ids, calls, contents, strict=True))
    )
    return AssistantStep(reply.text, calls, results, raw=reply.raw, provider=provider)
