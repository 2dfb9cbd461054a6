"""Names from vendors at a length that our columns hold, whichever channel brings them."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from aitools.channels.base import InboundMessage
from aitools.models import Conversation, InboundEvent
from aitools.storable import storable


def _longest(model: type[Conversation | InboundEvent], column: str) -> int:
    """How many characters the column holds."""
    return int(getattr(model._meta.get_field(column), "max_length", 0))


_ID = _longest(InboundEvent, "provider_id")
_REPLY_TO = _longest(InboundEvent, "reply_to")
_KIND = _longest(InboundEvent, "message_kind")
_ACCOUNT = _longest(Conversation, "account")
_ADDRESS = _longest(Conversation, "address")


def bounded(event: InboundMessage) -> InboundMessage:
    """The event with names that can be stored, the same for the same event. Pure.

    One that is too long goes by its digest, so that it still tells a repeat from
    another and one person from the next.  Nothing can be sent to such an address:
    its vendor refuses it, and staff see that.
    """
    return replace(
        event,
        provider_id=_name(event.provider_id, _ID),
        account=_name(event.account, _ACCOUNT),
        address=_name(event.address, _ADDRESS),
        reply_to=_name(event.reply_to, _REPLY_TO),
        status_of=_name(event.status_of, _REPLY_TO),
        message_kind=_clean(event.message_kind)[:_KIND],
        phone=_clean(event.phone),
        error_code=_clean(event.error_code),
    )


def _name(text: str, longest: int) -> str:
    name = _clean(text)
    return name if len(name) <= longest else f"long:{hashlib.sha256(name.encode()).hexdigest()}"


def _clean(text: str) -> str:
    return str(storable(text))
