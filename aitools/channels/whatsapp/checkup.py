"""Is the Cloud API set up right? Asked of the settings, of Meta, and of our own public address."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from urllib.parse import urlencode

import httpx2
from django.conf import settings

from aitools.channels.base import Checkup, ErrorClass
from aitools.channels.whatsapp import client, codes, signature
from aitools.channels.whatsapp.values import Value, at, text
from aitools.errors import ChannelError, ChannelPermanent
from aitools.wallclock import within

PATH = "/webhooks/whatsapp"
SECONDS = 10.0

_NEEDED = {
    "WHATSAPP_PHONE_NUMBER_ID": "the id of the number, under WhatsApp > API setup in the app at Meta",
    "WHATSAPP_TOKEN": "a permanent token of a system user who may send for the number",
    "WHATSAPP_APP_SECRET": "the app secret, under App settings > Basic",
    "WHATSAPP_VERIFY_TOKEN": "any long random word; enter the same at Meta beside the webhook's address",
}
#: Of another object than a WhatsApp account: signed, it is acknowledged and leaves nothing behind.
_HARMLESS = b'{"object":"check","entry":[]}'


def look() -> Checkup:
    """One look at everything; takes up to a minute when nothing answers."""
    missing = [f"{name} is not set: {what}." for name, what in _NEEDED.items() if not getattr(settings, name)]
    if len(missing) == len(_NEEDED):
        return Checkup(is_used=False)
    if missing:
        return Checkup(is_used=True, problems=tuple(missing))
    facts: list[str] = []
    problems = [*_of_the_number(facts), *_of_the_address()]
    return Checkup(is_used=True, problems=tuple(problems), facts=tuple(facts))


def _of_the_number(facts: list[str]) -> Iterator[str]:
    try:
        known = client.get("", "display_phone_number,verified_name,quality_rating", SECONDS)
    except ChannelError as error:
        yield _why(error)
        return
    facts.append(f"Number {text(known, 'display_phone_number')}, called {text(known, 'verified_name')!r} at Meta.")
    if (quality := text(known, "quality_rating")) in ("YELLOW", "RED"):
        yield f"Meta rates the quality of the number {quality}: customers block or report it. Write less unasked."
    yield from _of_the_subscription()


def _why(error: ChannelError) -> str:
    """What to do about Meta's refusal."""
    if not isinstance(error, ChannelPermanent):
        return f"Meta does not answer from this machine: {error} Is there a way out, or a proxy to set?"
    if error.code == "190":
        return "Meta refuses WHATSAPP_TOKEN: it is wrong or has expired. Make a permanent one for a system user."
    if error.code in ("100", "33"):
        return (
            "Meta knows no number with this WHATSAPP_PHONE_NUMBER_ID, or the token may not see it: "
            "give the system user the WhatsApp account, with whatsapp_business_messaging."
        )
    if codes.error_class(error.code) is ErrorClass.CONFIG:
        return f"The token lacks a permission, or the account is restricted: {error}"
    return f"Meta refuses: {error}"


def _of_the_subscription() -> Iterator[str]:
    """Where Meta sends this number's webhooks, if it tells: older versions of the API don't."""
    try:
        known = client.get("", "webhook_configuration", SECONDS)
    except ChannelError:
        return
    addresses = _addresses(at(known, "webhook_configuration"))
    if addresses and _own_address() not in addresses:
        yield f"Meta sends the webhooks of this number to {', '.join(addresses)} and not to {_own_address()}."


def _addresses(found: Value) -> list[str]:
    return [value for value in found.values() if isinstance(value, str) and value] if isinstance(found, dict) else []


def _own_address() -> str:
    return f"{settings.PUBLIC_URL}{PATH}"


def _of_the_address() -> Iterator[str]:
    """Ask our own door as Meta would."""
    if not settings.PUBLIC_URL.startswith("https://"):
        yield f"PUBLIC_URL is {settings.PUBLIC_URL}: Meta calls https only, with a certificate that everybody trusts."
    word = secrets.token_hex(8)
    asked = {"hub.mode": "subscribe", "hub.challenge": word, "hub.verify_token": settings.WHATSAPP_VERIFY_TOKEN}
    signed = {signature.HEADER: signature.value(_HARMLESS, settings.WHATSAPP_APP_SECRET)}
    typed = signed | {"Content-Type": "application/json"}

    def knock() -> tuple[httpx2.Response, httpx2.Response]:
        with httpx2.Client(timeout=SECONDS) as own:
            shown = own.get(f"{_own_address()}?{urlencode(asked)}")
            return shown, own.post(_own_address(), content=_HARMLESS, headers=typed)

    try:
        shown, taken = within(2 * SECONDS, knock)
    except (httpx2.HTTPError, TimeoutError) as error:
        yield f"{_own_address()} can't be reached ({type(error).__name__}): Meta could not either. Does the web run?"
        return
    if shown.text != word:
        yield f"{_own_address()} does not answer Meta's question (HTTP {shown.status_code}): {_HINTS}"
    elif not taken.is_success:
        yield f"{_own_address()} refuses a signed webhook (HTTP {taken.status_code}): {_HINTS}"


_HINTS = "the web runs with other settings than this command, or a proxy leads elsewhere or changes requests."
