"""The pooled client: shared, bound to its host, honest about proxies and time."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import httpcore2
import httpx2
import pytest

from aitools.errors import ProviderTransient
from aitools.providers import http
from aitools.providers.base import EndpointConfig, provider_for
from aitools.providers.scripted import says
from tests.aitools.providers.cases import provider_at, request
from tests.aitools.providers.wires import WIRES
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


@pytest.mark.parametrize("kind", sorted(WIRES))
def test_an_answer_without_end_is_not_read_to_its_end(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "MOST_BYTES", 50_000)
    with vendor_server([says("Hay pan. " * 10_000)]) as server, pytest.raises(ProviderTransient) as caught:
        provider_at(server, kind).complete(request())

    assert (caught.value.kind, str(caught.value)) == ("unreadable", "The answer is too long.")


#: Asks every vendor and prints which modules of their SDKs came while a reply's time ran.
ASK_ALL = """
import sys
from contextlib import contextmanager
import django
django.setup()
from aitools.providers import http
from aitools.providers.scripted import says
from tests.aitools.providers.cases import provider_at, request
from tests.aitools.providers.wires import WIRES
from tests.wire.vendors import vendor_server
SDKS = ("openai.resources", "anthropic.resources", "google.genai")

@contextmanager
def watched(seconds):
    before = set(sys.modules)
    yield
    print(*(name for name in set(sys.modules) - before if name.startswith(SDKS)), end="")

http.deadline = watched
for kind in WIRES:
    with vendor_server([says("Hola.")]) as server:
        provider_at(server, kind).complete(request())
"""


def test_no_sdk_is_imported_while_the_time_of_a_reply_runs() -> None:
    """It takes seconds, and would be told as a vendor that does not answer."""
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "bakery.settings"}
    ran = subprocess.run([sys.executable, "-c", ASK_ALL], env=environment, capture_output=True, text=True, check=True)

    assert ran.stdout == ""
