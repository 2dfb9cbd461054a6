"""Who a message is from or to: a phone number, a WhatsApp user id, or both."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from aitools.channels.whatsapp.values import Value, text

MAX_ADDRESS, MAX_NAME = 150, 120

_PHONE = re.compile(r"\+?(\d{5,20})")


@dataclass(frozen=True, slots=True)
class Person:
    """``phone`` in E.164 and ``user_id`` (``CO.1349…``): either may be "", since people may hide their number."""

    phone: str = ""
    user_id: str = ""
    parent_user_id: str = ""
    name: str = ""
    username: str = ""

    @property
    def address(self) -> str:
        """Where to write to them; "" for nobody."""
        found = self.phone or self.user_id
        return found if len(found) <= MAX_ADDRESS else ""


def person(contacts: Sequence[Value], phone: str, user_id: str, parent_user_id: str = "") -> Person:
    """The person with these ids, and what the contacts beside the message say of them.

    Contacts are found by their ids: their order says nothing, and they may be missing.
    """
    digits = _digits(phone)
    card = next((one for one in contacts if _is_of(one, digits, user_id)), None)
    found = digits or _digits(text(card, "wa_id"))
    return Person(
        phone=f"+{found}" if found else "",
        user_id=user_id or text(card, "user_id") or ("" if digits else phone),
        parent_user_id=parent_user_id or text(card, "parent_user_id"),
        name=text(card, "profile", "name").strip()[:MAX_NAME],
        username=text(card, "profile", "username").removeprefix("@"),
    )


def _is_of(contact: Value, digits: str, user_id: str) -> bool:
    same_phone = bool(digits) and _digits(text(contact, "wa_id")) == digits
    return same_phone or (bool(user_id) and text(contact, "user_id") == user_id)


def _digits(phone: str) -> str:
    match = _PHONE.fullmatch(phone)
    return match[1] if match else ""
