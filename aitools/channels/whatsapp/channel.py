"""The channel: what it can do, and how a message leaves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import ClassVar

from django.conf import settings
from django.http import HttpRequest

from aitools.channels.base import (
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
from aitools.channels.whatsapp import checkup, client, codes, inbound, media, outbound, signature
from aitools.channels.whatsapp.outbound import BUTTON_TEXT_LIMIT, TEXT_LIMIT
from aitools.channels.whatsapp.values import listed, text
from aitools.errors import ChannelUnknown
from aitools.types import Json

SEND_SECONDS, ATTEND_SECONDS = 18.0, 2.0
#: Meta knows no opting out but blocking; who writes these means us.
OPT_OUT_WORDS = frozenset({"STOP", "STOPALL", "UNSUBSCRIBE", "OPTOUT", "BAJA"})


class WhatsAppCloud:
    """WhatsApp through Meta's Cloud API. Stateless, safe in threads."""

    name: ClassVar[str] = inbound.NAME

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(
            buttons=True,
            text_limit=TEXT_LIMIT,
            button_text_limit=BUTTON_TEXT_LIMIT,
            window_hours=24,
            templates=frozenset(settings.WHATSAPP_LATE_TEMPLATES),
            opt_out_words=OPT_OUT_WORDS,
            per_second=settings.WHATSAPP_PER_SECOND,
            # Meta takes one each six seconds in the long run, and bursts; past that it says so (131056).
            pair_rate=(20, 60),
            lists=True,
            read_receipts=True,
            # "The order in which messages are delivered is not guaranteed" but so, says Meta.
            in_order_after=DeliveryStatus.DELIVERED,
        )

    def verify(self, request: HttpRequest) -> None:
        """Raise ``SignatureError`` unless Meta signed this request."""
        signature.verify(request)

    def parse(self, request: HttpRequest) -> Sequence[InboundMessage]:
        """The events of a verified request; what is unknown is one too."""
        return inbound.parse(request)

    def send(self, message: OutgoingMessage) -> Sent:
        """Hand over one message, with its buttons.

        Raises ``ChannelTransient``, ``ChannelUnknown`` or ``ChannelPermanent``.
        """
        answer = client.post(message.account, outbound.body(message), SEND_SECONDS)
        ids = [text(one, "id") for one in listed(answer, "messages")]
        if not ids or not ids[0]:
            raise ChannelUnknown("Meta's answer has no message id.")
        # Taken is not sent yet: a status tells that.
        return Sent(provider_id=ids[0], status=DeliveryStatus.QUEUED)

    def find_sent(self, message: OutgoingMessage, since: datetime) -> Sent | None:
        """None: Meta lists no messages. A status that brings our row's id is the proof."""
        return None

    def error_class(self, code: str) -> ErrorClass:
        return codes.error_class(code)

    def pause(self, code: str) -> Pause | None:
        return codes.pause(code)

    def check(self) -> Checkup:
        return checkup.look()

    def fetch(self, medium: Mapping[str, Json]) -> Fetched | Unfetched:
        return media.fetch(medium)

    def attend(self, account: str, provider_id: str) -> None:
        """Two blue ticks, and "typing…" until our reply comes or 25 s have passed."""
        body: Mapping[str, Json] = {
            "messaging_product": "whatsapp",
            "status": "read",
            "message_id": provider_id,
            "typing_indicator": {"type": "text"},
        }
        client.post(account, body, ATTEND_SECONDS)
