"""Which request goes to which endpoint when one fails, and what is remembered of it."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from types import SimpleNamespace

import pytest
from django.conf import settings
from django.db import OperationalError

from aitools import behaviour, breakers, caps, completion, endpointmarks
from aitools.completion import Completion, complete, shorter
from aitools.errors import ProviderError, ProviderPermanent, ProviderTransient
from aitools.models import ModelEndpoint
from aitools.prices import Prices
from aitools.providers import scripted
from aitools.providers.base import EndpointConfig
from aitools.providers.scripted import says
from aitools.types import (
    AssistantStep,
    AssistantText,
    CallResult,
    Message,
    ModelReply,
    ModelRequest,
    Nudge,
    RequestedCall,
    Stop,
    ToolSpec,
    Usage,
    UserText,
)

LOOK = ToolSpec("look", "Lists things.", {"type": "object"})
STEP = AssistantStep("", (RequestedCall("1", "look", {}),), (CallResult("1", "look", "pan"),))
TURN: tuple[Message, ...] = (UserText("¿y café?"), STEP, Nudge("Be brief."))
REQUEST = ModelRequest("You take orders.", (UserText("hola"), AssistantText("¡Hola!"), *TURN), tools=(LOOK,))

PRICES = Prices(Decimal(3), Decimal(1), Decimal(15))
FIRST = EndpointConfig(kind="scripted", model="first")
SECOND = EndpointConfig(kind="scripted", model="second")
PLAN = '{"action":"call","calls":[{"tool":"look","args":{}}]}'


def overflow() -> ProviderError:
    return ProviderPermanent("prompt is too long", kind="context_overflow")


def refusal() -> ProviderError:
    return ProviderPermanent("m does not support tools", kind="tools_unsupported")


def down() -> ProviderError:
    return ProviderTransient("down", kind="server")


@pytest.fixture(autouse=True)
def nothing_remembered() -> Iterator[None]:
    endpointmarks.forget_refusals()
    yield
    endpointmarks.forget_refusals()


def _asked(*lines: scripted.Line, endpoint: EndpointConfig = FIRST) -> tuple[Completion, list[ModelRequest]]:
    with scripted.script(lines) as script:
        return complete(REQUEST, [endpoint]), script.calls


# The talk is too long


def test_the_same_model_is_asked_once_more_about_this_turn_alone() -> None:
    got, asked = _asked(overflow(), says("Hay café."))

    assert got.reply.text == "Hay café."
    assert [call.messages for call in asked] == [REQUEST.messages, TURN]
    assert got.failures == ("scripted: context_overflow",)


def test_then_the_next_model_is_asked_about_all_of_it() -> None:
    with (
        scripted.script([overflow(), overflow()], model="first"),
        scripted.script([says("Sí.")], model="second") as two,
    ):
        got = complete(REQUEST, [FIRST, SECOND])

    assert (got.reply.text, got.endpoint) == ("Sí.", SECOND)
    assert two.calls[0].messages == REQUEST.messages
    assert got.failures == ("scripted: context_overflow",) * 2


def test_a_turn_that_is_too_long_for_every_model_says_so() -> None:
    with scripted.script([overflow()] * 4) as script, pytest.raises(ProviderError) as caught:
        complete(REQUEST, [FIRST, SECOND])

    assert caught.value.kind == "context_overflow"
    assert len(script.calls) == 4


@pytest.mark.parametrize("lines", [[down(), overflow(), overflow()], [overflow(), overflow(), down()]])
def test_a_model_that_was_only_down_may_still_take_it(lines: list[scripted.Line]) -> None:
    with scripted.script(lines), pytest.raises(ProviderError) as caught:
        complete(REQUEST, [FIRST, SECOND])

    assert caught.value.kind == "server"


def test_without_earlier_talk_nothing_is_asked_twice() -> None:
    alone = replace(REQUEST, messages=TURN)
    with scripted.script([overflow()]) as script, pytest.raises(ProviderError):
        complete(alone, [FIRST])

    assert len(script.calls) == 1


@pytest.mark.parametrize(
    ("messages", "kept"),
    [
        ((UserText("a"), AssistantText("b"), UserText("c")), (UserText("c"),)),
        ((UserText("a"), UserText("b"), STEP), (UserText("b"), STEP)),
        ((AssistantText("b"), UserText("c"), STEP, UserText("sí"), STEP), (UserText("c"), STEP, UserText("sí"), STEP)),
        ((UserText("c"), Nudge("d"), UserText("e")), (UserText("c"), Nudge("d"), UserText("e"))),
        ((AssistantText("b"), STEP), (AssistantText("b"), STEP)),
        ((), ()),
    ],
)
def test_shorter_is_the_current_turn(messages: tuple[Message, ...], kept: tuple[Message, ...]) -> None:
    assert shorter(replace(REQUEST, messages=messages)).messages == kept


# Other failures


@pytest.mark.parametrize("error", [down(), ProviderPermanent("no key", kind="auth")])
def test_other_failures_go_to_the_next_model_at_once(error: ProviderError) -> None:
    with scripted.script([error, says("Sí.")]) as script:
        got = complete(REQUEST, [FIRST, SECOND])

    assert got.endpoint == SECOND
    assert len(script.calls) == 2


def test_a_reply_that_can_not_be_read_is_a_failure_of_that_model() -> None:
    with scripted.script([KeyError("choices"), says("Sí.")]):
        assert complete(REQUEST, [FIRST, SECOND]).failures == ("scripted: unreadable",)


@pytest.mark.parametrize("usage", [Usage(-1, 5), Usage(10**12, 5), Usage(10, 10**12), Usage(10, 1024 * 20 + 1)])
def test_tokens_that_can_not_be_true_cost_nothing_and_leave_the_reply(usage: Usage) -> None:
    got, _ = _asked(says("Hay café.", usage=usage), endpoint=replace(FIRST, prices=PRICES))

    assert (got.reply.text, got.reply.usage, got.cost) == ("Hay café.", Usage(), None)


def test_a_reply_whose_tokens_are_not_told_has_no_known_cost() -> None:
    got, _ = _asked(says("Hay café.", usage=Usage()), endpoint=replace(FIRST, prices=PRICES))

    assert got.cost is None


def test_many_tokens_that_may_be_true_are_paid_for() -> None:
    got, _ = _asked(says("Hay café.", usage=Usage(1000, 1024 * 20)), endpoint=replace(FIRST, prices=PRICES))

    assert got.cost == PRICES.cost(Usage(1000, 1024 * 20))


def test_a_database_that_is_gone_is_no_fault_of_the_model() -> None:
    """The order taker reads the menu; no other endpoint could help."""

    def gone(request: ModelRequest) -> ModelReply:
        raise OperationalError

    with scripted.script(gone), pytest.raises(OperationalError):
        complete(REQUEST, [FIRST, SECOND])


def test_without_endpoints_there_is_no_reply() -> None:
    with pytest.raises(ProviderPermanent):
        complete(REQUEST, [])


def test_the_attempts_at_one_model_share_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter([0.0, 0.0, 25.0, 25.0, 26.0])
    seconds: list[float] = []

    class Fake:
        kind = "scripted"

        def __init__(self, endpoint: EndpointConfig) -> None:
            seconds.append(endpoint.timeout_seconds)

        def complete(self, request: ModelRequest) -> ModelReply:
            if len(seconds) == 1:
                raise overflow()
            return says("Sí.")

    monkeypatch.setattr(completion, "time", SimpleNamespace(monotonic=lambda: next(now)))
    monkeypatch.setattr(completion, "provider_for", Fake)
    complete(REQUEST, [FIRST])

    assert seconds == [30.0, 5.0]
    assert completion.longest_wait([FIRST]) == 30.0


# The vendor refuses tools


def test_a_model_that_refuses_tools_is_asked_by_a_plan() -> None:
    got, asked = _asked(refusal(), says(PLAN))

    assert [call.name for call in got.reply.tool_calls] == ["look"]
    assert (got.reply.stop, got.endpoint.plan) == (Stop.TOOL_CALLS, True)
    assert [bool(call.tools) for call in asked] == [True, False]
    assert got.failures == ("scripted: tools_unsupported",)


def test_it_is_not_offered_tools_again() -> None:
    _asked(refusal(), says(PLAN))
    got, asked = _asked(says(PLAN))

    assert asked[0].tools == ()
    assert got.failures == ()


def test_another_model_at_the_same_place_is() -> None:
    _asked(refusal(), says(PLAN))
    _, asked = _asked(says("Sí."), endpoint=replace(FIRST, model="other"))

    assert asked[0].tools == (LOOK,)


def test_a_plan_may_be_too_long_as_well() -> None:
    got, asked = _asked(refusal(), overflow(), says(PLAN))

    assert got.failures == ("scripted: tools_unsupported", "scripted: context_overflow")
    assert "hola" not in str(asked[2].messages)


def test_a_model_that_is_to_plan_is_never_offered_tools() -> None:
    _, asked = _asked(says(PLAN), endpoint=replace(FIRST, plan=True))

    assert asked[0].tools == ()


def test_a_model_that_is_not_to_plan_just_fails() -> None:
    native = replace(FIRST, may_plan=False)
    _asked(refusal(), says(PLAN))
    with scripted.script([refusal()]) as script, pytest.raises(ProviderError):
        complete(REQUEST, [native])

    assert script.calls[0].tools == (LOOK,)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("tool_calls", "model", "remembered"),
    [("auto", "first", True), ("auto", "changed meanwhile", False), ("native", "first", False)],
)
def test_the_row_remembers_it_for_all_processes(tool_calls: str, model: str, remembered: bool) -> None:
    row = ModelEndpoint.objects.create(name="m", kind="scripted", model=model, tool_calls=tool_calls)

    _asked(refusal(), says(PLAN), endpoint=replace(FIRST, endpoint_id=row.pk))

    row.refresh_from_db()
    assert row.refuses_tools is remembered


# Once more, and then the next


@pytest.fixture
def vendors(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Scripted models are treated as far away; the pauses that were made, none of which takes time."""
    pauses: list[float] = []
    monkeypatch.setattr(breakers, "LOCAL", frozenset({"offline"}))
    monkeypatch.setattr(completion, "time", SimpleNamespace(monotonic=time.monotonic, sleep=pauses.append))
    return pauses


def far(model: str) -> EndpointConfig:
    """An endpoint that no other test has failed at."""
    return EndpointConfig(kind="scripted", model=f"{model} {uuid.uuid4()}")


@pytest.mark.parametrize("kind", ["server", "overloaded", "connection", "rate_limit", "tool_generation"])
def test_what_may_pass_is_tried_once_more(vendors: list[float], kind: str) -> None:
    with scripted.script([ProviderTransient("!", kind=kind), says("Sí.")]) as script:
        got = complete(REQUEST, [far("first"), far("second")])

    assert (got.endpoint.model.split()[0], len(script.calls)) == ("first", 2)
    assert got.failures == (f"scripted: {kind}",)
    assert len(vendors) == 1
    assert completion.PAUSE[0] <= vendors[0] <= completion.PAUSE[1]


def test_what_stays_goes_to_the_next_after_two(vendors: list[float]) -> None:
    with scripted.script([down(), down(), says("Sí.")]):
        got = complete(REQUEST, [far("first"), far("second")])

    assert got.endpoint.model.startswith("second")
    assert got.failures == ("scripted: server",) * 2
    assert len(vendors) == 1


@pytest.mark.parametrize("kind", ["auth", "not_found", "quota", "invalid_request"])
def test_what_can_not_pass_is_not_tried_again(vendors: list[float], kind: str) -> None:
    with scripted.script([ProviderPermanent("!", kind=kind), says("Sí.")]):
        assert complete(REQUEST, [far("first"), far("second")]).endpoint.model.startswith("second")

    assert vendors == []


@pytest.mark.parametrize(("asked", "waits"), [(2.0, True), (30.0, False)])
def test_a_pause_that_the_vendor_asks_for_is_made_if_it_is_short(
    vendors: list[float], asked: float, waits: bool
) -> None:
    limited = ProviderTransient("!", kind="rate_limit", retry_after=asked)
    with scripted.script([limited, says("Sí.")]):
        got = complete(REQUEST, [far("first"), far("second")])

    assert got.endpoint.model.split()[0] == ("first" if waits else "second")
    assert [pause >= asked for pause in vendors] == [True] * waits


def test_without_time_for_another_try_there_is_none(vendors: list[float]) -> None:
    with scripted.script([down(), says("Sí.")]):
        got = complete(REQUEST, [replace(far("first"), timeout_seconds=2.0), far("second")])

    assert got.endpoint.model.startswith("second")
    assert vendors == []


def test_an_open_breaker_is_passed_over_and_said(vendors: list[float]) -> None:
    first = replace(far("first"), name="Claude")
    for _ in range(breakers.FAILURES):
        breakers.failed(first, "timeout")
    with scripted.script([says("Sí.")]):
        got = complete(REQUEST, [first, far("second")])

    assert got.failures == ("Claude: left alone for a while",)


def test_the_last_endpoint_is_asked_in_any_case(vendors: list[float]) -> None:
    only = far("only")
    for _ in range(breakers.FAILURES):
        breakers.failed(only, "timeout")
    with scripted.script([says("Sí.")]):
        assert complete(REQUEST, [only]).reply.text == "Sí."


def test_a_probe_is_one_request_and_its_failure_is_not_tried_again(vendors: list[float]) -> None:
    first = far("first")
    for _ in range(breakers.FAILURES):
        breakers.failed(first, "timeout")
    caps.client_of(settings.REDIS_URL).delete(breakers._key(first, "open"))
    with scripted.script([down(), says("Sí."), says("Sí.")]):
        probed = complete(REQUEST, [first, far("second")])
        after = complete(REQUEST, [first, far("second")])

    assert probed.failures == ("scripted: server",)
    assert after.failures == ("scripted: left alone for a while",)


def test_an_endpoint_whose_key_can_not_be_had_is_passed_over(vendors: list[float]) -> None:
    with scripted.script([says("Sí.")]):
        got = complete(REQUEST, [replace(far("first"), unusable="its key can't be opened"), far("second")])

    assert got.failures == ("scripted: its key can't be opened",)


def test_one_alone_is_asked_once_whatever_its_breaker_says(vendors: list[float]) -> None:
    only = far("only")
    for _ in range(breakers.FAILURES):
        breakers.failed(only, "timeout")
    with scripted.script([down()]) as script, pytest.raises(ProviderTransient):
        completion.ask_one(REQUEST, only)

    assert len(script.calls) == 1


def test_the_worst_case_counts_redis_as_well() -> None:
    assert completion.longest_wait([EndpointConfig(kind="anthropic"), EndpointConfig(kind="offline")]) == 62.0


@pytest.mark.django_db(transaction=True)
class TestBroken:
    """The vendor refuses a key: its row remembers, staff are told once, and one request in a while tries."""

    @pytest.fixture
    def row(self, vendors: list[float]) -> ModelEndpoint:
        return ModelEndpoint.objects.create(name="Claude", kind="scripted", model=f"m {uuid.uuid4()}")

    def ask(self, row: ModelEndpoint, *lines: scripted.Line) -> Completion:
        row.refresh_from_db()
        with scripted.script(lines):
            return complete(REQUEST, [behaviour.from_row(row), far("second")])

    def test_it_is_marked_and_told_once(self, row: ModelEndpoint, caplog: pytest.LogCaptureFixture) -> None:
        refused = ProviderPermanent("HTTP 401: invalid key", kind="auth")
        assert self.ask(row, refused, says("Sí.")).failures == ("Claude: auth",)
        row.refresh_from_db()
        assert row.broken_at is not None
        assert row.broken_reason == "HTTP 401: invalid key"
        assert self.ask(row, says("Sí.")).failures == ("Claude: broken",)
        self.probe_is_due(row)
        assert self.ask(row, refused, says("Sí.")).failures == ("Claude: auth",)
        assert [record.levelname for record in caplog.records].count("ERROR") == 1

    def test_a_reply_to_the_probe_mends_it(self, row: ModelEndpoint) -> None:
        self.ask(row, ProviderPermanent("!", kind="not_found"), says("Sí."))
        self.probe_is_due(row)
        assert self.ask(row, says("Sí.")).failures == ()
        row.refresh_from_db()
        assert (row.broken_at, row.broken_reason) == (None, "")

    def test_one_that_was_changed_meanwhile_is_not_blamed(self, row: ModelEndpoint) -> None:
        asked = behaviour.from_row(row)
        ModelEndpoint.objects.update(model="another")
        with scripted.script([ProviderPermanent("!", kind="auth"), says("Sí.")]):
            complete(REQUEST, [asked, far("second")])
        row.refresh_from_db()
        assert row.broken_at is None

    def probe_is_due(self, row: ModelEndpoint) -> None:
        caps.client_of(settings.REDIS_URL).delete(breakers._key(behaviour.from_row(row), "broken"))


def test_what_is_loaded_the_first_time_takes_nothing_from_the_models_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]

    def load(endpoint: EndpointConfig) -> None:
        now[0] += 2 * endpoint.timeout_seconds

    monkeypatch.setattr(completion, "load", load)
    monkeypatch.setattr(completion, "time", SimpleNamespace(monotonic=lambda: now[0], sleep=lambda seconds: None))

    assert _asked(overflow(), says("Hay café."))[0].reply.text == "Hay café."
