"""Meta's webhook bodies to events.

One request brings messages, statuses and errors of several people.  Each is read
by itself: what one of them holds never costs its neighbours.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

from django.conf import settings
from django.http import HttpRequest

from aitools.channels.base import EventKind, InboundMessage
from aitools.channels.whatsapp import codes, people
from aitools.channels.whatsapp.contents import MAX_EXTRA, MAX_LISTED, Content, content_of
from aitools.channels.whatsapp.people import Person
from aitools.channels.whatsapp.values import Value, at, digest, flag, listed, loads, number, text
from aitools.storable import storable
from aitools.types import Json

logger = logging.getLogger(__name__)

NAME = "whatsapp_cloud"
ACCOUNT_OBJECT = "whatsapp_business_account"
MESSAGES, ECHOES = "messages", "smb_message_echoes"

#: What our columns hold.
MAX_ID, MAX_ACCOUNT = 255, 150
_OUTBOX_ID = re.compile(r"[A-Za-z0-9_:-]{1,64}")
#: Times between these are plausible; others come from garbage.
_FIRST_SECOND, _LAST_SECOND = 1_000_000_000, 99_999_999_999

Reader = Callable[[Value], InboundMessage]


def parse(request: HttpRequest) -> Sequence[InboundMessage]:
    """The events of a verified request, in its order; what we can't read is an event of its own."""
    try:
        document = storable(loads(request.body))
    except (ValueError, RecursionError):
        return [_unsupported(request.body)]
    # A repeat of the same garbage is one event.
    return list({event.provider_id: event for event in _events(document)}.values())


def _events(document: Value) -> Iterator[InboundMessage]:
    if not isinstance(document, Mapping) or "object" not in document:
        yield _unsupported(document)
        return
    if document["object"] != ACCOUNT_OBJECT:
        logger.info("A webhook for something else than WhatsApp was ignored.")
        return
    for entry in listed(document, "entry"):
        for change in listed(entry, "changes") if isinstance(entry, Mapping) else [entry]:
            yield from _changed(change)


def _changed(change: Value) -> Iterator[InboundMessage]:
    field, value = text(change, "field"), at(change, "value")
    if isinstance(value, Mapping) and field not in (MESSAGES, ECHOES):
        logger.info("A webhook of another subscription was ignored.", extra={"field": field[:40]})
        return
    if not isinstance(value, Mapping):
        yield _unsupported(change)
        return
    account = text(value, "metadata", "phone_number_id")[:MAX_ACCOUNT] or str(settings.WHATSAPP_PHONE_NUMBER_ID)
    contacts = listed(value, "contacts")
    yield from _each(listed(value, "message_echoes"), lambda one: _echo(one, account))
    yield from _each(listed(value, "messages"), lambda one: _message(one, account, contacts))
    yield from _each(listed(value, "statuses"), lambda one: _status(one, account, contacts))
    yield from _each(listed(value, "errors"), _error)


def _each(found: Sequence[Value], read: Reader) -> Iterator[InboundMessage]:
    for one in found:
        try:
            yield read(one)
        except Exception as error:  # noqa: BLE001  # whatever is in it: it is kept, and the next one is read
            logger.warning("Part of a WhatsApp webhook could not be read: %s.", type(error).__name__)
            yield _unsupported(one)


def _message(found: Value, account: str, contacts: Sequence[Value]) -> InboundMessage:
    ids = [text(found, key) for key in ("from", "from_user_id", "from_parent_user_id")]
    sender = people.person(contacts, *ids)
    content = content_of(found)
    # We are no member of groups: what is said there is not said to us.
    aside = content.kind == "system" or bool(text(found, "group_id"))
    kind = EventKind.PRESS if content.payload else EventKind.MESSAGE
    return _talk(found, account, sender, content, EventKind.SYSTEM if aside else kind)


def _echo(found: Value, account: str) -> InboundMessage:
    """What staff wrote to a customer in the WhatsApp Business app."""
    to = people.person([], text(found, "to"), text(found, "to_user_id"))
    return _talk(found, account, to, content_of(found), EventKind.ECHO)


def _talk(found: Value, account: str, other: Person, content: Content, kind: EventKind) -> InboundMessage:
    if not other.address:
        return _unsupported(found)
    if content.kind == "unsupported":
        logger.warning("A WhatsApp message of an unknown type.", extra={"type": text(found, "type")[:40]})
    return InboundMessage(
        kind=kind,
        channel=NAME,
        provider_id=_id(text(found, "id") or f"unnamed:{digest(found)}"),
        account=account,
        address=other.address,
        text=content.text,
        payload=content.payload if kind == EventKind.PRESS else "",
        message_kind=content.kind,
        profile_name=other.name,
        phone=other.phone,
        media=content.media,
        sent_at=_time(text(found, "timestamp")),
        reply_to=text(found, "context", "id")[:MAX_ID],
        extra={**_extra(found, other), **content.extra},
    )


def _status(found: Value, account: str, contacts: Sequence[Value]) -> InboundMessage:
    word, message_id = text(found, "status"), text(found, "id")
    status = codes.status_of(word)
    if status is None or not message_id:
        logger.warning("An unknown WhatsApp status.", extra={"status": word[:40]})
        return _unsupported(found)
    to = people.person(contacts, text(found, "recipient_id"), text(found, "recipient_user_id"))
    code = next((text(error, "code")[:20] for error in listed(found, "errors")), "")
    ours = text(found, "biz_opaque_callback_data")
    return InboundMessage(
        kind=EventKind.STATUS,
        channel=NAME,
        provider_id=_id(f"{message_id}:{word}"),
        account=account,
        address=to.address,
        sent_at=_time(text(found, "timestamp")),
        status=status,
        status_of=_id(message_id),
        outbox_id=ours if _OUTBOX_ID.fullmatch(ours) else "",
        error_code=code,
        error_kind=codes.error_class(code).kind if code else "",
        extra={"user_id": to.user_id[:MAX_EXTRA]} if to.user_id else {},
    )


def _error(found: Value) -> InboundMessage:
    """Trouble that Meta tells of without a message it belongs to: kept for staff, nobody's talk."""
    code = text(found, "code")[:20]
    logger.error("WhatsApp reported error %s.", code or "without a code")
    kind = codes.error_class(code).kind
    return InboundMessage(
        kind=EventKind.SYSTEM,
        channel=NAME,
        provider_id=f"error:{digest(found)}",
        message_kind="error",
        error_code=code,
        error_kind=kind,
        extra={"error_code": code, "error_kind": kind},
    )


def _unsupported(found: Value) -> InboundMessage:
    """What has no sender or no form that we know: counted, shown to nobody, in nobody's way."""
    logger.warning("Part of a WhatsApp webhook is unknown and was put aside.")
    return InboundMessage(
        kind=EventKind.SYSTEM, channel=NAME, provider_id=f"unsupported:{digest(found)}", message_kind="unsupported"
    )


def _extra(found: Value, other: Person) -> Mapping[str, Json]:
    errors: list[Json] = [number(error, "code") for error in listed(found, "errors")[:MAX_LISTED]]
    values: Mapping[str, Json] = {
        "user_id": other.user_id[:MAX_EXTRA],
        "parent_user_id": other.parent_user_id[:MAX_EXTRA],
        "username": other.username[:MAX_EXTRA],
        "forwarded": flag(found, "context", "forwarded") or flag(found, "context", "frequently_forwarded"),
        "referral_source_id": text(found, "referral", "source_id")[:MAX_EXTRA],
        "group_id": text(found, "group_id")[:MAX_EXTRA],
        "errors": [code for code in errors if code is not None],
    }
    return {name: value for name, value in values.items() if value}


def _id(vendor_id: str) -> str:
    """The vendor's id; one that our column can't hold by its digest, so that it still tells repeats."""
    return vendor_id if len(vendor_id) <= MAX_ID else f"long:{digest(vendor_id)}"


def _time(seconds: str) -> datetime | None:
    if not seconds.isdecimal() or not seconds.isascii() or len(seconds) > len(str(_LAST_SECOND)):
        return None
    known = _FIRST_SECOND <= int(seconds) <= _LAST_SECOND
    return datetime.fromtimestamp(int(seconds), UTC) if known else None
