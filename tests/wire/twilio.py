"""Twilio's Messages API on a local port, and Twilio's side of our webhooks.

Requests are checked against the vendor's OpenAPI description when that is at
hand (``CHANNEL_CASES``); the fake then refuses what Twilio would refuse.
"""

from __future__ import annotations

import base64
import json
import threading
import urllib.request
import uuid
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from django.conf import settings
from django.http import QueryDict
from django.test import Client
from jsonschema import Draft202012Validator
from twilio.request_validator import RequestValidator

from tests.wire.files import File, Shelf, give

CHANNEL_CASES = Path(__file__).parents[3] / "shared" / "cases" / "channels"
OPENAPI = CHANNEL_CASES / "twilio_messages_openapi.json"

ACCOUNT_SID = "AC" + "0" * 31 + "1"
AUTH_TOKEN = "test-twilio-auth-token-0001"
MEDIA_PATH = f"/2010-04-01/Accounts/{ACCOUNT_SID}/Messages/MM{'0' * 32}/Media"

Form = Mapping[str, str] | Iterable[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Fault:
    """What happens to one create request instead of a plain 201.

    ``status`` answers with that HTTP status and Twilio error ``code``;
    ``accepted`` says whether the message is stored all the same; ``drop``
    closes the connection unanswered; ``seconds`` waits before the answer;
    ``drip`` sends the answer one byte each 50 ms.
    """

    status: int = 0
    code: int = 0
    accepted: bool = False
    drop: bool = False
    seconds: float = 0
    drip: bool = False


RATE_LIMITED = Fault(status=429, code=20429)
SERVER_ERROR = Fault(status=500, code=20500)
DROPPED = Fault(drop=True)
ANSWER_LOST = Fault(accepted=True, drop=True)


def refusal(code: int, status: int = 400) -> Fault:
    return Fault(status=status, code=code)


@dataclass
class TwilioApi:
    """The account's state. ``messages`` in order of creation, in the wire's own fields.

    ``callbacks`` maps a message's sid to the StatusCallback it came with;
    ``faults`` are used up by create requests, first one first; ``forms`` are
    those of the messages, as they came.  ``resources`` are other things of the
    account, by path.  ``shelf`` has the customers' files.
    """

    base_url: str = ""
    messages: list[dict[str, Any]] = field(default_factory=list)
    callbacks: dict[str, str] = field(default_factory=dict)
    faults: deque[Fault] = field(default_factory=deque)
    refused: list[str] = field(default_factory=list)
    forms: list[dict[str, str]] = field(default_factory=list)
    connections: int = 0
    resources: dict[str, dict[str, Any]] = field(default_factory=dict)
    shelf: Shelf = field(default_factory=Shelf)
    closing: threading.Event = field(default_factory=threading.Event)
    arrived: threading.Condition = field(default_factory=threading.Condition)

    @property
    def texts(self) -> list[str]:
        return [message["body"] for message in self.messages]

    def wait_for(self, count: int, seconds: float = 20) -> list[dict[str, Any]]:
        """The messages once there are ``count``; fails after ``seconds``."""
        with self.arrived:
            assert self.arrived.wait_for(lambda: len(self.messages) >= count, seconds), self.texts
        return self.messages

    def create(self, form: Mapping[str, str]) -> dict[str, Any]:
        sid = f"SM{uuid.uuid4().hex}"
        message = _resource(sid, form)
        self.callbacks[sid] = form.get("StatusCallback", "")
        with self.arrived:
            self.forms.append(dict(form))
            self.messages.append(message)
            self.arrived.notify_all()
        return message

    def keep(self, file: File, stored: File | None = None) -> str:
        """Keep a customer's file; the MediaUrl it has. With ``stored`` the API redirects to where that is."""
        path = f"{MEDIA_PATH}/ME{uuid.uuid4().hex}"
        if stored is not None:
            elsewhere = f"/stored/{uuid.uuid4().hex}"
            self.shelf.files[elsewhere] = stored
            file = File(redirect=self.base_url + elsewhere)
        self.shelf.files[path] = file
        return f"https://api.twilio.com{path}"

    def next_fault(self, form: Mapping[str, str]) -> Fault:
        """What happens to this create request."""
        return self.faults.popleft() if self.faults else Fault(accepted=True)

    def find(self, query: Mapping[str, str]) -> list[dict[str, Any]]:
        """The messages between these parties (``To``, ``From``), newest first."""
        wanted = {"to": query.get("To"), "from": query.get("From")}
        return [
            one for one in reversed(self.messages) if all(value in (None, one[key]) for key, value in wanted.items())
        ]

    def status_form(self, sid: str, status: str, error_code: int | None = None) -> dict[str, str]:
        """The fields of a status callback for a message created here."""
        message = next(one for one in self.messages if one["sid"] == sid)
        form = {"MessageSid": sid, "MessageStatus": status, "SmsSid": sid, "SmsStatus": status}
        form |= {"To": message["to"], "From": message["from"], "AccountSid": ACCOUNT_SID, "ApiVersion": "2010-04-01"}
        return form | ({"ErrorCode": str(error_code)} if error_code else {})

    def post_status(self, client: Client, sid: str, status: str, error_code: int | None = None) -> Any:
        """Report a status to the message's own StatusCallback, signed, through the test client."""
        url = urlsplit(self.callbacks[sid])
        return signed_post(client, f"{url.path}?{url.query}", self.status_form(sid, status, error_code))


def signed_post(client: Client, path: str, form: Form, *, token: str = AUTH_TOKEN, **extra: Any) -> Any:
    """Post a form as Twilio does: signed over the public URL, whatever host the client says."""
    body = urlencode(list(form.items()) if isinstance(form, Mapping) else list(form))
    headers = {"X-Twilio-Signature": signature_of(path, body, token=token)} | extra.pop("headers", {})
    return client.post(path, data=body, content_type="application/x-www-form-urlencoded", headers=headers, **extra)


def signed_request(base_url: str, path: str, form: Form, *, token: str = AUTH_TOKEN) -> int:
    """The same over a socket, to a running server; the answer's HTTP status."""
    body = urlencode(list(form.items()) if isinstance(form, Mapping) else list(form))
    request = urllib.request.Request(base_url + path, data=body.encode(), method="POST")
    request.add_header("X-Twilio-Signature", signature_of(path, body, token=token, public_url=base_url))
    with urllib.request.urlopen(request, timeout=15) as answer:
        return int(answer.status)


def signature_of(path: str, body: str, *, token: str = AUTH_TOKEN, public_url: str = "") -> str:
    url = (public_url or settings.PUBLIC_URL).rstrip("/") + path
    return str(RequestValidator(token).compute_signature(url, QueryDict(body)))


@contextmanager
def twilio_api(api: TwilioApi | None = None) -> Iterator[TwilioApi]:
    """A running fake, this one if given; set ``TWILIO_API_BASE_URL`` to its ``base_url``."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    api = api or TwilioApi()
    api.base_url = f"http://127.0.0.1:{server.server_address[1]}"
    server.api = api  # type: ignore[attr-defined]  # how http.server hands state to its handlers
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield api
    finally:
        api.closing.set()
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    prefix = f"/2010-04-01/Accounts/{ACCOUNT_SID}/Messages"

    def setup(self) -> None:
        super().setup()
        self.api.connections += 1

    def handle(self) -> None:
        """Clients may be killed at any time, which some tests are about."""
        with suppress(ConnectionError):
            super().handle()

    @property
    def api(self) -> TwilioApi:
        api: TwilioApi = self.server.api  # type: ignore[attr-defined]
        return api

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        if not self._may_pass() or urlsplit(self.path).path != f"{self.prefix}.json":
            return
        form = parse_qs(body, keep_blank_values=True, strict_parsing=True)
        if complaint := _complaint(form):
            self.api.refused.append(complaint)
            self._answer(400, _error(21600, complaint, 400))
            return
        plain = {name: values[-1] for name, values in form.items()}
        self._create(plain, self.api.next_fault(plain))

    def _create(self, form: Mapping[str, str], fault: Fault) -> None:
        accepted = fault.accepted or not (fault.status or fault.drop)
        message = self.api.create(form) if accepted else {}
        self.api.closing.wait(fault.seconds)
        if fault.drop:
            self.close_connection = True
        elif fault.status:
            self._answer(fault.status, _error(fault.code, "Fault of the test", fault.status))
        else:
            self._answer(201, message, drip=fault.drip)

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        file = self.api.shelf.take(url.path, self.headers.get("Authorization"))
        if file is not None and not url.path.startswith(MEDIA_PATH):
            give(self, file, self.api.closing)
            return
        if not self._may_pass():
            return
        if file is not None:
            give(self, file, self.api.closing)
            return
        if url.path in self.api.resources:
            self._answer(200, self.api.resources[url.path])
            return
        if url.path == f"{self.prefix}.json":
            query = {name: values[-1] for name, values in parse_qs(url.query).items()}
            self._answer(200, _page(self.api.find(query), query, self.path))
            return
        sid = url.path.removeprefix(f"{self.prefix}/").removesuffix(".json")
        found = [message for message in self.api.messages if message["sid"] == sid]
        self._answer(200, found[0]) if found else self._answer(404, _error(20404, "Not found", 404))

    def _may_pass(self) -> bool:
        expected = base64.b64encode(f"{ACCOUNT_SID}:{AUTH_TOKEN}".encode()).decode()
        if self.headers.get("Authorization") == f"Basic {expected}":
            return True
        self._answer(401, _error(20003, "Authenticate", 401))
        return False

    def _answer(self, status: int, content: Mapping[str, Any], *, drip: bool = False) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if not drip:
            self.wfile.write(body)
            return
        for byte in body:
            if self.api.closing.wait(0.05):
                break
            self.wfile.write(bytes([byte]))
            self.wfile.flush()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the base class's name
        """Keep test output to what tests say."""


def _resource(sid: str, form: Mapping[str, str]) -> dict[str, Any]:
    at = format_datetime(datetime.now(UTC))
    uri = f"/2010-04-01/Accounts/{ACCOUNT_SID}/Messages/{sid}"
    return {
        "sid": sid,
        "account_sid": ACCOUNT_SID,
        "api_version": "2010-04-01",
        "body": form.get("Body") or json.loads(form.get("ContentVariables", "{}")).get("1", ""),
        "to": form["To"],
        "from": form.get("From"),
        "messaging_service_sid": form.get("MessagingServiceSid"),
        "status": "queued",
        "direction": "outbound-api",
        "date_created": at,
        "date_updated": at,
        "date_sent": None,
        "error_code": None,
        "error_message": None,
        "num_media": "0",
        "num_segments": "1",
        "price": None,
        "price_unit": None,
        "uri": f"{uri}.json",
        "subresource_uris": {"media": f"{uri}/Media.json"},
    }


def _page(found: list[dict[str, Any]], query: Mapping[str, str], uri: str) -> dict[str, Any]:
    size = int(query.get("PageSize", "50"))
    links = {"first_page_uri": uri, "next_page_uri": None, "previous_page_uri": None, "uri": uri}
    return {"messages": found[:size], "page": 0, "page_size": size, "start": 0, "end": len(found[:size]), **links}


def _error(code: int, message: str, status: int) -> dict[str, Any]:
    return {
        "code": code,
        "message": message,
        "more_info": f"https://www.twilio.com/docs/errors/{code}",
        "status": status,
    }


def _complaint(form: Mapping[str, list[str]]) -> str:
    """What the vendor's description has against a create form; "" when nothing."""
    if not OPENAPI.exists():
        return ""
    described = _described()
    plain = {name: _typed(described["properties"].get(name, {}), values) for name, values in form.items()}
    faults = Draft202012Validator(described).iter_errors(plain)
    return "; ".join(fault.message for fault in faults)


@cache
def _described() -> dict[str, Any]:
    """The schema of a create form, with what it refers to."""
    document = json.loads(OPENAPI.read_text())
    path = "/2010-04-01/Accounts/{AccountSid}/Messages.json"
    body = document["paths"][path]["post"]["requestBody"]["content"]["application/x-www-form-urlencoded"]
    return {**body["schema"], "components": document["components"]}


def _typed(schema: Mapping[str, Any], values: list[str]) -> Any:
    """A form's strings as the types of the description: forms themselves have none."""
    if schema.get("type") == "array":
        return values
    if schema.get("type") in ("integer", "boolean", "number"):
        return json.loads(values[-1])
    return values[-1]
