"""The scripted provider fails a test that asks too much or too little."""

from __future__ import annotations

import pytest

from aitools.errors import ProviderTransient
from aitools.providers import scripted
from aitools.providers.base import EndpointConfig
from aitools.providers.scripted import ScriptedProvider, asks, says
from aitools.types import Stop, UserText
from tests.aitools.providers.cases import request

ENDPOINT = EndpointConfig(kind="scripted")


def test_lines_are_said_in_order_and_requests_recorded() -> None:
    provider = ScriptedProvider(ENDPOINT, [asks(("view_menu", {})), says("Hola.")])

    first, second = provider.complete(request()), provider.complete(request(UserText("Dos")))

    assert (first.stop, first.tool_calls[0].name, second.text) == (Stop.TOOL_CALLS, "view_menu", "Hola.")
    assert [call.messages for call in provider.calls] == [(UserText("Hola"),), (UserText("Dos"),)]
    provider.assert_exhausted()


def test_a_line_may_be_an_exception_or_a_function_of_the_request() -> None:
    provider = ScriptedProvider(ENDPOINT, [ProviderTransient("down", kind="server"), lambda asked: says(asked.system)])

    with pytest.raises(ProviderTransient):
        provider.complete(request())
    assert provider.complete(request(system="S")).text == "S"


def test_a_surplus_request_fails_even_if_somebody_swallows_it() -> None:
    provider = ScriptedProvider(ENDPOINT, [])

    with pytest.raises(AssertionError):
        provider.complete(request())
    with pytest.raises(AssertionError):
        provider.assert_exhausted()


def test_a_line_left_over_fails() -> None:
    with pytest.raises(AssertionError, match="1 scripted"), scripted.script([says("never asked for")]):
        pass


def test_code_needs_no_endpoint() -> None:
    with ScriptedProvider([says("Uno."), says("Dos.")]) as provider:
        assert [provider.complete(request()).text for _ in range(2)] == ["Uno.", "Dos."]
    assert len(provider.calls) == 2


def test_one_function_answers_every_request() -> None:
    with ScriptedProvider(lambda asked: says(asked.system)) as provider:
        assert [provider.complete(request(system=text)).text for text in "abc"] == ["a", "b", "c"]
    assert len(provider.calls) == 3


def test_leaving_the_block_asks_for_every_line_and_no_more() -> None:
    with pytest.raises(AssertionError, match="1 scripted"), ScriptedProvider([says("never asked for")]):
        pass
    with pytest.raises(AssertionError, match="1 times too often"), ScriptedProvider([]) as provider:
        swallowed(provider)
    with pytest.raises(ZeroDivisionError), ScriptedProvider([says("never asked for")]):
        1 / 0  # noqa: B018  # any error of the test itself


def swallowed(provider: ScriptedProvider) -> None:
    with pytest.raises(AssertionError):
        provider.complete(request())


def test_the_process_wide_script_serves_providers_built_elsewhere() -> None:
    with scripted.script([says("Uno."), says("Dos.")]) as script:
        assert ScriptedProvider(ENDPOINT).complete(request()).text == "Uno."
        assert ScriptedProvider(ENDPOINT).complete(request()).text == "Dos."

    assert len(script.calls) == 2
    with pytest.raises(AssertionError, match="outside"):
        ScriptedProvider(ENDPOINT).complete(request())


def test_each_model_can_have_its_own_script() -> None:
    fallback = EndpointConfig(kind="scripted", model="small")

    with scripted.script([says("big")]), scripted.script([says("small")], model="small"):
        assert ScriptedProvider(fallback).complete(request()).text == "small"
        assert ScriptedProvider(ENDPOINT).complete(request()).text == "big"


def test_an_inner_script_gives_way_to_the_outer_one() -> None:
    with scripted.script([says("outer")]):
        with scripted.script([says("inner")]):
            assert ScriptedProvider(ENDPOINT).complete(request()).text == "inner"
        assert ScriptedProvider(ENDPOINT).complete(request()).text == "outer"


def test_a_failing_test_is_not_blamed_on_its_script() -> None:
    with pytest.raises(ZeroDivisionError), scripted.script([says("never asked for")]):
        1 / 0  # noqa: B018  # any error of the test itself
