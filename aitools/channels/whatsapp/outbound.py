"""The body of a request that sends: text, buttons, a list, or a template after the window."""

from __future__ import annotations

from collections.abc import Mapping

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext as _

from aitools.channels.base import OutgoingMessage
from aitools.channels.late import late_text
from aitools.splitting import utf16_units
from aitools.types import Button, Json

TEXT_LIMIT, BUTTON_TEXT_LIMIT = 4096, 1024
#: More choices than this make a list, which holds its own number at most.
MOST_BUTTONS, MOST_ROWS = 3, 10
ROW_TITLE_LIMIT = 24


def body(message: OutgoingMessage) -> Mapping[str, Json]:
    """One message as Meta takes it; the key of our row comes back in its statuses."""
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
    language = message.language.partition("-")[0]
    if message.as_template and (late := settings.WHATSAPP_LATE_TEMPLATES.get(language)):
        return _template(late, language, message.text)
    # The outbox cuts questions to fit; one that does not is still better sent than refused.
    if not 0 < len(message.buttons) <= MOST_ROWS or utf16_units(message.text) > BUTTON_TEXT_LIMIT:
        return {"type": "text", "text": {"body": message.text}}
    choose = _buttons(message) if len(message.buttons) <= MOST_BUTTONS else _list(message)
    return {"type": "interactive", "interactive": {"body": {"text": message.text}, **choose}}


def _buttons(message: OutgoingMessage) -> Mapping[str, Json]:
    replies: list[Json] = [{"type": "reply", "reply": _option(button)} for button in message.buttons]
    return {"type": "button", "action": {"buttons": replies}}


def _list(message: OutgoingMessage) -> Mapping[str, Json]:
    rows: list[Json] = [{**_option(button), "title": button.title[:ROW_TITLE_LIMIT]} for button in message.buttons]
    with translation.override(message.language):
        return {"type": "list", "action": {"button": _("Choose"), "sections": [{"rows": rows}]}}


def _option(button: Button) -> Mapping[str, Json]:
    return {"id": button.id, "title": button.title}


def _template(late: str, language: str, text: str) -> Mapping[str, Json]:
    """An approved template, ``name`` or ``name:es_CO``, with our text as its only variable."""
    name, _colon, code = late.partition(":")
    value: Mapping[str, Json] = {"type": "text", "text": late_text(text)}
    filled: list[Json] = [{"type": "body", "parameters": [value]}]
    return {
        "type": "template",
        "template": {"name": name, "language": {"code": code or language}, "components": filled},
    }
