"""WhatsApp through Meta's Cloud API."""

from aitools.channels.whatsapp.channel import WhatsAppCloud
from aitools.channels.whatsapp.inbound import parse
from aitools.channels.whatsapp.signature import challenge, verify

__all__ = ["WhatsAppCloud", "challenge", "parse", "verify"]
