"""Webhooks: verify, parse, store, answer. No model and no vendor is called here."""

from __future__ import annotations

import logging

from django.core.exceptions import BadRequest, RequestDataTooBig, TooManyFieldsSent
from django.http import HttpRequest, HttpResponse
from django.http.request import UnreadablePostError
from ninja import Router

from aitools import inbox
from aitools.channels import twilio
from aitools.errors import SignatureError

logger = logging.getLogger(__name__)

router = Router()

# Anything but empty TwiML would be sent to the customer as text, or logged by
# Twilio as an error.
NOTHING_TO_SAY = "<Response/>"


@router.post("/twilio", auth=None, include_in_schema=False)
def twilio_message(request: HttpRequest) -> HttpResponse:
    """A message or button press by SMS or WhatsApp."""
    return _receive_from_twilio(request)


@router.post("/twilio/status", auth=None, include_in_schema=False)
def twilio_status(request: HttpRequest) -> HttpResponse:
    """What became of a message we sent; ``?outbox=`` is the key we gave it."""
    return _receive_from_twilio(request)


def _receive_from_twilio(request: HttpRequest) -> HttpResponse:
    """200 once the events are stored, also when they already were; 403 unsigned; 413 or 400 unreadable."""
    try:
        twilio.verify(request)
    except SignatureError as error:
        logger.warning("Webhook refused: %s", error)
        return HttpResponse(status=403)
    except (RequestDataTooBig, TooManyFieldsSent):
        return HttpResponse(status=413)
    except (BadRequest, UnreadablePostError):
        return HttpResponse(status=400)
    inbox.receive(twilio.parse(request))
    return HttpResponse(NOTHING_TO_SAY, content_type="text/xml")
