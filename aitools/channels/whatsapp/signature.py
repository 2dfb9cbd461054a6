"""X-Hub-Signature-256 and the handshake of a new webhook: is this request from Meta?"""

from __future__ import annotations

import hmac

from django.conf import settings
from django.http import HttpRequest

from aitools.errors import SignatureError

HEADER = "X-Hub-Signature-256"


def verify(request: HttpRequest) -> None:
    """Raise ``SignatureError`` unless Meta signed this body.

    The bytes are signed as they came: Meta escapes in its own way, and nothing
    that was parsed and dumped again would match.  Django's refusal of a body
    that is too large passes through.
    """
    if not is_signed(request.body, request.headers.get(HEADER, ""), settings.WHATSAPP_APP_SECRET):
        raise SignatureError(f"{HEADER} does not match.")


def is_signed(body: bytes, header: str, secret: str) -> bool:
    """Whether the header's value fits the body. A secret we don't have refuses."""
    return _same(header, value(body, secret)) and bool(secret)


def value(body: bytes, secret: str) -> str:
    """What the header says of this body."""
    return f"sha256={hmac.new(secret.encode(), body, 'sha256').hexdigest()}"


def challenge(request: HttpRequest) -> str:
    """What Meta wants to read back when the webhook's address is entered there.

    Raises ``SignatureError`` for whoever does not know our verify token.
    """
    asked = request.GET
    token: str = settings.WHATSAPP_VERIFY_TOKEN
    given = asked.get("hub.verify_token", "")
    if asked.get("hub.mode") != "subscribe" or not token or not _same(given, token):
        raise SignatureError("The verify token does not match.")
    return asked.get("hub.challenge", "")


def _same(given: str, wanted: str) -> bool:
    """In constant time, and as bytes: the comparison refuses text that is not ASCII."""
    return hmac.compare_digest(given.encode(errors="replace"), wanted.encode(errors="replace"))
