"""The chat page as a channel: requests are a visitor's own, replies are read from our rows."""

from __future__ import annotations

import json
import secrets
import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, ClassVar

from django.http import HttpRequest
from django.utils.translation import gettext as _
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from aitools.channels.base import Capabilities, DeliveryStatus, EventKind, InboundMessage, OutgoingMessage, Sent
from aitools.errors import SignatureError
from aitools.storable import storable

TEXT_LIMIT = 4096
NAME_LIMIT = 60

# The visitor's address lives in the session, so nobody can name another's.
ADDRESS_KEY = "chat_address"

# Before pydantic looks: it refuses strings with lone surrogates, which JSON may hold.
Clean = BeforeValidator(storable)


class PostedError(ValueError):
    """What was posted can't be taken; the text tells the visitor why."""


class Posted(BaseModel):
    """What the page sends: a text, or the id of a pressed button with its title as text.

    ``id`` is made by the page, once per message: sending it again is harmless.
    """

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    id: uuid.UUID
    text: Annotated[str, Field(max_length=TEXT_LIMIT), Clean]
    press: Annotated[str, Field(max_length=256), Clean] = ""
    name: Annotated[str, Field(max_length=NAME_LIMIT), Clean] = ""
    language: Annotated[str, Field(max_length=10)] = ""


class WebChannel:
    """Buttons, and messages that can change: the page draws the rows as they are."""

    name: ClassVar[str] = "web"
    capabilities = Capabilities(buttons=True, edit=True, text_limit=TEXT_LIMIT)

    def verify(self, request: HttpRequest) -> None:
        """Raise ``SignatureError`` unless the session has opened the chat page."""
        if not request.session.get(ADDRESS_KEY):
            raise SignatureError("No chat in this session.")

    def parse(self, request: HttpRequest) -> Sequence[InboundMessage]:
        """The posted message; none when it is malformed or empty."""
        try:
            return [event_of(read(request.body), address_of(request))]
        except PostedError:
            return []

    def send(self, message: OutgoingMessage) -> Sent:
        """Nothing to do: the page reads the outbox itself."""
        return Sent(provider_id=message.outbox_id, status=DeliveryStatus.DELIVERED)

    def find_sent(self, message: OutgoingMessage, since: datetime) -> Sent | None:
        """A send that was interrupted has been made: the row is the message."""
        return self.send(message)


def address_of(request: HttpRequest) -> str:
    """The visitor's address, made at the first visit."""
    address: str = request.session.setdefault(ADDRESS_KEY, secrets.token_urlsafe(16))
    return address


def read(body: bytes) -> Posted:
    """The message in a request's body; raises ``PostedError``, its text in the active language."""
    try:
        posted = Posted.model_validate(json.loads(body))
    except ValidationError as error:
        raise PostedError(_complaint(error)) from error
    except (ValueError, RecursionError) as error:
        raise PostedError(_("That could not be read. Please reload the page.")) from error
    if not posted.text and not posted.press:
        raise PostedError(_("Please write something first."))
    return posted


def _complaint(error: ValidationError) -> str:
    too_long = [fault for fault in error.errors() if fault["type"] == "string_too_long"]
    if not too_long:
        return _("That could not be read. Please reload the page.")
    if too_long[0]["loc"] == ("name",):
        return _("That name is too long: at most %(limit)d characters.") % {"limit": NAME_LIMIT}
    return _("That message is too long: at most %(limit)d characters.") % {"limit": TEXT_LIMIT}


def event_of(posted: Posted, address: str) -> InboundMessage:
    return InboundMessage(
        kind=EventKind.PRESS if posted.press else EventKind.MESSAGE,
        channel=WebChannel.name,
        # With the address: no visitor can take an id another one is going to use.
        provider_id=f"{address}:{posted.id}",
        address=address,
        text=posted.text,
        payload=posted.press,
        message_kind="button" if posted.press else "text",
        profile_name=posted.name,
        extra={"language": posted.language} if posted.language else {},
    )
