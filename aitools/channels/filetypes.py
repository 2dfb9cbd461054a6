"""Which files of customers are shown or listened to, and whether bytes are what they are said to be.

A closed list: never HTML, never SVG, nothing that a browser could run.  The
first bytes must fit the type, so that nothing else comes in its name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

#: How a file of a type begins.
Looks = Callable[[bytes], bool]


def _starts(*beginnings: bytes) -> Looks:
    return lambda content: content.startswith(beginnings)


def _riff(form: bytes) -> Looks:
    return lambda content: content[:4] == b"RIFF" and content[8:12] == form


def _mpeg_audio(content: bytes) -> bool:
    return content.startswith(b"ID3") or (content[:1] == b"\xff" and content[1:2] >= b"\xe0")


def _iso_media(content: bytes) -> bool:
    return content[4:8] == b"ftyp"


def _aac(content: bytes) -> bool:
    return _mpeg_audio(content) or _iso_media(content)


def _text(content: bytes) -> bool:
    try:
        words = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return False
    return "\x00" not in words and not words.lstrip().startswith("<")


def _card(content: bytes) -> bool:
    return _text(content) and content.decode("utf-8-sig").lstrip().upper().startswith("BEGIN:VCARD")


_ZIPPED, _OLE = _starts(b"PK\x03\x04"), _starts(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
_OFFICE = "application/vnd.openxmlformats-officedocument."
_LOOKS: Mapping[str, Looks] = {
    "image/jpeg": _starts(b"\xff\xd8\xff"),
    "image/png": _starts(b"\x89PNG\r\n\x1a\n"),
    "image/gif": _starts(b"GIF87a", b"GIF89a"),
    "image/webp": _riff(b"WEBP"),
    "audio/ogg": _starts(b"OggS"),
    "audio/mpeg": _mpeg_audio,
    "audio/aac": _aac,
    "audio/mp4": _iso_media,
    "audio/3gpp": _iso_media,
    "audio/amr": _starts(b"#!AMR"),
    "audio/wav": _riff(b"WAVE"),
    "video/mp4": _iso_media,
    "video/3gpp": _iso_media,
    "video/quicktime": _iso_media,
    "application/pdf": _starts(b"%PDF-"),
    f"{_OFFICE}wordprocessingml.document": _ZIPPED,
    f"{_OFFICE}spreadsheetml.sheet": _ZIPPED,
    f"{_OFFICE}presentationml.presentation": _ZIPPED,
    "application/msword": _OLE,
    "application/vnd.ms-excel": _OLE,
    "application/vnd.ms-powerpoint": _OLE,
    "text/vcard": _card,
    "text/plain": _text,
    "text/csv": _text,
}
_SAME_AS: Mapping[str, str] = {
    "image/jpg": "image/jpeg",
    "application/ogg": "audio/ogg",
    "audio/opus": "audio/ogg",
    "audio/mp3": "audio/mpeg",
    "audio/m4a": "audio/mp4",
    "audio/x-m4a": "audio/mp4",
    "audio/x-wav": "audio/wav",
    "audio/wave": "audio/wav",
    "text/x-vcard": "text/vcard",
    "text/directory": "text/vcard",
}
#: What servers say of files they know nothing about.
_VAGUE = frozenset({"", "application/octet-stream", "binary/octet-stream", "text/plain"})


def type_of(content: bytes, *said: str) -> str | None:
    """The type on the list that the bytes are of, None for no such type.

    ``said`` is what tells the type, the server's Content-Type first: the first
    that says anything counts.
    """
    named = [_plain(one) for one in said]
    kind = next((one for one in named if one not in _VAGUE), "text/plain" if "text/plain" in named else "")
    looks = _LOOKS.get(kind)
    return kind if content and looks is not None and looks(content) else None


def _plain(content_type: str) -> str:
    """ "Audio/OGG; codecs=opus" → "audio/ogg"."""
    bare = content_type.partition(";")[0].strip().lower()
    return _SAME_AS.get(bare, bare)
