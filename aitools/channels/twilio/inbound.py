"""Twilio's webhook forms to events."""

from __future__ import annotations

import hashlib
import json
import logging
import math
import re
from collections.abc import Mapping, Sequence

from django.http import HttpRequest

from aitools.channels.base import EventKind, InboundMessage
from aitools.channels.twilio import addresses, codes
from aitools.channels.twilio.failures import without_numbers
from aitools.storable import storable
from aitools.types import Json

logger = logging.getLogger(__name__)

Form = Mapping[str, str]

# What our columns hold; Twilio documents shorter values for all of them.
MAX_ADDRESS, MAX_NAME, MAX_PAYLOAD, MAX_EXTRA = 150, 120, 256, 500
MAX_MEDIA = 10

_SID = re.compile(r"[A-Za-z0-9]{1,64}")
_OUTBOX_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_KINDS_WITHOUT_TEXT = frozenset({"image", "audio", "video", "document", "sticker", "location", "contacts", "order"})
_RESUBSCRIBE_ONLY = frozenset({"start", "unstop"})
#: At least one of these stands in every form of Twilio's; not in the knock of `check_channels`.
_TWILIOS = frozenset({"AccountSid", "MessageSid", "SmsSid", "From", "To"})


def parse(request: HttpRequest) -> Sequence[InboundMessage]:
    """The events of a verified request; what we can't place is one too, and is kept."""
    form = {name: storable(request.POST[name]) for name in request.POST}
    if not _TWILIOS & form.keys():
        return []
    sid = form.get("MessageSid") or form.get("SmsSid", "")
    channel, _ = addresses.split(form.get("From", ""))
    if not _SID.fullmatch(sid) or not channel:
        logger.warning("Twilio webhook without a message id or an address we serve.")
        return [_unsupported(form)]
    if "MessageStatus" in form:
        return _status(sid, channel, form, storable(request.GET.get("outbox", "")))
    return _talk(sid, channel, form)


def _status(sid: str, channel: str, form: Form, outbox_id: str) -> Sequence[InboundMessage]:
    word = form["MessageStatus"].lower()
    status = codes.status_of(word)
    if status is None:
        logger.warning("Unknown Twilio status.", extra={"status": word[:40]})
        return [_unsupported(form)]
    code = form.get("ErrorCode", "")[:20]
    return [
        InboundMessage(
            kind=EventKind.STATUS,
            channel=channel,
            provider_id=f"{sid}:{word}",
            account=_address(form.get("From", "")),
            address=_address(form.get("To", "")),
            status=status,
            status_of=sid,
            outbox_id=outbox_id if _OUTBOX_ID.fullmatch(outbox_id) else "",
            error_code=code,
            error_kind=codes.class_of(code).kind if code else "",
            extra=_without_blanks(
                {
                    "user_id": _user_id(form),
                    "error_message": without_numbers(form.get("ErrorMessage") or form.get("ChannelStatusMessage", "")),
                }
            ),
        )
    ]


def _unsupported(form: Form) -> InboundMessage:
    """Belongs to nobody's conversation; a repeat of the same form is the same event."""
    channel = addresses.WHATSAPP if form.get("From", "").startswith("whatsapp:") else addresses.SMS
    content = json.dumps(sorted(form.items())).encode()
    return InboundMessage(
        kind=EventKind.SYSTEM,
        channel=channel,
        provider_id=f"unsupported:{hashlib.sha256(content).hexdigest()}",
        message_kind="unsupported",
    )


def _talk(sid: str, channel: str, form: Form) -> Sequence[InboundMessage]:
    """The message, or what Twilio made of it when its opt-out words matched.

    Twilio has answered each of these words already.  START and UNSTOP say
    nothing but that they come back.  Any other word for it (YES, and what staff
    have configured) may as well be an answer or an order: it stays a message
    that ``opts_in``, and is talk unless they had opted out.
    """
    opt_out = form.get("OptOutType", "").upper()
    if opt_out == "STOP":
        return [_message(sid, channel, form, EventKind.OPT_OUT)]
    if opt_out == "HELP":
        return [_message(sid, channel, form, EventKind.SYSTEM)]
    if opt_out != "START":
        return [_message(sid, channel, form)]
    if form.get("Body", "").strip(" \n.,;!¡").lower() in _RESUBSCRIBE_ONLY:
        return [_message(sid, channel, form, EventKind.OPT_IN)]
    return [_message(sid, channel, form)]


def _message(provider_id: str, channel: str, form: Form, kind: EventKind | None = None) -> InboundMessage:
    payload = form.get("ButtonPayload") or form.get("ListId", "")
    # A button of a template may come without its id; then the message under which it stands tells.
    pressed = payload or (form.get("ButtonText") and form.get("OriginalRepliedMessageSid"))
    address = _address(form.get("From", ""))
    media = _media(form)
    context = _context(form)
    return InboundMessage(
        kind=kind or (EventKind.PRESS if pressed else EventKind.MESSAGE),
        channel=channel,
        provider_id=provider_id,
        account=_address(form.get("To", "")),
        address=address,
        text=form.get("Body") or form.get("ButtonText") or form.get("ListTitle", ""),
        payload=payload[:MAX_PAYLOAD],
        message_kind=_message_kind(form, media),
        profile_name=(form.get("ProfileName", "").strip() or context.get("ProfileName", "").strip())[:MAX_NAME],
        phone=addresses.phone_of(address, f"+{form.get('WaId', '')}", f"+{context.get('WaId', '')}"),
        media=media,
        reply_to=form.get("OriginalRepliedMessageSid", "")[:64],
        extra=_extra(form),
    )


def _message_kind(form: Form, media: Sequence[Mapping[str, Json]]) -> str:
    """The kind of the first medium, else of what the form carries."""
    if form.get("ButtonText") or form.get("ButtonPayload"):
        return "button"
    if form.get("ListId"):
        return "list"
    if media:
        return str(media[0]["kind"])
    if _location(form):
        return "location"
    declared = form.get("MessageType", "text")
    if form.get("Body") or declared == "text":
        return "text"
    return declared if declared in _KINDS_WITHOUT_TEXT else "unsupported"


def _media(form: Form) -> tuple[Mapping[str, Json], ...]:
    found: list[Mapping[str, Json]] = []
    for index in range(MAX_MEDIA):
        if f"MediaUrl{index}" not in form:
            break
        mime_type = form.get(f"MediaContentType{index}", "")
        kind = _media_kind(mime_type, has_text=bool(form.get("Body")))
        found.append({"kind": kind, "mime_type": mime_type, "ref": form[f"MediaUrl{index}"], "filename": None})
    return tuple(found)


def _media_kind(mime_type: str, *, has_text: bool) -> str:
    if mime_type == "image/webp" and not has_text:
        return "sticker"
    if mime_type == "text/vcard":
        return "contacts"
    family = mime_type.partition("/")[0]
    return family if family in ("image", "audio", "video") else "document"


def _extra(form: Form) -> Mapping[str, Json]:
    return _without_blanks(
        {
            "user_id": _user_id(form),
            "parent_user_id": addresses.split(form.get("ParentExternalUserId", ""))[1],
            "username": form.get("ProfileUsername", "").removeprefix("@"),
            "forwarded": form.get("Forwarded") == "true",
            "frequently_forwarded": form.get("FrequentlyForwarded") == "true",
            "location": _location(form),
            "referral_source_id": form.get("ReferralSourceId", ""),
            "referral": _referral(form),
            "interactive": form.get("InteractiveData") or form.get("FlowData", ""),
            "opt_out": form.get("OptOutType", ""),
            "opts_in": form.get("OptOutType", "").upper() == "START",
        }
    )


def _referral(form: Form) -> Mapping[str, Json]:
    """The advertisement through which they came; staff see what the customer saw."""
    names = {
        "body": "ReferralBody",
        "headline": "ReferralHeadline",
        "source_type": "ReferralSourceType",
        "source_url": "ReferralSourceUrl",
        "media_type": "ReferralMediaContentType",
        "media_url": "ReferralMediaUrl",
        "click_id": "ReferralCtwaClid",
    }
    return _without_blanks({name: form.get(field, "") for name, field in names.items()})


def _context(form: Form) -> Mapping[str, str]:
    """What ChannelMetadata repeats of the sender; Twilio describes it nowhere, so anything may be in it."""
    try:
        context = json.loads(form.get("ChannelMetadata", ""))["data"]["context"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return {}
    if not isinstance(context, dict):
        return {}
    return {name: storable(value) for name, value in context.items() if isinstance(value, str)}


def _location(form: Form) -> Mapping[str, Json] | None:
    try:
        latitude, longitude = float(form["Latitude"]), float(form["Longitude"])
    except (KeyError, ValueError):
        return None
    if not (math.isfinite(latitude) and math.isfinite(longitude)):  # jsonb holds neither NaN nor infinity
        return None
    name, street = form.get("Label", "")[:MAX_EXTRA], form.get("Address", "")[:MAX_EXTRA]
    return {"latitude": latitude, "longitude": longitude, "name": name or None, "address": street or None}


def _address(wire: str) -> str:
    return addresses.split(wire)[1][:MAX_ADDRESS]


def _user_id(form: Form) -> str:
    """WhatsApp's business-scoped user id, which comes with and without the prefix."""
    _, sender = addresses.split(form.get("From", ""))
    _, given = addresses.split(form.get("ExternalUserId", ""))
    if given:
        return given
    return "" if not form.get("From", "").startswith("whatsapp:") or addresses.phone_of(sender) else sender


def _without_blanks(values: Mapping[str, Json]) -> Mapping[str, Json]:
    return {name: value[:MAX_EXTRA] if isinstance(value, str) else value for name, value in values.items() if value}
