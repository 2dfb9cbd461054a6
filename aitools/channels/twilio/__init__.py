"""SMS and WhatsApp through Twilio: one wire, two channels."""

from aitools.channels.twilio.channels import TwilioChannel, TwilioSms, TwilioWhatsApp
from aitools.channels.twilio.inbound import parse
from aitools.channels.twilio.signature import verify

__all__ = ["TwilioChannel", "TwilioSms", "TwilioWhatsApp", "parse", "verify"]
