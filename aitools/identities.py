"""One person with several addresses on a channel: a number, a user id, and new ones of both.

People may hide their number: then only the user id comes with their messages.
Which conversation a user id belongs to is kept as a row of the inbox, since the
id is unique there as every event's is.
"""

from __future__ import annotations

import logging

from django.conf import settings
from django.db.models import QuerySet
from django.utils.module_loading import import_string

from aitools.channels.base import EventKind, InboundMessage
from aitools.interruptions import forget_talk, interrupt, read_all
from aitools.models import Conversation, InboundEvent, InboundState

log = logging.getLogger(__name__)

IDENTITY = "identity"


def known_as(event: InboundMessage) -> int | None:
    """The conversation of a sender whose address is new but whose user id is not."""
    user_id = _user_id(event)
    if not user_id:
        return None
    by_id = Conversation.objects.filter(channel=event.channel, account=event.account, address=user_id)
    found: int | None = by_id.values_list("pk", flat=True).first()
    if found is not None:
        return found
    rows = InboundEvent.objects.filter(channel=event.channel, provider_id=_key(event.account, user_id))
    return rows.values_list("conversation_id", flat=True).first()


def remember(conversation: Conversation, event: InboundMessage) -> None:
    """The user id at an address, to be found by when the number is hidden. Needs a transaction.

    The caller has locked the conversation, and saves it.  A number that comes
    with another user id, without a word from the vendor, has somebody else now.
    """
    _follow(conversation, event)
    name = key_of(event)
    if not name or _user_id(event) == conversation.address:
        return
    mine = InboundEvent.objects.filter(conversation=conversation, channel=event.channel, provider_id=name)
    if mine.exists():
        return
    had = InboundEvent.objects.filter(conversation=conversation, message_kind=IDENTITY)
    if had.exists():
        if not _is_number(conversation.address):
            return
        _pass_on(conversation, had)
    _remember(conversation, _user_id(event))


def _follow(conversation: Conversation, event: InboundMessage) -> None:
    """Found by their user id at a number that we have not seen: that is where they are now."""
    old, new = conversation.address, event.address
    if new == old or not (_is_number(old) and _is_number(new)):
        return
    _tell(conversation.channel, old, new)
    conversation.address = new


def _pass_on(conversation: Conversation, had: QuerySet[InboundEvent]) -> None:
    """The number is another person's: they begin anew, and who had it is known by their own id alone."""
    newest = had.order_by("-id").values_list("provider_id", flat=True)[0]
    _leave_behind(conversation)
    _tell(conversation.channel, conversation.address, newest.removeprefix(_key(conversation.account, "")))
    had.delete()


def move(conversation: Conversation, row: InboundEvent) -> None:
    """The person has a new number or user id: write there from now on.

    The caller has locked the conversation and saves it.  When they wrote from
    the new address before we heard of it there are two conversations, and they
    stay two; the old one begins anew, for whoever has the address next.
    """
    change = row.extra.get("system") or {}
    phone, user_id = str(change.get("new_address") or ""), str(change.get("new_user_id") or "")
    if user_id:
        _remember(conversation, user_id[:150])
    old, new = conversation.address, phone or (user_id if _is_user_id(conversation) else "")
    if not new or new == old or len(new) > 150:
        return
    _tell(conversation.channel, old, new)
    known = Conversation.objects.filter(channel=conversation.channel, account=conversation.account, address=new)
    if known.exists():
        _leave_behind(conversation)
        return
    conversation.address = new
    conversation.phone = phone[:20] or conversation.phone


def _leave_behind(conversation: Conversation) -> None:
    """The address may be somebody else's tomorrow: they must not hear of what was said and asked here."""
    log.info("conversation %s has a second one at its new address", conversation.pk)
    interrupt(conversation, "the customer left this address", tell_effects=False)
    read_all(conversation, InboundState.STAFF)
    forget_talk(conversation)
    conversation.profile_name = ""


def _is_user_id(conversation: Conversation) -> bool:
    """Whether we write to the user id: else a new one changes nothing but how they are found."""
    return not _is_number(conversation.address)


def _is_number(address: str) -> bool:
    return address.removeprefix("+").isdecimal()


def _tell(channel: str, old: str, new: str) -> None:
    """The shop's own rows go by address too."""
    path: str = getattr(settings, "AITOOLS_ADDRESS_CHANGED", "")
    if path:
        import_string(path)(channel, old, new)


def _remember(conversation: Conversation, user_id: str) -> None:
    InboundEvent.objects.get_or_create(
        channel=conversation.channel,
        provider_id=_key(conversation.account, user_id),
        defaults={
            "conversation": conversation,
            "kind": EventKind.SYSTEM,
            "message_kind": IDENTITY,
            "state": InboundState.APPLIED,
        },
    )


def key_of(event: InboundMessage) -> str:
    """The name under which the sender's user id is kept beside their address; "" when it brings none."""
    user_id = _user_id(event)
    return _key(event.account, user_id) if user_id and user_id != event.address else ""


def _user_id(event: InboundMessage) -> str:
    return str(event.extra.get("user_id") or "")[:150]


def _key(account: str, user_id: str) -> str:
    return f"user:{account}:{user_id}"[:255]
