"""Vendors' keys at rest: sealed with AES-256-GCM under ``SECRETS_KEY``, opened only to be used.

A sealed text says which of our keys sealed it, and opens only at the place it
was sealed for: copied to another row it is worth nothing.  What was opened or
typed here is remembered, so that logs and error reports can leave it out.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
import re

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings

from aitools.errors import ConfigurationError

KEY_BYTES = 32
NONCE_BYTES = 12
#: What a sealed text looks like, wherever it stands.
SEALED = re.compile(r"sealed1:[0-9a-f]{8}:[A-Za-z0-9_-]+")

#: Plain keys that this process has handled.
_handled: set[str] = set()


class CannotSeal(ConfigurationError):
    """``SECRETS_KEY`` is not set, so no key can be stored."""


class CannotOpen(ConfigurationError):
    """A stored key was sealed under a key that is not in ``SECRETS_KEY``, or for another row."""


def can_seal() -> bool:
    """Whether ``SECRETS_KEY`` is set."""
    return bool(_ring())


def seal(plain: str, place: str) -> str:
    """The text to store at a place, such as "endpoint 7". Raises ``CannotSeal`` without ``SECRETS_KEY``."""
    ring = _ring()
    if not ring:
        raise CannotSeal("SECRETS_KEY is not set.")
    hide(plain)
    key_id, key = next(iter(ring.items()))
    nonce = os.urandom(NONCE_BYTES)
    closed = AESGCM(key).encrypt(nonce, plain.encode(), place.encode())
    return f"sealed1:{key_id}:{base64.urlsafe_b64encode(nonce + closed).decode().rstrip('=')}"


def unseal(sealed: str, place: str) -> str:
    """The plain text. Raises ``CannotOpen``, which says neither text."""
    key = _ring().get(_key_id_of(sealed))
    if key is None:
        raise CannotOpen("The key that sealed it is not in SECRETS_KEY.")
    try:
        closed = _decoded(sealed.rpartition(":")[2])
        plain = AESGCM(key).decrypt(closed[:NONCE_BYTES], closed[NONCE_BYTES:], place.encode()).decode()
    except (InvalidTag, ValueError) as error:
        raise CannotOpen("It was changed, or sealed for another place.") from error
    hide(plain)
    return plain


def opens(sealed: str, place: str) -> bool:
    """Whether it can be opened here and now."""
    try:
        unseal(sealed, place)
    except CannotOpen:
        return False
    return True


def is_newest(sealed: str) -> bool:
    """Whether it was sealed by the first of our keys, the one that seals now."""
    return _key_id_of(sealed) == next(iter(_ring()), None)


def hide(plain: str) -> None:
    """From here on this process's logs and error reports leave the text out."""
    if plain:
        _handled.add(plain)


def handled() -> frozenset[str]:
    """Plain keys that must stand in no log and no report."""
    return frozenset(_handled)


def parsed(text: str) -> tuple[str, ...]:
    """The keys in the form of ``SECRETS_KEY``: base64 of 32 bytes, separated by commas. Raises ``ValueError``."""
    keys = tuple(entry.strip() for entry in text.split(",") if entry.strip())
    if any(len(_decoded(key)) != KEY_BYTES for key in keys):
        raise ValueError(f"a key must have {KEY_BYTES} bytes")
    return keys


def _ring() -> dict[str, bytes]:
    """Our keys by their ids; the first one seals."""
    keys = [_decoded(key) for key in settings.SECRETS_KEY]
    return {hashlib.sha256(b"bakery-desk:" + key).hexdigest()[:8]: key for key in keys}


def _key_id_of(sealed: str) -> str:
    return sealed.split(":")[1] if SEALED.fullmatch(sealed) else ""


def _decoded(text: str) -> bytes:
    """Base64 in either alphabet, with or without its padding. Raises ``ValueError``."""
    bare = text.strip().rstrip("=").translate(str.maketrans("+/", "-_"))
    try:
        return base64.b64decode(bare + "=" * (-len(bare) % 4), altchars=b"-_", validate=True)
    except binascii.Error as error:
        raise ValueError("not base64") from error
