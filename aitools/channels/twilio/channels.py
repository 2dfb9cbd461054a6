"""The two channels: what each can do, and how a message leaves."""

from __future__ import annotations

import json
import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import ClassVar, TypeVar
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest
from twilio.rest import Client
from twilio.rest.api.v2010.account.message import MessageInstance

from aitools.channels.base import (
    OPT_IN_WORDS,
    Capabilities,
    Checkup,
    DeliveryStatus,
    ErrorClass,
    Fetched,
    InboundMessage,
    OutgoingMessage,
    Pause,
    Sent,
    Unfetched,
)
from aitools.channels.late import late_text
from aitools.channels.twilio import addresses, checkup, codes, gsm, inbound, media, signature
from aitools.channels.twilio.client import client
from aitools.channels.twilio.failures import channel_error
from aitools.errors import ChannelError, ChannelPermanent, ChannelUnknown
from aitools.types import Json
from aitools.wallclock import within

logger = logging.getLogger(__name__)

Result = TypeVar("Result")

STATUS_PATH = "/webhooks/twilio/status"
TEXT_LIMIT = 1600
BUTTON_TEXT_LIMIT = 1024
# 918 plain characters, 402 with an accent. Twilio advises short ones, but the order in which
# several messages arrive is the carriers' affair, and segments of one are put together again.
SMS_SEGMENTS = 6
CALL_SECONDS = 18.0

LOOKED_UP = 50
# Twilio's clock and our database's need not agree. What this lets in besides are equal words sent
# just before: those are older than the one looked for, and ``sending`` knows whose their ids are.
CLOCK_SLACK = timedelta(seconds=60)

STOP_WORDS_OF_TWILIO = frozenset({"STOP", "STOPALL", "UNSUBSCRIBE", "OPTOUT"})
STOP_WORDS_OF_CARRIERS = frozenset({"END", "QUIT", "REVOKE", "CANCEL"})
STOP_WORDS_IN_SPANISH = frozenset({"ALTO", "BAJA", "PARAR"})
START_WORDS_OF_TWILIO = frozenset({"START", "UNSTOP", "YES"})


class TwilioChannel(ABC):
    """What SMS and WhatsApp through Twilio share. Stateless, safe in threads."""

    name: ClassVar[str]

    @property
    @abstractmethod
    def capabilities(self) -> Capabilities:
        """As the settings allow; they may change in tests only."""

    def verify(self, request: HttpRequest) -> None:
        """Raise ``SignatureError`` unless Twilio signed this request."""
        signature.verify(request)

    def parse(self, request: HttpRequest) -> Sequence[InboundMessage]:
        """The events of a verified request, of either channel."""
        return inbound.parse(request)

    def send(self, message: OutgoingMessage) -> Sent:
        """Hand over one message: as a Content template for buttons or after the window, else as text.

        Raises ``ChannelTransient``, ``ChannelUnknown`` or ``ChannelPermanent``.
        """
        parameters = self._parameters(message)
        return _sent(_asked(lambda twilio: twilio.messages.create(**parameters)))

    def find_sent(self, message: OutgoingMessage, since: datetime) -> Sent | None:
        """The newest message with this text to this customer created since then.

        Twilio returns nothing of ours on a message, so text and time are the
        proof; None also when the look-up itself fails.
        """
        parties = {"to": addresses.join(self.name, message.address), **self._sender(message)}
        parties.pop("messaging_service_sid", None)  # a service picks the number itself
        created_since = since.astimezone(UTC).replace(microsecond=0) - CLOCK_SLACK
        try:
            listed = _asked(lambda twilio: twilio.messages.list(**parties, limit=LOOKED_UP, page_size=LOOKED_UP))
        except ChannelError as error:
            logger.warning("Twilio look-up failed.", extra={"code": error.code, "kind": error.kind})
            return None
        return next((_sent(one) for one in listed if self._is_same(one, message, created_since)), None)

    def fetch(self, medium: Mapping[str, Json]) -> Fetched | Unfetched:
        return media.fetch(medium)

    def error_class(self, code: str) -> ErrorClass:
        return codes.class_of(code)

    def pause(self, code: str) -> Pause | None:
        return codes.pause(code)

    def check(self) -> Checkup:
        """What is missing or wrong in the settings, at Twilio, or on the way to us."""
        return checkup.look(self.name, self.configured_sender)

    def on_the_wire(self, text: str) -> str:
        """The text as this channel sends it."""
        return text

    @property
    @abstractmethod
    def configured_sender(self) -> str:
        """Our number, or the messaging service, when the conversation names none."""

    def _parameters(self, message: OutgoingMessage) -> dict[str, str]:
        to = addresses.join(self.name, message.address)
        parameters = {"to": to, **self._content(message), **self._sender(message)}
        if settings.PUBLIC_URL:
            query = urlencode({"outbox": message.outbox_id})
            parameters["status_callback"] = f"{settings.PUBLIC_URL.rstrip('/')}{STATUS_PATH}?{query}"
        return parameters

    def _content(self, message: OutgoingMessage) -> dict[str, str]:
        """The text, or the template that carries it."""
        return {"body": self.on_the_wire(message.text)}

    def _sender(self, message: OutgoingMessage) -> dict[str, str]:
        sender = message.account or self.configured_sender
        if not sender:
            raise ChannelPermanent(f"No sender is configured for {self.name}.", kind="config")
        if sender.startswith("MG"):
            return {"messaging_service_sid": sender}
        return {"from_": addresses.join(self.name, sender)}

    def _is_same(self, listed: MessageInstance, message: OutgoingMessage, created_since: datetime) -> bool:
        if listed.date_created is None or listed.date_created < created_since:
            return False
        ours, theirs = self.on_the_wire(message.text).split(), str(listed.body or "").split()
        # A template has words of its own around ours.
        return " ".join(ours) in " ".join(theirs) if message.as_template else ours == theirs


class TwilioSms(TwilioChannel):
    name = addresses.SMS

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(
            text_limit=SMS_SEGMENTS,
            measure=gsm.segments,
            opt_out_words=STOP_WORDS_OF_TWILIO | STOP_WORDS_OF_CARRIERS | STOP_WORDS_IN_SPANISH,
            opt_in_words=OPT_IN_WORDS | START_WORDS_OF_TWILIO,
            welcomed_words=START_WORDS_OF_TWILIO,
            per_second=settings.TWILIO_SMS_PER_SECOND,
            # Carriers tell of few deliveries, and late.
            in_order_after=DeliveryStatus.SENT if settings.PUBLIC_URL else None,
        )

    def on_the_wire(self, text: str) -> str:
        return gsm.plain(text)

    @property
    def configured_sender(self) -> str:
        return str(settings.TWILIO_SMS_FROM)


class TwilioWhatsApp(TwilioChannel):
    """Buttons and messages after the window need Content templates, one a language; see docs/twilio.md."""

    name = addresses.WHATSAPP

    @property
    def capabilities(self) -> Capabilities:
        questions = settings.TWILIO_QUESTION_CONTENT_SIDS
        return Capabilities(
            buttons=bool(questions),
            button_languages=frozenset(questions),
            button_text_limit=BUTTON_TEXT_LIMIT,
            text_limit=TEXT_LIMIT,
            window_hours=24,
            templates=frozenset(settings.TWILIO_LATE_CONTENT_SIDS),
            opt_out_words=STOP_WORDS_OF_TWILIO | {"BAJA"},
            per_second=settings.TWILIO_WHATSAPP_PER_SECOND,
            in_order_after=DeliveryStatus.DELIVERED if settings.PUBLIC_URL else None,
            read_receipts=True,
        )

    @property
    def configured_sender(self) -> str:
        return str(settings.TWILIO_WHATSAPP_FROM)

    def _content(self, message: OutgoingMessage) -> dict[str, str]:
        language = message.language.partition("-")[0]
        if message.as_template and (late := settings.TWILIO_LATE_CONTENT_SIDS.get(language)):
            return _template(late, [late_text(message.text)])
        if message.buttons and (question := settings.TWILIO_QUESTION_CONTENT_SIDS.get(language)):
            return _template(question, [message.text, *(button.id for button in message.buttons)])
        return super()._content(message)


def _template(sid: str, values: Sequence[str]) -> dict[str, str]:
    """A Content template with its variables, which are numbered from 1."""
    variables = {str(number): value for number, value in enumerate(values, 1)}
    return {"content_sid": sid, "content_variables": json.dumps(variables, ensure_ascii=False)}


def _asked(request: Callable[[Client], Result]) -> Result:
    """The SDK's answer within our time limit; every failure as a ``ChannelError``."""
    twilio = client()
    try:
        return within(CALL_SECONDS, lambda: request(twilio))
    except Exception as error:
        # Errors of all libraries below the SDK come through, and each has to
        # be judged: may the message have been taken?
        raise channel_error(error) from error


def _sent(message: MessageInstance) -> Sent:
    if not message.sid:
        raise ChannelUnknown("Twilio's answer has no message id.")
    status = codes.status_of(str(message.status)) or DeliveryStatus.QUEUED
    return Sent(provider_id=message.sid, status=status, error_code=str(message.error_code or ""))
