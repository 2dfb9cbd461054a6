"""Requests to Meta's Graph API: pooled, and within a limit of wall clock."""

from __future__ import annotations

import re
from collections.abc import Mapping

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
    url, token = _address(account), settings.WHATSAPP_TOKEN
    if not token:
        raise ChannelPermanent("WHATSAPP_TOKEN is not set.", kind="config")
    try:
        with http.deadline(seconds):
            answer = http.client_for(_base()).post(
                url, json=body, headers={"Authorization": f"Bearer {token}"}, timeout=http.timeout(seconds)
            )
    except (httpx2.HTTPError, httpx2.InvalidURL, UnicodeEncodeError) as error:
        raise no_answer(error) from error
    if not answer.is_success:
        raise refusal(answer)
    try:
        return answer.json()
    except ValueError as error:
        raise ChannelUnknown("Meta's answer is no JSON.") from error


def _address(account: str) -> str:
    number = account or settings.WHATSAPP_PHONE_NUMBER_ID
    if not _ACCOUNT.fullmatch(number):
        raise ChannelPermanent("WHATSAPP_PHONE_NUMBER_ID is not set.", kind="config")
    return f"{_base()}/{settings.WHATSAPP_API_VERSION}/{number}/messages"


def _base() -> str:
    return str(settings.WHATSAPP_API_BASE_URL or META)
