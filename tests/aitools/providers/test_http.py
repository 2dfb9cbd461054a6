"""The pooled client: shared, bound to its host, honest about proxies and time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import httpcore2
import httpx2
import pytest

from aitools.providers import http
from aitools.providers.base import EndpointConfig, provider_for
from aitools.providers.scripted import says
from tests.aitools.providers.cases import provider_at, request
from tests.wire.vendors import Slow, vendor_server

PROXY = "http://127.0.0.1:9"


@pytest.fixture(autouse=True)
def clean_pool(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    yield
    http.close_clients()


def test_one_client_a_host() -> None:
    assert http.client_for("https://a.test") is http.client_for("https://a.test")
    assert http.client_for("https://a.test") is not http.client_for("https://b.test")


def test_a_closed_pool_opens_again() -> None:
    closed = http.client_for("https://a.test")
    http.close_clients()

    assert closed.is_closed
    assert not http.client_for("https://a.test").is_closed


def test_the_environments_proxy_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", PROXY)
    with pytest.raises(httpx2.ConnectError):
        http.client_for("http://vendor.test").get("http://vendor.test/")


def test_a_host_may_be_kept_from_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", PROXY)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with vendor_server([says("Directo.")]) as server:
        assert provider_at(server, "openai").complete(request()).text == "Directo."


def test_connecting_may_take_five_seconds_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    allowed: list[float] = []

    def refuse(backend: Any, host: str, port: int, timeout: float, *rest: Any) -> None:
        allowed.append(timeout)
        raise httpcore2.ConnectError

    monkeypatch.setattr(httpcore2.SyncBackend, "connect_tcp", refuse)
    with pytest.raises(httpx2.ConnectError):
        http.client_for("http://vendor.test").get("http://vendor.test/", timeout=60)
    assert allowed == [http.CONNECT_SECONDS]


def test_a_late_body_is_cut_like_a_late_head() -> None:
    with vendor_server([Slow(says("x" * 200), drip=0.002)]) as server:
        provider = provider_at(server, "anthropic", timeout_seconds=0.5)
        began = time.monotonic()
        with pytest.raises(Exception, match="No reply in time"):
            provider.complete(request())

    assert time.monotonic() - began < 1.5


def test_a_reply_within_the_deadline_is_taken_however_slowly_it_comes() -> None:
    with vendor_server([Slow(says("Lento."), drip=0.0005)]) as server:
        assert provider_at(server, "anthropic", timeout_seconds=5).complete(request()).text == "Lento."


def test_a_deadline_does_not_outlive_its_block() -> None:
    with vendor_server() as server:
        client = http.client_for(server.url)
        with http.deadline(0), pytest.raises(httpx2.TimeoutException):
            client.post(server.url)

        assert client.post(server.url).status_code == 404


@pytest.mark.parametrize("kind", ["anthropic", "openai", "scripted"])
def test_settings_build_every_kind(kind: str) -> None:
    assert provider_for(EndpointConfig(kind=kind)).kind == kind
