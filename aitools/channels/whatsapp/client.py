"""Requests to Meta's Graph API: pooled, and within a limit of wall clock."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import httpx2
from django.conf import settings

from aitools.channels.whatsapp.failures import no_answer, refusal
from aitools.channels.whatsapp.values import Value
from aitools.errors import ChannelPermanent, ChannelUnknown
from aitools.providers import http
from aitools.types import Json

META = "https://graph.facebook.com"

_ACCOUNT = re.compile(r"\d{1,40}")


def post(account: str, body: Mapping[str, Json], seconds: float) -> Value:
    """Meta's answer to one request of the number ``account``; every failure as a ``ChannelError``."""
    return _asked("POST", f"{_number(account)}/messages", seconds, json=body)


def get(account: str, fields: str, seconds: float) -> Value:
    """These fields of our number ``account``, as Meta knows them; every failure as a ``ChannelError``."""
    return _asked("GET", f"{_number(account)}?fields={fields}", seconds)


def medium(media_id: str, seconds: float) -> Value:
    """Where a customer's file is, and what: ``url``, ``mime_type``, ``file_size``; failures as a ``ChannelError``."""
    return _asked("GET", media_id, seconds)


def credentials() -> Mapping[str, str]:
    """The header that Meta knows us by."""
    return {"Authorization": f"Bearer {settings.WHATSAPP_TOKEN}"}


def _asked(method: str, path: str, seconds: float, **content: Any) -> Value:
    if not settings.WHATSAPP_TOKEN:
        raise ChannelPermanent("WHATSAPP_TOKEN is not set.", kind="config")
    url = f"{_base()}/{settings.WHATSAPP_API_VERSION}/{path}"
    content |= {"headers": credentials(), "timeout": http.timeout(seconds)}
    try:
        with http.deadline(seconds):
            answer = http.client_for(_base()).request(method, url, **content)
    except (httpx2.HTTPError, httpx2.InvalidURL, UnicodeEncodeError) as error:
        raise no_answer(error) from error
    if not answer.is_success:
        raise refusal(answer)
    try:
        return answer.json()
    except ValueError as error:
        raise ChannelUnknown("Meta's answer is no JSON.") from error


def _number(account: str) -> str:
    number: str = account or settings.WHATSAPP_PHONE_NUMBER_ID
    if not _ACCOUNT.fullmatch(number):
        raise ChannelPermanent("WHATSAPP_PHONE_NUMBER_ID is not set.", kind="config")
    return number


def _base() -> str:
    return str(settings.WHATSAPP_API_BASE_URL or META)
