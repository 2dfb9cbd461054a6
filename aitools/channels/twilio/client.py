"""The official SDK's client, with our time limits and without its retries."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from django.conf import settings
from requests.adapters import HTTPAdapter
from twilio.http.http_client import TwilioHttpClient
from twilio.rest import Client

from aitools.errors import ChannelPermanent

CONNECT_SECONDS = 5.0
READ_SECONDS = 12.0
#: Connections kept open; more than a worker process has threads.
POOL_SIZE = 32


class QuietHttpClient(TwilioHttpClient):  # type: ignore[misc]  # the SDK is untyped
    """Logs nothing: the SDK logs URLs, and a look-up's URL holds the customer's number."""

    def log_request(self, kwargs: dict[str, Any]) -> None: ...

    def log_response(self, status_code: int, response: object) -> None: ...


def client() -> Client:
    """The client of the configured account; connections are pooled across threads."""
    if not settings.TWILIO_ACCOUNT_SID or not settings.TWILIO_AUTH_TOKEN:
        raise ChannelPermanent("TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN are not set.", kind="config")
    return _client(settings.TWILIO_ACCOUNT_SID, settings.TWILIO_AUTH_TOKEN, settings.TWILIO_API_BASE_URL)


@lru_cache(maxsize=8)
def _client(account_sid: str, auth_token: str, base_url: str) -> Client:
    http_client = QuietHttpClient()
    http_client.timeout = (CONNECT_SECONDS, READ_SECONDS)
    pool = HTTPAdapter(pool_connections=2, pool_maxsize=POOL_SIZE, max_retries=0)
    for scheme in ("https://", "http://"):
        http_client.session.mount(scheme, pool)
    if not base_url:
        return Client(account_sid, auth_token, http_client=http_client)
    # TWILIO_EDGE and TWILIO_REGION would rewrite the host of any address.
    unrouted = {"TWILIO_EDGE": "", "TWILIO_REGION": ""}
    built = Client(account_sid, auth_token, http_client=http_client, environment=unrouted)
    for domain in (built.api, built.content, built.messaging):
        domain.base_url = base_url
    return built
