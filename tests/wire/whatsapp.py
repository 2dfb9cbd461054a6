"""Meta's Graph API on a local port, and Meta's side of our webhook.

Requests are checked against the description of what we may send when that is at
hand (``CHANNEL_CASES``); the fake then refuses what Meta would refuse.
"""

from __future__ import annotations

import hmac
import json
import threading
import time
import urllib.request
import uuid
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from django.test import Client
from jsonschema import Draft202012Validator

from tests.wire.files import File, Shelf, give
from tests.wire.twilio import CHANNEL_CASES, Fault

OPENAPI = CHANNEL_CASES / "meta_messages_openapi.json"

PHONE_NUMBER_ID = "100000000000177"
TOKEN = "test-whatsapp-token-0001"
APP_SECRET = "test-whatsapp-app-secret-0001"
VERIFY_TOKEN = "test-verify-token-0001"
PATH = "/webhooks/whatsapp"
NUMBER = {"display_phone_number": "+1 202-555-0177", "verified_name": "Panadería", "quality_rating": "GREEN"}

RATE_LIMITED = Fault(status=429, code=130429)
SERVER_ERROR = Fault(status=500, code=131000)
#: A gateway's page: nobody knows whether the message got through.
BAD_GATEWAY = Fault(status=502)


def refusal(code: int, status: int = 400) -> Fault:
    return Fault(status=status, code=code)


@dataclass
class GraphApi:
    """The number's state. ``messages`` in order of creation, as they were posted, each with its ``id``.

    ``number`` is what Meta tells of ours; ``read`` are the ids of customers' messages that were marked as read;
    ``faults`` are used up by messages, first one first.
    """

    base_url: str
    messages: list[dict[str, Any]] = field(default_factory=list)
    read: list[str] = field(default_factory=list)
    faults: deque[Fault] = field(default_factory=deque)
    refused: list[str] = field(default_factory=list)
    number: dict[str, Any] = field(default_factory=lambda: dict(NUMBER))
    connections: set[Any] = field(default_factory=set)
    requests: int = 0
    shelf: Shelf = field(default_factory=Shelf)
    media: dict[str, dict[str, Any]] = field(default_factory=dict)
    closing: threading.Event = field(default_factory=threading.Event)

    @property
    def texts(self) -> list[str]:
        return [text_of(message) for message in self.messages]

    def create(self, message: Mapping[str, Any]) -> str:
        wamid = f"wamid.{uuid.uuid4().hex}"
        self.messages.append({**message, "id": wamid})
        return wamid

    def keep(self, file: File, **told: Any) -> str:
        """Keep a customer's file; its media id. ``told`` replaces what Meta says of it."""
        media_id = str(uuid.uuid4().int)[:15]
        path = f"/whatsapp_business/attachments/{media_id}"
        self.shelf.files[path] = file
        about = {"url": self.base_url + path, "mime_type": file.mime_type, "file_size": len(file.content)}
        self.media[media_id] = {"messaging_product": "whatsapp", "id": media_id, **about, **told}
        return media_id

    def status(self, wamid: str, status: str, code: int | None = None) -> dict[str, Any]:
        """The body of a status webhook for a message created here."""
        message = next(one for one in self.messages if one["id"] == wamid)
        told: dict[str, Any] = {"id": wamid, "status": status, "timestamp": str(int(time.time()))}
        told |= {"recipient_id": str(message.get("to", "")).strip("+")}
        if ours := message.get("biz_opaque_callback_data"):
            told["biz_opaque_callback_data"] = ours
        if code:
            told["errors"] = [{"code": code, "title": "Fault of the test"}]
        return envelope(statuses=[told])


def text_of(message: Mapping[str, Any]) -> str:
    """What the customer reads."""
    if message["type"] == "template":
        return str(message["template"]["components"][0]["parameters"][0]["text"])
    if message["type"] == "interactive":
        return str(message["interactive"]["body"]["text"])
    return str(message["text"]["body"])


def buttons_of(message: Mapping[str, Any]) -> list[dict[str, str]]:
    """The buttons under it, as ``{"id": …, "title": …}``."""
    buttons = message.get("interactive", {}).get("action", {}).get("buttons", [])
    return [button["reply"] for button in buttons]


def envelope(field: str = "messages", **value: Any) -> dict[str, Any]:
    """A webhook's body with one change."""
    metadata = {"display_phone_number": "12025550177", "phone_number_id": PHONE_NUMBER_ID}
    changed = {"messaging_product": "whatsapp", "metadata": metadata, **value}
    entry = {"id": "200000000000001", "changes": [{"value": changed, "field": field}]}
    return {"object": "whatsapp_business_account", "entry": [entry]}


def message(sender: str = "12025550141", name: str = "Ana", **content: Any) -> dict[str, Any]:
    """A webhook's body with one message; ``content`` such as ``text={"body": "hola"}``."""
    kind = next(iter(content))
    # Meta cuts to whole seconds. Rounded up, what is written after a reply never looks older than the reply.
    written_at = str(int(time.time()) + 1)
    sent = {"from": sender, "id": content.pop("id", f"wamid.{uuid.uuid4().hex}"), "timestamp": written_at}
    contact = {"profile": {"name": name}, "wa_id": sender}
    return envelope(contacts=[contact], messages=[{**sent, "type": kind, **content}])


def press(button: Mapping[str, str], sender: str = "12025550141") -> dict[str, Any]:
    """A webhook's body with a tap on one of our buttons."""
    return message(sender, interactive={"type": "button_reply", "button_reply": dict(button)})


def as_meta_writes(body: Any) -> bytes:
    return json.dumps(body, separators=(",", ":")).replace("/", "\\/").encode()


def signature_of(body: bytes, secret: str = APP_SECRET) -> str:
    return "sha256=" + hmac.new(secret.encode(), body, "sha256").hexdigest()


def signed_post(client: Client, body: Any, *, secret: str = APP_SECRET) -> Any:
    """Post a body as Meta does; bytes go as they are."""
    raw = body if isinstance(body, bytes) else as_meta_writes(body)
    headers = {"X-Hub-Signature-256": signature_of(raw, secret)}
    return client.post(PATH, data=raw, content_type="application/json", headers=headers)


def signed_request(base_url: str, body: Any) -> int:
    """The same over a socket, to a running server; the answer's HTTP status."""
    raw = as_meta_writes(body)
    request = urllib.request.Request(base_url + PATH, data=raw, method="POST")
    request.add_header("Content-Type", "application/json")
    request.add_header("X-Hub-Signature-256", signature_of(raw))
    with urllib.request.urlopen(request, timeout=15) as answer:
        return int(answer.status)


class GraphServer(ThreadingHTTPServer):
    """The fake on one port for many tests, so that they share a connection pool."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.api = self.fresh()

    def fresh(self) -> GraphApi:
        """A number with nothing sent and nothing read; what an earlier test left waiting ends."""
        if hasattr(self, "api"):
            self.api.closing.set()
        self.api = GraphApi(f"http://127.0.0.1:{self.server_address[1]}")
        return self.api


@contextmanager
def graph_server() -> Iterator[GraphServer]:
    """A running server; set ``WHATSAPP_API_BASE_URL`` to the ``base_url`` of its ``api``."""
    server = GraphServer()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.api.closing.set()
        server.shutdown()
        server.server_close()


@contextmanager
def graph_api() -> Iterator[GraphApi]:
    """The same for one test."""
    with graph_server() as server:
        yield server.api


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self._begin()
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
        self.api.requests += 1
        self.api.connections.add(self.client_address)
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            self._answer(401, _error(190, "Access token has expired"))
        elif self.path != f"/v23.0/{PHONE_NUMBER_ID}/messages":
            self._answer(404, _error(33, "Object does not exist"))
        elif complaint := _complaint(body):
            self.api.refused.append(complaint)
            self._answer(400, _error(100, complaint))
        elif body.get("status") == "read":
            self.api.read.append(body["message_id"])
            self._answer(200, {"success": True})
        else:
            self._create(body, self.api.faults.popleft() if self.api.faults else Fault(accepted=True))

    def do_GET(self) -> None:
        self._begin()
        url = urlsplit(self.path)
        file = self.api.shelf.take(url.path, self.headers.get("Authorization"))
        media_id = url.path.rpartition("/")[2]
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            self._answer(401, _error(190, "Access token has expired"))
        elif file is not None:
            give(self, file, self.api.closing)
        elif media_id in self.api.media:
            self._answer(200, self.api.media[media_id])
        elif url.path != f"/v23.0/{PHONE_NUMBER_ID}":
            self._answer(400, _error(100, "Object does not exist"))
        else:
            fields = parse_qs(url.query)["fields"][0].split(",")
            self._answer(200, {key: self.api.number[key] for key in fields if key in self.api.number})

    def _begin(self) -> None:
        """A request stays with the test that made it."""
        assert isinstance(self.server, GraphServer)
        self.api = self.server.api

    def _create(self, body: Mapping[str, Any], fault: Fault) -> None:
        accepted = fault.accepted or not (fault.status or fault.drop)
        wamid = self.api.create(body) if accepted else ""
        self.api.closing.wait(fault.seconds)
        if fault.drop:
            self.close_connection = True
        elif fault.status:
            self._answer(fault.status, _error(fault.code, "Fault of the test") if fault.code else b"<html>Sorry</html>")
        else:
            to = str(body.get("to") or body.get("recipient"))
            sent = {"messaging_product": "whatsapp", "contacts": [{"input": to}], "messages": [{"id": wamid}]}
            self._answer(200, sent, drip=fault.drip)

    def _answer(self, status: int, content: Mapping[str, Any] | bytes, *, drip: bool = False) -> None:
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        for part in [body[at : at + 1] for at in range(len(body))] if drip else [body]:
            if drip and self.api.closing.wait(0.05):
                break
            self.wfile.write(part)
            self.wfile.flush()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the base class's name
        """Keep test output to what tests say."""


def _error(code: int, words: str) -> dict[str, Any]:
    return {"error": {"message": f"(#{code}) {words}", "type": "OAuthException", "code": code, "fbtrace_id": "AAAA"}}


def _complaint(body: Any) -> str:
    """What the description of the API has against a request; "" when nothing."""
    validator = _validator()
    faults: Sequence[Any] = list(validator.iter_errors(body)) if validator else []
    return "; ".join(fault.message for fault in faults)[:300]


@cache
def _validator() -> Draft202012Validator | None:
    if not OPENAPI.exists():
        return None
    document = json.loads(OPENAPI.read_text())
    operation = document["paths"]["/{version}/{phoneNumberId}/messages"]["post"]
    schema = operation["requestBody"]["content"]["application/json"]["schema"]
    return Draft202012Validator({**schema, "components": document["components"]})
