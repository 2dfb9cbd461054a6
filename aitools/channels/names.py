"""Channels as people call them."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

_TITLES = {
    "twilio_whatsapp": _("WhatsApp"),
    "whatsapp_cloud": _("WhatsApp"),
    "twilio_sms": _("SMS"),
    "web": _("Chat page"),
    "console": _("Terminal"),
}


def channel_title(name: str) -> str:
    """What a channel is called in the active language; its own name when nobody gave it a title."""
    return str(_TITLES.get(name, name))
