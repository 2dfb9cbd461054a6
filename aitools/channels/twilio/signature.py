"""X-Twilio-Signature: is this request from Twilio?"""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, QueryDict
from twilio.request_validator import (
    HMAC_SHA1,
    SIGNATURE_HEADER,
    SIGNATURE_SETTINGS_HEADER,
    RequestValidator,
    get_signature_algorithm,
)

from aitools.errors import SignatureError

FORM = "application/x-www-form-urlencoded"
JSON = "application/json"


def verify(request: HttpRequest) -> None:
    """Raise ``SignatureError`` unless Twilio signed this request.

    Django's own refusals of a body (too large, too many fields, not UTF-8)
    pass through.  Other content types are refused unread: Twilio sends none,
    and a multipart body would reach the disk before its signature is known.
    """
    if request.content_type == FORM:
        payload: QueryDict | str = request.POST
    elif request.content_type == JSON:
        payload = request.body.decode("utf-8", errors="replace")
    else:
        raise SignatureError("Twilio sends forms and JSON only.")
    given = request.headers
    if not is_signed(public_url(request), payload, given.get(SIGNATURE_HEADER), given.get(SIGNATURE_SETTINGS_HEADER)):
        raise SignatureError("X-Twilio-Signature does not match.")


def public_url(request: HttpRequest) -> str:
    """The URL as Twilio requested it. Proxies rewrite Host and scheme, so those are not asked."""
    query = request.META.get("QUERY_STRING", "")
    base: str = settings.PUBLIC_URL
    return f"{base.rstrip('/')}{request.path}{'?' if query else ''}{query}"


def is_signed(url: str, payload: QueryDict | str, signature: str | None, key_settings: str | None = None) -> bool:
    """Whether ``signature`` fits the untouched form values, or the text of a JSON body.

    ``key_settings`` is the header of webhooks signed with a shared key; without
    it the account's auth token signs.  A secret we don't have refuses.
    """
    algorithm = get_signature_algorithm(key_settings)
    secret = _secret(algorithm)
    if not secret or not signature:
        return False
    try:
        return bool(RequestValidator(secret).validate(url, payload, signature, algorithm))
    except (TypeError, ValueError):  # the SDK's answer to a JSON body without its hash, or to text it can't encode
        return False


def _secret(algorithm: str) -> str:
    if algorithm.upper() == HMAC_SHA1:
        return str(settings.TWILIO_AUTH_TOKEN)
    return str(settings.TWILIO_SHARED_KEY_SECRET)
