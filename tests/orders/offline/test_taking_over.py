"""Another model failed in the middle of a turn: the order taker goes on from what was done."""

from __future__ import annotations

import json

import pytest

from aitools.providers.base import EndpointConfig
from aitools.tools import ToolSet, registry
from aitools.types import AssistantStep, CallResult, ModelRequest, Nudge, RequestedCall, UserText
from orders.offline.provider import OfflineProvider
from tests.orders import factories

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("english")]


@pytest.fixture(autouse=True)
def shop() -> None:
    factories.load_sample()


def _done(name: str, said: str) -> AssistantStep:
    """A step of another model whose call was run."""
    call = RequestedCall(f"id-{name}", name, {"order": "C-7"})
    result = CallResult(call.call_id, name, json.dumps({"say": said}))
    return AssistantStep("", calls=(call,), results=(result,), provider="anthropic")


_HELD_BACK = AssistantStep("Your order is in, that is $1.", calls=(), results=(), provider="anthropic")


@pytest.mark.parametrize(
    ("steps", "told"),
    [
        ([_done("cancel_order", "C-7 is cancelled."), _HELD_BACK], "C-7 is cancelled."),
        (
            [_done("cancel_order", "C-7 is cancelled."), _done("view_menu", "We have bread.")],
            "C-7 is cancelled.\nWe have bread.",
        ),
        ([_done("view_menu", "We have bread."), _done("my_orders", "You have none.")], "You have none."),
    ],
)
def test_taking_over_from_a_model_that_failed_tells_what_it_had_done(steps: list[AssistantStep], told: str) -> None:
    request = ModelRequest(
        system="",
        messages=(UserText("cancel C-7"), *steps, Nudge("No result confirms that.")),
        tools=ToolSet(registry.all()).specs(),
        language="en",
    )

    reply = OfflineProvider(EndpointConfig(kind="offline")).complete(request)

    assert (reply.text, reply.tool_calls) == (told, ())


def test_words_of_a_model_that_were_held_back_leave_the_turn_to_be_answered() -> None:
    messages = (UserText("how much is a croissant?"), _HELD_BACK, Nudge("No result confirms that."))
    request = ModelRequest("", messages, ToolSet(registry.all()).specs(), language="en")

    reply = OfflineProvider(EndpointConfig(kind="offline")).complete(request)

    assert [call.name for call in reply.tool_calls] == ["search_products"]
