"""The channel: what it can do, and how a message leaves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import ClassVar

from django.http import HttpRequest

from aitools.channels.base import (
    Capabilities,
    DeliveryStatus,
    ErrorClass,
    InboundMessage,
    OutgoingMessage,
    Sent,
)
from aitools.channels.whatsapp import client, codes, inbound, signature
from aitools.channels.whatsapp.values import listed, text
from aitools.errors import ChannelUnknown
from aitools.splitting import utf16_units
from aitools.types import Button, Json

SEND_SECONDS, ATTEND_SECONDS = 18.0, 2.0
TEXT_LIMIT, BUTTON_TEXT_LIMIT = 4096, 1024
MOST_BUTTONS = 3
#: Meta knows no opting out but blocking; who writes these means us.
OPT_OUT_WORDS = frozenset({"STOP", "STOPALL", "UNSUBSCRIBE", "OPTOUT", "BAJA"})


class WhatsAppCloud:
    """WhatsApp through Meta's Cloud API. Stateless, safe in threads."""

    name: ClassVar[str] = inbound.NAME
    capabilities = Capabilities(
        buttons=True,
        text_limit=TEXT_LIMIT,
        button_text_limit=BUTTON_TEXT_LIMIT,
        window_hours=24,
        opt_out_words=OPT_OUT_WORDS,
        per_second=80,
        # Meta takes one each six seconds in the long run, and bursts; past that it says so (131056).
        pair_rate=(20, 60),
        lists=True,
        read_receipts=True,
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
        answer = client.post(message.account, _body(message), SEND_SECONDS)
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

    def attend(self, account: str, provider_id: str) -> None:
        """Two blue ticks, and "typing…" until our reply comes or 25 s have passed."""
        body: Mapping[str, Json] = {
            "messaging_product": "whatsapp",
            "status": "read",
            "message_id": provider_id,
            "typing_indicator": {"type": "text"},
        }
        client.post(account, body, ATTEND_SECONDS)


def _body(message: OutgoingMessage) -> Mapping[str, Json]:
    return {
        "messaging_product": "whatsapp",
        "recipient_type": "individual",
        **_recipient(message.address),
        **_content(message),
        "biz_opaque_callback_data": message.outbox_id,
    }


def _recipient(address: str) -> Mapping[str, Json]:
    """People who hide their number are written to by their user id."""
    is_phone = address.removeprefix("+").isdecimal()
    return {"to": address} if is_phone else {"recipient": address}


def _content(message: OutgoingMessage) -> Mapping[str, Json]:
    # The outbox cuts questions to fit; one that does not is still better sent than refused.
    fits = utf16_units(message.text) <= BUTTON_TEXT_LIMIT and len(message.buttons) <= MOST_BUTTONS
    if not message.buttons or not fits:
        return {"type": "text", "text": {"body": message.text}}
    action: Mapping[str, Json] = {"buttons": [_reply(button) for button in message.buttons]}
    return {"type": "interactive", "interactive": {"type": "button", "body": {"text": message.text}, "action": action}}


def _reply(button: Button) -> Mapping[str, Json]:
    return {"type": "reply", "reply": {"id": button.id, "title": button.title}}
