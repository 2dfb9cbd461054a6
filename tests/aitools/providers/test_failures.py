"""Vendors' errors become a kind, a wait and one safe sentence."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from aitools.errors import ProviderPermanent, ProviderTransient
from aitools.providers.failures import failure, failure_of


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (429, {"error": {"code": "insufficient_quota", "message": "You exceeded your quota"}}, "quota"),
        (429, {"error": {"code": "rate_limit_exceeded", "message": "Please wait"}}, "rate_limit"),
        (429, {"error": {"code": "rate_limit_exceeded", "message": "Request too large for m"}}, "context_overflow"),
        (429, {"error": {"code": 429, "message": "Provider returned error"}}, "rate_limit"),
        (400, {"error": {"code": 400, "type": "exceed_context_size_error", "message": "too big"}}, "context_overflow"),
        (400, {"error": {"type": "invalid_request_error", "message": "Your credit balance is too low to"}}, "quota"),
        (400, {"error": {"code": "tool_use_failed", "message": "Failed to call a function"}}, "tool_generation"),
        (400, {"error": "invalid tool_choice"}, "invalid_request"),
        (400, {"error": "gemma3:4b does not support tools"}, "tools_unsupported"),
        (404, {"error": {"message": "No endpoints found that support tool use.", "code": 404}}, "tools_unsupported"),
        (400, {"message": '"auto" tool choice requires --enable-auto-tool-choice'}, "tools_unsupported"),
        (500, {"error": {"code": 500, "message": "tools param requires --jinja flag"}}, "tools_unsupported"),
        (500, {"error": {"code": 500, "message": "Unsupported param: tools"}}, "tools_unsupported"),
        (400, {"error": {"message": "tools is not supported in this model."}}, "tools_unsupported"),
        (400, {"error": {"message": "`tool calling` is not supported with this model"}}, "tools_unsupported"),
        (400, {"error": {"message": "Function tools with reasoning_effort are not supported"}}, "invalid_request"),
        (400, {"error": {"message": "Incorrect API key provided"}}, "auth"),
        (500, {"error": "error parsing tool call: raw='{note: incorrect API key}'"}, "tool_generation"),
        (403, {"error": {"code": 403, "message": "Your input was flagged for x"}}, "invalid_request"),
        (422, [{"error": {"message": "in a list"}}], "invalid_request"),
        (401, {"detail": "Unauthorized"}, "auth"),
        (402, "", "quota"),
        (403, {"error": {"type": "permission_error", "message": "no"}}, "auth"),
        (408, {}, "timeout"),
        (409, {}, "server"),
        (413, {}, "context_overflow"),
        (500, "<html>", "server"),
        (502, None, "server"),
        (503, {"error": {"type": "unavailable_error", "message": "Loading model"}}, "overloaded"),
        (504, {}, "timeout"),
        (529, {}, "overloaded"),
        (599, {}, "server"),
    ],
)
def test_a_fault_is_named(status: int, body: Any, kind: str) -> None:
    assert failure(status, body).kind == kind


@pytest.mark.parametrize("kind", ["rate_limit", "overloaded", "server", "timeout"])
def test_waiting_helps_against(kind: str) -> None:
    status = {"rate_limit": 429, "overloaded": 529, "server": 500, "timeout": 504}[kind]

    assert type(failure(status, {})) is ProviderTransient


def test_a_server_that_refuses_tools_will_refuse_them_again() -> None:
    assert type(failure(500, {"error": {"message": "tools param requires --jinja flag"}})) is ProviderPermanent


@pytest.mark.parametrize("status", [301, 400, 401, 402, 404, 413])
def test_waiting_does_not_help_against(status: int) -> None:
    assert type(failure(status, {})) is ProviderPermanent


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "12"}, 12.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "Tue, 01 Dec 2026 10:00:30 GMT", "date": "Tue, 01 Dec 2026 10:00:00 GMT"}, 30.0),
        ({"retry-after": "Tue, 01 Dec 2026 09:00:00 GMT", "date": "Tue, 01 Dec 2026 10:00:00 GMT"}, 0.0),
        ({"retry-after": "Tue, 01 Dec 2026 10:00:30 GMT"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "inf"}, None),
        ({}, None),
    ],
)
def test_the_wait_is_read_in_each_form(headers: dict[str, str], seconds: float | None) -> None:
    response = httpx2.Response(429, headers=headers, json={"error": {"message": "wait"}})

    assert failure_of(response).retry_after == seconds


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"json": {"error": {"message": "Bad model"}}}, "HTTP 400: Bad model"),
        ({"json": {"error": "a string"}}, "HTTP 400: a string"),
        ({"json": {"error": [{"message": "first"}, {"message": "second"}]}}, "HTTP 400: first"),
        ({"json": {"detail": "vendor's own"}}, "HTTP 400: vendor's own"),
        ({"text": "plain\n text"}, "HTTP 400: plain text"),
        ({"content": b""}, "HTTP 400: no reason given"),
    ],
)
def test_the_vendors_sentence_is_kept(answer: dict[str, Any], said: str) -> None:
    assert str(failure_of(httpx2.Response(400, **answer))) == said


def test_a_long_sentence_is_cut_since_it_may_quote_the_customer() -> None:
    assert len(str(failure(400, {"error": {"message": "x" * 5000}}))) == 500
