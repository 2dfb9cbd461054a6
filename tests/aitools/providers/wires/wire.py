"""What the shared tests must know of one vendor's wire."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from aitools.providers.base import EndpointConfig, Provider
from tests.wire.vendors import VendorServer


@dataclass(frozen=True, slots=True)
class Wire:
    """One adapter and the wire it is tested on.

    ``other`` is a kind whose turns it gets in plain form.  ``odd`` are bodies
    of successful answers that the fake server would not make by itself, by the
    names in ``ODD``; a wire that can't say one leaves it out, and is not asked.
    ``lacks`` are stops that the vendor knows no word for.
    """

    kind: str
    adapter: Callable[..., Provider]
    other: str
    base_url: Callable[[VendorServer], str]
    key_variables: tuple[str, ...] = ()
    vendor: str = ""
    keyless: bool = False
    request_id: str = ""
    odd: Mapping[str, Any] = field(default_factory=dict)
    lacks: frozenset[str] = frozenset()

    def provider(self, endpoint: EndpointConfig) -> Provider:
        return self.adapter(endpoint)


#: What each odd body says. The tool ``view_menu`` requires nothing, ``order_status`` an ``order``.
ODD = {
    "nothing": "the emptiest answer that is still one",
    "unknown_parts": 'the text "Hola." among parts or keys that nobody knows',
    "thinking": 'the text "Hola.", and the thought "secret thought" beside it',
    "unknown_stop": 'the text "Hola." and a reason for the end that nobody knows',
    "unknown_stop_with_call": "a call of view_menu and a reason for the end that nobody knows",
    "plain_stop_with_call": "a call of view_menu under the word for a plain end",
    "call_without_id": "a call of view_menu without an id",
    "equal_calls_without_ids": "two equal calls of view_menu without ids",
    "arguments_left_out": "a call of view_menu, then one of order_status, both without arguments",
    "arguments_of_another_kind": "a call of order_status whose arguments are a list",
    "overloaded": "an overload reported in a successful answer",
}
