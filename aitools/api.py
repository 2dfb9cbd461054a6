"""Webhooks: verify, parse, store, answer. No model and no vendor is called here."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Protocol

from django.core.exceptions import BadRequest, RequestDataTooBig, TooManyFieldsSent
from django.http import HttpRequest, HttpResponse
from django.http.request import UnreadablePostError
from ninja import Router

from aitools import inbox, metrics
from aitools.channels import twilio, whatsapp
from aitools.channels.base import InboundMessage
from aitools.errors import SignatureError

logger = logging.getLogger(__name__)

router = Router()

# Anything but empty TwiML would be sent to the customer as text, or logged by
# Twilio as an error.
NOTHING_TO_SAY = "<Response/>"


@router.post("/twilio", auth=None, include_in_schema=False)
def twilio_message(request: HttpRequest) -> HttpResponse:
    """A message or button press by SMS or WhatsApp."""
    return _received(request, twilio, HttpResponse(NOTHING_TO_SAY, content_type="text/xml"))


@router.post("/twilio/status", auth=None, include_in_schema=False)
def twilio_status(request: HttpRequest) -> HttpResponse:
    """What became of a message we sent; ``?outbox=`` is the key we gave it."""
    return _received(request, twilio, HttpResponse(NOTHING_TO_SAY, content_type="text/xml"))


@router.get("/whatsapp", auth=None, include_in_schema=False)
def whatsapp_challenge(request: HttpRequest) -> HttpResponse:
    """Meta asks whether this address is ours when it is entered as the webhook."""
    try:
        return HttpResponse(whatsapp.challenge(request), content_type="text/plain")
    except SignatureError as error:
        logger.warning("Webhook refused: %s", error)
        return HttpResponse(status=403)


@router.post("/whatsapp", auth=None, include_in_schema=False)
def whatsapp_events(request: HttpRequest) -> HttpResponse:
    """Messages, presses and statuses, up to a thousand in one request; anything but 200 is sent again for days."""
    return _received(request, whatsapp, HttpResponse(content_type="text/plain"))


class Vendor(Protocol):
    """Whose requests they are: a module of ``aitools.channels``."""

    __name__: str

    def verify(self, request: HttpRequest) -> None: ...

    def parse(self, request: HttpRequest) -> Sequence[InboundMessage]: ...


def _received(request: HttpRequest, vendor: Vendor, answer: HttpResponse) -> HttpResponse:
    """``answer`` once the events are stored, also when they already were; 403 unsigned; 413 or 400 unreadable."""
    result = "failed"
    try:
        response, result = _taken(request, vendor, answer)
    finally:
        metrics.webhook(vendor.__name__.rpartition(".")[2], result)
    return response


def _taken(request: HttpRequest, vendor: Vendor, answer: HttpResponse) -> tuple[HttpResponse, str]:
    """The response, and in one word what became of the request."""
    try:
        vendor.verify(request)
    except SignatureError as error:
        logger.warning("Webhook refused: %s", error)
        return HttpResponse(status=403), "refused"
    except (RequestDataTooBig, TooManyFieldsSent):
        return HttpResponse(status=413), "unreadable"
    except (BadRequest, UnreadablePostError):
        return HttpResponse(status=400), "unreadable"
    stored = inbox.receive(vendor.parse(request))
    return answer, "stored" if stored else "nothing new"
