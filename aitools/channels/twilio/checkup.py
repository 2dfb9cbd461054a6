"""Is a Twilio channel set up right? Asked of the settings, of Twilio, and of our own public address."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

import requests
from django.conf import settings
from django.http import QueryDict
from twilio.request_validator import SIGNATURE_HEADER, RequestValidator
from twilio.rest import Client

from aitools.channels.base import Checkup
from aitools.channels.twilio import addresses
from aitools.channels.twilio.client import client
from aitools.channels.twilio.failures import channel_error
from aitools.errors import ChannelError, ChannelPermanent
from aitools.wallclock import within

PATH = "/webhooks/twilio"
SECONDS = 10.0
SENDER_SETTINGS = {addresses.SMS: "TWILIO_SMS_FROM", addresses.WHATSAPP: "TWILIO_WHATSAPP_FROM"}
#: Without it Twilio comes again only when the connection itself failed.
RETRIES = "#rc=3&rp=all"

Asked = Callable[[Client], Any]


def look(channel: str, sender: str) -> Checkup:
    """One look at everything that concerns this channel's sender; takes up to a minute when nothing answers."""
    if not sender:
        return Checkup(is_used=False)
    needed = ("TWILIO_ACCOUNT_SID", "TWILIO_AUTH_TOKEN")
    missing = [f"{name} is not set: {SENDER_SETTINGS[channel]} needs it." for name in needed if not _setting(name)]
    if missing:
        return Checkup(is_used=True, problems=tuple(missing))
    facts: list[str] = []
    problems = [*_of_the_sender(channel, sender, facts), *_of_the_templates(channel), *_of_the_address()]
    return Checkup(is_used=True, problems=tuple(problems), facts=tuple(facts))


def _setting(name: str) -> str:
    return str(getattr(settings, name))


def _of_the_sender(channel: str, sender: str, facts: list[str]) -> Iterator[str]:
    try:
        if sender.startswith("MG"):
            yield from _of_the_service(sender, facts)
        elif channel == addresses.SMS:
            yield from _of_the_number(sender, facts)
        else:
            yield from _of_the_whatsapp_sender(addresses.join(channel, sender), facts)
    except ChannelError as error:
        yield _why(error, sender)


def _of_the_number(number: str, facts: list[str]) -> Iterator[str]:
    found = _ask(lambda twilio: twilio.incoming_phone_numbers.list(phone_number=number, limit=1))
    if not found:
        yield f"The account has no number {number}: TWILIO_SMS_FROM must be one of its own."
        return
    facts.append(f"Number {number}, called {found[0].friendly_name!r} at Twilio.")
    if not dict(found[0].capabilities or {}).get("sms"):
        yield f"{number} can't send SMS: buy one that can, or set another."
    yield from _of_the_webhook(str(found[0].sms_url or ""), number)


def _of_the_service(sid: str, facts: list[str]) -> Iterator[str]:
    service = _ask(lambda twilio: twilio.messaging.v1.services(sid).fetch())
    facts.append(f"Messaging service {service.friendly_name!r} at Twilio.")
    if service.use_inbound_webhook_on_number:
        facts.append("It defers to the webhook of each of its numbers; those were not looked at.")
    else:
        yield from _of_the_webhook(str(service.inbound_request_url or ""), "the messaging service")


def _of_the_whatsapp_sender(sender: str, facts: list[str]) -> Iterator[str]:
    senders = _ask(lambda twilio: twilio.messaging.v2.channels_senders.list(channel="whatsapp", limit=200))
    found = next((one for one in senders if one.sender_id == sender), None)
    if found is None:
        facts.append(f"{sender} is none of the account's WhatsApp senders: all right for the sandbox, and only for it.")
        return
    facts.append(f"WhatsApp sender {sender}, status {found.status}.")
    if not str(found.status).upper().startswith("ONLINE"):
        yield f"{sender} is not online at Twilio ({found.status}): look under Messaging > Senders > WhatsApp senders."
    yield from _of_the_webhook(str(dict(found.webhook or {}).get("callback_url") or ""), sender)


def _of_the_webhook(url: str, whose: str) -> Iterator[str]:
    """Where Twilio brings what customers write."""
    wanted = f"{settings.PUBLIC_URL}{PATH}"
    if url.partition("#")[0] != wanted:
        yield f"Messages to {whose} go to {url or 'nowhere'}: enter {wanted}{RETRIES} at Twilio."
    elif "rp=" not in urlsplit(url).fragment:
        yield f"The webhook of {whose} lacks {RETRIES}: what comes during a restart is lost. Enter {wanted}{RETRIES}."


def _of_the_templates(channel: str) -> Iterator[str]:
    if channel != addresses.WHATSAPP:
        return
    for language, sid in settings.TWILIO_QUESTION_CONTENT_SIDS.items():
        yield from _of_one_template(f"TWILIO_QUESTION_CONTENT_SIDS {language}", sid, language, _of_a_question)
    for language, sid in settings.TWILIO_LATE_CONTENT_SIDS.items():
        yield from _of_one_template(f"TWILIO_LATE_CONTENT_SIDS {language}", sid, language, _of_a_late_text)


def _of_one_template(name: str, sid: str, language: str, look_closer: Callable[[Any], Iterator[str]]) -> Iterator[str]:
    try:
        content = _ask(lambda twilio: twilio.content.v1.contents(sid).fetch())
        if str(content.language)[:2] != language:
            yield f"{name}: {sid} is written in {content.language}."
        for problem in look_closer(content):
            yield f"{name}: {problem}"
    except ChannelError as error:
        yield f"{name}: {_why(error, sid)}"


def _of_a_question(content: Any) -> Iterator[str]:
    """The body is the first variable, the ids of yes and no the next two."""
    reply: Mapping[str, Any] = dict(content.types or {}).get("twilio/quick-reply") or {}
    ids = [action.get("id") for action in reply.get("actions", [])]
    if reply.get("body") != "{{1}}" or ids != ["{{2}}", "{{3}}"]:
        yield "the template must be a quick reply with body {{1}} and two buttons with ids {{2}} (yes) and {{3}} (no)."


def _of_a_late_text(content: Any) -> Iterator[str]:
    approval = _ask(lambda twilio: twilio.content.v1.contents(content.sid).approval_fetch().fetch())
    status = dict(approval.whatsapp or {}).get("status", "unsubmitted")
    if status != "approved":
        yield f"WhatsApp has not approved the template ({status}): it can't be sent after 24 hours."


def _of_the_address() -> Iterator[str]:
    """Knock at our own door as Twilio would, with a form that means nothing."""
    url, form = f"{settings.PUBLIC_URL}{PATH}", {"Check": "setup"}
    if not url.startswith("https://"):
        yield f"PUBLIC_URL is {settings.PUBLIC_URL}: customers' messages would travel unencrypted. Use https."
    signed = RequestValidator(settings.TWILIO_AUTH_TOKEN).compute_signature(url, QueryDict("Check=setup"))
    try:
        headers = {SIGNATURE_HEADER: signed}
        answer = within(SECONDS, lambda: requests.post(url, data=form, headers=headers, timeout=SECONDS))
    except (requests.RequestException, TimeoutError) as error:
        yield f"{url} can't be reached ({type(error).__name__}): Twilio could not either. Does the web run?"
        return
    if answer.status_code != requests.codes.ok:
        yield (
            f"{url} refuses a signed webhook (HTTP {answer.status_code}): the web runs with other settings than "
            "this command, or a proxy leads elsewhere or changes requests."
        )


def _ask(asked: Asked) -> Any:
    """Twilio's answer; every failure as a ``ChannelError``."""
    twilio = client()
    try:
        return within(SECONDS, lambda: asked(twilio))
    except Exception as error:
        raise channel_error(error) from error


def _why(error: ChannelError, what: str) -> str:
    """What to do about Twilio's refusal."""
    if not isinstance(error, ChannelPermanent):
        return f"Twilio does not answer from this machine: {error} Is there a way out, or a proxy to set?"
    if error.code == "20003":
        return "Twilio refuses TWILIO_ACCOUNT_SID with TWILIO_AUTH_TOKEN: copy both from the console's first page."
    if error.code == "20404":
        return f"The account has no {what}."
    return f"Twilio refuses: {error}"
