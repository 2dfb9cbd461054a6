"""The documentation is run: its code blocks, its list of variables, its links."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import runpy
import sys
import threading
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import RequestFactory
from ninja import Router
from pytest_django import Settings

from aitools import api, events
from aitools.channels.base import OutgoingMessage
from aitools.errors import ChannelPermanent
from aitools.models import InboundEvent
from aitools.providers.base import EndpointConfig
from aitools.running import run_tools
from aitools.tools import Tool, registry
from aitools.types import Button
from bakery.environment import Environment

PROJECT = Path(__file__).parents[1]
PAGES = [PROJECT / "README.md", PROJECT / "CONTRIBUTING.md", *sorted((PROJECT / "docs").glob("*.md"))]


@pytest.fixture
def extending(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The names that the blocks of extending.md define, run in order; tools do not stay registered."""
    monkeypatch.setattr(registry, "_tools", dict(registry._tools))
    names: dict[str, Any] = {"__name__": "extending"}
    for block in blocks_of_extending():
        where = names
        if block.startswith("# aitools/channels/screen.py\n"):
            where = vars(module_of_the_screen(monkeypatch))
        elif block.startswith("# aitools/api.py\n"):
            names |= {name: getattr(api, name) for name in ("HttpRequest", "HttpResponse", "_received")}
            names["router"] = Router()
        exec(compile(block, "docs/extending.md", "exec"), where)
    return names


def blocks_of_extending() -> list[str]:
    return re.findall(r"```python\n(.*?)```", (PROJECT / "docs" / "extending.md").read_text(), re.DOTALL)


def module_of_the_screen(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """An empty module where the page puts its channel."""
    module = ModuleType("aitools.channels.screen")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr("aitools.channels.screen", module, raising=False)
    return module


@pytest.mark.django_db
def test_the_tool_of_the_page_asks_and_then_works(extending: dict[str, Any]) -> None:
    extending["test_the_name_changes_after_a_yes"]()
    assert registry.get("set_name") is extending["set_name"]


def test_the_provider_of_the_page_speaks_what_the_menu_says(extending: dict[str, Any]) -> None:
    menu = Tool("view_menu", "Shows it.", lambda args, ctx: {"say": "Pan de ajo — $3.800"}, {"type": "object"})
    done = run_tools("hola", tools=[menu], provider=extending["MenuOnly"](EndpointConfig("menu_only")))
    assert done.text == "Pan de ajo — $3.800"


class TestScreen:
    """The channel of the page."""

    @pytest.fixture(autouse=True)
    def installed(self, settings: Settings, monkeypatch: pytest.MonkeyPatch, extending: dict[str, Any]) -> None:
        settings.SCREEN_SECRET = "a-secret-of-the-test"
        settings.AITOOLS_CHANNELS = {**settings.AITOOLS_CHANNELS, "screen": "aitools.channels.screen.Screen"}
        monkeypatch.setattr("aitools.queue.publish", lambda *args: None)

    @pytest.mark.django_db(transaction=True)
    def test_a_signed_message_is_stored_once(self, extending: dict[str, Any]) -> None:
        body = json.dumps({"id": "m-1", "screen": "door", "text": "hola"})
        answers = [extending["screen_message"](signed(body)).status_code for _ in range(2)]
        assert answers == [204, 204]
        assert [row.text for row in InboundEvent.objects.filter(channel="screen")] == ["hola"]

    def test_its_module_imports_nothing_from_above_the_channels(self) -> None:
        contracts = tomllib.loads((PROJECT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
        layers = next(contract["layers"] for contract in contracts if contract.get("containers") == ["aitools"])
        at = next(i for i, layer in enumerate(layers) if "channels" in layer.split(" : "))
        above = {name.strip("()") for layer in layers[:at] for name in layer.split(" : ")}
        block = next(block for block in blocks_of_extending() if block.startswith("# aitools/channels/screen.py\n"))
        assert above & set(re.findall(r"^from aitools(?:\.| import )(\w+)", block, re.MULTILINE)) == set()

    @pytest.mark.django_db
    @pytest.mark.parametrize("signature", ["", "señal", "00"])
    def test_a_forged_one_is_not(self, extending: dict[str, Any], signature: str) -> None:
        answer: HttpResponse = extending["screen_message"](signed("{}", signature))
        assert answer.status_code == 403
        assert not InboundEvent.objects.exists()

    @pytest.mark.django_db
    def test_an_unusable_one_is_taken_and_ignored(self, extending: dict[str, Any]) -> None:
        answer: HttpResponse = extending["screen_message"](signed('{"id": 7}'))
        assert answer.status_code == 204

    def test_a_reply_is_put_on_the_screen(self, extending: dict[str, Any], settings: Settings) -> None:
        with screen_server(200) as (settings.SCREEN_URL, shown):
            extending["screen"].Screen().send(REPLY)
        assert shown == [
            ("/door", {"id": "o-1", "text": "¿Confirmas?", "buttons": [{"id": "confirm:1:yes", "title": "Sí"}]})
        ]

    def test_a_refusal_is_permanent(self, extending: dict[str, Any], settings: Settings) -> None:
        with screen_server(404) as (settings.SCREEN_URL, _), pytest.raises(ChannelPermanent) as refused:
            extending["screen"].Screen().send(REPLY)
        assert refused.value.code == "404"


def test_the_table_of_variables_is_complete(monkeypatch: pytest.MonkeyPatch) -> None:
    read: set[str] = set()
    plain = Environment.text

    def text(self: Environment, name: str, default: str = "") -> str:
        read.add(name)
        return plain(self, name, default)

    monkeypatch.setattr(Environment, "text", text)
    runpy.run_path(str(PROJECT / "bakery" / "settings.py"))

    operations = (PROJECT / "docs" / "operations.md").read_text()
    documented = set(re.findall(r"^\| `([A-Z_]+)`", operations, re.MULTILINE))
    outside_settings = set(re.findall(r"^\| `([A-Z_]+)` †", operations, re.MULTILINE))
    assert documented - outside_settings == read


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_and_paths_lead_somewhere(page: Path) -> None:
    text = page.read_text()
    links = [link.partition("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in link]
    assert [link for link in links if link and not (page.parent / link).exists()] == []
    named = re.findall(r"`((?:bakery|orders|aitools|tests|docs|bench|locale|templates|static)/[\w./-]*)`", text)
    ours = [path for path in named if path not in FUTURE]
    assert [path for path in ours if not (PROJECT / path).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_names_in_the_code_is_there(page: Path) -> None:
    """`turns.advance`, `aitools.audit.tool_event`: a module of ours, and something in it."""
    named = re.findall(r"`([a-z_]+(?:\.\w+)+)(?:\([^`]*\))?`", page.read_text())
    others = {*events.KINDS, *FUTURE}
    ours = [name for name in named if name.split(".")[0] in MODULES and name not in others]
    assert [name for name in ours if not is_in_the_code(name)] == []


def is_in_the_code(name: str) -> bool:
    first, *rest = name.split(".")
    found: Any = import_module(MODULES[first])
    for part in rest:
        if isinstance(found, ModuleType) and hasattr(found, "__path__") and find_spec(f"{found.__name__}.{part}"):
            found = import_module(f"{found.__name__}.{part}")
        elif hasattr(found, part):
            found = getattr(found, part)
        else:
            return False
    return True


#: What a page may call our packages and modules by.
MODULES = {name: name for name in ("aitools", "orders", "bakery", "bench")} | {
    path.stem: f"aitools.{path.stem}" for path in (PROJECT / "aitools").glob("*.py") if path.stem != "__init__"
}
#: Files a reader of the page is told to make.
FUTURE = {"orders/tools/naming.py", "aitools/channels/screen.py", "bakery.env"}
REPLY = OutgoingMessage("o-1", "", "door", "¿Confirmas?", (Button("confirm:1:yes", "Sí"),))


def signed(body: str, signature: str | None = None) -> Any:
    if signature is None:
        signature = hmac.new(b"a-secret-of-the-test", body.encode(), hashlib.sha256).hexdigest()
    headers = {"X-Screen-Signature": signature}
    return RequestFactory().post("/screen", body, content_type="application/json", headers=headers)


@contextmanager
def screen_server(status: int) -> Iterator[tuple[str, list[tuple[str, Any]]]]:
    """A screen at a real address; what was put on it."""
    shown: list[tuple[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_PUT(self) -> None:
            shown.append((self.path, json.loads(self.rfile.read(int(self.headers["Content-Length"])))))
            self.send_response(status)
            self.end_headers()

        def log_message(self, *args: object) -> None: ...

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", shown
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
