"""What one WhatsApp message says, by its type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from aitools.channels.whatsapp.values import Value, at, flag, listed, number, text
from aitools.types import Json

MAX_PAYLOAD, MAX_EXTRA, MAX_LISTED = 256, 500, 100
#: Only numbers that are shared with the Business app get these.
EDIT, REVOKE = "edit", "revoke"


@dataclass(frozen=True, slots=True)
class Content:
    """``kind`` as the engine stores it; ``payload`` is the id of what was pressed."""

    kind: str
    text: str = ""
    payload: str = ""
    media: tuple[Mapping[str, Json], ...] = ()
    extra: Mapping[str, Json] = field(default_factory=dict)


UNSUPPORTED = Content("unsupported")


def content_of(message: Value) -> Content:
    """The content under the key of the message's type; unsupported when that is missing or unknown."""
    kind = text(message, "type")
    reader = _READERS.get(kind)
    if reader is None or at(message, kind) in (None, "", [], {}):
        return UNSUPPORTED
    return reader(at(message, kind))


def _text(found: Value) -> Content:
    return Content("text", text(found, "body")) if isinstance(at(found, "body"), str) else UNSUPPORTED


def _medium(kind: str) -> Callable[[Value], Content]:
    def read(found: Value) -> Content:
        shown = "voice" if kind == "audio" and flag(found, "voice") else kind
        medium: Mapping[str, Json] = {
            "kind": shown,
            "mime_type": text(found, "mime_type")[:MAX_EXTRA],
            "ref": text(found, "id")[:MAX_EXTRA],
            "filename": text(found, "filename")[:MAX_EXTRA] or None,
        }
        return Content(shown, text(found, "caption"), media=(medium,) if medium["ref"] else ())

    return read


def _location(found: Value) -> Content:
    latitude, longitude = number(found, "latitude"), number(found, "longitude")
    if latitude is None or longitude is None:
        return UNSUPPORTED
    place: Mapping[str, Json] = {
        "latitude": latitude,
        "longitude": longitude,
        "name": text(found, "name")[:MAX_EXTRA] or None,
        "address": text(found, "address")[:MAX_EXTRA] or None,
    }
    return Content("location", extra={"location": place})


def _contacts(found: Value) -> Content:
    cards: list[Json] = [
        {
            "name": text(card, "name", "formatted_name")[:MAX_EXTRA] or None,
            "phones": [text(phone, "phone")[:MAX_EXTRA] for phone in listed(card, "phones")[:MAX_LISTED]],
        }
        for card in listed({"contacts": found}, "contacts")[:MAX_LISTED]
    ]
    return Content("contacts", extra={"shared_contacts": cards})


def _interactive(found: Value) -> Content:
    for key, kind in (("button_reply", "button"), ("list_reply", "list")):
        if text(found, "type") == key and text(found, key, "id"):
            return Content(kind, text(found, key, "title"), text(found, key, "id")[:MAX_PAYLOAD])
    return UNSUPPORTED


def _button(found: Value) -> Content:
    """A quick reply of a template."""
    return Content("button", text(found, "text"), text(found, "payload")[:MAX_PAYLOAD])


def _reaction(found: Value) -> Content:
    reaction: Mapping[str, Json] = {
        "emoji": text(found, "emoji")[:MAX_EXTRA] or None,
        "message_id": text(found, "message_id")[:MAX_EXTRA],
    }
    return Content("reaction", extra={"reaction": reaction})


def _order(found: Value) -> Content:
    """A cart from a catalogue; its prices are the catalogue's and never ours."""
    lines: list[Json] = [
        {
            "id": text(item, "product_retailer_id")[:MAX_EXTRA],
            "quantity": number(item, "quantity"),
            "item_price": _price(at(item, "item_price")),
            "currency": text(item, "currency")[:MAX_EXTRA],
        }
        for item in listed(found, "product_items")[:MAX_LISTED]
    ]
    return Content("order", text(found, "text"), extra={"order": lines})


def _price(value: Value) -> str | None:
    is_number = isinstance(value, int | Decimal) and not isinstance(value, bool)
    return str(value)[:MAX_EXTRA] if is_number else None


def _system(found: Value) -> Content:
    new_phone = text(found, "wa_id")
    change: Mapping[str, Json] = {
        "type": text(found, "type")[:MAX_EXTRA],
        "new_address": f"+{new_phone}" if new_phone.isdecimal() else None,
        "new_user_id": text(found, "user_id")[:MAX_EXTRA] or None,
    }
    return Content("system", extra={"system": change})


def _edit(found: Value) -> Content:
    """The new words; what they replace is named by its id."""
    new = content_of(at(found, "message"))
    original: Mapping[str, Json] = {"original_id": text(found, "original_message_id")[:MAX_EXTRA]}
    return Content(EDIT, new.text, media=new.media, extra={**new.extra, **original})


def _revoke(found: Value) -> Content:
    return Content(REVOKE, extra={"original_id": text(found, "original_message_id")[:MAX_EXTRA]})


_READERS: Mapping[str, Callable[[Value], Content]] = {
    "text": _text,
    **{kind: _medium(kind) for kind in ("image", "video", "document", "audio", "sticker")},
    "location": _location,
    "contacts": _contacts,
    "interactive": _interactive,
    "button": _button,
    "reaction": _reaction,
    "order": _order,
    "system": _system,
    EDIT: _edit,
    REVOKE: _revoke,
}
