"""Which files of customers are shown or listened to, and whether bytes are what they are said to be.

A closed list: never HTML, never SVG, nothing that a browser could run.  The
first bytes must fit the type, so that nothing else comes in its name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class FileType:
    """How files of a type begin, and how their names end, the usual ending first."""

    looks: Looks
    endings: tuple[str, ...]


_ZIPPED, _OLE = _starts(b"PK\x03\x04"), _starts(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
_OFFICE = "application/vnd.openxmlformats-officedocument."
#: Our own table: what the machine's says of endings differs from one to the next.
TYPES: Mapping[str, FileType] = {
    "image/jpeg": FileType(_starts(b"\xff\xd8\xff"), (".jpg", ".jpeg")),
    "image/png": FileType(_starts(b"\x89PNG\r\n\x1a\n"), (".png",)),
    "image/gif": FileType(_starts(b"GIF87a", b"GIF89a"), (".gif",)),
    "image/webp": FileType(_riff(b"WEBP"), (".webp",)),
    "audio/ogg": FileType(_starts(b"OggS"), (".ogg", ".oga", ".opus")),
    "audio/mpeg": FileType(_mpeg_audio, (".mp3",)),
    "audio/aac": FileType(_aac, (".aac",)),
    "audio/mp4": FileType(_iso_media, (".m4a", ".mp4")),
    "audio/3gpp": FileType(_iso_media, (".3gp",)),
    "audio/amr": FileType(_starts(b"#!AMR"), (".amr",)),
    "audio/wav": FileType(_riff(b"WAVE"), (".wav",)),
    "video/mp4": FileType(_iso_media, (".mp4",)),
    "video/3gpp": FileType(_iso_media, (".3gp",)),
    "video/quicktime": FileType(_iso_media, (".mov",)),
    "application/pdf": FileType(_starts(b"%PDF-"), (".pdf",)),
    f"{_OFFICE}wordprocessingml.document": FileType(_ZIPPED, (".docx",)),
    f"{_OFFICE}spreadsheetml.sheet": FileType(_ZIPPED, (".xlsx",)),
    f"{_OFFICE}presentationml.presentation": FileType(_ZIPPED, (".pptx",)),
    "application/msword": FileType(_OLE, (".doc",)),
    "application/vnd.ms-excel": FileType(_OLE, (".xls",)),
    "application/vnd.ms-powerpoint": FileType(_OLE, (".ppt",)),
    "text/vcard": FileType(_card, (".vcf",)),
    "text/plain": FileType(_text, (".txt",)),
    "text/csv": FileType(_text, (".csv",)),
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
    known = TYPES.get(kind)
    return kind if content and known is not None and known.looks(content) else None


def ends_right(name: str, mime_type: str) -> bool:
    """Whether a file of this type may be called so."""
    known = TYPES.get(_plain(mime_type))
    return known is not None and name.lower().endswith(known.endings)


def ending_of(mime_type: str) -> str:
    """The usual ending of a type on the list, "" for any other."""
    known = TYPES.get(_plain(mime_type))
    return known.endings[0] if known else ""


def _plain(content_type: str) -> str:
    """ "Audio/OGG; codecs=opus" → "audio/ogg"."""
    bare = content_type.partition(";")[0].strip().lower()
    return _SAME_AS.get(bare, bare)
