"""What every vendor's adapter does, against a server that judges its requests."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier

import pytest

from aitools.errors import ProviderError, ProviderPermanent, ProviderTransient
from aitools.providers.base import EndpointConfig
from aitools.providers.scripted import asks, says
from aitools.types import (
    AssistantStep,
    AssistantText,
    CallResult,
    ModelReply,
    Nudge,
    RequestedCall,
    Stop,
    ToolRequest,
    Usage,
    UserText,
)
from tests.aitools.providers.cases import answered, provider_at, request
from tests.aitools.providers.wires import WIRES
from tests.aitools.providers.wires.wire import Wire
from tests.wire.vendors import (
    API_KEY,
    DROPPED,
    OVERLOADED,
    SERVER_ERROR,
    Fault,
    Line,
    Raw,
    Slow,
    rate_limited,
    vendor_server,
)

TWO_CALLS = asks(("view_menu", {"category": None}), ("order_status", {"order": "C-17"}), text="Un momento.")


@pytest.fixture(params=sorted(WIRES))
def kind(request: pytest.FixtureRequest) -> str:
    """Each vendor's adapter, unless a test names those whose wire can say what it is about."""
    named: str = request.param
    return named


def _where(is_so: Callable[[Wire], object]) -> pytest.MarkDecorator:
    """The adapters of whose wire this is so."""
    return pytest.mark.parametrize("kind", [kind for kind in sorted(WIRES) if is_so(WIRES[kind])])


def _able(word: str) -> pytest.MarkDecorator:
    """The adapters whose wire has a word for it."""
    return _where(lambda wire: word not in wire.lacks)


def _saying(*names: str) -> pytest.MarkDecorator:
    """Each of the odd bodies, on every wire that can say it."""
    pairs = [(kind, name) for kind in sorted(WIRES) for name in names if name in WIRES[kind].odd]
    return pytest.mark.parametrize(("kind", "name"), pairs)


def _complete(kind: str, line: Line, seconds: float = 5.0) -> ModelReply:
    with vendor_server([line]) as server:
        return provider_at(server, kind, timeout_seconds=seconds).complete(request())


def _odd(kind: str, name: str) -> ModelReply:
    """The reply for one of the wire's odd bodies."""
    return _complete(kind, Raw(WIRES[kind].odd[name]))


def _error(kind: str, line: Line, seconds: float = 5.0) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        _complete(kind, line, seconds)
    return caught.value


def test_an_answer_is_text(kind: str) -> None:
    reply = _complete(kind, says("Abrimos a las 7."))

    assert (reply.text, reply.stop, reply.tool_calls) == ("Abrimos a las 7.", Stop.END, ())
    assert (reply.usage.input, reply.usage.output) == (10, 5)


def test_calls_keep_their_order_and_arguments(kind: str) -> None:
    reply = _complete(kind, TWO_CALLS)

    assert [(call.name, call.arguments) for call in reply.tool_calls] == [
        ("view_menu", {"category": None}),
        ("order_status", {"order": "C-17"}),
    ]
    assert (reply.text, reply.stop) == ("Un momento.", Stop.TOOL_CALLS)


def test_a_cut_reply_says_so_whatever_it_asks_for(kind: str) -> None:
    reply = _complete(kind, replace(TWO_CALLS, stop=Stop.LENGTH))

    assert reply.stop is Stop.LENGTH


@_able("refusal")
def test_a_refusal_is_a_reply_without_calls(kind: str) -> None:
    reply = _complete(kind, replace(TWO_CALLS, stop=Stop.REFUSAL))

    assert (reply.stop, reply.tool_calls) == (Stop.REFUSAL, ())


@_able("content_filter")
def test_a_filtered_reply_runs_nothing(kind: str) -> None:
    reply = _complete(kind, replace(TWO_CALLS, stop=Stop.CONTENT_FILTER))

    assert (reply.stop, reply.tool_calls) == (Stop.CONTENT_FILTER, ())


def test_one_call_is_one_call(kind: str) -> None:
    (call,) = _complete(kind, asks(("order_status", {"order": "C-17"}))).tool_calls

    assert (call.name, call.arguments) == ("order_status", {"order": "C-17"})


def test_four_parallel_calls_are_four(kind: str) -> None:
    asked = [("order_status", {"order": f"C-{number}"}) for number in range(4)]

    assert [(call.name, call.arguments) for call in _complete(kind, asks(*asked)).tool_calls] == asked


@_able("cached")
def test_cached_tokens_are_a_part_of_the_input(kind: str) -> None:
    usage = Usage(input=543, output=7, cached_input=500)

    assert _complete(kind, says("Hola.", usage=usage)).usage == usage


def test_arguments_that_are_no_object_never_run(kind: str) -> None:
    broken = ModelReply(tool_calls=(ToolRequest("order_status", None, raw='{"order": "C-1'),), stop=Stop.TOOL_CALLS)
    (call,) = _complete(kind, broken).tool_calls

    assert call.arguments is None
    assert "C-1" in call.raw


def test_broken_arguments_are_never_sent_back(kind: str) -> None:
    broken = ModelReply(tool_calls=(ToolRequest("order_status", None, raw='{"order": "C-1'),), stop=Stop.TOOL_CALLS)
    with vendor_server([broken, says("Perdón.")]) as server:
        provider = provider_at(server, kind)
        step = answered(provider.complete(request()), "Arguments must be an object.", provider=kind, errors=(0,))

        assert provider.complete(request(UserText("Hola"), step)).text == "Perdón."


@_saying("arguments_of_another_kind")
def test_arguments_of_another_kind_are_kept_aside(kind: str, name: str) -> None:
    (call,) = _odd(kind, name).tool_calls

    assert (call.name, call.arguments) == ("order_status", None)
    assert "C-17" in call.raw


@_saying("arguments_left_out")
def test_arguments_left_out_will_do_only_where_nothing_is_required(kind: str, name: str) -> None:
    menu, status = _odd(kind, name).tool_calls

    assert (menu.arguments, status.arguments) == ({}, None)


@_saying("unknown_stop_with_call", "plain_stop_with_call", "call_without_id")
def test_a_call_counts_whatever_stands_around_it(kind: str, name: str) -> None:
    reply = _odd(kind, name)

    assert [(call.name, call.arguments) for call in reply.tool_calls] == [("view_menu", {})]
    assert reply.stop is Stop.TOOL_CALLS


@_saying("unknown_stop", "unknown_parts", "thinking")
def test_a_text_counts_whatever_stands_around_it(kind: str, name: str) -> None:
    reply = _odd(kind, name)

    assert (reply.text, reply.stop, reply.tool_calls) == ("Hola.", Stop.END, ())


@_saying("nothing")
def test_the_least_that_is_an_answer_is_an_empty_one(kind: str, name: str) -> None:
    reply = _odd(kind, name)

    assert (reply.text, reply.tool_calls, reply.usage, reply.request_id) == ("", (), Usage(), "")


@_saying("equal_calls_without_ids")
def test_equal_calls_without_ids_are_answered_each(kind: str, name: str) -> None:
    with vendor_server([Raw(WIRES[kind].odd[name]), says("Listo.")]) as server:
        provider = provider_at(server, kind)
        step = answered(provider.complete(request()), "one", "two", provider=kind)
        provider.complete(request(UserText("Hola"), step))

    assert server.received[-1].results == ["one", "two"]


@_saying("overloaded")
def test_a_fault_in_a_successful_answer_is_a_fault(kind: str, name: str) -> None:
    raised = _error(kind, Raw(WIRES[kind].odd[name]))

    assert (type(raised), raised.kind) == (ProviderTransient, "overloaded")


@pytest.mark.parametrize(
    "body",
    [b"<html>Gateway</html>", b"", b"[]", b"null", b"[" * 100_000],
    ids=["html", "empty", "list", "null", "deep"],
)
def test_a_success_without_an_object_is_a_server_fault(kind: str, body: bytes) -> None:
    raised = _error(kind, Raw(body))

    assert (type(raised), raised.kind) == (ProviderTransient, "server")


@_where(lambda wire: wire.request_id)
def test_the_request_id_is_kept_for_the_vendors_support(kind: str) -> None:
    header = WIRES[kind].request_id

    assert _complete(kind, Raw(WIRES[kind].odd["nothing"], headers={header: "req_7"})).request_id == "req_7"


def test_a_turn_goes_back_unchanged_with_its_results(kind: str) -> None:
    # The server refuses a turn whose reasoning is missing, changed or out of place.
    with vendor_server([TWO_CALLS, says("Listo.")]) as server:
        provider = provider_at(server, kind)
        asked = provider.complete(request(UserText("¿Y mi pedido?")))
        step = answered(asked, "Pan $700", "C-17 is ready", provider=kind)

        reply = provider.complete(request(UserText("¿Y mi pedido?"), step))

    assert reply.text == "Listo."
    assert server.received[-1].results == ["Pan $700", "C-17 is ready"]


def test_results_are_matched_by_call_not_by_position(kind: str) -> None:
    with vendor_server([TWO_CALLS, says("Listo.")]) as server:
        provider = provider_at(server, kind)
        step = answered(provider.complete(request()), "first", "second", provider=kind)
        provider.complete(request(UserText("Hola"), replace(step, results=step.results[::-1])))

    assert server.received[-1].results == ["first", "second"]


def test_another_vendor_gets_the_turn_in_plain_form(kind: str) -> None:
    with vendor_server([TWO_CALLS, says("Listo.")]) as server:
        asked = provider_at(server, WIRES[kind].other).complete(request())
        step = answered(asked, "Pan $700", "not found", provider=WIRES[kind].other, errors=(1,))

        provider_at(server, kind).complete(request(UserText("Hola"), step))

    assert server.issued.opaque
    assert not [secret for secret in server.issued.opaque if secret in str(server.received[-1].body)]
    assert server.received[-1].results[0] == "Pan $700"


def test_reasoning_never_reaches_another_model_of_the_same_vendor(kind: str) -> None:
    with vendor_server([TWO_CALLS, says("Listo.")]) as server:
        asked = provider_at(server, kind, model="big").complete(request())
        step = answered(asked, "a", "b", provider=kind)

        provider_at(server, kind, model="small").complete(request(UserText("Hola"), step))

    assert server.issued.opaque
    assert not [secret for secret in server.issued.opaque if secret in str(server.received[-1].body)]


def test_a_call_without_a_result_is_still_answered(kind: str) -> None:
    with vendor_server([TWO_CALLS, says("Listo.")]) as server:
        provider = provider_at(server, kind)
        step = answered(provider.complete(request()), "first", "second", provider=kind)
        provider.complete(request(UserText("Hola"), replace(step, results=step.results[:1])))

    assert len(server.received[-1].results) == 2


def test_unusable_arguments_of_an_earlier_turn_do_no_harm(kind: str) -> None:
    step = AssistantStep(
        text="",
        calls=(RequestedCall("turn:1/call:1", "view_menu", {}),),
        results=(CallResult("turn:1/call:1", "view_menu", "Arguments must be a JSON object.", is_error=True),),
    )
    with vendor_server([says("Perdón.")]) as server:
        assert provider_at(server, kind).complete(request(UserText("Hola"), step)).text == "Perdón."


@pytest.mark.parametrize(
    "messages",
    [
        (),
        (UserText("  "),),
        (AssistantText("Su torta está lista."), UserText("Voy")),
        (UserText("Hola"), AssistantText(""), UserText("¿Están?")),
        (UserText("Uno"), UserText("Dos"), Nudge("Answer in Spanish.")),
        (UserText("Hola"), AssistantStep("", (), ()), Nudge("You said nothing.")),
        (UserText("nul \x00, media pareja \ud83e, entera 🥐"),),
    ],
    ids=["none", "blank", "we began", "empty answer", "burst and nudge", "empty step", "unstorable"],
)
def test_any_history_is_acceptable(kind: str, messages: tuple[UserText | AssistantText, ...]) -> None:
    with vendor_server([says("Sí.")]) as server:
        assert provider_at(server, kind).complete(replace(request(), messages=messages)).text == "Sí."


def test_an_empty_reply_can_be_followed_by_a_nudge(kind: str) -> None:
    with vendor_server([says(""), says("Hola.")]) as server:
        provider = provider_at(server, kind)
        step = answered(provider.complete(request()), provider=kind)

        assert provider.complete(request(UserText("Hola"), step, Nudge("Say something."))).text == "Hola."


def test_a_reply_is_storable_in_postgresql(kind: str) -> None:
    reply = _complete(kind, asks(("order_status", {"order": "C\x00\ud83e"}), text="a\x00b"))

    assert reply.text == "ab"
    assert reply.tool_calls[0].arguments == {"order": "C\ufffd"}
    assert "\x00" not in str(reply.raw)


@pytest.mark.parametrize(
    ("fault", "error", "error_kind"),
    [
        (OVERLOADED, ProviderTransient, "overloaded"),
        (SERVER_ERROR, ProviderTransient, "server"),
        (DROPPED, ProviderTransient, "connection"),
        (Fault(status=504), ProviderTransient, "timeout"),
        (Fault(status=404, code="not_found_error"), ProviderPermanent, "not_found"),
        (Fault(status=400, code="invalid_request_error"), ProviderPermanent, "invalid_request"),
        (Fault(status=307, headers={"Location": "http://127.0.0.1:9/"}), ProviderPermanent, "invalid_request"),
    ],
    ids=lambda value: str(getattr(value, "status", value)),
)
def test_a_fault_has_its_kind(kind: str, fault: Fault, error: type[ProviderError], error_kind: str) -> None:
    raised = _error(kind, fault)

    assert (type(raised), raised.kind) == (error, error_kind)


def test_a_rate_limit_says_how_long_to_wait(kind: str) -> None:
    raised = _error(kind, rate_limited(7))

    assert (raised.kind, raised.retry_after) == ("rate_limit", 7.0)


def test_nothing_is_retried_here(kind: str) -> None:
    with vendor_server([OVERLOADED]) as server:
        with pytest.raises(ProviderTransient):
            provider_at(server, kind).complete(request())

        assert len(server.received) == 1


def test_a_silent_server_is_given_up(kind: str) -> None:
    raised = _error(kind, Slow(says("Tarde."), seconds=3), seconds=0.3)

    assert (type(raised), raised.kind) == (ProviderTransient, "timeout")


def test_a_dripping_server_is_cut_at_the_deadline(kind: str) -> None:
    began = time.monotonic()
    raised = _error(kind, Slow(says("Gota a gota."), drip=0.1), seconds=0.5)

    assert raised.kind == "timeout"
    assert time.monotonic() - began < 1.5


def test_nobody_listening_is_a_connection_fault(kind: str) -> None:
    with vendor_server() as server:
        provider = provider_at(server, kind)

    with pytest.raises(ProviderTransient) as caught:
        provider.complete(request())
    assert caught.value.kind == "connection"


def test_a_wrong_key_is_permanent_and_stays_secret(kind: str) -> None:
    with vendor_server() as server, pytest.raises(ProviderPermanent) as caught:
        provider_at(server, kind, api_key="wrong-key-123").complete(request())

    assert caught.value.kind == "auth"


def test_a_vendor_that_quotes_the_key_does_not_put_it_in_logs(kind: str) -> None:
    raised = _error(kind, Fault(401, "invalid_api_key", "Bad key: test-vendor-key-0001"))

    assert str(raised) == "HTTP 401: Bad key: [key]"


@_where(lambda wire: not wire.keyless)
def test_no_key_at_all_is_an_auth_fault(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in WIRES[kind].key_variables:
        monkeypatch.delenv(name, raising=False)
    with vendor_server() as server, pytest.raises(ProviderPermanent) as caught:
        provider_at(server, kind, api_key="").complete(request())

    assert caught.value.kind == "auth"


def test_key_and_address_come_from_the_environment(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with vendor_server([says("Hola.")]) as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        provider = WIRES[kind].provider(EndpointConfig(kind=kind, vendor=WIRES[kind].vendor))

        assert provider.complete(request()).text == "Hola."


def test_threads_share_a_provider_without_mixing_replies(kind: str) -> None:
    start = Barrier(8)
    with vendor_server([lambda received: says(received.user_text)] * 8) as server:
        provider = provider_at(server, kind)

        def ask(number: int) -> str:
            start.wait()
            return provider.complete(request(UserText(f"Soy {number}"))).text

        with ThreadPoolExecutor(8) as threads:
            replies = list(threads.map(ask, range(8)))

    assert replies == [f"Soy {number}" for number in range(8)]


# What no honest server answers


def test_a_text_far_beyond_the_limit_is_a_cut_reply(kind: str) -> None:
    reply = _complete(kind, says("Hay pan. " * 10_000))

    assert reply.stop is Stop.LENGTH
    assert len(reply.text) <= 1024 * 8
    assert len(str(reply.raw)) <= 1024 * 8


def test_a_text_at_the_limit_is_whole(kind: str) -> None:
    reply = _complete(kind, says("Hay. " * 1024))

    assert (reply.stop, len(reply.text.rstrip())) == (Stop.END, 1024 * 5 - 1)


def test_enormous_arguments_never_run(kind: str) -> None:
    (call,) = _complete(kind, asks(("order_status", {"order": "C-" + "1" * 70_000}))).tool_calls

    assert call.arguments is None
    assert call.raw.startswith('{"order": "C-111')


def test_our_key_stands_nowhere_in_a_reply(kind: str) -> None:
    told = asks(("order_status", {"order": API_KEY}), text=f"Your key is Bearer {API_KEY}.")
    reply = _complete(kind, told)

    assert API_KEY not in repr(reply)
    assert reply.text == "Your key is Bearer [key]."
    assert reply.tool_calls[0].arguments == {"order": "[key]"}


def test_odd_counts_of_tokens_cost_no_answer(kind: str) -> None:
    counts: tuple[object, ...] = ("many", None, -5, 1.5, True, [], {})
    odd = [Raw(WIRES[kind].odd["unknown_stop"] | _counting(count)) for count in counts]
    with vendor_server(odd) as server:
        provider = provider_at(server, kind)
        replies = [provider.complete(request()) for _ in odd]

    assert [(reply.text, reply.usage) for reply in replies] == [("Hola.", Usage())] * len(odd)


def _counting(count: object) -> dict[str, object]:
    """Every vendor's names for its counts."""
    total = dict.fromkeys(
        ("prompt_tokens", "completion_tokens", "total_tokens", "input_tokens", "output_tokens"), count
    )
    usage = total | {"prompt_tokens_details": count, "input_tokens_details": {"cached_tokens": count}}
    gemini = {"promptTokenCount": count, "candidatesTokenCount": count}
    return {"usage": usage, "usageMetadata": gemini, "prompt_eval_count": count, "eval_count": count}


def test_counts_that_are_no_object_cost_no_answer(kind: str) -> None:
    reply = _complete(kind, Raw(WIRES[kind].odd["unknown_stop"] | {"usage": "many", "usageMetadata": [3]}))

    assert (reply.text, reply.usage) == ("Hola.", Usage())
