"""Twilio's addresses: the channel is a prefix on the wire and nowhere else.

Inside, an address is an E.164 number, a short code, or a WhatsApp user id
(``CO.1234…``, of people who hide their number).
"""

from __future__ import annotations

import re

SMS = "twilio_sms"
WHATSAPP = "twilio_whatsapp"

_PREFIXES = {SMS: "", WHATSAPP: "whatsapp:"}
_PHONE = re.compile(r"\+[1-9]\d{6,14}")
_BARE_NUMBER = re.compile(r"[1-9]\d{9,14}")


def split(wire: str) -> tuple[str, str]:
    """Channel and address of a From or To; channel "" for one we don't serve."""
    prefix, colon, rest = wire.strip().rpartition(":")
    for channel, known in _PREFIXES.items():
        if rest and prefix + colon == known:
            return channel, f"+{rest}" if _BARE_NUMBER.fullmatch(rest) else rest
    return "", wire.strip()


def join(channel: str, address: str) -> str:
    """The wire form, for an address with or without its prefix."""
    prefix = _PREFIXES[channel]
    return address if address.startswith(prefix) else prefix + address


def phone_of(*candidates: str) -> str:
    """The first that is a phone number, in E.164; "" when none is."""
    return next((one for one in candidates if _PHONE.fullmatch(one)), "")
